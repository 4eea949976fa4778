/**
 * The flags of `serve`. Flags in camelCase or with underscores are those of Istio's standalone injector
 * (1.1 to 1.4), with its defaults, so that its manifests keep working. Our own flags are in kebab-case, and
 * each can be set by an environment variable, which has istiod's name if istiod has one.
 */

import type { Flag } from "../flags/mod.ts";
import { SERVE_TLS_FLAGS } from "./_tls_flags.ts";

function file<const N extends string>(name: N, path: string, description: string) {
  return { name, type: "string", value: "FILE", description, default: path } as const;
}

/** Defines a flag that is accepted so that existing manifests work, but ignored. */
function idle<const N extends string>(name: N, value: string, description: string) {
  return { name, type: "string", value: "TEXT", description, default: value } as const;
}

const UNUSED = "accepted but ignored";

function shadow<const N extends string>(what: N, description: string) {
  const env = `OUTRIGGER_SHADOW_${what.toUpperCase()}`;
  const name = `shadow-${what}` as const;
  return { name, type: "string", value: "FILE", description, default: "", env } as const;
}

export const SERVE_FLAGS = [
  file(
    "injectConfig",
    "/etc/istio/inject/config",
    "injection config: the file, or a directory that contains it",
  ),
  file(
    "injectValues",
    "/etc/istio/inject/values",
    "values: the file, or a directory that contains it",
  ),
  file(
    "meshConfig",
    "/etc/istio/config/mesh",
    "mesh config: the file, or a directory that contains it",
  ),
  file("tlsCertFile", "/etc/istio/certs/cert-chain.pem", "serving certificate, with its chain"),
  file("tlsKeyFile", "/etc/istio/certs/key.pem", "private key of the certificate"),
  file(
    "caCertFile",
    "/etc/istio/certs/root-cert.pem",
    "CA certificates to set as the caBundle",
  ),
  {
    name: "clientCAFile",
    type: "string",
    value: "FILE",
    description: "require client certificates signed by the CAs in this file",
    env: "OUTRIGGER_CLIENT_CA_FILE",
  },
  {
    name: "port",
    type: "number",
    value: "PORT",
    description: "port of the webhook, with --dev 15017; 0 picks a free port",
    default: 443,
    env: "OUTRIGGER_PORT",
  },
  {
    name: "monitoringPort",
    type: "number",
    value: "PORT",
    description: "plain HTTP port for health and metrics; 0 picks a free port, -1 disables it",
    default: 15014,
    env: "OUTRIGGER_MONITORING_PORT",
  },
  {
    name: "playground",
    type: "number",
    value: "PORT",
    description:
      "port of the playground page on loopback, with --dev 15080; 0 picks a free port, " +
      "-1 disables it",
    default: -1,
    env: "OUTRIGGER_PLAYGROUND",
  },
  {
    name: "playground-config",
    type: "boolean",
    description:
      "show the served config, values and mesh config on the page, including any secrets in them",
    default: false,
    env: "OUTRIGGER_PLAYGROUND_CONFIG",
  },
  {
    name: "healthCheckInterval",
    type: "string",
    value: "TIME",
    description: "interval at which to write the health file; 0 disables it",
    default: "0",
  },
  {
    name: "healthCheckFile",
    type: "string",
    value: "FILE",
    description: "health file that outrigger probe checks",
    default: "",
  },
  {
    name: "kubeconfig",
    type: "string",
    value: "FILE",
    description: "kubeconfig of the cluster to watch; if not set, the cluster that the pod runs in",
    default: "",
  },
  ...SERVE_TLS_FLAGS,
  {
    name: "log_output_level",
    type: "string",
    value: "LEVEL",
    description: "debug, info, warn, error or none; default:LEVEL means the same",
    default: "default:info",
    env: "OUTRIGGER_LOG_LEVEL",
  },
  idle("log_target", "stdout", UNUSED),
  idle("log_caller", "", UNUSED),
  idle("log_stacktrace_level", "default:none", UNUSED),
  idle("log_rotate", "", UNUSED),
  idle("log_rotate_max_age", "30", UNUSED),
  idle("log_rotate_max_backups", "1000", UNUSED),
  idle("log_rotate_max_size", "104857600", UNUSED),
  {
    name: "log_as_json",
    type: "boolean",
    description: "the same as --log-format json",
    default: false,
  },
  {
    name: "log-format",
    type: "string",
    value: "FORMAT",
    description: "log format, with --dev text",
    choices: ["json", "text"],
    default: "json",
    env: "OUTRIGGER_LOG_FORMAT",
  },
  {
    name: "config-source",
    type: "string",
    value: "SOURCE",
    description: "use the files above, or the built-in config with --injectValues over its values",
    choices: ["files", "embedded"],
    default: "files",
    env: "OUTRIGGER_CONFIG_SOURCE",
  },
  {
    name: "address",
    type: "string",
    value: "ADDRESS",
    description: "address to listen on, with --dev 127.0.0.1; if not set, all addresses",
    default: "",
    env: "OUTRIGGER_ADDRESS",
  },
  {
    name: "drain",
    type: "string",
    value: "TIME",
    description: "how long to keep serving after SIGTERM or SIGINT, with --dev 0s",
    default: "20s",
    env: "OUTRIGGER_DRAIN",
  },
  {
    name: "idle-timeout",
    type: "string",
    value: "TIME",
    description: "time after which to close idle connections; the API server keeps them for 90s",
    default: "2m",
    env: "OUTRIGGER_IDLE_TIMEOUT",
  },
  {
    name: "request-timeout",
    type: "string",
    value: "TIME",
    description: "maximum time for a request to arrive",
    default: "30s",
    env: "OUTRIGGER_REQUEST_TIMEOUT",
  },
  {
    name: "max-requests",
    type: "number",
    value: "N",
    description: "maximum number of requests in progress; further ones get status 503",
    default: 1000,
    env: "OUTRIGGER_MAX_REQUESTS",
  },
  {
    name: "max-connections",
    type: "number",
    value: "N",
    description: "maximum number of connections; further ones are closed",
    default: 16384,
    env: "OUTRIGGER_MAX_CONNECTIONS",
  },
  {
    name: "revision",
    type: "string",
    value: "NAME",
    description: "revision of the control plane",
    default: "",
    env: "REVISION",
  },
  {
    name: "cluster-id",
    type: "string",
    value: "NAME",
    description: "name of this cluster; if not set, the name in the values, or else Kubernetes",
    default: "",
    env: "CLUSTER_ID",
  },
  {
    name: "namespace",
    type: "string",
    value: "NAME",
    description: "namespace of the config maps, the Service and the Secret",
    default: "istio-system",
    env: "POD_NAMESPACE",
  },
  {
    name: "inject-configmap",
    type: "string",
    value: "NAME",
    description:
      "ConfigMap with config and values, as NAME or NAMESPACE/NAME, to use instead of files; " +
      "istio-sidecar-injector is suffixed with -REVISION",
    default: "",
    env: "OUTRIGGER_INJECT_CONFIGMAP",
  },
  {
    name: "mesh-configmap",
    type: "string",
    value: "NAME",
    description:
      "ConfigMap with mesh, as NAME or NAMESPACE/NAME, to use instead of a file; istio is " +
      "suffixed with -REVISION",
    default: "",
    env: "OUTRIGGER_MESH_CONFIGMAP",
  },
  {
    name: "events",
    type: "boolean",
    description: "record an Event (Injected or InjectionSkipped) on the owner of each pod",
    default: false,
    env: "OUTRIGGER_EVENTS",
  },
  {
    name: "proxy-configs",
    type: "boolean",
    description: "apply Istio's ProxyConfig resources",
    default: true,
    env: "OUTRIGGER_PROXY_CONFIGS",
  },
  {
    name: "native-sidecars",
    type: "string",
    value: "MODE",
    description: "inject native sidecars: true, false, or auto to decide by the kubelet versions",
    default: "auto",
    env: "ENABLE_NATIVE_SIDECARS",
  },
  {
    name: "platform",
    type: "string",
    value: "NAME",
    description: "platform; openshift takes the user and group IDs from the namespace",
    default: "",
    env: "PLATFORM",
  },
  {
    name: "compliance-policy",
    type: "string",
    value: "NAME",
    description: "value of .CompliancePolicy in templates",
    default: "",
    env: "COMPLIANCE_POLICY",
  },
  {
    name: "compat",
    type: "string",
    value: "1.N",
    description: "Istio version to emulate where the config does not determine the behavior",
    default: "today",
    env: "OUTRIGGER_COMPAT",
  },
  {
    name: "left-delim",
    type: "string",
    value: "TEXT",
    description: "left delimiter of a single-template config; detected if not set",
    default: "",
    env: "OUTRIGGER_LEFT_DELIM",
  },
  {
    name: "right-delim",
    type: "string",
    value: "TEXT",
    description: "right delimiter of a single-template config; detected if not set",
    default: "",
    env: "OUTRIGGER_RIGHT_DELIM",
  },
  {
    name: "accept-yaml-reviews",
    type: "boolean",
    description: "accept small reviews in YAML, as Istio did; the API server always sends JSON",
    default: false,
    env: "OUTRIGGER_ACCEPT_YAML_REVIEWS",
  },
  {
    name: "structure-guard",
    type: "string",
    value: "MODE",
    description:
      "how to handle a pod with a value that changes the structure of a template's YAML: deny " +
      "the pod, inject it with a warning, or skip the check",
    choices: ["deny", "warn", "off"],
    default: "deny",
    env: "OUTRIGGER_STRUCTURE_GUARD",
  },
  {
    name: "stamp",
    type: "boolean",
    description:
      "annotate injected pods with the version of the configuration, for outrigger drift",
    default: false,
    env: "OUTRIGGER_STAMP",
  },
  {
    name: "record",
    type: "string",
    value: "DIR",
    description: "directory to record redacted reviews in, for outrigger replay",
    default: "",
    env: "OUTRIGGER_RECORD",
  },
  {
    name: "record-max-bytes",
    type: "number",
    value: "N",
    description: "maximum size of the recording; the oldest reviews are deleted",
    default: 64 * 1024 * 1024,
    env: "OUTRIGGER_RECORD_MAX_BYTES",
  },
  shadow("config", "config to try on each pod after responding; differences are logged"),
  shadow("values", "values to try in the same way; if not set, the served ones"),
  shadow("mesh", "mesh config to try in the same way; if not set, the served one"),
  {
    name: "dev",
    type: "boolean",
    description: "development mode: a temporary certificate for localhost and the built-in config",
    default: false,
    env: "OUTRIGGER_DEV",
  },
  {
    name: "context",
    type: "string",
    value: "NAME",
    description:
      "register a webhook in the cluster of this kubeconfig context while serving; requires --dev",
    default: "",
  },
  {
    name: "dev-host",
    type: "string",
    value: "HOST",
    description: "host at which that cluster can reach this machine; requires --context",
    default: "",
  },
  {
    name: "print-config",
    type: "boolean",
    description: "print the effective settings and where they come from, and exit",
  },
] as const satisfies readonly Flag[];
