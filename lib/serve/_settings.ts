/** The settings of `serve`: parsed flag values, with the defaults that `--dev` changes. */

import { outwardAddress } from "../host/mod.ts";
import { type CompatVersion, refuseOldEmbedded, type StructureGuard } from "../inject/mod.ts";
import type { LogFormat, LogLevel } from "../server/mod.ts";
import {
  type Args,
  atLeastFlag,
  compatFlag,
  durationFlag,
  flagMisuse,
  portFlag,
  UsageError,
} from "../flags/mod.ts";
import { INJECT_MAP, mapName, MESH_MAP } from "../kube/installation.ts";
import type { SERVE_FLAGS } from "./_flags.ts";
import { readTlsSettings, type ServeTlsSettings } from "./_tls_settings.ts";

/** The default port of the playground page. */
export const PLAYGROUND_PORT = 15080;

export type ServeArgs = Args<typeof SERVE_FLAGS>;

export interface ServeSettings {
  readonly isDev: boolean;
  /** The kubeconfig context to register a development webhook in; "" for none. */
  readonly context: string;
  /** The host at which that cluster can reach this machine. */
  readonly devHost: string;
  readonly address: string;
  readonly port: number;
  readonly monitoringPort: number | undefined;
  readonly playground: {
    readonly port: number | undefined;
    /** Whether the port was set explicitly. */
    readonly isAsked: boolean;
    readonly showsConfig: boolean;
  };
  readonly configSource: "files" | "embedded";
  readonly injectConfig: string;
  readonly injectValues: string;
  readonly meshConfig: string;
  /** Reports whether a file may be absent, because no flag names it. */
  readonly isOptional: (name: "injectConfig" | "injectValues" | "meshConfig") => boolean;
  readonly tlsCertFile: string;
  readonly tlsKeyFile: string;
  readonly clientCaFile: string | undefined;
  readonly tls: ServeTlsSettings;
  readonly drainMs: number;
  readonly idleMs: number;
  readonly requestMs: number;
  readonly maxRequests: number;
  readonly maxConnections: number;
  readonly healthCheckMs: number;
  readonly healthCheckFile: string;
  readonly logFormat: LogFormat;
  readonly logLevel: LogLevel;
  readonly revision: string;
  /** The name of the cluster; absent to use the one in the values. */
  readonly clusterId?: string;
  readonly kubeconfig: string;
  /** The namespace of the config maps. */
  readonly namespace: string;
  /** The full names of the config maps; "" if the texts come from files. */
  readonly injectConfigMap: string;
  readonly meshConfigMap: string;
  readonly proxyConfigs: boolean;
  readonly events: boolean;
  readonly compat: CompatVersion;
  /** The delimiters of a single-template config; detected if absent. */
  readonly leftDelim?: string;
  readonly rightDelim?: string;
  readonly acceptYamlReviews?: boolean;
  /** What to do with a pod that changes the structure of a template. */
  readonly structureGuard?: StructureGuard;
  /** Whether to annotate pods with the version of the configuration. */
  readonly stamp?: boolean;
  /** The directory of the recording; `undefined` for none. */
  readonly record: string | undefined;
  readonly recordMaxBytes: number;
  /** The files of the shadow configuration that replace the served texts; all absent for none. */
  readonly shadowConfig: string | undefined;
  readonly shadowValues: string | undefined;
  readonly shadowMesh: string | undefined;
  /** Settings of the injector by the names of istiod's environment variables. */
  readonly variables: ReadonlyMap<string, string>;
}

/** The defaults that `--dev` changes. */
const DEV_DEFAULTS: Readonly<Record<string, string | number>> = {
  address: "127.0.0.1",
  port: 15017,
  playground: PLAYGROUND_PORT,
  drain: "0s",
  "log-format": "text",
  "config-source": "embedded",
};

/** Returns the effective flags. `--dev` changes defaults, but never flags that are set. */
export function flagsInForce({ flags, sources }: ServeArgs): ServeArgs["flags"] {
  if (!flags.dev) return flags;
  const isDefault = (name: string) => (sources as Record<string, string>)[name] === "default";
  const changed = Object.entries(DEV_DEFAULTS).filter(([name]) => {
    // An explicit config takes precedence over the built-in one.
    const isNamed = !isDefault("injectConfig") || flags["inject-configmap"] !== "";
    if (name === "config-source" && isNamed) return false;
    // A cluster cannot reach a loopback address.
    if (name === "address" && flags.context !== "" && !isLoopback(devHost(flags))) return false;
    return isDefault(name);
  });
  return { ...flags, ...Object.fromEntries(changed) };
}

/** Converts flags to settings; throws a UsageError for invalid values. */
export function readSettings(args: ServeArgs): ServeSettings {
  const flags = flagsInForce(args);
  refuseTwoPlaces(args);
  if (flags.context !== "" && !flags.dev) throw useless("context", "dev");
  if (flags["dev-host"] !== "" && flags.context === "") throw useless("dev-host", "context");
  const embedded = flags["config-source"] === "embedded";
  const compat = compatFlag("serve", flags.compat);
  if (embedded) refuseOldEmbedded(compat);
  return {
    isDev: flags.dev,
    context: flags.context,
    devHost: devHost(flags),
    address: flags.address,
    port: port("port", flags.port),
    monitoringPort: flags.monitoringPort === -1
      ? undefined
      : port("monitoringPort", flags.monitoringPort),
    playground: {
      port: flags.playground === -1 ? undefined : port("playground", flags.playground),
      isAsked: args.sources.playground !== "default",
      showsConfig: flags["playground-config"],
    },
    configSource: flags["config-source"],
    injectConfig: flags.injectConfig,
    injectValues: flags.injectValues,
    meshConfig: flags.meshConfig,
    isOptional: (name) => (embedded || name !== "injectConfig") && args.sources[name] === "default",
    tlsCertFile: flags.tlsCertFile,
    tlsKeyFile: flags.tlsKeyFile,
    clientCaFile: flags.clientCAFile || undefined,
    tls: readTlsSettings(args, {
      isDev: flags.dev,
      namespace: flags.namespace,
      revision: flags.revision,
      clientCaFile: flags.clientCAFile || undefined,
      caCertFile: { path: flags.caCertFile, isGiven: args.sources.caCertFile !== "default" },
    }),
    drainMs: milliseconds("drain", flags.drain),
    idleMs: milliseconds("idle-timeout", flags["idle-timeout"]),
    requestMs: milliseconds("request-timeout", flags["request-timeout"]),
    maxRequests: atLeast(1, "max-requests", flags["max-requests"]),
    maxConnections: atLeast(1, "max-connections", flags["max-connections"]),
    healthCheckMs: milliseconds("healthCheckInterval", flags.healthCheckInterval),
    healthCheckFile: flags.healthCheckFile,
    logFormat: flags.log_as_json ? "json" : flags["log-format"],
    logLevel: logLevel(flags.log_output_level),
    revision: flags.revision,
    clusterId: flags["cluster-id"] || undefined,
    kubeconfig: flags.kubeconfig,
    namespace: flags.namespace,
    injectConfigMap: configMap(flags["inject-configmap"], INJECT_MAP, flags.revision),
    meshConfigMap: configMap(flags["mesh-configmap"], MESH_MAP, flags.revision),
    proxyConfigs: flags["proxy-configs"],
    events: flags.events,
    compat,
    leftDelim: flags["left-delim"],
    rightDelim: flags["right-delim"],
    acceptYamlReviews: flags["accept-yaml-reviews"],
    structureGuard: flags["structure-guard"],
    stamp: flags.stamp,
    record: flags.record || undefined,
    shadowConfig: flags["shadow-config"] || undefined,
    shadowValues: flags["shadow-values"] || undefined,
    shadowMesh: flags["shadow-mesh"] || undefined,
    recordMaxBytes: atLeast(MIN_RECORD_BYTES, "record-max-bytes", flags["record-max-bytes"]),
    variables: new Map([
      ["ENABLE_NATIVE_SIDECARS", flags["native-sidecars"]],
      ["PLATFORM", flags.platform],
      ["COMPLIANCE_POLICY", flags["compliance-policy"]],
    ]),
  };
}

/** Rejects two sources for the same text, one of which would be silently ignored. */
function refuseTwoPlaces({ flags, sources }: ServeArgs): void {
  const rows = [
    ["inject-configmap", ["injectConfig", "injectValues"]],
    ["mesh-configmap", ["meshConfig"]],
  ] as const;
  const refuse = (map: string, other: string) => {
    const what = `Flags "--${map}" and "${other}" are mutually exclusive.`;
    throw new UsageError(`${what} Run "outrigger help serve"`);
  };
  for (const [map, files] of rows) {
    if (flags[map] === "") continue;
    const file = files.find((name) => sources[name] !== "default");
    if (file !== undefined) refuse(map, `--${file}`);
  }
  if (flags["inject-configmap"] !== "" && flags["config-source"] === "embedded") {
    refuse("inject-configmap", "--config-source embedded");
  }
}

/** Resolves the name of a config map. The names of the "default" revision have no suffix. */
function configMap(given: string, usual: string, revision: string): string {
  if (given === "") return "";
  return mapName(given, { usual, revision: revision === "default" ? "" : revision });
}

function devHost({ context, "dev-host": given }: ServeArgs["flags"]): string {
  return given || (context === "" ? "localhost" : outwardAddress());
}

function isLoopback(name: string): boolean {
  return name === "localhost" || name === "::1" || name.startsWith("127.");
}

function useless(flag: string, other: string): UsageError {
  return new UsageError(
    `Flag "--${flag}" requires --${other}. Run "outrigger help serve"`,
  );
}

function milliseconds(name: string, text: string): number {
  return durationFlag({ command: "serve", name }, text);
}

function port(name: string, value: number): number {
  return portFlag({ command: "serve", name }, value);
}

function atLeast(least: number, name: string, value: number): number {
  return atLeastFlag(least, { command: "serve", name }, value);
}

/** The smallest recording: enough for a large configuration and some pods. */
const MIN_RECORD_BYTES = 1024 * 1024;

const LEVELS: readonly LogLevel[] = ["debug", "info", "warn", "error", "none"];

/** Parses Istio's syntax `scope:level,…`. The only scope is called default or all; others are ignored. */
function logLevel(text: string): LogLevel {
  let found: LogLevel = "info";
  for (const part of text.split(",")) {
    const [scope, name] = part.includes(":") ? part.split(":", 2) : ["default", part];
    const level = LEVELS.find((level) => level === (name === "fatal" ? "error" : name));
    if (level === undefined) {
      const wanted = `one of ${LEVELS.join(", ")}`;
      throw flagMisuse({ command: "serve", name: "log_output_level" }, { wanted, text });
    }
    if (scope === "default" || scope === "all") found = level;
  }
  return found;
}
