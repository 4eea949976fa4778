/**
 * Validates a pod's annotations before anything is rendered, with one table of annotations and checks.
 * Errors use Istio's messages, since they are returned to whoever created the pod.
 */
import { ConfigError } from "../config/config_error.ts";
import { failureText, multiError } from "../config/multi_error.ts";
import { validateProxyConfig } from "../config/mesh_validation.ts";
import { MESH_SCHEMA, type MeshSchema } from "../config/mesh_schema.ts";
import { mergeProxyConfig } from "../config/proxy_config.ts";
import { parseQuantity, QuantityError } from "../data/quantity.ts";
import { byteLength } from "../data/bytes.ts";
import { AddressError, parsePrefix } from "../go/netip.ts";
import { NumberError, parseBool, parseUint, quote } from "../go/strconv.ts";
import { trimSpace } from "../go/strings.ts";
import { type Behaviour, type Behaviours, behavioursOf } from "./compat.ts";
import { meshDefaults } from "./mesh_defaults.ts";
import type { StringMap } from "./pod.ts";

export { multiError };

/** The version-dependent inputs of a check. */
interface Version {
  readonly behaviours: Behaviours;
  readonly meshSchema: MeshSchema;
}

/** Returns why a value is invalid, or `undefined` if it is valid. */
type Check = (value: string, version: Version) => string | undefined;

const TRAFFIC = "traffic.sidecar.istio.io/";
const READINESS = "readiness.status.sidecar.istio.io/";

/**
 * Annotation, check, and the behaviour that enables it, if not every version has it; `includeOutboundPorts`
 * has no check.
 */
const CHECKS: readonly (readonly [name: string, check: Check, behaviour?: Behaviour])[] = [
  ["sidecar.istio.io/interceptionMode", checkInterceptionMode],
  ["status.sidecar.istio.io/port", checkStatusPort],
  [`${READINESS}initialDelaySeconds`, checkUint32],
  [`${READINESS}periodSeconds`, checkUint32],
  [`${READINESS}failureThreshold`, checkUint32],
  [`${TRAFFIC}includeOutboundIPRanges`, orStar(rangesOf("includeIPRanges"))],
  [`${TRAFFIC}excludeOutboundIPRanges`, rangesOf("excludeIPRanges")],
  [`${TRAFFIC}includeInboundPorts`, orStar(portsOf("includeInboundPorts"))],
  [`${TRAFFIC}excludeInboundPorts`, portsOf("excludeInboundPorts")],
  [`${TRAFFIC}excludeOutboundPorts`, portsOf("excludeOutboundPorts")],
  [`${TRAFFIC}excludeInterfaces`, checkInterfaces, "checksInterfaces"],
  [`${TRAFFIC}kubevirtInterfaces`, checkInterfaces, "checksInterfaces"],
  ["istio.io/reroute-virtual-interfaces", checkInterfaces, "checksInterfaces"],
  ["prometheus.istio.io/merge-metrics", checkBool],
  ["proxy.istio.io/config", checkProxyConfig],
  ["sidecar.istio.io/proxyCPU", checkQuantity, "checksQuantities"],
  ["sidecar.istio.io/proxyMemory", checkQuantity, "checksQuantities"],
  ["sidecar.istio.io/proxyCPULimit", checkQuantity, "checksQuantities"],
  ["sidecar.istio.io/proxyMemoryLimit", checkQuantity, "checksQuantities"],
  ["sidecar.istio.io/enableCoreDump", checkBool, "checksCoreDump"],
];

const TODAY = behavioursOf("today");

/** The annotations checked by the current version. */
export const CHECKED_ANNOTATIONS: readonly string[] = CHECKS
  .filter(([, , behaviour]) => behaviour === undefined || TODAY[behaviour])
  .map(([name]) => name);

/**
 * Returns a message for each invalid annotation of a pod, in table order (the original's order is random).
 * Unknown annotations may hold anything.
 *
 * @example
 * ```ts
 * validateAnnotations({ "prometheus.istio.io/merge-metrics": "maybe" }).length; // 1
 * ```
 */
export function validateAnnotations(
  annotations: StringMap = {},
  { behaviours = TODAY, meshSchema = MESH_SCHEMA }: Partial<Version> = {},
): string[] {
  const messages: string[] = [];
  for (const [name, check, behaviour] of CHECKS) {
    if (behaviour !== undefined && !behaviours[behaviour]) continue;
    if (!Object.hasOwn(annotations, name)) continue;
    const value = annotations[name];
    const problem = check(value, { behaviours, meshSchema });
    if (problem !== undefined) {
      messages.push(`invalid value '${value}' for annotation '${name}': ${problem}`);
    }
  }
  return messages;
}

function orStar(check: Check): Check {
  return (value, version) => value === "*" ? undefined : check(value, version);
}

function checkInterceptionMode(mode: string): string | undefined {
  if (mode === "REDIRECT" || mode === "TPROXY" || mode === "NONE") return undefined;
  return `interceptionMode invalid, use REDIRECT,TPROXY,NONE: ${mode}`;
}

/** The wrong name in the message is the original's. */
function checkStatusPort(port: string, version: Version): string | undefined {
  const problem = checkPort(port, version);
  return problem === undefined ? undefined : `excludeInboundPorts invalid: ${problem}`;
}

function checkUint32(value: string): string | undefined {
  return failureOf(() => parseUint(value, 10, 32));
}

function checkBool(value: string): string | undefined {
  return failureOf(() => parseBool(value));
}

function rangesOf(parameter: string): Check {
  return (ranges, version) => {
    if (ranges === "") return undefined;
    for (const range of ranges.split(",")) {
      const problem = checkRange(range, version);
      if (problem !== undefined) {
        return `${parameter} invalid: failed parsing cidr '${range}': ${problem}`;
      }
    }
    return undefined;
  };
}

function checkRange(range: string, { behaviours }: Version): string | undefined {
  if (!behaviours.readsRangesLoosely) return failureOf(() => parsePrefix(range));
  const plain = range.replace(/\/0+(?=\d)/, "/");
  return failureOf(() => parsePrefix(plain)) && `invalid CIDR address: ${range}`;
}

function portsOf(parameter: string): Check {
  return (ports, version) => {
    const trimmed = trimSpace(ports);
    if (trimmed === "") return undefined;
    for (const port of trimmed.split(",")) {
      const problem = checkPort(port, version);
      if (problem !== undefined) {
        const named = version.behaviours.namesReadPort ? "0" : port;
        return `${parameter} invalid: failed parsing port '${named}': ${problem}`;
      }
    }
    return undefined;
  };
}

function checkPort(port: string, { behaviours }: Version): string | undefined {
  const problem = failureOf(() => parseUint(trimSpace(port), 10, 16));
  if (problem === undefined) return undefined;
  const read = problem.endsWith("value out of range") ? "65535" : "0";
  return `failed parsing port '${behaviours.namesReadPort ? read : port}': ${problem}`;
}

/** Linux's limit in bytes, without the terminating zero. */
const MAX_INTERFACE_NAME = 15;

function checkInterfaces(interfaces: string): string | undefined {
  if (interfaces === "") return undefined;
  for (const name of interfaces.split(",").map(trimSpace)) {
    if (name === "") return "empty interface name";
    if (byteLength(name) > MAX_INTERFACE_NAME) {
      return `interface name ${quote(name)} too long (max ${MAX_INTERFACE_NAME} chars)`;
    }
    if (!/^[a-zA-Z][a-zA-Z0-9_.-]*$/.test(name)) {
      return `interface name ${quote(name)} contains invalid characters`;
    }
  }
  return undefined;
}

// deno-lint-ignore no-control-regex -- they are what is looked for
const CONTROL = /[\x00-\x1f\x7f-\x9f]/;

function checkQuantity(value: string): string | undefined {
  if (CONTROL.test(value)) return "value contains control characters";
  return failureOf(() => parseQuantity(value));
}

/** Checks a proxy config over the built-in defaults, whatever the mesh config says. */
function checkProxyConfig(
  text: string,
  { behaviours, meshSchema: schema }: Version,
): string | undefined {
  let config;
  try {
    config = mergeProxyConfig(meshDefaults(behaviours).defaultConfig, text, { schema });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.original.replace(
      "could not parse proxy config: ",
      "failed to convert to apply proxy config: ",
    );
  }
  const failures = validateProxyConfig(config, behaviours);
  return failures === undefined ? undefined : failureText(failures);
}

/** Returns the message of the validation error that `attempt` throws, if any. */
function failureOf(attempt: () => unknown): string | undefined {
  try {
    attempt();
    return undefined;
  } catch (error) {
    const expected = error instanceof NumberError || error instanceof AddressError ||
      error instanceof QuantityError;
    if (expected) return error.message;
    throw error;
  }
}
