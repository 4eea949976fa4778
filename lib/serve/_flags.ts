/**
 * The flags of `serve`. Those in camelCase and with underscores are the standalone injector's of Istio
 * 1.1 to 1.4, with its defaults, so that its manifests' arguments work; ours are in kebab-case, each
 * also an environment variable, by istiod's name where istiod has one.
 */

import type { Flag } from "../flags/mod.ts";
import { SERVE_TLS_FLAGS } from "./_tls_flags.ts";

function file<const N extends string>(name: N, path: string, description: string) {
  return { name, type: "string", value: "FILE", description, default: path } as const;
}

/** Taken, so that a manifest that has it works. */
function idle<const N extends string>(name: N, value: string, description: string) {
  return { name, type: "string", value: "TEXT", description, default: value } as const;
}

const UNUSED = "taken, and of no effect";

function shadow<const N extends string>(what: N, description: string) {
  const env = `OUTRIGGER_SHADOW_${what.toUpperCase()}`;
  const name = `shadow-${what}` as const;
  return { name, type: "string", value: "FILE", description, default: "", env } as const;
}

export const SERVE_FLAGS = [
  file("injectConfig", "/etc/istio/inject/config", "injection config, or the directory of it"),
  file("injectValues", "/etc/istio/inject/values", "values, or the directory of them"),
  file("meshConfig", "/etc/istio/config/mesh", "mesh config, or the directory of it"),
  file("tlsCertFile", "/etc/istio/certs/cert-chain.pem", "certificate, with its chain"),
  file("tlsKeyFile", "/etc/istio/certs/key.pem", "its private key"),
  file(
    "caCertFile",
    "/etc/istio/certs/root-cert.pem",
    "the authorities it comes from, for the caBundle",
  ),
  {
    name: "clientCAFile",
    type: "string",
    value: "FILE",
    description: "serve only callers with a certificate of these authorities",
    env: "OUTRIGGER_CLIENT_CA_FILE",
  },
  {
    name: "port",
    type: "number",
    value: "PORT",
    description: "port of the webhook, 15017 with --dev; 0 for any that is free",
    default: 443,
    env: "OUTRIGGER_PORT",
  },
  {
    name: "monitoringPort",
    type: "number",
    value: "PORT",
    description: "port of health and metrics in the clear; 0 for any, -1 for none",
    default: 15014,
    env: "OUTRIGGER_MONITORING_PORT",
  },
  {
    name: "playground",
    type: "number",
    value: "PORT",
    description: "port of the page, on this machine only, 15080 with --dev; 0 for any, -1 for none",
    default: -1,
    env: "OUTRIGGER_PLAYGROUND",
  },
  {
    name: "playground-config",
    type: "boolean",
    description:
      "show config, values and mesh config that are served on the page, secrets included",
    default: false,
    env: "OUTRIGGER_PLAYGROUND_CONFIG",
  },
  {
    name: "healthCheckInterval",
    type: "string",
    value: "TIME",
    description: "how often the health file is written; 0 for never",
    default: "0",
  },
  {
    name: "healthCheckFile",
    type: "string",
    value: "FILE",
    description: "the file that outrigger probe looks at",
    default: "",
  },
  {
    name: "kubeconfig",
    type: "string",
    value: "FILE",
    description: "the cluster to watch; in a pod it is the pod's own",
    default: "",
  },
  ...SERVE_TLS_FLAGS,
  {
    name: "log_output_level",
    type: "string",
    value: "LEVEL",
    description: "debug, info, warn, error or none; also as default:LEVEL",
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
    description: "how logs are written; with --dev text",
    choices: ["json", "text"],
    default: "json",
    env: "OUTRIGGER_LOG_FORMAT",
  },
  {
    name: "config-source",
    type: "string",
    value: "WHERE",
    description: "the files above, or what ships in the program, with --injectValues over it",
    choices: ["files", "embedded"],
    default: "files",
    env: "OUTRIGGER_CONFIG_SOURCE",
  },
  {
    name: "address",
    type: "string",
    value: "ADDRESS",
    description: "where to listen; all addresses if not given, with --dev 127.0.0.1",
    default: "",
    env: "OUTRIGGER_ADDRESS",
  },
  {
    name: "drain",
    type: "string",
    value: "TIME",
    description: "how long to go on serving after SIGTERM or SIGINT; with --dev 0s",
    default: "20s",
    env: "OUTRIGGER_DRAIN",
  },
  {
    name: "idle-timeout",
    type: "string",
    value: "TIME",
    description: "how long connections live without a request; the API server keeps them 90s",
    default: "2m",
    env: "OUTRIGGER_IDLE_TIMEOUT",
  },
  {
    name: "request-timeout",
    type: "string",
    value: "TIME",
    description: "how long a request may take to arrive",
    default: "30s",
    env: "OUTRIGGER_REQUEST_TIMEOUT",
  },
  {
    name: "max-requests",
    type: "number",
    value: "N",
    description: "requests in progress past which others get 503",
    default: 1000,
    env: "OUTRIGGER_MAX_REQUESTS",
  },
  {
    name: "max-connections",
    type: "number",
    value: "N",
    description: "connections past which others are closed at once",
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
    description:
      "name of the cluster we run in; if not given, the one in the values, or Kubernetes",
    default: "",
    env: "CLUSTER_ID",
  },
  {
    name: "namespace",
    type: "string",
    value: "NAME",
    description: "namespace of the config maps, the Service and its Secret",
    default: "istio-system",
    env: "POD_NAMESPACE",
  },
  {
    name: "inject-configmap",
    type: "string",
    value: "NAME",
    description: "ConfigMap with config and values, instead of files: istio-sidecar-injector, " +
      "-REVISION at its end, or any other, NAMESPACE/NAME too",
    default: "",
    env: "OUTRIGGER_INJECT_CONFIGMAP",
  },
  {
    name: "mesh-configmap",
    type: "string",
    value: "NAME",
    description:
      "ConfigMap with mesh, instead of a file: istio, -REVISION at its end, or any other, " +
      "NAMESPACE/NAME too",
    default: "",
    env: "OUTRIGGER_MESH_CONFIGMAP",
  },
  {
    name: "events",
    type: "boolean",
    description: "write Events on the owners of pods: Injected, InjectionSkipped and why",
    default: false,
    env: "OUTRIGGER_EVENTS",
  },
  {
    name: "proxy-configs",
    type: "boolean",
    description: "take Istio's ProxyConfig resources into account; --no-proxy-configs does not",
    default: true,
    env: "OUTRIGGER_PROXY_CONFIGS",
  },
  {
    name: "native-sidecars",
    type: "string",
    value: "WHETHER",
    description: "true, false, or auto: by the nodes of the cluster",
    default: "auto",
    env: "ENABLE_NATIVE_SIDECARS",
  },
  {
    name: "platform",
    type: "string",
    value: "NAME",
    description: "openshift takes users and groups from the namespace",
    default: "",
    env: "PLATFORM",
  },
  {
    name: "compliance-policy",
    type: "string",
    value: "NAME",
    description: "what templates see as .CompliancePolicy",
    default: "",
    env: "COMPLIANCE_POLICY",
  },
  {
    name: "compat",
    type: "string",
    value: "1.N",
    description: "behave as that version of Istio did where it can't be told from the config",
    default: "today",
    env: "OUTRIGGER_COMPAT",
  },
  {
    name: "left-delim",
    type: "string",
    value: "TEXT",
    description: "left delimiter of a config with one template; told from it if absent",
    default: "",
    env: "OUTRIGGER_LEFT_DELIM",
  },
  {
    name: "right-delim",
    type: "string",
    value: "TEXT",
    description: "right delimiter of a config with one template",
    default: "",
    env: "OUTRIGGER_RIGHT_DELIM",
  },
  {
    name: "accept-yaml-reviews",
    type: "boolean",
    description: "accept small reviews in YAML, as Istio's servers did; the API server sends JSON",
    default: false,
    env: "OUTRIGGER_ACCEPT_YAML_REVIEWS",
  },
  {
    name: "structure-guard",
    type: "string",
    value: "MODE",
    description: "when a pod's value changes the structure of a template's YAML: deny the pod, " +
      "warn and inject it, or off",
    choices: ["deny", "warn", "off"],
    default: "deny",
    env: "OUTRIGGER_STRUCTURE_GUARD",
  },
  {
    name: "stamp",
    type: "boolean",
    description: "mark injected pods with the version of the configuration, for outrigger drift",
    default: false,
    env: "OUTRIGGER_STAMP",
  },
  {
    name: "record",
    type: "string",
    value: "DIR",
    description: "write reviews there, redacted, for outrigger replay",
    default: "",
    env: "OUTRIGGER_RECORD",
  },
  {
    name: "record-max-bytes",
    type: "number",
    value: "N",
    description: "size of the recording past which its oldest part goes",
    default: 64 * 1024 * 1024,
    env: "OUTRIGGER_RECORD_MAX_BYTES",
  },
  shadow("config", "a config to try on each pod after its answer, and tell what would differ"),
  shadow("values", "values to try so; what is not given is as it is served with"),
  shadow("mesh", "mesh config to try so"),
  {
    name: "dev",
    type: "boolean",
    description: "try it: a certificate for localhost made on the spot, the embedded config",
    default: false,
    env: "OUTRIGGER_DEV",
  },
  {
    name: "context",
    type: "string",
    value: "NAME",
    description: "with --dev: have a webhook in this cluster of the kubeconfig while serving",
    default: "",
  },
  {
    name: "dev-host",
    type: "string",
    value: "HOST",
    description: "with --context: where that cluster reaches this machine",
    default: "",
  },
  {
    name: "print-config",
    type: "boolean",
    description: "print what is in force and where each value came from, and serve nothing",
  },
] as const satisfies readonly Flag[];
