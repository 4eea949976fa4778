import { describe, expect, test } from "bun:test";
import { createAdmissionTracer } from "../../lib/explain/trace_admission.ts";
import { sprigFunctions } from "../../lib/go/sprig/mod.ts";
import { createBrowserHost } from "../../lib/playground/browser_host.ts";

const options = { sprig: sprigFunctions(createBrowserHost()) };
const CONFIG = `policy: enabled
defaultTemplates: [one, two]
templates:
  one: |
    spec:
      containers:
      - name: proxy
        image: {{ .Values.hub }}
  two: |
    metadata:
      annotations:
        a: {{ index .ObjectMeta.Labels "app" }}
`;
const POD = Object.freeze({
  metadata: { name: "web", namespace: "shop", labels: { app: "web" } },
  spec: { containers: [{ name: "web", image: "web" }] },
});
const request = (object: unknown) => ({ object, namespace: "shop", proxyEnv: {} });

describe("createAdmissionTracer()", () => {
  const tracer = createAdmissionTracer({ config: CONFIG, values: "hub: h", mesh: "" }, options);
  const told = (object: unknown) =>
    tracer.admit(request(object)).provenance.map(({ path, spot, stage, sources }) =>
      `${path.join(".")} ${spot ? `${spot.template}:${spot.line}` : stage} ` +
      sources.map(({ kind, name, value }) => `${kind} ${name}=${value}`).join()
    );

  test("traces every template and stage, for several pods", () => {
    for (let count = 0; count < 2; count++) {
      const found = told(POD);
      expect(found).toContain("spec.containers.0.image one:4 values hub=h");
      expect(found).toContain("metadata.annotations.a two:3 label app=web");
      expect(found.join("\n")).toContain("metadata.annotations.sidecar.istio.io/status metadata");
    }
  });

  test("returns the injector's patch and decision, and no provenance for a skipped pod", () => {
    const { patch, decision } = tracer.admit(request(POD));
    expect([decision.inject, patch?.length]).toEqual([true, 2]);
    const skipped = tracer.admit(request({ ...POD, spec: { ...POD.spec, hostNetwork: true } }));
    expect(skipped).toEqual({
      decision: { inject: false, reason: "host_network", warnings: [] },
      provenance: [],
    });
  });

  test("continues after a refused pod", () => {
    const bad = { ...POD, metadata: { ...POD.metadata, labels: 1 } };
    expect(() => tracer.admit(request(bad))).toThrow();
    expect(told(POD)).toContain("metadata.annotations.a two:3 label app=web");
  });

  test("supports legacy configs", () => {
    const config =
      "policy: enabled\ntemplate: |\n  containers:\n  - name: proxy\n    image: [[ .ProxyConfig.DiscoveryAddress ]]\n";
    const legacy = createAdmissionTracer({ config, values: "", mesh: "" }, {
      ...options,
      compat: 1,
    });
    expect(legacy.isLegacy).toBe(true);
    const { provenance } = legacy.admit(request(POD));
    const image = provenance.find(({ path }) => path.at(-1) === "image" && path[2] === 1);
    expect(image?.spot).toMatchObject({ template: "", line: 3 });
  });
});
