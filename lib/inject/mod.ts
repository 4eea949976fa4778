/** What other rooms may use of lib/inject. */

export type { Admission, AdmitRequest } from "./admit.ts";
export {
  behavioursOf,
  COMPAT_FORM,
  compatText,
  type CompatVersion,
  parseCompatVersion,
  refuseOldEmbedded,
  SettingError,
} from "./compat.ts";
export { COMMENTED_VALUES, defaultConfig, LEGACY_CONFIG } from "./default_config.ts";
export { type Document, joinDocuments, SeparatorError, splitDocuments } from "./documents.ts";
export type { ClusterFacts, EngineSources } from "./engine.ts";
export { InjectionError, type InjectionErrorCode } from "./errors.ts";
export { injectionFunctions } from "./functions.ts";
export { templateData } from "./go_types.ts";
export { createInjector, type Injector, type InjectorSettings } from "./injector.ts";
export {
  type InjectedDocument,
  KubeInjectError,
  type KubeInjectOptions,
  type WorkloadResult,
} from "./kube_inject.ts";
export { guessVersion, LAST_LEGACY, legacyBehavioursOf } from "./legacy/compat.ts";
export { containerDefaults, volumeDefaults } from "./legacy/pod_defaults.ts";
export { injectedNames } from "./legacy/status.ts";
export { type Delimiters, delimitersOf } from "./legacy/template.ts";
export { ORDINARY_UNITS, reviewBudget } from "./limits.ts";
export {
  CLUSTER_VARIABLE,
  INJECT,
  NATIVE_SIDECAR,
  NATIVE_VARIABLE,
  OVERRIDES,
  PROBERS_VARIABLE,
  PROMETHEUS_VARIABLE,
  PROXY_CONFIG,
  PROXY_CONTAINER,
  SECURE_METRICS_VARIABLE,
  SECURE_PORT,
  STATUS,
  TEMPLATES,
} from "./names.ts";
export type { Node } from "./native.ts";
export { type Overrides, parseOverrides } from "./overrides.ts";
export {
  type Container,
  type ContainerList,
  containersOf,
  findSidecar,
  lookup,
  type ObjectMeta,
  type Pod,
  potentialPodName,
  type StringMap,
} from "./pod.ts";
export { PrivateName, TOKEN_VOLUME_PREFIX } from "./private_name.ts";
export { type ReasonId, REASONS } from "./reasons.ts";
export { selectTemplates } from "./render.ts";
export { configAround, effectiveSources, type GivenSources, isBareTemplate } from "./sources.ts";
export { STAMP, stampOf } from "./stamp.ts";
export { STATUS_LISTS } from "./status.ts";
export type { StructureGuard } from "./structure_guard.ts";
export {
  type DataPath,
  type Reference,
  type TemplateFacts,
  templateFacts,
} from "./template_facts.ts";
export type { DecisionRule, DecisionStep, InjectionTrace, Stage } from "./trace.ts";
export {
  describeWorkload,
  holdsPods,
  placeOf,
  podOf,
  withPod,
  type WorkloadObject,
} from "./workloads.ts";
