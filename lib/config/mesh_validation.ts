/**
 * Validates a mesh config and a proxy config beyond their types. Takes canonical JSON and returns Istio's
 * error messages, in Istio's order. Omits the warnings that Istio only logs.
 */
import { formatDuration, parseDuration } from "../go/time.ts";
import { quote } from "../go/strconv.ts";
import {
  checkPort,
  checkProxyAddress,
  checkTrustDomain,
  checkWildcardDomain,
} from "./_addresses.ts";
import { checkConnectionSettings, checkTrafficPolicy } from "./_connections.ts";
import { checkDuration } from "./_durations.ts";
import { checkLocalitySetting, checkZoneAwareSetting } from "./_locality.ts";
import { type Failure, joinFailures, prefixFailure } from "./multi_error.ts";
import type { MessageJson } from "./proto_json.ts";

const MILLISECOND = 1_000_000n;
const SECOND = 1_000n * MILLISECOND;
const HOUR = 3_600n * SECOND;

/** Validates a mesh config; returns `undefined` if it is valid. */
export function validateMeshConfig(mesh: MessageJson): Failure | undefined {
  return joinFailures([
    prefixed("invalid proxy listen port:", checkPort(numberOf(mesh.proxyListenPort))),
    prefixed("invalid connect timeout:", checkConnectTimeout(mesh.connectTimeout)),
    prefixed("invalid protocol detection timeout:", checkDetection(mesh.protocolDetectionTimeout)),
    mesh.defaultConfig === undefined
      ? "missing default config"
      : validateProxyConfig(messageOf(mesh.defaultConfig)),
    checkLocalitySetting(messageOf(mesh.localityLbSetting)),
    checkZoneAwareSetting(messageOf(mesh.zoneAwareLbSetting)),
    list(checkServiceSettings(mesh)),
    list(checkTrustDomains(mesh)),
    messageOf(mesh.meshMTLS).ecdhCurves === undefined
      ? undefined
      : ["mesh TLS does not support ECDH curves configuration"],
    checkTrafficPolicy(mesh.defaultTrafficPolicy),
  ]);
}

/** Validation rules that differ between versions. */
export interface ProxyRules {
  /** The status port must be a valid port. */
  readonly checksStatusPort: boolean;
  /** The drain duration is limited to one hour. */
  readonly limitsDrain: boolean;
  /** The parent shutdown duration must exceed the drain duration. */
  readonly parentShutdown: boolean;
}

const TODAY: ProxyRules = { checksStatusPort: true, limitsDrain: false, parentShutdown: false };

/** Validates a proxy config; returns `undefined` if it is valid. */
export function validateProxyConfig(
  config: MessageJson,
  rules: ProxyRules = TODAY,
): readonly string[] | undefined {
  const tracing = messageOf(config.tracing);
  const failures: (Failure | undefined)[] = [
    textOf(config.configPath) === "" ? "config path must be set" : undefined,
    textOf(config.binaryPath) === "" ? "binary path must be set" : undefined,
    checkClusterName(config),
    rules.parentShutdown ? checkParentAndDrain(config) : checkDrain(config.drainDuration, rules),
    checkDiscovery(textOf(config.discoveryAddress)),
    tracing.lightstep === undefined
      ? undefined
      : prefixed("invalid lightstep config:", list(checkLightstep(messageOf(tracing.lightstep)))),
    prefixed("invalid zipkin config:", checkCollector(tracing.zipkin)),
    prefixed("invalid datadog config:", checkCollector(tracing.datadog)),
    prefixed("invalid tracing TLS config:", checkClientTls(messageOf(tracing.tlsSettings))),
    checkService("statsd udp", config.statsdUdpAddress),
    checkService("envoy metrics service", config.envoyMetricsServiceAddress),
    checkService("envoy metrics service", messageOf(config.envoyMetricsService).address),
    checkService("envoy access log service", messageOf(config.envoyAccessLogService).address),
    prefixed("invalid proxy admin port:", checkPort(numberOf(config.proxyAdminPort))),
    prefixed("invalid authentication policy:", checkAuthPolicy(config.controlPlaneAuthPolicy)),
    rules.checksStatusPort
      ? prefixed("invalid status port:", checkPort(numberOf(config.statusPort)))
      : undefined,
    config.privateKeyProvider === undefined ? undefined : prefixed(
      "invalid private key provider configuration:",
      list(checkPrivateKeyProvider(messageOf(config.privateKeyProvider))),
    ),
    prefixed(
      "invalid connection settings:",
      list(checkConnectionSettings(config.connectionSettings)),
    ),
  ];
  return list(failures.flatMap((failure) => failure ?? []));
}

function checkConnectTimeout(timeout: unknown): string | undefined {
  const problem = checkDuration(timeout);
  if (problem !== undefined) return problem;
  const ns = nanoseconds(timeout);
  if (ns <= HOUR) return undefined;
  return `time ${formatDuration(ns)} must be >1ms and <1h0m0s`;
}

/**
 * Checks a protocol detection timeout. Zero disables detection; only sub-millisecond precision is rejected.
 */
function checkDetection(timeout: unknown): string | undefined {
  if (nanoseconds(timeout) % MILLISECOND === 0n) return undefined;
  return "only durations to ms precision are supported";
}

function checkServiceSettings(mesh: MessageJson): string[] {
  return listOf(mesh.serviceSettings).flatMap((settings, index) =>
    listOf(messageOf(settings).hosts).flatMap((host) => {
      const problem = checkWildcardDomain(textOf(host));
      if (problem === undefined) return [];
      return [`serviceSettings[${index}], host \`${host}\`: ${problem}`];
    })
  );
}

function checkTrustDomains(mesh: MessageJson): string[] {
  const own = checkTrustDomain(textOf(mesh.trustDomain));
  const aliases = listOf(mesh.trustDomainAliases).flatMap((alias, index) => {
    const problem = checkTrustDomain(textOf(alias));
    if (problem === undefined) return [];
    return [`trustDomainAliases[${index}], domain \`${alias}\` : ${problem}`];
  });
  return own === undefined ? aliases : [`trustDomain: ${own}`, ...aliases];
}

function checkClusterName(config: MessageJson): string | undefined {
  if (config.serviceCluster !== undefined) {
    return config.serviceCluster === "" ? "service cluster must be specified" : undefined;
  }
  if (config.tracingServiceName !== undefined) return undefined;
  return "oneof service cluster or tracing service name must be specified";
}

function checkDrain(duration: unknown, { limitsDrain }: ProxyRules): Failure | undefined {
  const problem = checkDuration(duration);
  if (problem !== undefined) return prefixFailure(problem, "invalid drain duration:");
  return list([
    ...checkSeconds("drain", duration),
    ...(limitsDrain ? checkHour("drain", duration) : []),
  ]);
}

function checkParentAndDrain(config: MessageJson): Failure | undefined {
  const { drainDuration: drain, parentShutdownDuration: parent } = config;
  const prefix = "invalid parent and drain time combination";
  const unreadable = [
    prefixed("invalid drain duration:", checkDuration(drain)),
    prefixed("invalid parent shutdown duration:", checkDuration(parent)),
  ].flatMap((failure) => failure ?? []);
  if (unreadable.length > 0) return prefixFailure(unreadable, prefix);
  const [drainTime, parentTime] = [nanoseconds(drain), nanoseconds(parent)];
  const problems = [
    ...checkSeconds("drain", drain),
    ...checkSeconds("parent shutdown", parent),
    ...(parentTime > drainTime ? [] : [
      `parent shutdown time ${formatDuration(parentTime)} must be greater than drain time ` +
      formatDuration(drainTime),
    ]),
    ...checkHour("drain", drain),
    ...checkHour("parent shutdown", parent),
  ];
  return problems.length > 0 ? prefixFailure(problems, prefix) : undefined;
}

function checkSeconds(what: string, duration: unknown): string[] {
  if (nanoseconds(duration) % SECOND === 0n) return [];
  return [`${what} time only supports durations to seconds precision`];
}

function checkHour(what: string, duration: unknown): string[] {
  const ns = nanoseconds(duration);
  return ns <= HOUR ? [] : [`${what} time ${formatDuration(ns)} must be <${formatDuration(HOUR)}`];
}

function checkDiscovery(address: string): Failure | undefined {
  if (address === "") return "discovery address must be set to the proxy discovery service";
  return prefixed("invalid discovery address:", checkProxyAddress(address));
}

function checkLightstep(tracer: MessageJson): string[] {
  const address = textOf(tracer.address);
  const problem = checkProxyAddress(address);
  return [
    ...(address === "" ? ["address is required"] : []),
    ...(problem === undefined ? [] : [`invalid lightstep address: ${problem}`]),
    ...(textOf(tracer.accessToken) === "" ? ["access token is required"] : []),
  ];
}

/**
 * Checks the address of a Zipkin or Datadog collector. The host may be a reference to the node's address.
 */
function checkCollector(tracer: unknown): string | undefined {
  if (tracer === undefined) return undefined;
  const address = textOf(messageOf(tracer).address);
  return checkProxyAddress(address.replace("$(HOST_IP)", "127.0.0.1"));
}

function checkService(name: string, address: unknown): Failure | undefined {
  const text = textOf(address);
  if (text === "") return undefined;
  return prefixed(`invalid ${name} address ${quote(text)}:`, checkProxyAddress(text));
}

function checkClientTls(settings: MessageJson): Failure | undefined {
  const given = (...fields: string[]) => fields.some((field) => settings[field] !== undefined);
  const { mode } = settings;
  const credential = textOf(settings.credentialName);
  const failures: string[] = [];
  if (credential.startsWith(CONFIG_MAP)) failures.push(configMapProblem(credential));
  if (settings.insecureSkipVerify === true) {
    if (mode === "SIMPLE" && given("caCertificates", "credentialName", "subjectAltNames")) {
      failures.push(
        "cannot specify CaCertificates or CredentialName or SubjectAltNames when " +
          "InsecureSkipVerify is set true",
      );
    }
    if (mode === "MUTUAL" && given("caCertificates", "subjectAltNames")) {
      failures.push(
        "cannot specify CaCertificates or SubjectAltNames when InsecureSkipVerify is set true",
      );
    }
  }
  if (credential !== "" && (mode === "SIMPLE" || mode === "MUTUAL")) {
    if (given("clientCertificate", "caCertificates", "privateKey", "caCrl")) {
      failures.push(
        "cannot specify client certificates or CA certificate or CA CRL If credentialName is set",
      );
    }
  } else if (mode === "MUTUAL") {
    if (!given("clientCertificate")) failures.push("client certificate required for mutual tls");
    if (!given("privateKey")) failures.push("private key required for mutual tls");
  }
  return joinFailures(failures);
}

const CONFIG_MAP = "configmap://";

/**
 * Returns why a config map reference is invalid. The name must include a namespace, but a mesh config has
 * none, so every name is invalid.
 */
function configMapProblem(credential: string): string {
  const [namespace, name] = credential.slice(CONFIG_MAP.length).split("/");
  const missing = name === undefined
    ? "namespace and name"
    : namespace === ""
    ? "namespace"
    : name === ""
    ? "name"
    : undefined;
  const problem = missing === undefined
    ? 'namespace must match the configuration namespace ""'
    : `invalid resource name ${quote(credential)}. Expected ${missing}`;
  return `invalid configmap:// credentialName: ${problem}`;
}

function checkAuthPolicy(policy: unknown): string | undefined {
  if (policy === undefined || policy === "NONE" || policy === "MUTUAL_TLS") return undefined;
  return `unrecognized control plane auth policy ${quote(String(policy))}`;
}

function checkPrivateKeyProvider(config: MessageJson): string[] {
  const provider = config.cryptomb ?? config.qat;
  if (provider === undefined) {
    return ["private key provider configuration is required", "unknown private key provider"];
  }
  const delay = messageOf(provider).pollDelay;
  if (delay === undefined) return ["pollDelay is required"];
  return nanoseconds(delay) === 0n ? ["pollDelay must be non zero"] : [];
}

/** Keeps collected errors a list, even if there is only one. */
function list(failures: readonly string[]): readonly string[] | undefined {
  return failures.length === 0 ? undefined : failures;
}

function prefixed(prefix: string, failure: Failure | undefined): Failure | undefined {
  return failure === undefined ? undefined : prefixFailure(failure, prefix);
}

/** Returns nanoseconds; an absent duration is zero. */
function nanoseconds(duration: unknown): bigint {
  return typeof duration === "string" ? parseDuration(duration) : 0n;
}

function numberOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function messageOf(value: unknown): MessageJson {
  return typeof value === "object" && value !== null ? value as MessageJson : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
