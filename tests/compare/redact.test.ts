import { describe, expect, test } from "bun:test";
import { REDACTED, redactPod } from "../../lib/compare/redact.ts";

const SECRET = "hunter2";

/** A pod with a secret everywhere users put them. */
const POD = Object.freeze({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name: "web",
    labels: { app: "web" },
    annotations: {
      "sidecar.istio.io/inject": "true",
      "traffic.sidecar.istio.io/includeInboundPorts": "80",
      "prometheus.io/port": "9090",
      "k8s.v1.cni.cncf.io/networks": "net",
      "example.com/token": SECRET,
      "istio.io.evil.example/x": SECRET,
      "evilistio.io/x": SECRET,
      "kubectl.kubernetes.io/last-applied-configuration": `{"password":"${SECRET}"}`,
      "example.com/used": "seen",
      "proxy.istio.io/overrides": JSON.stringify({
        containers: [{ name: "istio-proxy", image: "i" }, {
          name: "app",
          env: [{ name: "P", value: SECRET }],
        }],
      }),
      "prometheus.io.scrape": "true",
      "prometheus.io": SECRET,
    },
    managedFields: [{ manager: SECRET }],
  },
  spec: {
    serviceAccountName: "sa",
    imagePullSecrets: [{ name: "pull" }],
    dnsConfig: { options: [{ name: "ndots", value: "5" }] },
    volumes: [
      { name: "v", secret: { secretName: "s" } },
      { name: "csi", csi: { driver: "d", volumeAttributes: { key: SECRET } } },
      { name: "flex", flexVolume: { driver: "d", options: { key: SECRET } } },
    ],
    initContainers: [{ name: "setup", command: ["sh", "-c", SECRET] }],
    containers: [{
      name: "app",
      image: "app:1",
      command: ["/app"],
      args: [`--password=${SECRET}`],
      ports: [{ containerPort: 80 }],
      env: [
        { name: "PASSWORD", value: SECRET },
        { name: "EMPTY", value: "" },
        { name: "ISTIO_META_X", value: SECRET },
        { name: "REF", valueFrom: { secretKeyRef: { name: "s", key: "k" } } },
      ],
      livenessProbe: {
        httpGet: { path: "/", port: 80, httpHeaders: [{ name: "Authorization", value: SECRET }] },
      },
      readinessProbe: { exec: { command: ["check", SECRET] } },
      lifecycle: { preStop: { exec: { command: [SECRET] } } },
    }, { name: "istio-proxy", args: ["proxy", SECRET] }],
  },
  status: { message: SECRET },
});

describe("redactPod()", () => {
  const before = JSON.stringify(POD);
  const pod = redactPod(POD, {
    keepsAnnotation: (name) => name === "example.com/used",
  }) as typeof POD;

  test("removes every secret, and does not change its input", () => {
    expect(JSON.stringify(pod)).not.toContain(SECRET);
    expect(JSON.stringify(POD)).toBe(before);
  });

  test("keeps what injection reads", () => {
    const { metadata, spec } = pod;
    expect(metadata.annotations).toEqual({
      ...POD.metadata.annotations,
      "example.com/token": REDACTED,
      "istio.io.evil.example/x": REDACTED,
      "evilistio.io/x": REDACTED,
      "kubectl.kubernetes.io/last-applied-configuration": REDACTED,
      "proxy.istio.io/overrides": JSON.stringify({
        containers: [{ name: "istio-proxy", image: "i" }, {
          name: "app",
          env: [{ name: "P", value: REDACTED }],
        }],
      }),
      "prometheus.io.scrape": "true",
      "prometheus.io": REDACTED,
    });
    expect(metadata.labels).toEqual(POD.metadata.labels);
    expect(metadata).not.toHaveProperty("managedFields");
    expect(pod).not.toHaveProperty("status");
    expect(spec.imagePullSecrets).toEqual(POD.spec.imagePullSecrets);
    expect(spec.dnsConfig).toEqual({ options: [{ name: REDACTED, value: REDACTED }] });
    expect(spec.volumes[0]).toEqual({ name: "v", secret: { secretName: REDACTED } });
    expect(spec.containers[0]).toMatchObject({
      image: "app:1",
      args: [REDACTED],
      ports: [{ containerPort: 80 }],
      env: [
        { name: "PASSWORD", value: REDACTED },
        { name: "EMPTY", value: "" },
        { name: "ISTIO_META_X", value: REDACTED },
        { name: "REF", valueFrom: { secretKeyRef: { name: REDACTED, key: REDACTED } } },
      ],
    });
    expect(spec.containers[1]).toEqual({ name: "istio-proxy", args: [REDACTED, REDACTED] });
  });

  const odd: [given: unknown, expected: unknown][] = [
    [undefined, undefined],
    [null, null],
    ["text", REDACTED],
    [[1, "a"], [0, REDACTED]],
    [{ metadata: null }, { metadata: null }],
    [{ metadata: { annotations: null } }, { metadata: { annotations: null } }],
    [{ metadata: { annotations: { a: 5 } } }, { metadata: { annotations: { a: 0 } } }],
    [{ spec: { containers: [{ env: SECRET }] } }, { spec: { containers: [{ env: REDACTED }] } }],
    [{ spec: { containers: [{ env: [SECRET] }] } }, {
      spec: { containers: [{ env: [`${REDACTED}-1`] }] },
    }],
    [{ spec: { containers: [{ args: { a: SECRET } }] } }, {
      spec: { containers: [{ args: { a: REDACTED } }] },
    }],
    [{ spec: { unknown: SECRET } }, { spec: {} }],
    [
      { metadata: { annotations: { "proxy.istio.io/overrides": `{${SECRET}` } } },
      { metadata: { annotations: { "proxy.istio.io/overrides": REDACTED } } },
    ],
  ];
  test.each(odd)("keeps the shape of %j", (given, expected) => {
    expect(redactPod(given)).toEqual(expected);
  });

  test("drops keys such as __proto__", () => {
    const given = JSON.parse('{"spec": {"__proto__": {"env": [{"name": "a", "value": "b"}]}}}');
    expect(JSON.stringify(redactPod(given))).toBe(
      '{"spec":{}}',
    );
  });
});
