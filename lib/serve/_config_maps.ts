/**
 * Watches config maps for the configuration: `config` and `values` in one map, `mesh` in another. As with
 * files, a change takes effect as a whole or not at all. If a map or one of its keys is deleted, the last
 * good configuration keeps serving.
 */

import {
  ConfigFailure,
  type ConfigRead,
  type ConfigSource,
  type SourceName,
} from "../config/reload.ts";
import type { Clock } from "../host/mod.ts";
import type { KubeObject } from "../kube/client.ts";
import { type Informer, startInformer } from "../kube/informer.ts";
import { CONFIG_MAPS } from "../kube/resources.ts";
import type { Logger } from "../server/mod.ts";
import { textOf } from "../kube/installation.ts";
import type { ServeCluster } from "./_cluster.ts";
import type { ServeSettings } from "./_settings.ts";
import { watchLog } from "./_watch_log.ts";

export interface ConfigMaps {
  /** The sources; empty if no flag names a map. */
  readonly sources: readonly ConfigSource[];
  /** The texts that they provide. */
  readonly names: ReadonlySet<SourceName>;
  /**
   * Waits for all maps. Resolves to false if `stop` resolves first, and rejects if a map does not appear in
   * time.
   */
  there(stop: Promise<void>): Promise<boolean>;
  /** Returns for each map why its state may be stale; `undefined` if it is in sync. */
  watches(): Readonly<Record<string, string | undefined>>;
  close(): void;
}

export interface ConfigMapsContext {
  readonly settings: Pick<ServeSettings, "namespace" | "injectConfigMap" | "meshConfigMap">;
  readonly clock: Clock;
  readonly log: Pick<Logger, "debug" | "info" | "warn">;
}

/**
 * How long to wait for a map at startup. The Deployment may be applied before the maps, and the API server
 * may be restarting; exiting early would only lead to the kubelet's restart back-off. But waiting forever
 * would hide the problem.
 */
const WAIT_MS = 60_000;

/** Collects changes of maps that are applied together. */
const GATHER_MS = 50;

/** Starts the watches; throws if a flag names a map and there is no cluster. */
export function watchConfigMaps(cluster: ServeCluster, context: ConfigMapsContext): ConfigMaps {
  const { injectConfigMap, meshConfigMap } = context.settings;
  const watched = [
    ...(injectConfigMap === "" ? [] : [watchMap(cluster, {
      ...context,
      name: injectConfigMap,
      keys: INJECT_KEYS,
      flag: "inject-configmap",
    })]),
    ...(meshConfigMap === "" ? [] : [watchMap(cluster, {
      ...context,
      name: meshConfigMap,
      keys: MESH_KEYS,
      flag: "mesh-configmap",
    })]),
  ];
  return {
    sources: watched,
    names: new Set(watched.flatMap(({ keys }) => keys.map(({ name }) => name))),
    async there(stop) {
      const stopped = stop.then(() => false);
      const all = Promise.all(watched.map((map) => map.there())).then(() => true);
      try {
        return await Promise.race([all, stopped]);
      } finally {
        for (const map of watched) map.stopWaiting();
      }
    },
    watches: () =>
      Object.fromEntries(watched.map((map) => [`configmap ${map.place}`, map.informer.failure()])),
    close() {
      for (const { informer } of watched) informer.close();
    },
  };
}

interface Key {
  readonly name: SourceName;
  /** Istio's error for a missing key. Absent for a key that is optional unless the map had it before. */
  readonly missing?: string;
}

const INJECT_KEYS: readonly Key[] = [
  { name: "config", missing: 'missing ConfigMap config key "config"' },
  // Maps from before Istio 1.4 have no values.
  { name: "values" },
];
const MESH_KEYS: readonly Key[] = [
  { name: "mesh", missing: 'missing configuration map key "mesh"' },
];

interface MapContext extends ConfigMapsContext {
  /** The name of the map, or `namespace/name` for a map in another namespace. */
  readonly name: string;
  readonly keys: readonly Key[];
  /** The flag that names the map. */
  readonly flag: string;
}

interface WatchedMap extends ConfigSource {
  /** `namespace/name`. */
  readonly place: string;
  readonly keys: readonly Key[];
  readonly informer: Informer;
  there(): Promise<void>;
  stopWaiting(): void;
}

function watchMap(cluster: ServeCluster, context: MapContext): WatchedMap {
  const { settings, keys, flag, clock, log } = context;
  const place = context.name.includes("/") ? context.name : `${settings.namespace}/${context.name}`;
  const [namespace, name] = place.split("/", 2);
  const quoted = `ConfigMap ${JSON.stringify(place)}`;
  const first = Promise.withResolvers<void>();
  // Avoid an unhandled rejection if nobody is waiting any more.
  first.promise.catch(() => {});
  let isWaiting = true;
  let changed = () => {};
  const meanwhile = () => isWaiting ? "not serving yet" : "using the last known state";
  const informer = startInformer(cluster.need(`read ${quoted}`), CONFIG_MAPS, {
    namespace,
    name,
    project: (map) => ({ metadata: {}, data: textsOf(map, keys) }),
    clock,
    onChange(maps) {
      if (maps.length > 0) first.resolve();
      else if (isWaiting) log.warn("waiting for config map", { configMap: place });
      changed();
    },
    ...watchLog(`configmap ${place}`, { log, meanwhile }),
  });
  const cancelWait = clock.after(WAIT_MS, () => {
    const absent = `not found; check --${flag}, --namespace and --revision`;
    const reason = informer.failure() ?? absent;
    first.reject(new Error(`Cannot read ${quoted} within ${WAIT_MS / 1000} s: ${reason}`));
  });
  const seen = new Set<SourceName>();
  const read = () => {
    const map = informer.current()?.at(0);
    if (map === undefined) throw failure(place, "it was deleted");
    const read = readMap(map, { place, keys, seen });
    for (const name of Object.keys(read.texts)) seen.add(name as SourceName);
    return read;
  };
  return {
    place,
    keys,
    informer,
    there: () => first.promise,
    stopWaiting() {
      isWaiting = false;
      cancelWait();
    },
    read: () => Promise.resolve().then(read),
    watch(look) {
      let cancel = () => {};
      changed = () => {
        cancel();
        cancel = clock.after(GATHER_MS, look);
      };
      return {
        close() {
          changed = () => {};
          cancel();
        },
      };
    },
  };
}

/** Returns the texts of a map. Everything else, such as managedFields, is dropped. */
function textsOf(map: KubeObject, keys: readonly Key[]): Partial<Record<SourceName, string>> {
  const texts: Partial<Record<SourceName, string>> = {};
  for (const { name } of keys) {
    const text = textOf(map, name);
    if (text !== undefined) texts[name] = text;
  }
  return texts;
}

function readMap(
  map: KubeObject,
  { place, keys, seen }: {
    readonly place: string;
    readonly keys: readonly Key[];
    readonly seen: ReadonlySet<SourceName>;
  },
): ConfigRead {
  const texts = textsOf(map, keys);
  for (const { name, missing } of keys) {
    if (texts[name] !== undefined) continue;
    if (missing !== undefined) throw failure(place, missing);
    if (seen.has(name)) throw failure(place, `key ${JSON.stringify(name)} was deleted`);
  }
  const places = keys.map(({ name }) => [name, { configMap: place, key: name }]);
  return { texts, places: Object.fromEntries(places) };
}

function failure(place: string, reason: string): ConfigFailure {
  const message = `Cannot load ConfigMap ${JSON.stringify(place)}: ${reason}`;
  return new ConfigFailure(message, { place: { configMap: place } });
}
