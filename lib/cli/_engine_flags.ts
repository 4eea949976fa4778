/** The flags that select the injection config: those of `istioctl kube-inject`, and some of our own. */

import type { Flag } from "./command.ts";

/** Decides what happens to a pod whose values change the structure of a rendered template. */
export const STRUCTURE_GUARD_FLAG = {
  name: "structure-guard",
  type: "string",
  value: "MODE",
  description:
    "how to handle a pod with a value that changes the structure of a template's YAML: deny " +
    "the pod, inject it with a warning, or skip the check",
  choices: ["deny", "warn", "off"],
  default: "deny",
  env: "OUTRIGGER_STRUCTURE_GUARD",
} as const satisfies Flag;

export const ENGINE_FLAGS = [
  {
    name: "injectConfigFile",
    type: "string",
    value: "FILE",
    description:
      "injection config (key config of the config map istio-sidecar-injector), or one template",
  },
  {
    name: "valuesFile",
    type: "string",
    value: "FILE",
    description: "values (key values of the config map istio-sidecar-injector)",
  },
  {
    name: "meshConfigFile",
    type: "string",
    value: "FILE",
    description: "mesh config (key mesh of the config map istio)",
  },
  {
    name: "revision",
    short: "r",
    type: "string",
    value: "NAME",
    description: "revision of the control plane",
  },
  {
    name: "context",
    type: "string",
    value: "NAME",
    description: "context of the cluster to read config maps from, for texts without a file flag",
  },
  {
    name: "kubeconfig",
    short: "c",
    type: "string",
    value: "FILE",
    description: "path to the kubeconfig file; if not set, $KUBECONFIG or ~/.kube/config",
  },
  {
    name: "istioNamespace",
    short: "i",
    type: "string",
    value: "NAME",
    description: "namespace of the config maps; if not set, istio-system",
  },
  {
    name: "injectConfigMapName",
    type: "string",
    value: "NAME",
    description: "config map with config and values; if not set, istio-sidecar-injector[-REVISION]",
  },
  {
    name: "meshConfigMapName",
    type: "string",
    value: "NAME",
    description: "config map with mesh; if not set, istio[-REVISION]",
  },
  {
    name: "compat",
    type: "string",
    value: "1.N",
    description: "Istio version to emulate where the config does not determine the behavior",
    default: "today",
  },
  {
    name: "left-delim",
    type: "string",
    value: "TEXT",
    description: "left delimiter of a single-template config; detected if not set",
  },
  {
    name: "right-delim",
    type: "string",
    value: "TEXT",
    description: "right delimiter of a single-template config; detected if not set",
  },
  STRUCTURE_GUARD_FLAG,
  {
    name: "native-sidecars",
    type: "string",
    value: "MODE",
    description: "run the sidecar as a native sidecar, an init container that keeps running",
    choices: ["true", "false", "auto"],
    env: "ENABLE_NATIVE_SIDECARS",
  },
  {
    name: "allow-env",
    type: "list",
    value: "NAME",
    description: "environment variable that templates may read",
  },
] as const satisfies readonly Flag[];
