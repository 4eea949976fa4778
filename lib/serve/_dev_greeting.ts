/** The message that `serve --dev` prints once it serves: a curl command and URLs to try. */

export interface DevAddresses {
  readonly port: number;
  readonly monitoringPort: number | undefined;
  /** The URL of the playground page, if it is served. */
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
Serving admission reviews with a temporary certificate. Try it:

curl -sk ${url}/inject -H 'Content-Type: application/json' -d '${JSON.stringify(REVIEW)}'

health   ${plain}/healthz  ${plain}/readyz
metrics  ${plain}/metrics
${page === undefined ? "" : `page     ${page}\n`}
`;
}
