/** What can be told of manifests/ without a cluster; `tests/e2e/manifests_e2e.ts` has the rest. */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import config from "../../deno.json" with { type: "json" };
import { SERVE_FLAGS } from "../../lib/serve/_flags.ts";
import { runCli } from "../../lib/cli/mod.ts";
import { parseDuration } from "../../lib/go/time.ts";
import { strategicMerge } from "../../lib/patch/strategic_merge.ts";
import { generateWebhook } from "../../lib/webhook/generate.ts";
import { memoryHost } from "../_memory_host.ts";
import { generatedManifests, MANIFESTS } from "./_generated.ts";
import { only, readManifests } from "./_objects.ts";

const FOLDERS = ["", "options"];

// deno-lint-ignore no-explicit-any
type Any = any;

describe("generated manifests", async () => {
  for (const [path, text] of await generatedManifests()) {
    test(`${path} is what deno task manifests writes`, () => {
      expect(readFileSync(join(MANIFESTS, path), "utf8")).toBe(text);
    });
  }
});

describe("kubectl apply -f manifests/", () => {
  const objects = readManifests();

  test("makes these, the namespace first and the webhook last", () => {
    expect(objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
      "Namespace outrigger-system",
      "ResourceQuota outrigger-critical-pods",
      "ServiceAccount outrigger",
      "ClusterRole outrigger",
      "ClusterRoleBinding outrigger",
      "Role outrigger",
      "RoleBinding outrigger",
      "ConfigMap outrigger",
      "Deployment outrigger",
      "Service outrigger",
      "PodDisruptionBudget outrigger",
      "HorizontalPodAutoscaler outrigger",
      "NetworkPolicy outrigger",
      "MutatingWebhookConfiguration istio-sidecar-injector-outrigger-system",
    ]);
  });

  test("puts all that lives in a namespace into our own, and labels everything", () => {
    const wide = ["Namespace", "ClusterRole", "ClusterRoleBinding", "MutatingWebhookConfiguration"];
    for (const folder of FOLDERS) {
      for (const { kind, metadata } of readManifests(folder)) {
        const isIstios = metadata.name === "outrigger-config";
        const home = wide.includes(kind)
          ? undefined
          : isIstios
          ? "istio-system"
          : "outrigger-system";
        expect([kind, metadata.namespace]).toEqual([kind, home]);
        expect(metadata.labels).toMatchObject({ "app.kubernetes.io/name": "outrigger" });
      }
    }
  });

  const deployment = only(objects, "Deployment") as Any;
  const pod = deployment.spec.template.spec;
  const [container] = pod.containers;

  test("leaves time to drain", () => {
    const { default: drain } = SERVE_FLAGS.find((flag) => flag.name === "drain")! as Any;
    const seconds = Number(parseDuration(drain) / 1_000_000_000n);
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(seconds + 10);
  });

  test("calls the Service, which leads to the webhook's port", () => {
    const service = only(objects, "Service") as Any;
    const webhook = only(objects, "MutatingWebhookConfiguration") as Any;
    for (const { clientConfig } of webhook.webhooks) {
      expect(clientConfig.service).toMatchObject({
        name: service.metadata.name,
        namespace: service.metadata.namespace,
        port: service.spec.ports[0].port,
      });
    }
    const port = container.ports.find(({ name }: Any) => name === service.spec.ports[0].targetPort);
    const env = container.env.find(({ name }: Any) => name === "OUTRIGGER_PORT");
    expect(env.value).toBe(String(port.containerPort));
    expect(deployment.spec.template.metadata.labels).toMatchObject(service.spec.selector);
  });

  test("the webhook is not asked about the namespace it runs in", () => {
    expect<unknown>(only(objects, "MutatingWebhookConfiguration")).toEqual(
      JSON.parse(JSON.stringify(generateWebhook({ namespace: deployment.metadata.namespace }))),
    );
  });
});

describe("every Deployment", () => {
  test.each(["", "istio-1.1"])("of manifests/%s has arguments that serve takes", async (folder) => {
    const [{ args, image, env = [] }] =
      (only(readManifests(folder), "Deployment") as Any).spec.template.spec.containers;
    const variables = env.filter(({ value }: Any) => value !== undefined)
      .map(({ name, value }: Any) => [name, value]);
    const host = memoryHost({ env: Object.fromEntries(variables) });
    const code = await runCli([...args, "--print-config"], host);
    expect({ code, stderr: host.out.stderr }).toEqual({ code: 0, stderr: "" });
    for (const [name] of variables) expect(host.out.stdout).toContain(`$${name}\n`);
    expect(image).toBe(`outrigger:${config.version}`);
  });
});

describe("variants patch the Deployment", () => {
  const deployment = only(readManifests(), "Deployment");
  const patched = (name: string) => {
    const [patch] = readManifests(`variants/${name}.yaml`);
    return strategicMerge(deployment, patch, "Deployment") as Any;
  };

  test("port-10250: the webhook's port, and nothing else", () => {
    const { spec } = patched("port-10250");
    const before = deployment as Any;
    const [container] = spec.template.spec.containers;
    expect(container.ports).toEqual([
      { name: "https-webhook", containerPort: 10250 },
      { name: "http-monitoring", containerPort: 15014 },
    ]);
    expect(container.env).toContainEqual({ name: "OUTRIGGER_PORT", value: "10250" });
    expect(container.env).toContainEqual({ name: "OUTRIGGER_MONITORING_PORT", value: "15014" });
    const [old] = before.spec.template.spec.containers;
    expect({ ...container, ports: old.ports, env: old.env }).toEqual(old);
  });

  test("revision: a variable more", () => {
    const [old] = (deployment as Any).spec.template.spec.containers;
    const [{ env }] = patched("revision").spec.template.spec.containers;
    expect(env).toHaveLength(old.env.length + 1);
    expect(env).toContainEqual({ name: "REVISION", value: "outrigger" });
  });

  test("host-network: ports of the node, one replica each", () => {
    const { spec } = patched("host-network");
    const pod = spec.template.spec;
    expect(pod.hostNetwork).toBe(true);
    const { ports } = pod.containers[0];
    for (const port of ports) expect(port.hostPort).toBe(port.containerPort);
    const { podAntiAffinity } = pod.affinity;
    expect(Object.keys(podAntiAffinity)).toEqual([
      "requiredDuringSchedulingIgnoredDuringExecution",
    ]);
  });
});
