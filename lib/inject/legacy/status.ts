/** The status annotation of old versions: the template's hash, and the names of the injected parts. */
import { decodeJson, encodeJson } from "../../go/json.ts";
import { strings } from "../../go/value.ts";
import { STATUS } from "../names.ts";
import { lookup, type Pod } from "../pod.ts";
import type { Injection } from "./injection.ts";

/** Names by the list they are in. */
export interface InjectedNames {
  readonly initContainers: readonly string[];
  readonly containers: readonly string[];
  readonly volumes: readonly string[];
  readonly imagePullSecrets: readonly string[];
}

/** The names that the first injectors used without recording them. */
const FIRST_NAMES: InjectedNames = {
  initContainers: ["istio-init", "enable-core-dump"],
  containers: ["istio-proxy"],
  volumes: ["istio-certs", "istio-envoy"],
  imagePullSecrets: [],
};

/**
 * Returns the names injected earlier. If the pod does not record them, assumes the first injectors' names;
 * a user's own `istio-proxy` therefore counts as injected.
 */
export function injectedNames(pod: Pod): InjectedNames {
  const told = readNames(lookup(pod.metadata.annotations, STATUS) ?? "");
  return told && Object.values(told).some((names) => names.length > 0) ? told : FIRST_NAMES;
}

const LISTS = ["initContainers", "containers", "volumes", "imagePullSecrets"] as const;

/** Parses the names. Returns `undefined` if Go could not decode the text into its struct. */
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
    // Go matches keys case-insensitively.
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

/** Formats the annotation; empty lists are null. */
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
