/**
 * Configuration from config maps: `config` and `values` of one, `mesh` of another, watched. As a source it
 * gives texts as files do, so that a change is taken whole or not at all; a map that is deleted, or a key of
 * it, is a failure, and what was good goes on serving.
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
  /** None where no flag names a map. */
  readonly sources: readonly ConfigSource[];
  /** Which texts they give. */
  readonly names: ReadonlySet<SourceName>;
  /**
   * Resolves once all maps are there, with `false` where it was told to stop before; throws where one is
   * not there in time.
   */
  there(stop: Promise<void>): Promise<boolean>;
  /** By map, why what is known of it may be old; `undefined` where it is in step. */
  watches(): Readonly<Record<string, string | undefined>>;
  close(): void;
}

export interface ConfigMapsContext {
  readonly settings: Pick<ServeSettings, "namespace" | "injectConfigMap" | "meshConfigMap">;
  readonly clock: Clock;
  readonly log: Pick<Logger, "debug" | "info" | "warn">;
}

/**
 * How long a map may take to be there. The Deployment may be applied before the maps, and an API server may
 * be restarted along with us; while it is away nobody sends pods, and ending would only bring us into the
 * kubelet's longer pauses. But what waits for ever is never looked at.
 */
const WAIT_MS = 60_000;

/** Maps that are applied together come one after the other. */
const GATHER_MS = 50;

/** Throws where a flag names a map and there is no cluster. */
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
  /** In the words of Istio's own; absent where a map may be without it, as long as it never had it. */
  readonly missing?: string;
}

const INJECT_KEYS: readonly Key[] = [
  { name: "config", missing: 'missing ConfigMap config key "config"' },
  // Maps from before Istio 1.4 have none.
  { name: "values" },
];
const MESH_KEYS: readonly Key[] = [
  { name: "mesh", missing: 'missing configuration map key "mesh"' },
];

interface MapContext extends ConfigMapsContext {
  /** Of a map in another namespace than ours: `namespace/name`. */
  readonly name: string;
  readonly keys: readonly Key[];
  /** Names another. */
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
  // Nobody may be waiting any more.
  first.promise.catch(() => {});
  let isWaiting = true;
  let changed = () => {};
  const meanwhile = () => isWaiting ? "nothing is served yet" : "what was read last holds";
  const informer = startInformer(cluster.need(`read ${quoted}`), CONFIG_MAPS, {
    namespace,
    name,
    project: (map) => ({ metadata: {}, data: textsOf(map, keys) }),
    clock,
    onChange(maps) {
      if (maps.length > 0) first.resolve();
      else if (isWaiting) log.warn("waiting for a config map", { configMap: place });
      changed();
    },
    ...watchLog(`configmap ${place}`, { log, meanwhile }),
  });
  const cancelWait = clock.after(WAIT_MS, () => {
    const absent = `there is none; --${flag}, --namespace or --revision may name another`;
    const reason = informer.failure() ?? absent;
    first.reject(new Error(`Cannot read ${quoted} within ${WAIT_MS / 1000} s: ${reason}`));
  });
  const seen = new Set<SourceName>();
  const read = () => {
    const map = informer.current()?.at(0);
    if (map === undefined) throw failure(place, "it is not there any more");
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

/** What is used of a map; all else of it, its history foremost, is dropped. */
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
    if (seen.has(name)) throw failure(place, `its key ${JSON.stringify(name)} is gone`);
  }
  const places = keys.map(({ name }) => [name, { configMap: place, key: name }]);
  return { texts, places: Object.fromEntries(places) };
}

function failure(place: string, reason: string): ConfigFailure {
  const message = `Cannot load ConfigMap ${JSON.stringify(place)}: ${reason}`;
  return new ConfigFailure(message, { place: { configMap: place } });
}
