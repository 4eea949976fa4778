/** The status annotation of that era: the template's hash, and the names of what it put in. */
import { decodeJson, encodeJson } from "../../go/json.ts";
import { strings } from "../../go/value.ts";
import { STATUS } from "../names.ts";
import { lookup, type Pod } from "../pod.ts";
import type { Injection } from "./injection.ts";

/** Names by the list they stand in. */
export interface InjectedNames {
  readonly initContainers: readonly string[];
  readonly containers: readonly string[];
  readonly volumes: readonly string[];
  readonly imagePullSecrets: readonly string[];
}

/** What the first injectors put in, which left no names. */
const FIRST_NAMES: InjectedNames = {
  initContainers: ["istio-init", "enable-core-dump"],
  containers: ["istio-proxy"],
  volumes: ["istio-certs", "istio-envoy"],
  imagePullSecrets: [],
};

/**
 * What an earlier injection put into a pod. Where the pod doesn't say, the names of the first injectors:
 * so a user's own `istio-proxy` counts as injected.
 */
export function injectedNames(pod: Pod): InjectedNames {
  const told = readNames(lookup(pod.metadata.annotations, STATUS) ?? "");
  return told && Object.values(told).some((names) => names.length > 0) ? told : FIRST_NAMES;
}

const LISTS = ["initContainers", "containers", "volumes", "imagePullSecrets"] as const;

/** `undefined` for a text that Go could not decode into the struct it has for it. */
function readNames(text: string): InjectedNames | undefined {
  let value: unknown;
  try {
    value = decodeJson(text);
  } catch {
    return undefined;
  }
  if (value === null) return undefined;
  if (typeof value !== "object" || Array.isArray(value)) return undefined;
  const names: Record<string, readonly string[]> = {};
  for (const list of LISTS) names[list] = [];
  for (const [key, given] of Object.entries(value)) {
    // Letter case in keys means nothing to Go.
    const lower = key.toLowerCase();
    if (lower === "version" && given !== null && typeof given !== "string") return undefined;
    const list = LISTS.find((name) => name.toLowerCase() === lower);
    if (list === undefined || given === null) continue;
    if (!Array.isArray(given)) return undefined;
    if (!given.every((name) => name === null || typeof name === "string")) return undefined;
    names[list] = given.map((name) => name ?? "");
  }
  return names as unknown as InjectedNames;
}

/** The annotation's text; lists without a name are null. */
export function legacyStatusText(
  injection: Injection,
  { version }: { version: string },
): string {
  const parts = LISTS.map((list) => {
    const names = injection[list].map(({ name }) => name ?? "");
    return `"${list}":${encodeJson(strings(names.length === 0 ? null : names))}`;
  });
  return `{"version":${encodeJson(version)},${parts.join(",")}}`;
}
