/**
 * Injects one pod, stage by stage. Takes a normalised pod and returns another; the patch is the difference.
 * Never modifies its input.
 */
import type { InjectionConfig } from "../config/injection_config.ts";
import type { MeshConfig } from "../config/mesh_config.ts";
import type { MeshSchema } from "../config/mesh_schema.ts";
import type { ProxyConfig } from "../config/proxy_config.ts";
import type { TypedValues, Values } from "../config/values.ts";
import type { Budget } from "../data/budget.ts";
import { normalise } from "../kube/normalise.ts";
import { multiError, validateAnnotations } from "./annotations.ts";
import type { Behaviours } from "./compat.ts";
import { estimateConcurrency } from "./concurrency.ts";
import type { WorkloadMeta } from "./deployment_meta.ts";
import { InjectionError } from "./errors.ts";
import { templateData } from "./go_types.ts";
import { imageUrl } from "./images.ts";
import { CLUSTER_VARIABLE, NETWORK_LABEL, NETWORK_VARIABLE } from "./names.ts";
import { DEFAULT_PROXY_ID } from "./openshift.ts";
import { originalPod } from "./overrides.ts";
import { lookup, type Pod, type StringMap } from "./pod.ts";
import { setClusterEnv } from "./post/cluster_env.ts";
import { setMetadata } from "./post/metadata.ts";
import { orderContainers } from "./post/order.ts";
import { rewriteProbes } from "./post/probes.ts";
import { annotateSecurePort, mergePrometheus } from "./post/prometheus.ts";
import type { PrivateName } from "./private_name.ts";
import { reapplyContainers } from "./reapply.ts";
import { type Rendered, renderTemplates, selectTemplates } from "./render.ts";
import { statusText } from "./status.ts";
import type { GuardOptions } from "./structure_guard.ts";
import type { TemplateSet } from "./template_set.ts";
import type { InjectionTrace, Stage } from "./trace.ts";

/** What all pods share while a config is in use. */
export interface InjectionSettings extends GuardOptions {
  readonly config: Pick<InjectionConfig, "defaultTemplates" | "aliases" | "injectedAnnotations">;
  readonly templates: TemplateSet;
  readonly values: Values;
  readonly meshConfig: MeshConfig;
  /** The fields of mesh and proxy config. */
  readonly meshSchema: MeshSchema;
  readonly revision: string;
  readonly compliancePolicy: string;
  readonly behaviours: Behaviours;
  /** The minor version whose types templates see; defaults to today's. */
  readonly minor?: number;
  /** Whether TCP probes are rewritten. */
  readonly tcpProbes: boolean;
  readonly trace?: InjectionTrace;
}

/** Facts about one pod. */
export interface PodFacts {
  readonly workload: WorkloadMeta;
  readonly proxyConfig: ProxyConfig;
  /** The mesh config as templates see it; kube-inject applies the pod's own annotation. */
  readonly meshConfig: MeshConfig;
  /** Variables from the webhook's URL. */
  readonly proxyEnv: StringMap;
  readonly nativeSidecars: boolean;
  /** The sidecar's user and group, if the platform sets them. */
  readonly proxyIds?: { readonly uid: number; readonly gid: number };
  /** Whether the application waits for the sidecar; called once the pod's annotations are valid. */
  readonly holds: () => boolean;
  /** Collects the structure guard's warnings. */
  readonly structureChanges?: string[];
  /** A name kept from templates, as far as they allow it. */
  readonly privateName?: PrivateName;
  /** The budget of the injection. */
  readonly budget: Budget;
}

export function injectPod(pod: Pod, facts: PodFacts, settings: InjectionSettings): Pod {
  settings.trace?.stage?.("original", pod);
  const proxyEnv = clusterAndNetwork(pod, facts.proxyEnv, settings.values.typed);
  const rendered = within("failed to run injection template: ", () => {
    const invalid = validateAnnotations(pod.metadata.annotations, settings);
    if (invalid.length > 0) throw new InjectionError("invalid_annotation", multiError(invalid));
    return runTemplates(pod, facts, settings);
  });
  const merged = within("failed to re apply container: ", () =>
    reapplyContainers(rendered.pod, {
      original: pod,
      template: rendered.template,
      interceptionMode: facts.proxyConfig.interceptionMode ?? "",
      behaviours: settings.behaviours,
      warn: settings.warn,
    }));
  settings.trace?.stage?.("overrides", merged);
  const processed = within(
    "failed to process pod: ",
    () => postProcess(merged, { ...facts, proxyEnv }, { settings, template: rendered.template }),
  );
  return normalise("Pod", processed, { known: merged }) as unknown as Pod;
}

function within<T>(prefix: string, stage: () => T): T {
  try {
    return stage();
  } catch (error) {
    throw error instanceof InjectionError ? error.within(prefix) : error;
  }
}

function runTemplates(pod: Pod, facts: PodFacts, settings: InjectionSettings): Rendered {
  const { config, meshConfig, behaviours } = settings;
  const { untyped, typed: values } = settings.values;
  const original = originalPod(pod, { statusPort: statusPortOf(meshConfig), behaviours });
  const { annotations } = original.metadata;
  const { uid, gid } = facts.proxyIds ?? { uid: DEFAULT_PROXY_ID, gid: DEFAULT_PROXY_ID };
  const variant = behaviours.imageVariant ? values.variant : "";
  const { image: ownImage } = facts.proxyConfig;
  const image = { hub: values.hub, tag: values.tag, annotations };
  const data = {
    typeMeta: { kind: facts.workload.kind, apiVersion: facts.workload.apiVersion },
    deploymentMeta: { name: facts.workload.name, namespace: facts.workload.namespace },
    objectMeta: original.metadata,
    spec: facts.privateName?.watched(original.spec) ?? original.spec,
    proxyConfig: facts.proxyConfig,
    meshConfig: facts.meshConfig,
    revision: settings.revision,
    proxyImage: imageUrl({
      ...image,
      name: values.proxyImage,
      variant: ownImage?.imageType ||
        (ownImage && !behaviours.imageVariantForEmptyType ? "" : variant),
    }),
    proxyInitImage: imageUrl({ ...image, name: values.proxyInitImage, variant }),
    nativeSidecars: facts.nativeSidecars,
    proxyUID: uid,
    proxyGID: gid,
    inboundTrafficPolicyMode: inboundTrafficPolicyMode(facts.meshConfig),
    compliancePolicy: settings.compliancePolicy,
    ...(behaviours.estimatesConcurrency
      ? {
        estimatedConcurrency: estimateConcurrency(facts.proxyConfig, {
          annotations: pod.metadata.annotations,
          values: untyped,
        }),
      }
      : {}),
  };
  const names = selectTemplates(pod, {
    defaults: config.defaultTemplates,
    aliases: config.aliases,
  });
  const rendered = renderTemplates(pod, {
    templates: settings.templates,
    names,
    data: ({ copied }) =>
      templateData(
        { ...data, values: copied ? structuredClone(untyped) : untyped },
        settings.minor,
      ),
    nativeSidecars: facts.nativeSidecars,
    behaviours,
    guard: {
      structureGuard: settings.structureGuard,
      warn: settings.warn,
      changes: facts.structureChanges,
    },
    budget: facts.budget,
    trace: settings.trace,
  });
  if (names.some((name) => !settings.templates.get(name)!.isPure)) facts.privateName?.disclose();
  facts.privateName?.checkTemplate(rendered.template);
  return rendered;
}

function postProcess(
  pod: Pod,
  facts: PodFacts,
  { settings, template }: { settings: InjectionSettings; template: Pod },
): Pod {
  const { meshConfig, behaviours, revision, warn } = settings;
  const values = settings.values.typed;
  const statusPort = statusPortOf(meshConfig);
  const after = (stage: Stage) => settings.trace?.stage?.(stage, pod);
  pod = setClusterEnv(pod, facts.proxyEnv);
  after("cluster_env");
  const enabled = meshConfig.enablePrometheusMerge ?? true;
  pod = mergePrometheus(pod, { enabled, statusPort, behaviours, warn });
  if (behaviours.prometheusTargets) pod = annotateSecurePort(pod);
  after("prometheus");
  pod = rewriteProbes(pod, {
    rewrite: values.rewriteAppHTTPProbe,
    tcp: settings.tcpProbes,
    statusPort,
    behaviours,
    warn,
  });
  after("probes");
  pod = setMetadata(pod, {
    status: statusText(template, {
      revision: behaviours.statusRevision ? revision || "default" : undefined,
    }),
    proxyEnv: facts.proxyEnv,
    injectedAnnotations: settings.config.injectedAnnotations,
  });
  after("metadata");
  const hold = facts.holds() || values.holdApplicationUntilProxyStarts;
  pod = orderContainers(pod, { hold, nativeOrder: behaviours.nativeSidecars });
  after("order");
  return pod;
}

/**
 * Returns cluster and network, from the values and the caller, and for the network also the pod's label.
 */
function clusterAndNetwork(pod: Pod, asked: StringMap, values: TypedValues): StringMap {
  const cluster = lookup(asked, CLUSTER_VARIABLE) || values.clusterName;
  const network = lookup(pod.metadata.labels, NETWORK_LABEL) ??
    (lookup(asked, NETWORK_VARIABLE) || values.network);
  return {
    ...asked,
    ...(cluster ? { [CLUSTER_VARIABLE]: cluster } : {}),
    ...(network ? { [NETWORK_VARIABLE]: network } : {}),
  };
}

function statusPortOf(meshConfig: MeshConfig): number {
  return meshConfig.defaultConfig.statusPort ?? 0;
}

function inboundTrafficPolicyMode(meshConfig: MeshConfig): string {
  return meshConfig.inboundTrafficPolicy?.mode === "LOCALHOST" ? "localhost" : "passthrough";
}
