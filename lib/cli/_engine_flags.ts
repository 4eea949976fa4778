/** The flags that say which config is injected with: those of `istioctl kube-inject`, and some of our own. */

import type { Flag } from "./command.ts";

/** Decides what happens to pods with values that leave the scalar they are printed into. */
export const STRUCTURE_GUARD_FLAG = {
  name: "structure-guard",
  type: "string",
  value: "MODE",
  description: "when a pod's value changes the structure of a template's YAML: deny the pod, " +
    "warn and inject it, or off",
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
      "injection config, the text under config in istio-sidecar-injector, or one template",
  },
  {
    name: "valuesFile",
    type: "string",
    value: "FILE",
    description: "values, the text under values in istio-sidecar-injector",
  },
  {
    name: "meshConfigFile",
    type: "string",
    value: "FILE",
    description: "mesh config, the text under mesh in the config map istio",
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
    description: "context of the cluster whose config maps are used for what no file is named",
  },
  {
    name: "kubeconfig",
    short: "c",
    type: "string",
    value: "FILE",
    description: "kubeconfig to find the cluster with, instead of KUBECONFIG or ~/.kube/config",
  },
  {
    name: "istioNamespace",
    short: "i",
    type: "string",
    value: "NAME",
    description: "namespace of the config maps (istio-system)",
  },
  {
    name: "injectConfigMapName",
    type: "string",
    value: "NAME",
    description: "config map with config and values (istio-sidecar-injector[-REVISION])",
  },
  {
    name: "meshConfigMapName",
    type: "string",
    value: "NAME",
    description: "config map with mesh (istio[-REVISION])",
  },
  {
    name: "compat",
    type: "string",
    value: "1.N",
    description: "behave as that version of Istio did where it can't be told from the config",
    default: "today",
  },
  {
    name: "left-delim",
    type: "string",
    value: "TEXT",
    description: "left delimiter of a config with one template; told from it if absent",
  },
  {
    name: "right-delim",
    type: "string",
    value: "TEXT",
    description: "right delimiter of a config with one template",
  },
  STRUCTURE_GUARD_FLAG,
  {
    name: "native-sidecars",
    type: "string",
    value: "WHETHER",
    description: "run the sidecar as an init container that stays",
    choices: ["true", "false", "auto"],
    env: "ENABLE_NATIVE_SIDECARS",
  },
  {
    name: "allow-env",
    type: "list",
    value: "NAME",
    description: "an environment variable that templates may read",
  },
] as const satisfies readonly Flag[];
