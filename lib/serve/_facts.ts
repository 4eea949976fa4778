/**
 * Watches what the injector needs to know about the cluster, so that no pod waits for it: kubelet versions
 * (native sidecars), namespace annotations (OpenShift) and Istio's ProxyConfigs. Watches only what the
 * settings need, and keeps only the fields in use.
 *
 * Unknown facts are absent. For `--native-sidecars auto` this means ordinary sidecars, which every kubelet
 * supports. To agree with its peers, a new replica waits briefly for the first lists before it serves.
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
  /** Returns the current facts, as the same object until something changes. */
  facts(): ClusterFacts;
  /** Returns for each resource why its state may be stale; `undefined` if it is in sync. */
  watches(): Readonly<Record<string, string | undefined>>;
  /** Resolves after the first lists, or at the latest this long after the watches started. */
  known(milliseconds: number): Promise<void>;
  close(): void;
}

export interface FactsContext {
  readonly settings: Pick<ServeSettings, "variables" | "compat" | "proxyConfigs">;
  readonly clock: Clock;
  readonly log: Pick<Logger, "info" | "warn" | "error" | "debug">;
}

/** Starts the watches; without a cluster, there are none. */
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
    const meanwhile = () => isKnown() ? "using the last known state" : otherwise;
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
        // An error response is final: do not wait for another.
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
  /** The behavior until the resource is known. */
  readonly otherwise: string;
  /** Whether permission to watch it is granted only by `manifests/options/`, although no flag enables it. */
  readonly isOptional?: boolean;
}

/** Returns the resources that the settings need, and the behavior without permission to watch them. */
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

/** Returns OpenShift's annotations. Others change often and can be large. */
function rangesOf(annotations: object): Record<string, string> {
  return Object.fromEntries(
    Object.entries(annotations).filter(([name]) => name.startsWith("openshift.io/")),
  );
}

function proxyConfigFacts(log: FactsContext["log"]): Wanted {
  /** The errors logged so far, to log each only once. */
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

/** Returns the error in a ProxyConfig, if any, so that the others still apply. */
function unreadable(object: KubeObject): string | undefined {
  try {
    readProxyConfigResources([object]);
    return undefined;
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
}
