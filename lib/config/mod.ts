/** Parses and validates Istio's config maps into frozen values. This room is pure. */

export { ConfigError, type ConfigErrorCode } from "./config_error.ts";
export {
  DEFAULT_TEMPLATE,
  type InjectionConfig,
  parseInjectionConfig,
} from "./injection_config.ts";
export {
  compileLabelSelector,
  type Labels,
  type LabelSelector,
  type LabelSelectorRequirement,
  type LabelSelectorSpec,
} from "./label_selector.ts";
export { defaultMeshConfig, type MeshConfig, parseMeshConfig } from "./mesh_config.ts";
export { validateMeshConfig, validateProxyConfig } from "./mesh_validation.ts";
export { type Failure, failureText, multiError } from "./multi_error.ts";
export type { MessageJson } from "./proto_json.ts";
export {
  applyProxyConfig,
  defaultProxyConfig,
  type EffectiveOptions,
  effectiveProxyConfig,
  mergeProxyConfig,
  type ProxyConfig,
  type ProxyConfigResource,
  readProxyConfigResources,
} from "./proxy_config.ts";
export { parseValues, type TypedValues, type Values } from "./values.ts";
