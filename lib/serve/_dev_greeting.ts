/** What `serve --dev` says once it serves: what to try, and where to look. */

export interface DevAddresses {
  readonly port: number;
  readonly monitoringPort: number | undefined;
  /** Address of the page, where there is one. */
  readonly page: string | undefined;
}

const REVIEW = {
  apiVersion: "admission.k8s.io/v1",
  kind: "AdmissionReview",
  request: {
    uid: "try-it",
    kind: { group: "", version: "v1", kind: "Pod" },
    operation: "CREATE",
    namespace: "default",
    object: {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "hello" },
      spec: { containers: [{ name: "hello", image: "nginx" }] },
    },
  },
};

export function devGreeting({ port, monitoringPort, page }: DevAddresses): string {
  const url = `https://localhost:${port}`;
  const plain = monitoringPort === undefined ? url : `http://localhost:${monitoringPort}`;
  return `
Serving admission reviews with a certificate made for this run. Try it:

curl -sk ${url}/inject -H 'Content-Type: application/json' -d '${JSON.stringify(REVIEW)}'

health   ${plain}/healthz  ${plain}/readyz
metrics  ${plain}/metrics
${page === undefined ? "" : `page     ${page}\n`}
`;
}
