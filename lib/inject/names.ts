/** The names of Istio's containers, annotations, labels and variables. */

export const PROXY_CONTAINER = "istio-proxy";
export const INIT_CONTAINER = "istio-init";
export const VALIDATION_CONTAINER = "istio-validation";
export const CORE_DUMP_CONTAINER = "enable-core-dump";

/** An annotation, and a label of the same name that overrides it. */
export const INJECT = "sidecar.istio.io/inject";
export const STATUS = "sidecar.istio.io/status";
export const OVERRIDES = "proxy.istio.io/overrides";
export const PROXY_CONFIG = "proxy.istio.io/config";
export const TEMPLATES = "inject.istio.io/templates";
export const NATIVE_SIDECAR = "sidecar.istio.io/nativeSidecar";
export const INTERCEPTION_MODE = "sidecar.istio.io/interceptionMode";
export const PROXY_IMAGE_TYPE = "sidecar.istio.io/proxyImageType";
export const REWRITE_PROBERS = "sidecar.istio.io/rewriteAppHTTPProbers";
export const STATUS_PORT = "status.sidecar.istio.io/port";
export const MERGE_METRICS = "prometheus.istio.io/merge-metrics";
export const SECURE_PORT = "prometheus.istio.io/secure-port";

export const NETWORK_LABEL = "topology.istio.io/network";

/** An injector setting: `true`, `false` or `auto`. */
export const NATIVE_VARIABLE = "ENABLE_NATIVE_SIDECARS";
export const CLUSTER_VARIABLE = "ISTIO_META_CLUSTER_ID";
export const NETWORK_VARIABLE = "ISTIO_META_NETWORK";
export const PROBERS_VARIABLE = "ISTIO_KUBE_APP_PROBERS";
export const PROMETHEUS_VARIABLE = "ISTIO_PROMETHEUS_ANNOTATIONS";
export const SECURE_METRICS_VARIABLE = "ENVOY_SECURE_MERGED_METRICS_PORT";
