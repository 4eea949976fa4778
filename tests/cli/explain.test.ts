import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { runCli } from "../../lib/cli/mod.ts";
import { memoryHost, type MemoryHostOptions } from "../_memory_host.ts";

const CONFIG = JSON.stringify({
  policy: "enabled",
  templates: { sidecar: "spec: {containers: [{name: istio-proxy, image: proxy}]}" },
});
const WEBHOOKS = JSON.stringify({
  kind: "MutatingWebhookConfiguration",
  metadata: { name: "injector", labels: { "istio.io/rev": "default" } },
  webhooks: [{
    name: "namespace.sidecar-injector.istio.io",
    rules: [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["pods"] }],
    namespaceSelector: { matchLabels: { "istio-injection": "enabled" } },
    objectSelector: {
      matchExpressions: [{ key: "sidecar.istio.io/inject", operator: "NotIn", values: ["false"] }],
    },
  }],
});
const APP = `kind: Deployment
metadata: {name: cart, namespace: shop}
spec: {template: {spec: {containers: [{name: cart}]}}}
`;
const NAMESPACE = "kind: Namespace\nmetadata: {name: shop, labels: {istio-injection: enabled}}\n";

async function run(line: string, options: MemoryHostOptions = {}) {
  const files = {
    "config.yaml": CONFIG,
    "hooks.yaml": WEBHOOKS,
    "app.yaml": APP,
    ...options.files,
  };
  const host = memoryHost({ ...options, files });
  const code = await runCli(["explain", ...line.split(" ").filter(Boolean)], host);
  return { code, out: host.out.stdout, err: host.out.stderr };
}

const CONFIGURED = "--injectConfigFile config.yaml";

describe("outrigger explain", () => {
  test("prints the chain, the webhooks and the mistake", async () => {
    const line = `-f app.yaml ${CONFIGURED} --webhook-config hooks.yaml --namespace-labels team=a`;
    const { code, out } = await run(line);
    expect(code).toBe(3);
    expect(out).toBe(
      `Deployment "shop/cart" is not injected: no injection webhook is called for the pod

  STEP               VERDICT   FOUND                                                                FROM
  webhook            skip      not called: does not match the only webhook                          MutatingWebhookConfiguration "injector"
  operation          (pass)    CREATE of a pod                                                      rules in the webhook configuration
  host network       (pass)    hostNetwork is not set                                               spec.template.spec.hostNetwork
  ignored namespace  (pass)    namespace "shop"                                                     metadata.namespace
  label              (pass)    no label sidecar.istio.io/inject                                     spec.template.metadata.labels
  annotation         (pass)    no annotation sidecar.istio.io/inject                                spec.template.metadata.annotations
  never selector     (pass)    none matches                                                         neverInjectSelector of "config.yaml"
  always selector    (pass)    none matches                                                         alwaysInjectSelector of "config.yaml"
  policy             (inject)  policy is "enabled"                                                  policy of "config.yaml"
  templates          (pass)    sidecar                                                              defaultTemplates of "config.yaml"
  result             skip      not changed; the injector would have added istio-proxy in 2 changes  Deployment "shop/cart"

  WEBHOOK                              CALLED  WHY
  namespace.sidecar-injector.istio.io  no      expects istio-injection In [enabled], but the namespace has no label istio-injection

Likely mistakes:
  Namespace "shop" has no label that enables injection.
    kubectl label namespace shop istio-injection=enabled
`,
    );
  });

  test("finds namespaces and webhooks beside the workload", async () => {
    const files = { "app.yaml": `${APP}---\n${NAMESPACE}---\n${WEBHOOKS}\n` };
    const { code, out } = await run(`-f app.yaml ${CONFIGURED} -o json`, { files });
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      workload: 'Deployment "shop/cart"',
      injected: true,
      reason: "policy_enabled",
      steps: expect.arrayContaining([expect.objectContaining({ id: "policy", verdict: "inject" })]),
      mistakes: [],
    });
  });

  test("explains every workload of a file and of its Lists, and prints YAML too", async () => {
    const files = {
      "app.yaml": `kind: List\nitems:\n- ${JSON.stringify({ kind: "Pod" })}\n---\n${APP}`,
    };
    const { code, out } = await run(`-f app.yaml ${CONFIGURED} -o yaml`, { files });
    expect(code).toBe(0);
    expect(out).toStartWith("explanations:\n- adds:\n");
    expect(out.match(/^ {2}workload: /gm)?.length).toBe(2);
  });

  const misuses: [string, RegExp][] = [
    ["", /Specify either -f FILE or KIND\/NAME/],
    ["-f app.yaml deployment/x", /Specify either -f FILE or KIND\/NAME/],
    ["-f app.yaml --namespace-labels x", /Flag "--namespace-labels" expects KEY=VALUE, got "x"/],
  ];
  for (const [line, message] of misuses) {
    test(`refuses "${line}"`, async () => {
      const { code, err } = await run(line);
      expect(code).toBe(2);
      expect(err).toMatch(message);
    });
  }

  const failures: [string, RegExp][] = [
    ["-f none.yaml", /Cannot read "none.yaml"/],
    ["-f hooks.yaml", /Cannot explain "hooks.yaml": it contains no workload/],
    ["-f app.yaml --webhook-config app.yaml", /it contains no MutatingWebhookConfiguration/],
    [
      "-f app.yaml --injectConfigFile bad.yaml",
      /Cannot use injection config "bad.yaml": .*unclosed action/,
    ],
  ];
  for (const [line, message] of failures) {
    test(`fails on "${line}"`, async () => {
      const { code, err } = await run(line, {
        files: { "bad.yaml": "templates: {sidecar: '{{'}" },
      });
      expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(message) });
    });
  }
});

describe("outrigger explain with a cluster", () => {
  type Objects = Readonly<Record<string, unknown>>;
  let objects: Objects = {};
  let server = "";
  const http = createServer((request, response) => {
    const [path] = (request.url ?? "").split("?");
    const known = Object.hasOwn(objects, path);
    if (known && objects[path] !== null) return void response.end(JSON.stringify(objects[path]));
    response.writeHead(known ? 403 : 404);
    const reason = known ? "Forbidden" : "NotFound";
    response.end(JSON.stringify({ kind: "Status", reason, message: reason }));
  });
  beforeAll(async () => {
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
    server = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    http.closeAllConnections();
    http.close();
  });

  const HOOKS = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";
  const MAPS = "/api/v1/namespaces/istio-system/configmaps";
  const CLUSTER: Objects = {
    "/apis/apps/v1/namespaces/shop/deployments/cart": {
      metadata: { name: "cart", namespace: "shop" },
      spec: { template: { spec: { containers: [{ name: "cart" }] } } },
    },
    "/api/v1/namespaces/shop": {
      metadata: { name: "shop", labels: { "istio-injection": "enabled" } },
    },
    [HOOKS]: { metadata: {}, items: [JSON.parse(WEBHOOKS)] },
    [`${MAPS}/istio-sidecar-injector`]: { metadata: {}, data: { config: CONFIG, values: "{}" } },
    [`${MAPS}/istio`]: { metadata: {}, data: { mesh: "" } },
    "/api/v1/nodes": { metadata: {}, items: [] },
  };

  function runIn(cluster: Objects, line: string) {
    objects = cluster;
    const config = JSON.stringify({
      clusters: [{ name: "c", cluster: { server } }],
      contexts: [{ name: "here", context: { cluster: "c", namespace: "shop" } }],
      "current-context": "here",
    });
    return run(line, { env: { HOME: "/home/me" }, files: { "/home/me/.kube/config": config } });
  }

  test("asks for workload, namespace, webhooks and config maps", async () => {
    for (const word of ["deployment/cart -n shop", "deploy/cart"]) {
      const { code, out, err } = await runIn(CLUSTER, `${word} -o json`);
      expect({ code, err }).toEqual({ code: 0, err: "" });
      const found = JSON.parse(out);
      expect(found).toMatchObject({ injected: true, workload: 'Deployment "shop/cart"' });
      expect(found.steps.find(({ id }: { id: string }) => id === "policy").from)
        .toBe('policy of ConfigMap "istio-system/istio-sidecar-injector"');
    }
  });

  test("says what it may not see, and goes on without", async () => {
    const { code, out, err } = await runIn(
      { ...CLUSTER, [HOOKS]: null, "/api/v1/namespaces/shop": null },
      "deployment/cart",
    );
    expect(code).toBe(0);
    expect(out).toContain("no webhook configuration given; assuming that the injector is called");
    expect(err).toMatch(
      /^warning: .*cannot tell whether a webhook is called\nwarning: .*unknown\n$/,
    );
  });

  test("fails where the workload is not there, and refuses kinds that hold no pods", async () => {
    expect(await runIn({ ...CLUSTER }, "deployment/gone"))
      .toMatchObject({ code: 1, err: expect.stringContaining("gone") });
    expect(await runIn(CLUSTER, "service/cart")).toMatchObject({
      code: 2,
      err: expect.stringContaining("Argument KIND/NAME expects one of the kinds pod, deployment"),
    });
  });
});
