/** The same pods and settings through every door of the program give the same pods. */
import { afterAll, describe, expect, test } from "bun:test";
import { answerReview } from "../../lib/admission/mod.ts";
import { runCli } from "../../lib/cli/mod.ts";
import { parseArgs } from "../../lib/cli/_parse_args.ts";
import { createReplayPairs } from "../../lib/cli/_replay_injectors.ts";
import { serve } from "../../lib/cli/serve.ts";
import { parseYaml, stringifyYaml } from "../../lib/yaml/mod.ts";
import { sprigFunctions } from "../../lib/go/sprig/mod.ts";
import type { Injector } from "../../lib/inject/injector.ts";
import type { Pod } from "../../lib/inject/pod.ts";
import { stampOf } from "../../lib/inject/stamp.ts";
import { normalise } from "../../lib/kube/normalise.ts";
import { applyPatch } from "../../lib/patch/json_patch.ts";
import { createPlayer } from "../../lib/playground/play.ts";
import { injectorBuilder } from "../../lib/serve/_injector.ts";
import { readSettings, type ServeArgs } from "../../lib/serve/mod.ts";
import { memoryHost } from "../_memory_host.ts";
import { testSprigHost } from "../go/_sprig_host.ts";

type Json = Record<string, unknown>;

/** One set of settings, as a person has it. */
interface Row {
  /** Absent: what ships. */
  readonly config?: string;
  readonly values?: string;
  readonly mesh?: string;
  readonly revision?: string;
  readonly compat?: string;
  readonly delimiters?: readonly [left: string, right: string];
  readonly native?: "true" | "false";
  /** What the server alone can do. */
  readonly stamp?: boolean;
  /** A part of every pod that shows that the setting was heard. */
  readonly shows: string;
}

const OWN = `policy: enabled
defaultTemplates: [all]
aliases: {all: [sidecar, debug]}
neverInjectSelector: [{matchLabels: {never: "true"}}]
templates:
  sidecar: |
    metadata:
      labels: {owner: "{{ .DeploymentMeta.Name }}"}
    spec:
      containers:
      - name: istio-proxy
        image: "{{ .ProxyImage }}"
        args: ["{{ .Revision }}", "{{ .MeshConfig.TrustDomain }}", "{{ .NativeSidecars }}"]
  debug: |
    metadata:
      annotations: {debug: "{{ .Values.debug }}"}
  other: |
    spec:
      initContainers:
      - {name: other, image: other}
`;
const SIDECAR_ONLY = OWN.replace("defaultTemplates: [all]\n", "");
const OWN_VALUES = 'global: {hub: hub, tag: "9"}\ndebug: yes\n';
const OWN_MESH = "trustDomain: parity.example\ndefaultConfig: {statusPort: 15999}\n";
const own = { config: OWN, values: OWN_VALUES, mesh: OWN_MESH };
const plain = { ...own, config: SIDECAR_ONLY };

function legacy(left: string, right: string): string {
  return `policy: enabled
template: |
  containers:
  - name: istio-proxy
    image: "${left} .Values.global.hub ${right}/proxy"
    args: ["${left} .MeshConfig.TrustDomain ${right}", "${left} .ObjectMeta.Name ${right}"]
  volumes:
  - {name: envoy, emptyDir: {}}
`;
}
const old = { values: OWN_VALUES, mesh: "trustDomain: parity.example\n" };

const ROWS: Readonly<Record<string, Row>> = {
  "what ships": { shows: "istiod.istio-system.svc:15012" },
  "what ships, revision canary": { revision: "canary", shows: "istiod-canary.istio-system.svc" },
  "what ships, revision default": { revision: "default", shows: "istiod.istio-system.svc" },
  "values over what ships": { values: "global: {tag: parity}", shows: "proxyv2:parity" },
  "values and a revision": {
    values: "global: {tag: parity}",
    revision: "canary",
    shows: "istiod-canary.istio-system.svc",
  },
  "values that name a revision": {
    values: "revision: blue",
    revision: "canary",
    shows: "istiod-blue.istio-system.svc",
  },
  "the example of templates/README.md": {
    values: stringifyYaml({
      sidecarInjectorWebhook: {
        defaultTemplates: ["sidecar", "debug"],
        templates: {
          debug: "spec:\n  containers:\n  - name: istio-proxy\n    env:\n" +
            '    - { name: ENVOY_DEBUG, value: "true" }\n',
        },
      },
    }),
    shows: "ENVOY_DEBUG",
  },
  "a mesh config of one's own": { mesh: OWN_MESH, shows: "15999" },
  "native sidecars": { native: "true", shows: '"restartPolicy":"Always"' },
  "pods that are stamped": { stamp: true, shows: "istio-proxy" },
  "a config of one's own": { ...own, shows: '"debug":"true"' },
  "a config, revision canary": { ...own, revision: "canary", shows: '"canary","parity.example"' },
  "a config, revision default": { ...own, revision: "default", shows: '"default","parity.' },
  "a config, stamped": { ...own, stamp: true, shows: '"debug":"true"' },
  "a config, native sidecars": { ...own, native: "true", shows: '"parity.example","true"' },
  "a config as of 1.10": { ...plain, compat: "1.10", shows: "hub/proxyv2:9" },
  "a config as of 1.18": { ...plain, compat: "1.18", shows: "hub/proxyv2:9" },
  "a config as of v1.28.3": { ...plain, compat: "v1.28.3", shows: "hub/proxyv2:9" },
  "one template": { ...old, config: legacy("{{", "}}"), shows: "hub/proxy" },
  "one template as of 1.8": {
    ...old,
    config: legacy("{{", "}}"),
    compat: "1.8",
    shows: "parity.example",
  },
  "one template in brackets": {
    ...old,
    config: legacy("[[", "]]"),
    compat: "v1.8.6",
    shows: "parity.example",
  },
  "one template between delimiters of one's own": {
    ...old,
    config: legacy("<%", "%>"),
    delimiters: ["<%", "%>"],
    compat: "1.8",
    shows: "parity.example",
  },
};

const app = { name: "app", image: "app" };
const PODS: Readonly<Record<string, Shape>> = {
  plain: {},
  probes: {
    spec: {
      containers: [{
        ...app,
        ports: [{ containerPort: 8080 }],
        readinessProbe: { httpGet: { path: "/ready", port: 8080 } },
        livenessProbe: { tcpSocket: { port: 8080 } },
      }],
    },
  },
  annotations: {
    metadata: {
      annotations: {
        "sidecar.istio.io/proxyCPU": "200m",
        "traffic.sidecar.istio.io/excludeInboundPorts": "9000",
        "prometheus.io/scrape": "true",
        "prometheus.io/port": "9000",
      },
    },
  },
  "proxy-config": {
    metadata: { annotations: { "proxy.istio.io/config": "concurrency: 3" } },
  },
  init: {
    spec: {
      initContainers: [{ name: "first", image: "first" }],
      containers: [app, { name: "second", image: "second" }],
      volumes: [{ name: "data", emptyDir: {} }],
    },
  },
};

/** Templates of the pod's own choice: there is one in the era of one template. */
const ASKING = { metadata: { annotations: { "inject.istio.io/templates": "sidecar" } } };

interface Shape {
  readonly metadata?: Json;
  readonly spec?: Json;
}

function podOf(name: string, { metadata = {}, spec = {} }: Shape = {}): Json {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace: "shop",
      ...metadata,
      labels: { app: "web", "sidecar.istio.io/inject": "true" },
      annotations: { "sidecar.istio.io/inject": "true", ...metadata.annotations as Json },
    },
    spec: { containers: [app], ...spec },
  };
}

const flag = (name: string, value: string | undefined) =>
  value === undefined ? [] : [`--${name}=${value}`];

function hostOf(row: Row, files: Record<string, string> = {}) {
  const given = Object.entries({ config: row.config, values: row.values, mesh: row.mesh })
    .filter((entry): entry is [string, string] => entry[1] !== undefined);
  // Templates see what they are allowed to see, wherever they run.
  return memoryHost({ files: { ...Object.fromEntries(given), ...files } });
}

/** Flags of the commands that take those of `istioctl kube-inject`. */
function commandFlags(row: Row): string[] {
  return [
    ...flag("injectConfigFile", row.config && "config"),
    ...flag("valuesFile", row.values && "values"),
    ...flag("meshConfigFile", row.mesh && "mesh"),
    ...flag("revision", row.revision),
    ...flag("compat", row.compat),
    ...flag("left-delim", row.delimiters?.[0]),
    ...flag("right-delim", row.delimiters?.[1]),
    ...flag("native-sidecars", row.native ?? "false"),
  ];
}

/** The server's injector, from its flags on. */
function served(row: Row) {
  const host = hostOf(row);
  const argv = [
    ...(row.config === undefined ? ["--dev"] : []),
    ...flag("revision", row.revision),
    ...flag("compat", row.compat),
    ...flag("left-delim", row.delimiters?.[0]),
    ...flag("right-delim", row.delimiters?.[1]),
    ...flag("native-sidecars", row.native ?? "false"),
    ...(row.stamp ? ["--stamp"] : []),
  ];
  const parsed = parseArgs(serve, { argv, env: () => undefined });
  if (parsed.help) throw new Error("unreachable");
  const settings = readSettings(parsed.args as ServeArgs);
  const injectors = injectorBuilder({ settings, host, log: { warn() {} } });
  const { config = "", values = "", mesh = "" } = row;
  return { settings, injectors, injector: injectors.read({ config, values, mesh }) };
}

function patched(pod: Json, patch: readonly unknown[]): unknown {
  return normal(applyPatch(normal(pod), patch as Parameters<typeof applyPatch>[1]));
}

const normal = (pod: unknown) => normalise("Pod", pod) as Json;

/** What the API server is told, applied to the pod. */
function webhookPod(injector: Injector, pod: Json) {
  const review = {
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    request: {
      uid: "u",
      kind: { group: "", version: "v1", kind: "Pod" },
      namespace: "shop",
      operation: "CREATE",
      object: pod,
    },
  };
  const body = new TextEncoder().encode(JSON.stringify(review));
  const { body: answer, outcome } = answerReview(body, {
    ...{ injector, path: "/inject", cluster: {} },
  });
  const { response } = JSON.parse(answer);
  expect(response.allowed).toBe(true);
  const patch = JSON.parse(new TextDecoder().decode(Uint8Array.fromBase64(response.patch)));
  return { outcome, patch, pod: patched(pod, patch) as Json };
}

const nameOf = (pod: Json) => (pod.metadata as Json).name;
const stream = (pods: readonly Json[]) => pods.map((pod) => stringifyYaml(pod)).join("---\n");
const documents = (text: string) =>
  text.split("---\n").filter((part) => part !== "").map((part) => normal(parseYaml(part)));

/** Without the mark that the server alone sets. */
function unstamped(pod: unknown): unknown {
  const { metadata, ...rest } = pod as { metadata: Json };
  const { "outrigger.dev/config": _, ...annotations } = metadata.annotations as Json;
  return { ...rest, metadata: { ...metadata, annotations } };
}

async function run(row: Row, line: readonly string[], files: Record<string, string> = {}) {
  const host = hostOf(row, files);
  const code = await runCli(line, host);
  return { code, ...host.out };
}

const counts: Record<string, number> = {};
const counted = (door: string) => void (counts[door] = (counts[door] ?? 0) + 1);
afterAll(() => {
  const doors = Object.entries(counts).map(([door, count]) => `${door} ${count}`).join(", ");
  console.log(`parity: ${Object.keys(ROWS).length} settings; pods compared by door: ${doors}`);
});

const SHIPPED = ROWS["what ships"];

describe.each(Object.entries(ROWS))("%s", (_, row) => {
  const { settings, injectors, injector } = served(row);
  const { isLegacy } = injector;
  const shapes = { ...PODS, ...(isLegacy ? {} : { asks: ASKING }) };
  const pods = Object.entries(shapes).map(([name, shape]) => podOf(name, shape));

  const webhooks = pods.map((pod) => webhookPod(injector, pod));
  const wanted = webhooks.map(({ pod }) => unstamped(pod));
  const files = { "pods.yaml": stream(pods) };
  const flags = commandFlags(row);

  test("serve", () => {
    for (const { pod } of webhooks) {
      if (nameOf(pod) !== "asks") expect(JSON.stringify(pod)).toContain(row.shows);
      expect(stampOf(pod as unknown as Pod)).toBe(row.stamp ? injector.version : undefined);
      counted("serve");
    }
  });

  test("serve --shadow: a shadow of the same texts", () => {
    const shadow = injectors.complete(injector.sources);
    pods.forEach((pod, i) => {
      expect(webhookPod(shadow, pod).pod).toEqual(webhooks[i].pod);
      counted("shadow");
    });
  });

  test("replay: as it was recorded", () => {
    const { revision, compat, leftDelim, rightDelim, clusterId, stamp, variables } = settings;
    const same = { texts: {}, files: [] };
    const { before } = createReplayPairs({ before: same, after: same }, memoryHost())({
      version: injector.version,
      sources: injector.sources,
      settings: {
        ...{ revision, compat, leftDelim, rightDelim, clusterId, stamp },
        variables: Object.fromEntries(variables),
      },
    });
    pods.forEach((pod, i) => {
      const { patch } = before.admit({ object: pod, namespace: "shop", proxyEnv: {} }, {});
      expect(patched(pod, patch!)).toEqual(webhooks[i].pod);
      counted("replay");
    });
  });

  test("inject, and uninject back again", async () => {
    const { stdout, ...injected } = await run(row, ["inject", "-f", "pods.yaml", ...flags], files);
    expect(injected).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(`${pods.length} injected`),
    });
    documents(stdout).forEach((pod, i) => {
      expect(pod).toEqual(wanted[i] as Json);
      counted("inject");
    });
    const line = ["uninject", "-f", "pods.yaml", ...flags];
    const undone = await run(row, line, { "pods.yaml": stdout });
    expect(undone).toMatchObject({ code: 0, stderr: `${pods.length} uninjected\n` });
    documents(undone.stdout).forEach((pod, i) => {
      expect(pod).toEqual(normal(pods[i]));
      counted("uninject");
    });
  });

  test("explain", async () => {
    const line = ["explain", "-f", "pods.yaml", "-o", "json", ...flags];
    const { explanations } = JSON.parse((await run(row, line, files)).stdout);
    webhooks.forEach(({ patch, outcome }, i) => {
      const operations = patch.length - (row.stamp ? 1 : 0);
      expect(explanations[i]).toMatchObject({ injected: true, adds: { operations } });
      // The old era has one template, which has no name.
      if (!isLegacy) expect(explanations[i].adds.templates).toEqual(outcome.templates);
      counted("explain");
    });
  });

  test("drift: none", async () => {
    const running = { "pods.yaml": stream(webhooks.map(({ pod }) => pod)) };
    for (const deep of [[], ["--deep"]]) {
      const line = ["drift", "-f", "pods.yaml", "-o", "json", ...deep, ...flags];
      const { stdout } = await run(row, line, running);
      expect(JSON.parse(stdout)).toMatchObject({
        version: injector.version,
        injected: pods.length,
        workloads: [],
      });
    }
    for (const _ of pods) counted("drift");
  });

  // The page has no setting for delimiters.
  if (row.delimiters === undefined) {
    test("page", () => {
      const play = createPlayer({ sprig: sprigFunctions(testSprigHost()) });
      const { revision = "", compat = "today", native } = row;
      const label = revision === "" || revision === "default"
        ? "istio-injection=enabled"
        : `istio.io/rev=${revision}`;
      const { workloads, diagnostics } = play({
        ...injector.sources,
        manifest: files["pods.yaml"],
        settings: {
          ...{ revision, compat, namespace: "shop", namespaceLabels: label },
          nativeSidecars: native === "true",
        },
      });
      expect(diagnostics).toEqual([]);
      workloads.forEach((played, i) => {
        expect(played.status).toBe("injected");
        expect(normal(parseYaml((played as { after: string }).after))).toEqual(wanted[i] as Json);
        counted("page");
      });
    });
  }

  // The templates that ship take seconds to lint, and once is enough.
  if (row.config === undefined && row !== SHIPPED) return;
  test("lint tries the same templates", async () => {
    const { config, values, mesh } = injector.sources;
    const flags = [
      ...flag("compat", row.compat),
      ...flag("left-delim", row.delimiters?.[0]),
      ...flag("right-delim", row.delimiters?.[1]),
    ];
    const line = ["lint", "c", "--values", "v", "--mesh", "m", "-o", "json", ...flags];
    const { stdout } = await run(row, line, { c: config, v: values, m: mesh });
    const { findings, tried } = JSON.parse(stdout);
    const errors = findings.filter((one: Json) => one.severity === "error");
    // Odd values may break a template; it must compile, and inject ordinary pods.
    expect(errors.filter(({ id }: Json) => id !== "breaks_on_value")).toEqual([]);
    expect(tried).toBeGreaterThan(0);
    counted("lint");
  });
});

describe("a difference shows", () => {
  test("as drift, where the settings are others", async () => {
    const { injector } = served({ revision: "canary", shows: "" });
    const { pod } = webhookPod(injector, podOf("web"));
    const line = ["drift", "-f", "pod.yaml", "-o", "json", "--native-sidecars=false"];
    const { code } = await run({ shows: "" }, line, { "pod.yaml": stringifyYaml(pod) });
    expect(code).toBe(3);
  });

  const versions = ["2.0", "0.9", "1", "1.x", "v", "newest"];
  test.each(versions)("in no door for the compat version %s: one error", async (version) => {
    const error = (command: string) =>
      `outrigger: Flag "--compat" expects a version of Istio, as in 1.22 or 0.8, or today, ` +
      `got "${version}". Run "outrigger help ${command}"\n`;
    const lines = [
      ["serve", "--dev"],
      ["inject", "-f", "p"],
      ["explain", "-f", "p"],
      ["drift", "-f", "p"],
      ["uninject", "-f", "p"],
      ["lint", "p"],
    ];
    for (const [command, ...rest] of lines) {
      const { code, stderr } = await run(
        { shows: "" },
        [command, ...rest, "--compat", version],
        { p: stringifyYaml(podOf("web")) },
      );
      expect({ code, stderr }).toEqual({ code: 2, stderr: error(command) });
    }
  });

  test.each(["1.22", "v1.28.3", "0.8"])("in no door for what ships as of %s", async (version) => {
    const lines = [
      ["serve", "--dev"],
      ["inject", "-f", "p"],
      ["explain", "-f", "p"],
      ["drift", "-f", "p"],
      ["uninject", "-f", "p"],
    ];
    const errors = new Set<string>();
    for (const line of lines) {
      const { code, stderr } = await run(
        { shows: "" },
        [...line, "--compat", version],
        { p: stringifyYaml(podOf("web")) },
      );
      expect(code).toBe(2);
      errors.add(stderr);
    }
    expect([...errors]).toEqual([
      expect.stringContaining("the templates shipped with outrigger are for today's Istio"),
    ]);
  });
});
