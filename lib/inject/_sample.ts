/** A pod that every configuration should be able to inject, for servers to try one before they serve with it. */
import type { AdmitRequest } from "./admit.ts";
import type { ClusterFacts } from "./engine.ts";

/** Nodes that can run native sidecars, and nodes that cannot. */
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

/** Throws an InjectionError where the sample cannot be injected. */
export function injectSample(admit: (request: AdmitRequest, cluster: ClusterFacts) => unknown) {
  for (const nodes of NODES) {
    admit({ object: POD, namespace: "default", proxyEnv: {} }, { nodes });
  }
}
