/**
 * What the injector asks about the cluster, kept ready by watches so that no pod waits for an answer:
 * kubelet versions (native sidecars), annotations of namespaces (OpenShift), Istio's ProxyConfigs. Only
 * what the settings make use of is watched, and only the part of it that is used is kept.
 *
 * What is not known yet is absent. To `--native-sidecars auto` that means ordinary sidecars, which every
 * kubelet runs; so that a fresh replica does not differ from its siblings, the first lists are waited for,
 * a little, before it serves.
 */

import type { ClusterFacts } from "../admission/mod.ts";
import { ConfigError, readProxyConfigResources } from "../config/mod.ts";
import type { Clock } from "../host/mod.ts";
import { behavioursOf } from "../inject/mod.ts";
import { ApiError } from "../kube/api_error.ts";
import type { KubeClient, KubeObject } from "../kube/client.ts";
import { type Informer, startInformer } from "../kube/informer.ts";
import { NAMESPACES, NODES, PROXY_CONFIGS, type Resource } from "../kube/resources.ts";
import type { Logger } from "../server/mod.ts";
import { nodeOf } from "../kube/installation.ts";
import type { ServeSettings } from "./_settings.ts";
import { watchLog } from "./_watch_log.ts";

export interface FactsWatch {
  /** As they are now; the same object until something changes. */
  facts(): ClusterFacts;
  /** By resource, why what is known of it may be old; `undefined` where it is in step. */
  watches(): Readonly<Record<string, string | undefined>>;
  /** Resolves once all first lists came back, or so long after the watches began. */
  known(milliseconds: number): Promise<void>;
  close(): void;
}

export interface FactsContext {
  readonly settings: Pick<ServeSettings, "variables" | "compat" | "proxyConfigs">;
  readonly clock: Clock;
  readonly log: Pick<Logger, "info" | "warn" | "error" | "debug">;
}

/** Nothing where there is no cluster. */
export function watchFacts(client: KubeClient | undefined, context: FactsContext): FactsWatch {
  const { clock, log } = context;
  const wanted = client === undefined ? [] : wantedFacts(context);
  const informers = new Map<string, Informer>();
  const firsts: Promise<void>[] = [];
  const started = clock.monotonic();
  let facts: ClusterFacts = {};
  for (const { resource, project, take, otherwise, isOptional } of wanted) {
    const what = resource.plural;
    const first = Promise.withResolvers<void>();
    firsts.push(first.promise);
    const isKnown = () => informers.get(what)?.current() !== undefined;
    const meanwhile = () => isKnown() ? "what was seen last holds" : otherwise;
    const tell = watchLog(what, { log, meanwhile, isOptional });
    const informer = startInformer(client!, resource, {
      namespace: "*",
      project,
      clock,
      onChange(objects) {
        facts = { ...facts, ...take(objects) };
        first.resolve();
      },
      onFailure(message, error) {
        // Refused is an answer, too: there is no use in waiting for another.
        if (error instanceof ApiError && error.status !== 0) first.resolve();
        tell.onFailure(message, error);
      },
      onRecovery: tell.onRecovery,
    });
    informers.set(what, informer);
  }
  return {
    facts: () => facts,
    watches: () =>
      Object.fromEntries([...informers].map(([what, { failure }]) => [what, failure()])),
    async known(milliseconds) {
      const late = Promise.withResolvers<void>();
      const left = Math.max(0, started + milliseconds - clock.monotonic());
      const cancel = clock.after(left, late.resolve);
      await Promise.race([Promise.all(firsts), late.promise]);
      cancel();
    },
    close() {
      for (const informer of informers.values()) informer.close();
    },
  };
}

interface Wanted {
  readonly resource: Resource;
  readonly project: (object: KubeObject) => KubeObject;
  readonly take: (objects: readonly KubeObject[]) => ClusterFacts;
  /** What holds as long as nothing is known. */
  readonly otherwise: string;
  /** Whether the right to watch it is one of `manifests/options/` although no flag asks for it. */
  readonly isOptional?: boolean;
}

/** The resources that the settings make use of, and what holds without the right to watch each. */
export function factRights(
  settings: FactsContext["settings"],
): readonly Pick<Wanted, "resource" | "otherwise" | "isOptional">[] {
  return wantedFacts({ settings, log: { info() {}, warn() {}, error() {}, debug() {} } });
}

function wantedFacts({ settings, log }: Pick<FactsContext, "settings" | "log">): readonly Wanted[] {
  const { variables, compat, proxyConfigs } = settings;
  const isNativeAuto = behavioursOf(compat).nativeAuto &&
    (variables.get("ENABLE_NATIVE_SIDECARS") || "auto") === "auto";
  return [
    ...(isNativeAuto ? [NODE_FACTS] : []),
    ...(variables.get("PLATFORM") === "openshift" ? [NAMESPACE_FACTS] : []),
    ...(proxyConfigs && behavioursOf(compat).proxyConfigLayers ? [proxyConfigFacts(log)] : []),
  ];
}

const NODE_FACTS: Wanted = {
  resource: NODES,
  project: (object) => ({
    metadata: {},
    status: { nodeInfo: { kubeletVersion: nodeOf(object).kubeletVersion } },
  }),
  take: (objects) => ({ nodes: objects.map(nodeOf) }),
  otherwise: "sidecars are native only with --native-sidecars true",
};

const NAMESPACE_FACTS: Wanted = {
  resource: NAMESPACES,
  project: ({ metadata: { annotations } }) => ({
    metadata: typeof annotations === "object" && annotations !== null
      ? { annotations: rangesOf(annotations) }
      : {},
  }),
  take(objects) {
    const byName = new Map(objects.map(({ metadata: { name, annotations } }) => [
      name ?? "",
      annotations as Readonly<Record<string, string>> | undefined,
    ]));
    return { namespaceAnnotations: (namespace) => byName.get(namespace) };
  },
  otherwise: "sidecars run with user and group 1337",
};

/** Other annotations change often and can be large. */
function rangesOf(annotations: object): Record<string, string> {
  return Object.fromEntries(
    Object.entries(annotations).filter(([name]) => name.startsWith("openshift.io/")),
  );
}

function proxyConfigFacts(log: FactsContext["log"]): Wanted {
  /** What was told of each, so that it is told once. */
  let told = new Set<string>();
  return {
    resource: PROXY_CONFIGS,
    project: ({ metadata: { creationTimestamp }, spec }) => ({
      metadata: { creationTimestamp },
      spec,
    }),
    take(objects) {
      const now = new Set<string>();
      const proxyConfigs = readProxyConfigResources(objects.filter((object) => {
        const wrong = unreadable(object);
        if (wrong === undefined) return true;
        if (!told.has(wrong)) log.error("resource ignored", { error: wrong });
        now.add(wrong);
        return false;
      }));
      told = now;
      return { proxyConfigs };
    },
    otherwise: "ProxyConfig resources have no effect",
    isOptional: true,
  };
}

/** One that is broken must not take the others along. */
function unreadable(object: KubeObject): string | undefined {
  try {
    readProxyConfigResources([object]);
    return undefined;
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
}
