/**
 * Checks annotations as the old injectors did. One table holds each check and the versions that had it.
 * Messages are those of the time.
 */
import { ConfigError, multiError, validateProxyConfig } from "../../config/mod.ts";
import type { MeshSchema } from "../../config/mesh_schema.ts";
import { mergeProxyConfig, type ProxyConfig } from "../../config/proxy_config.ts";
import { AddressError, parseAddr } from "../../go/netip.ts";
import { NumberError, parseBool, parseInt, parseUint } from "../../go/strconv.ts";
import { trimSpace } from "../../go/strings.ts";
import { formatDuration, parseDuration } from "../../go/time.ts";
import type { StringMap } from "../pod.ts";
import { ISTIO_0_8, type LegacyBehaviours, type LegacyVersion } from "./compat.ts";

/** The inputs of a check. */
export interface CheckContext {
  readonly version: LegacyVersion;
  readonly behaviours: Pick<LegacyBehaviours, "allErrors" | "plainErrors">;
  /** The built-in defaults of the version's proxy config. */
  readonly proxyDefaults: ProxyConfig;
  readonly meshSchema: MeshSchema;
}

/** Returns why a value is invalid, or `undefined` if it is valid. */
type Check = (value: string, context: CheckContext) => string | undefined;

interface Row {
  readonly name: string;
  readonly check: Check;
  readonly since?: LegacyVersion;
  readonly until?: LegacyVersion;
}

const TRAFFIC = "traffic.sidecar.istio.io/";
const READINESS = "readiness.status.sidecar.istio.io/";

/** In the order of the registry of 1.0 and 1.1; later versions had no fixed order. */
const ROWS: readonly Row[] = [
  { name: "sidecar.istio.io/interceptionMode", check: checkInterceptionMode },
  { name: "status.sidecar.istio.io/port", check: checkStatusPort, since: 0 },
  { name: `${READINESS}initialDelaySeconds`, check: checkUint32, since: 0 },
  { name: `${READINESS}periodSeconds`, check: checkUint32, since: 0 },
  { name: `${READINESS}failureThreshold`, check: checkUint32, since: 0 },
  {
    name: `${READINESS}applicationPorts`,
    check: orStar(ports("readinessApplicationPorts")),
    since: 0,
    until: 6,
  },
  { name: `${TRAFFIC}includeOutboundIPRanges`, check: orStar(ranges("includeIPRanges")) },
  { name: `${TRAFFIC}excludeOutboundIPRanges`, check: ranges("excludeIPRanges") },
  { name: `${TRAFFIC}includeInboundPorts`, check: orStar(ports("includeInboundPorts")) },
  { name: `${TRAFFIC}excludeInboundPorts`, check: ports("excludeInboundPorts") },
  { name: `${TRAFFIC}excludeOutboundPorts`, check: ports("excludeOutboundPorts"), since: 2 },
  { name: "sidecar.istio.io/enableCoreDump", check: checkBool, since: 6 },
  { name: "prometheus.istio.io/merge-metrics", check: checkBool, since: 6 },
  { name: "proxy.istio.io/config", check: checkProxyConfig, since: 6 },
];

/**
 * Returns the error for a pod's annotations, or `undefined` if all are valid. Several errors are in table
 * order; from 1.2 on the original's order was random.
 */
export function checkAnnotations(
  annotations: StringMap = {},
  context: CheckContext,
): string | undefined {
  const { version, behaviours } = context;
  const messages: string[] = [];
  for (const { name, check, since = ISTIO_0_8, until = Infinity } of ROWS) {
    if (version < since || version >= until || !Object.hasOwn(annotations, name)) continue;
    const value = annotations[name];
    const problem = check(value, context);
    if (problem === undefined) continue;
    messages.push(
      behaviours.plainErrors
        ? `invalid value '${value}' for annotation '${name}': ${problem}`
        : `injection failed. Invalid value for annotation ${name}: ${value}. Error: ${problem}`,
    );
  }
  if (messages.length === 0) return undefined;
  if (!behaviours.allErrors) return messages[0];
  return behaviours.plainErrors ? multiError(messages) : oldMultiError(messages);
}

/** Formats a list of errors as the library of the time did. */
function oldMultiError(messages: readonly string[]): string {
  const count = messages.length === 1 ? "1 error" : `${messages.length} errors`;
  return `${count} occurred:\n\n${messages.map((message) => `* ${message}`).join("\n")}`;
}

function orStar(check: Check): Check {
  return (value, context) => value === "*" ? undefined : check(value, context);
}

function checkInterceptionMode(mode: string, { version }: CheckContext): string | undefined {
  if (mode === "REDIRECT" || mode === "TPROXY") return undefined;
  if (version < 1) return `interceptionMode invalid: ${mode}`;
  return mode === "NONE"
    ? undefined
    : `interceptionMode invalid, use REDIRECT,TPROXY,NONE: ${mode}`;
}

/** The wrong name in the message is the original's. */
function checkStatusPort(port: string): string | undefined {
  const problem = checkPort(port);
  return problem === undefined ? undefined : `excludeInboundPorts invalid: ${problem}`;
}

function checkUint32(value: string): string | undefined {
  return failureOf(() => parseUint(value, 10, 32))?.message;
}

function checkBool(value: string): string | undefined {
  return failureOf(() => parseBool(value))?.message;
}

function ranges(parameter: string): Check {
  return (value) => {
    if (value === "") return undefined;
    const wrong = value.split(",").find((range) => !isCidr(range));
    if (wrong === undefined) return undefined;
    return `${parameter} invalid: failed parsing cidr '${wrong}': invalid CIDR address: ${wrong}`;
  };
}

/** Implements Go's `net.ParseCIDR`. Unlike netip prefixes, the prefix length may have leading zeros. */
function isCidr(text: string): boolean {
  const slash = text.indexOf("/");
  if (slash < 0) return false;
  const bits = text.slice(slash + 1);
  try {
    const { bytes, zone } = parseAddr(text.slice(0, slash));
    return zone === "" && /^\d+$/.test(bits) && Number(bits) <= 8 * bytes.length;
  } catch (error) {
    if (error instanceof AddressError) return false;
    throw error;
  }
}

function ports(parameter: string): Check {
  return (value, { version }) => {
    const problem = version === ISTIO_0_8 ? checkOldPorts(value) : checkPorts(value);
    return problem === undefined ? undefined : `${parameter} invalid: ${problem}`;
  };
}

/** Checks ports as 0.8 did: without trimming, and rejecting ports above 32767 as negative. */
function checkOldPorts(list: string): string | undefined {
  if (list === "") return undefined;
  for (const port of list.split(",")) {
    const failure = failureOf(() => parseInt(port, 10, 16));
    if (failure) return `failed parsing port '${port}': ${failure.message}`;
  }
  return undefined;
}

function checkPorts(list: string): string | undefined {
  const trimmed = trimSpace(list);
  if (trimmed === "") return undefined;
  for (const port of trimmed.split(",")) {
    const problem = checkPort(port);
    // The zero is the value the inner function returns with its error.
    if (problem !== undefined) return `failed parsing port '0': ${problem}`;
  }
  return undefined;
}

/** Checks a port. The message shows the parsed number: zero, or the largest integer on overflow. */
function checkPort(port: string): string | undefined {
  const failure = failureOf(() => parseUint(trimSpace(port), 10, 16));
  return failure && `failed parsing port '${failure.value}': ${failure.message}`;
}

function checkProxyConfig(text: string, context: CheckContext): string | undefined {
  let config: ProxyConfig;
  try {
    config = mergeProxyConfig(context.proxyDefaults, text, { schema: context.meshSchema });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.original.replace(
      "could not parse proxy config: ",
      "failed to convert to apply proxy config: ",
    );
  }
  // Today's rules, except for the two that have changed since.
  const comparable = { ...config, drainDuration: "1s", statusPort: 15020 };
  const failures = [
    ...checkDrain(config).map((problem) => `invalid parent and drain time combination ${problem}`),
    ...validateProxyConfig(comparable) ?? [],
  ];
  return failures.length === 0 ? undefined : multiError(failures);
}

const MILLISECOND = 1_000_000n;
const SECOND = 1000n * MILLISECOND;
const HOUR = 3600n * SECOND;

/** Checks that the parent shuts down only after the sidecar has drained. */
function checkDrain({ drainDuration, parentShutdownDuration }: ProxyConfig): string[] {
  const [drain, parent] = [drainDuration, parentShutdownDuration]
    .map((text) => typeof text === "string" ? parseDuration(text) : 0n);
  const names = [["drain", drain], ["parent shutdown", parent]] as const;
  const invalid = names.flatMap(([name, duration]) => {
    if (duration < MILLISECOND) {
      return [`invalid ${name} duration: duration must be greater than 1ms`];
    }
    return duration % MILLISECOND === 0n
      ? []
      : [`invalid ${name} duration: only durations to ms precision are supported`];
  });
  if (invalid.length > 0) return invalid;
  const problems = names.filter(([, duration]) => duration % SECOND !== 0n)
    .map(([name]) => `${name} time only supports durations to seconds precision`);
  if (parent <= drain) {
    problems.push(
      `parent shutdown time ${formatDuration(parent)} must be greater than drain time ` +
        formatDuration(drain),
    );
  }
  for (const [name, duration] of names) {
    if (duration <= HOUR) continue;
    problems.push(`${name} time ${formatDuration(duration)} must be <${formatDuration(HOUR)}`);
  }
  return problems;
}

function failureOf(attempt: () => unknown): NumberError<unknown> | undefined {
  try {
    attempt();
    return undefined;
  } catch (error) {
    if (error instanceof NumberError) return error;
    throw error;
  }
}
