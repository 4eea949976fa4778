/**
 * Decodes what a single template renders to: lists that are appended to the pod's, and a few settings.
 * Errors use the original's messages.
 */
import { isMap } from "../../data/map.ts";
import { jsonKind } from "../../go/json.ts";
import { parseYaml, YamlError } from "../../yaml/mod.ts";
import { DecodeError, normalise } from "../../kube/normalise.ts";
import { InjectionError } from "../errors.ts";
import type { Container, PodSpec, StringMap } from "../pod.ts";
import type { LegacyBehaviours } from "./compat.ts";

export interface Injection {
  /** Annotations that tell the CNI plugin how to redirect traffic. */
  readonly podRedirectAnnot: StringMap;
  readonly rewriteAppHTTPProbe: boolean;
  readonly initContainers: readonly Container[];
  readonly containers: readonly Container[];
  readonly volumes: readonly { readonly name: string }[];
  readonly dnsConfig?: unknown;
  readonly imagePullSecrets: readonly { readonly name?: string }[];
}

/** The Go names of the fields that pods have too. */
const POD_FIELDS: Readonly<Record<string, string>> = {
  initContainers: "InitContainers",
  containers: "Containers",
  volumes: "Volumes",
  dnsConfig: "DNSConfig",
  imagePullSecrets: "ImagePullSecrets",
};

export type InjectionBehaviours = Pick<
  LegacyBehaviours,
  "podFields" | "probes" | "redirectAnnotations" | "explainsYaml"
>;

/** Parses a rendered text. Throws an InjectionError. */
export function parseInjection(text: string, behaviours: InjectionBehaviours): Injection {
  try {
    return decode(readObject(text), behaviours);
  } catch (error) {
    const reason = reasonOf(error);
    if (reason === undefined) throw error;
    const prefix = behaviours.explainsYaml
      ? "failed parsing generated injected YAML (check Istio sidecar injector configuration): "
      : "";
    throw new InjectionError("overlay", prefix + reason, { cause: error });
  }
}

function reasonOf(error: unknown): string | undefined {
  if (error instanceof DecodeError) return `error unmarshaling JSON: ${error.message}`;
  if (!(error instanceof YamlError)) return undefined;
  return `error converting YAML to JSON: ${error.original}`;
}

function readObject(text: string): Readonly<Record<string, unknown>> {
  const value = parseYaml(text) ?? {};
  if (typeof value === "object" && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new DecodeError(
    "wrong-type",
    `json: cannot unmarshal ${jsonKind(value)} into Go value of type inject.SidecarInjectionSpec`,
  );
}

function decode(
  given: Readonly<Record<string, unknown>>,
  behaviours: InjectionBehaviours,
): Injection {
  const value = (name: string): unknown => {
    // Go matches keys case-insensitively; of several spellings the last wins.
    const key = Object.keys(given).findLast((key) => key.toLowerCase() === name.toLowerCase());
    return key === undefined ? null : given[key];
  };
  const fields = Object.keys(POD_FIELDS).map((field) => [field, value(field)] as const);
  const spec = decodePodFields(Object.fromEntries(fields));
  return {
    podRedirectAnnot: behaviours.redirectAnnotations
      ? annotationsOf(value("podRedirectAnnot"))
      : {},
    rewriteAppHTTPProbe: behaviours.probes && flagOf("RewriteAppHTTPProbe", value),
    initContainers: spec.initContainers ?? [],
    containers: spec.containers ?? [],
    volumes: spec.volumes ?? [],
    ...(behaviours.podFields && spec.dnsConfig ? { dnsConfig: spec.dnsConfig } : {}),
    imagePullSecrets: spec.imagePullSecrets ?? [],
  };
}

function decodePodFields(fields: Readonly<Record<string, unknown>>): PodSpec {
  const known = {
    ...fields,
    initContainers: asOfThen(fields.initContainers),
    containers: asOfThen(fields.containers),
  };
  try {
    return normalise("PodSpec", known, { strings: "convert" }) as unknown as PodSpec;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const message = error.message.replace(
      /\bGo struct field (\w+)\.(\w+)/,
      (whole, struct, field) =>
        Object.hasOwn(POD_FIELDS, field)
          ? `Go struct field ${struct === "PodSpec" ? "SidecarInjectionSpec" : struct}.${
            POD_FIELDS[field]
          }`
          : whole,
    );
    throw new DecodeError(error.code, message, { cause: error });
  }
}

/**
 * Removes `restartPolicy` from containers. Every template of that time set it, and Kubernetes ignored it;
 * today it would turn an init container into a sidecar that never ends.
 */
function asOfThen(containers: unknown): unknown {
  if (!Array.isArray(containers)) return containers;
  return containers.map((container) => {
    if (!isMap(container)) {
      return container;
    }
    return Object.fromEntries(
      Object.entries(container).filter(([key]) => key.toLowerCase() !== "restartpolicy"),
    );
  });
}

function annotationsOf(value: unknown): StringMap {
  const meta = normalise("ObjectMeta", { annotations: value }, { strings: "convert" });
  return (meta.annotations ?? {}) as StringMap;
}

function flagOf(name: string, value: (name: string) => unknown): boolean {
  const given = value(name) ?? false;
  if (typeof given === "boolean") return given;
  throw new DecodeError(
    "wrong-type",
    `json: cannot unmarshal ${jsonKind(given)} into Go struct field ` +
      `SidecarInjectionSpec.${name} of type bool`,
  );
}
