/**
 * Injects a sample pod that every configuration must accept. Servers try it before serving a configuration.
 */
import type { AdmitRequest } from "./admit.ts";
import type { ClusterFacts } from "./engine.ts";

/** Clusters with and without support for native sidecars. */
const NODES: readonly ClusterFacts["nodes"][] = [[], [{ name: "old", kubeletVersion: "v1.28.0" }]];

const POD = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name: "outrigger-sample",
    namespace: "default",
    labels: { app: "sample", "sidecar.istio.io/inject": "true" },
    annotations: { "sidecar.istio.io/inject": "true" },
  },
  spec: {
    containers: [{
      name: "app",
      image: "sample",
      ports: [{ containerPort: 8080 }],
      readinessProbe: { httpGet: { path: "/ready", port: 8080 } },
    }],
  },
};

/** Injects the sample pod. Throws an InjectionError if it cannot be injected. */
export function injectSample(admit: (request: AdmitRequest, cluster: ClusterFacts) => unknown) {
  for (const nodes of NODES) {
    admit({ object: POD, namespace: "default", proxyEnv: {} }, { nodes });
  }
}
