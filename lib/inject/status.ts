/** The annotation in which an injection says what it put into the pod. */
import { decodeJson, encodeJson } from "../go/json.ts";
import { STRINGS, Typed } from "../go/value.ts";
import { STATUS } from "./names.ts";
import { lookup, type Pod } from "./pod.ts";

export interface InjectionStatus {
  readonly initContainers: readonly string[];
  readonly containers: readonly string[];
}

/**
 * What an earlier injection left in the pod. `undefined` without the annotation; empty lists where
 * it can't be read, since the annotation is the user's to break.
 */
export function previousStatus(pod: Pod): InjectionStatus | undefined {
  const text = lookup(pod.metadata.annotations, STATUS);
  if (text === undefined) return undefined;
  let status: unknown;
  try {
    status = decodeJson(text);
  } catch {
    return undefined;
  }
  if (typeof status !== "object" || status === null || Array.isArray(status)) return undefined;
  return {
    initContainers: names(status, "initContainers"),
    containers: names(status, "containers"),
  };
}

function names(status: object, key: string): string[] {
  const list = Object.hasOwn(status, key) ? (status as Record<string, unknown>)[key] : undefined;
  return Array.isArray(list) ? list.filter((name) => typeof name === "string") : [];
}

/** The annotation's text for what a template put in. */
export function statusText(
  template: Pod,
  { revision }: { revision: string | undefined },
): string {
  const list = (items: readonly { name?: string }[] | null | undefined) =>
    new Typed(STRINGS, items?.length ? items.map((item) => item.name ?? "") : null);
  const parts: [string, unknown][] = [
    ["initContainers", list(template.spec.initContainers)],
    ["containers", list(template.spec.containers)],
    ["volumes", list(template.spec.volumes)],
    ["imagePullSecrets", list(template.spec.imagePullSecrets)],
  ];
  if (revision !== undefined) parts.push(["revision", revision]);
  return `{${parts.map(([key, value]) => `"${key}":${encodeJson(value)}`).join(",")}}`;
}
