/** Answers reviews with and without caches, which must give the same answers. */
import { existsSync, readFileSync } from "node:fs";
import { answerReview, type ClusterFacts } from "../../lib/admission/mod.ts";
import { digest, pack, unpack } from "../../lib/host/mod.ts";
import { sprigFunctions } from "../../lib/go/sprig/mod.ts";
import type { EngineSources } from "../../lib/inject/engine.ts";
import { createInjector } from "../../lib/inject/injector.ts";
import { deepFreeze } from "../_freeze.ts";
import { testSprigHost } from "../go/_sprig_host.ts";
import { CONFORMANCE, hasConformance } from "../inject/_conformance.ts";

export interface Asked {
  readonly path?: string;
  readonly cluster?: ClusterFacts;
}

export type Door = (body: Uint8Array, asked?: Asked) => ReturnType<typeof answerReview>;

export interface Doors {
  readonly fast: Door;
  readonly slow: Door;
  /** The log messages of the cached injector. */
  readonly told: string[];
}

export function openDoors(
  sources: EngineSources,
  env: Readonly<Record<string, string>> = {},
): Doors {
  const told: string[] = [];
  const door = (caches: boolean): Door => {
    const warn = (message: string) => caches ? told.push(message) : 0;
    const injector = createInjector(sources, {
      sprig: sprigFunctions(testSprigHost()),
      env: (name) => Object.hasOwn(env, name) ? env[name] : undefined,
      warn,
      caches,
    });
    const { keepsNames, urlEnv } = injector;
    const reviewing = {
      kindRequired: true,
      keepsNames,
      urlEnv,
      warn,
      // Data shared between pods must not change.
      admit: (request: Parameters<typeof injector.admit>[0], cluster: ClusterFacts) => {
        deepFreeze(request.object);
        return deepFreeze(injector.admit(request, cluster));
      },
    };
    return (body, { path = "/inject", cluster = {} } = {}) =>
      answerReview(body, {
        injector: reviewing,
        path,
        cluster,
        keepAnswers: { digest, pack, unpack },
      });
  };
  return { fast: door(true), slow: door(false), told };
}

/** The settings that Istio's tests use most, if the conformance data is present. */
export function istioSettings(): EngineSources | undefined {
  if (!hasConformance) return undefined;
  const head = `${CONFORMANCE}/head`;
  const name = readFileSync(`${head}/default.txt`, "utf8").trim();
  const read = (file: string) => {
    const path = `${head}/settings/${name}/${file}`;
    return existsSync(path) ? readFileSync(path, "utf8") : "";
  };
  return { config: read("config.yaml"), values: read("values.json"), mesh: read("mesh.yaml") };
}

let reviews = 0;

/** Formats reviews as the API server does, each with its own uid. */
export function reviewOf(object: unknown, { namespace = "shop" } = {}): Uint8Array {
  const uid = `705ab4f5-6393-11e8-b7cc-${String(reviews++).padStart(12, "0")}`;
  return new TextEncoder().encode(JSON.stringify({
    kind: "AdmissionReview",
    apiVersion: "admission.k8s.io/v1",
    request: {
      uid,
      kind: { group: "", version: "v1", kind: "Pod" },
      namespace,
      operation: "CREATE",
      object,
    },
  }));
}

type Json = Record<string, unknown>;

/** Adds a token volume with a random name, as the API server's admission does. */
export function withToken(pod: Json, token: string): Json {
  const spec = (pod.spec ?? {}) as Json;
  const mount = { name: token, readOnly: true, mountPath: "/var/run/secrets/token" };
  const mounted = (list: unknown) =>
    Array.isArray(list)
      ? list.map((one) => ({ ...one, volumeMounts: [...(one?.volumeMounts ?? []), mount] }))
      : list;
  return {
    ...pod,
    spec: {
      ...spec,
      volumes: [...((spec.volumes ?? []) as unknown[]), {
        name: token,
        projected: { sources: [] },
      }],
      ...(spec.initContainers ? { initContainers: mounted(spec.initContainers) } : {}),
      containers: mounted(spec.containers),
    },
  };
}

const LETTERS = "bcdfghjklmnpqrstvwxz2456789";
let tokens = 0;

export function newToken(): string {
  let suffix = "";
  for (let i = 0, n = ++tokens * 7_919; i < 5; i++, n = Math.floor(n / 3)) {
    suffix += LETTERS[n % 27];
  }
  return `kube-api-access-${suffix}`;
}
