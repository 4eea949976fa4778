import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { runCli } from "../../lib/cli/mod.ts";
import { parseYaml } from "../../lib/yaml/mod.ts";
import type { Host } from "../../lib/host/mod.ts";
import { memoryHost, type MemoryHostOptions } from "../_memory_host.ts";

const TEMPLATE = `spec:
  containers:
  - name: istio-proxy
    image: {{ .ProxyImage }}
    args: ["{{ .Revision }}", "{{ .MeshConfig.TrustDomain }}", "{{ env "SECRET" "unset" }}"]
`;
const CONFIG = JSON.stringify({ templates: { sidecar: TEMPLATE } });
const VALUES = JSON.stringify({ global: { hub: "hub", tag: "1" } });
const POD = "kind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c}]}\n";
const SKIPPED = POD.replace("name: p", "name: q").replace(
  "{containers",
  "{hostNetwork: true, containers",
);
const OFF = "kind: Pod\nmetadata: {name: r, labels: {sidecar.istio.io/inject: 'false'}}\n";
const SERVICE = "kind: Service   # as it is\n";

interface RunOptions extends MemoryHostOptions {
  /** Which of the outputs are terminals. */
  readonly terminals?: readonly ("stdout" | "stderr")[];
}

/** Runs the command over files in memory; `CONFIG` and `VALUES` are there as files. */
async function run(line: string, { terminals = [], ...options }: RunOptions = {}) {
  const files = { "config.yaml": CONFIG, "values.json": VALUES, ...options.files };
  const memory = memoryHost({ ...options, files });
  let now = 0;
  const host: Host = {
    ...memory,
    now: () => now += 60,
    stdout: { ...memory.stdout, isTerminal: terminals.includes("stdout") },
    stderr: { ...memory.stderr, isTerminal: terminals.includes("stderr") },
  };
  const code = await runCli(["inject", ...line.split(" ").filter(Boolean)], host);
  const file = (path: string) => {
    const bytes = memory.files.get(path);
    return bytes && new TextDecoder().decode(bytes);
  };
  return { code, out: memory.out.stdout, err: memory.out.stderr, file };
}

const CONFIGURED = "--injectConfigFile config.yaml --valuesFile values.json";

describe("outrigger inject", () => {
  test("works with what ships in it", async () => {
    const { code, out, err } = await run("-f app.yaml", { files: { "app.yaml": POD } });
    expect({ code, err }).toEqual({ code: 0, err: "1 injected\n" });
    expect(out).toContain("- name: istio-proxy\n".replace("- ", ""));
    expect(out).toContain("name: istio-init");
    expect(out).toEndWith("status: {}\n---\n");
  });

  test("takes config, values and mesh config from files, as istioctl does", async () => {
    const files = { "app.yaml": POD, "mesh.yaml": "trustDomain: example.org\n" };
    const { code, out } = await run(
      `-f app.yaml ${CONFIGURED} --meshConfigFile mesh.yaml -r canary`,
      {
        files,
      },
    );
    expect(code).toBe(0);
    expect(out).toContain("image: hub/proxyv2:1\n");
    expect(out).toContain("  - args:\n    - canary\n    - example.org\n    - unset\n");
  });

  test("says of each injected line where it comes from, and is still the same YAML", async () => {
    const files = { "app.yaml": POD };
    const { code, out, err } = await run(`-f app.yaml ${CONFIGURED} --provenance`, { files });
    expect({ code, err }).toEqual({ code: 0, err: "1 injected\n" });
    expect(out).toContain(
      "    image: hub/proxyv2:1                                    " +
        "# sidecar:4:15 from setting ProxyImage=hub/proxyv2:1, values global.hub=hub, " +
        "values global.tag=1\n",
    );
    expect(out).toContain("# sidecar:5:68 from function env\n");
    const plain = await run(`-f app.yaml ${CONFIGURED}`, { files });
    expect(parseYaml(out)).toEqual(parseYaml(plain.out));
  });

  test("gives the patch with provenance to programs", async () => {
    const files = { "app.yaml": `${POD}---\n${OFF}` };
    const { out } = await run(`-f app.yaml ${CONFIGURED} --provenance -o json`, { files });
    const { workloads: [first, second] } = JSON.parse(out);
    expect(first).toMatchObject({ file: "app.yaml", workload: 'Pod "p"' });
    const sidecar = first.patch.find(({ path }: { path: string }) => path === "/spec/containers/1");
    const entries = sidecar.provenance.map((i: number) => first.provenance[i]);
    expect(entries).toContainEqual({
      path: ["spec", "containers", 1, "name"],
      change: "added",
      stage: "template",
      spot: { template: "sidecar", line: 3, column: 11, branches: [] },
      sources: [],
    });
    expect(second).toMatchObject({ decision: { reason: "label_false" }, patch: [] });
  });

  const misused: [string, string][] = [
    ["--provenance --diff", 'Flags "--diff" and "--provenance" are mutually exclusive'],
    [
      "--provenance -o out.yaml",
      'With --provenance, flag "--output" expects text, json or yaml, got',
    ],
  ];
  for (const [flags, message] of misused) {
    test(`refuses ${flags}`, async () => {
      const { code, err } = await run(`-f app.yaml ${flags}`, { files: { "app.yaml": POD } });
      expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(message) });
    });
  }

  test("kube-inject is another name for it", async () => {
    const host = memoryHost({ files: { "app.yaml": SERVICE } });
    expect(await runCli(["kube-inject", "-f", "app.yaml"], host)).toBe(0);
    expect(host.out.stdout).toBe(`${SERVICE}---\n`);
  });

  test("takes a text without templates for the template itself", async () => {
    const files = { "app.yaml": POD, "one.tpl": `# {{ "a: b" }}\n${TEMPLATE}` };
    const { out } = await run("-f app.yaml --injectConfigFile one.tpl --valuesFile values.json", {
      files,
    });
    expect(out).toContain("image: hub/proxyv2:1\n");
  });

  test.each([["", "default"], ["--compat 1.28", '""']])(
    "templates see revision default as the webhook's do, or as istioctl's: %s",
    async (compat, seen) => {
      const flags = `${CONFIGURED} --revision default ${compat}`.trim();
      const { out } = await run(`-f - ${flags}`, { stdin: POD });
      expect(out).toContain(`  - args:\n    - ${seen}\n`);
      expect(out).toContain('"revision":"default"');
    },
  );

  test("a revision finds its control plane in what ships", async () => {
    const { out } = await run("-f - -r canary", { stdin: POD });
    expect(out).toContain("istiod-canary.istio-system.svc");
  });

  test("reads standard input, and passes on what holds no pods", async () => {
    const { code, out, err } = await run(`-f - ${CONFIGURED}`, { stdin: `${SERVICE}---\n# c` });
    expect({ code, out, err }).toEqual({
      code: 0,
      out: `${SERVICE}---\n# c\n---\n`,
      err: "nothing to inject\n",
    });
  });

  test("reads the manifests of a directory by name, and no other files", async () => {
    const files = {
      "dir/b.yml": "kind: B\n",
      "dir/a.yaml": "kind: A\n",
      "dir/c.json": '{"kind": "C"}',
      "dir/notes.md": "kind: D\n",
      "dir/deeper/e.yaml": "kind: E\n",
    };
    for (const path of ["dir", "dir/"]) {
      const { out } = await run(`-f ${path}`, { files });
      expect(out).toBe('kind: A\n---\nkind: B\n---\n{"kind": "C"}\n---\n');
    }
  });

  test("-o writes to a file and leaves standard output alone", async () => {
    const { code, out, file } = await run("-f app.yaml -o new.yaml", {
      files: { "app.yaml": SERVICE },
    });
    expect({ code, out }).toEqual({ code: 0, out: "" });
    expect(file("new.yaml")).toBe(`${SERVICE}---\n`);
  });

  test("native sidecars by flag and by variable", async () => {
    const native = "restartPolicy: Always";
    expect((await run("-f -", { stdin: POD })).out).not.toContain(native);
    expect((await run("-f - --native-sidecars auto", { stdin: POD })).out).not.toContain(native);
    expect((await run("-f - --native-sidecars true", { stdin: POD })).out).toContain(native);
    const env = { ENABLE_NATIVE_SIDECARS: "true" };
    expect((await run("-f -", { stdin: POD, env })).out).toContain(native);
  });

  test("templates see allowed variables only", async () => {
    const options = { stdin: POD, env: { SECRET: "s3cret" } };
    expect((await run(`-f - ${CONFIGURED}`, options)).out).toContain("- unset\n");
    const { out } = await run(`-f - ${CONFIGURED} --allow-env SECRET`, options);
    expect(out).toContain("- s3cret\n");
  });

  test("--structure-guard is heard", async () => {
    const template = TEMPLATE.replace("{{ .ProxyImage }}", "{{ .ObjectMeta.Annotations.a }}");
    const files = { "config.yaml": JSON.stringify({ templates: { sidecar: template } }) };
    const stdin = POD.replace("name: p", 'name: p, annotations: {a: "x\\n    stdin: true"}');
    const line = `-f - ${CONFIGURED} --structure-guard`;
    const denied = await run(`${line} deny`, { stdin, files });
    expect(denied.code).toBe(1);
    expect(denied.err).toContain('annotation "a" changes the structure of the YAML');
    const warned = await run(`${line} warn`, { stdin, files });
    expect({ code: warned.code, out: warned.out }).toMatchObject({
      code: 0,
      out: expect.stringContaining("stdin: true"),
    });
    expect(warned.err).toContain("structure guard: ");
    expect((await run(`${line} off`, { stdin, files })).err).not.toContain("structure guard");
  });

  test("--compat is heard", async () => {
    const status = (out: string) => /sidecar.istio.io\/status: '(.*)'/.exec(out)?.[1] ?? "";
    const today = await run(`-f - ${CONFIGURED}`, { stdin: POD });
    const old = await run(`-f - ${CONFIGURED} --compat 1.10`, { stdin: POD });
    expect(JSON.parse(status(today.out)).revision).toBe("default");
    expect(JSON.parse(status(old.out)).revision).toBeUndefined();
  });
});

describe("outrigger inject --context", () => {
  type Objects = Readonly<Record<string, unknown>>;
  const map = (data: Record<string, string>) => ({ metadata: {}, data });
  const node = (name: string, kubeletVersion: string) => ({
    metadata: { name },
    status: { nodeInfo: { kubeletVersion } },
  });
  const nodes = (...items: unknown[]) => ({ metadata: {}, items });
  const MAPS = "/api/v1/namespaces/istio-system/configmaps";
  const MESH = "trustDomain: from.cluster\n";
  const CLUSTER: Objects = {
    [`${MAPS}/istio-sidecar-injector`]: map({ config: CONFIG, values: VALUES }),
    [`${MAPS}/istio`]: map({ mesh: MESH }),
    "/api/v1/nodes": nodes(node("a", "v1.32.1")),
  };

  /** An API server that has some objects and forbids what it has as `null`. */
  let objects: Objects = {};
  const asked: string[] = [];
  let server = "";
  const http = createServer((request, response) => {
    const [path] = (request.url ?? "").split("?");
    asked.push(path);
    const refuse = (code: number, reason: string) => {
      response.writeHead(code);
      response.end(JSON.stringify({ kind: "Status", reason, message: `${reason} it is` }));
    };
    if (!Object.hasOwn(objects, path)) refuse(404, "NotFound");
    else if (objects[path] === null) refuse(403, "Forbidden");
    else response.end(JSON.stringify(objects[path]));
  });
  beforeAll(async () => {
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
    server = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    http.closeAllConnections();
    http.close();
  });

  const kubeconfig = () =>
    JSON.stringify({
      clusters: [{ name: "c", cluster: { server } }],
      contexts: [{ name: "here", context: { cluster: "c" } }],
      "current-context": "here",
    });

  function runIn(cluster: Objects, line: string, options: RunOptions = {}) {
    objects = cluster;
    asked.length = 0;
    const files = { "/home/me/.kube/config": kubeconfig(), "/kube": kubeconfig() };
    const env = { HOME: "/home/me", ...options.env };
    return run(line, { stdin: POD, ...options, env, files: { ...files, ...options.files } });
  }

  test("takes config, values and mesh config from its config maps", async () => {
    for (const flags of ["--context here", "--kubeconfig /kube", "-c /kube --context here"]) {
      const { code, out, err } = await runIn(CLUSTER, `-f - ${flags}`);
      expect({ code, err }).toEqual({ code: 0, err: "1 injected\n" });
      expect(out).toContain("image: hub/proxyv2:1\n");
      expect(out).toContain('  - args:\n    - ""\n    - from.cluster\n');
      expect(asked).toEqual([`${MAPS}/istio-sidecar-injector`, `${MAPS}/istio`, "/api/v1/nodes"]);
    }
  });

  const names: [flags: string, inject: string, mesh: string][] = [
    ["-r canary", `${MAPS}/istio-sidecar-injector-canary`, `${MAPS}/istio-canary`],
    ["-r default", `${MAPS}/istio-sidecar-injector`, `${MAPS}/istio`],
    ["--injectConfigMapName mine -r canary", `${MAPS}/mine`, `${MAPS}/istio-canary`],
    ["--meshConfigMapName mine", `${MAPS}/istio-sidecar-injector`, `${MAPS}/mine`],
    [
      "-i mesh",
      "/api/v1/namespaces/mesh/configmaps/istio-sidecar-injector",
      "/api/v1/namespaces/mesh/configmaps/istio",
    ],
  ];
  test.each(names)("looks for them by name: %s", async (flags, inject, mesh) => {
    const cluster = {
      [inject]: map({ config: CONFIG, values: VALUES }),
      [mesh]: map({ mesh: MESH }),
      "/api/v1/nodes": nodes(),
    };
    const { code, err } = await runIn(cluster, `-f - --context here ${flags}`);
    expect({ code, err }).toEqual({ code: 0, err: "1 injected\n" });
  });

  test("reads no config map for what a file is named", async () => {
    const files = { "mesh.yaml": "trustDomain: from.file\n" };
    const { "/api/v1/nodes": some } = CLUSTER;
    const all = await runIn(
      { "/api/v1/nodes": some },
      `-f - --context here ${CONFIGURED} --meshConfigFile mesh.yaml`,
      { files },
    );
    expect(all.code).toBe(0);
    expect(asked).toEqual(["/api/v1/nodes"]);
    const config = await runIn(CLUSTER, "-f - --context here --injectConfigFile config.yaml", {
      files: {
        "config.yaml": CONFIG.replace("{{ .ProxyImage }}", "mine:{{ .Values.global.tag }}"),
      },
    });
    expect(config.out).toContain("image: mine:1\n");
    expect(config.out).toContain("- from.cluster\n");
  });

  const PROXY = JSON.stringify({
    templates: {
      sidecar: "spec:\n  containers:\n  - name: istio-proxy\n    image: x\n" +
        "    args: [native-{{ .NativeSidecars }}]\n",
    },
  });
  const natives: [list: unknown, flags: string, native: boolean][] = [
    [nodes(node("a", "v1.33.0"), node("b", "v1.34.2+k3s1")), "", true],
    [nodes(node("a", "v1.33.0"), node("b", "v1.32.9")), "", false],
    [nodes(), "", true],
    [nodes({ metadata: { name: "a" } }), "", false],
    [nodes(node("a", "v1.32.9")), "--native-sidecars true", true],
    [nodes(node("a", "v1.33.0")), "--native-sidecars false", false],
    [nodes(node("a", "v1.33.0")), "--native-sidecars auto", true],
    [nodes(node("a", "v1.33.0")), "--compat 1.24", false],
  ];
  test.each(natives)("its nodes decide on native sidecars: %j %s", async (list, flags, native) => {
    const cluster = {
      ...CLUSTER,
      [`${MAPS}/istio-sidecar-injector`]: map({ config: PROXY, values: "" }),
      "/api/v1/nodes": list,
    };
    const { out } = await runIn(cluster, `-f - --context here ${flags}`);
    expect(out).toContain(`native-${native}\n`);
    const asks = flags === "" || flags.endsWith("auto");
    expect(asked.includes("/api/v1/nodes")).toBe(asks);
  });

  test("warns where it may not see nodes", async () => {
    const { code, err } = await runIn({ ...CLUSTER, "/api/v1/nodes": null }, "-f - --context here");
    expect({ code, err }).toEqual({
      code: 0,
      err: 'warning: Cannot list Nodes of context "here": Forbidden it is; ' +
        "sidecars are native only with --native-sidecars true\n1 injected\n",
    });
  });

  const INJECTOR = `${MAPS}/istio-sidecar-injector`;
  const NAMED = 'ConfigMap "istio-system/istio-sidecar-injector"';
  const failures: [what: string, change: Objects, message: string | RegExp][] = [
    [
      "no config map",
      { [INJECTOR]: undefined },
      `Cannot use ${NAMED} of context "here": not found; check --injectConfigMapName, ` +
      "--istioNamespace and --revision\n",
    ],
    [
      "no mesh config map",
      { [`${MAPS}/istio`]: undefined },
      'Cannot use ConfigMap "istio-system/istio" of context "here": not found; check ' +
      "--meshConfigMapName, --istioNamespace and --revision\n",
    ],
    [
      "no config in it",
      { [INJECTOR]: map({ values: VALUES }) },
      `Cannot use ${NAMED} of context "here": missing ConfigMap config key "config"\n`,
    ],
    [
      "no values in it",
      { [INJECTOR]: map({ config: CONFIG }) },
      `Cannot use ${NAMED} of context "here": missing ConfigMap values key "values"\n`,
    ],
    [
      "nothing in it",
      { [INJECTOR]: { metadata: {} } },
      `Cannot use ${NAMED} of context "here": missing ConfigMap config key "config"\n`,
    ],
    [
      "no mesh in it",
      { [`${MAPS}/istio`]: map({ constructor: "" }) },
      'Cannot use ConfigMap "istio-system/istio" of context "here": ' +
      'missing configuration map key "mesh"\n',
    ],
    [
      "no right to read it",
      { [INJECTOR]: null },
      'Cannot get ConfigMap "istio-system/istio-sidecar-injector" of context "here": ' +
      "Forbidden it is\n",
    ],
    [
      "a template that does not parse",
      { [INJECTOR]: map({ config: "templates: {sidecar: '{{ nope }}'}", values: "" }) },
      `Cannot use injection config of ${NAMED}: template: inject:1: function "nope" not ` +
      "defined\n1 | {{ nope }}\n",
    ],
    [
      "values of a wrong type",
      { [INJECTOR]: map({ config: CONFIG, values: '{"global": {"hub": 5}}' }) },
      /^Cannot use values of ConfigMap "istio-system\/istio-sidecar-injector": .* string\n$/,
    ],
    [
      "a mesh config of a wrong type",
      { [`${MAPS}/istio`]: map({ mesh: "defaultConfig: 5" }) },
      /^Cannot use mesh config of ConfigMap "istio-system\/istio": /,
    ],
  ];
  test.each(failures)("fails on %s", async (_, change, message) => {
    const changed = Object.entries({ ...CLUSTER, ...change }).filter(([, value]) =>
      value !== undefined
    );
    const { code, out, err } = await runIn(Object.fromEntries(changed), "-f - --context here");
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err.replace(/^outrigger: /, "")).toMatch(
      typeof message === "string" ? new RegExp(`^${RegExp.escape(message)}$`) : message,
    );
  });

  test("a config map's text is never a bare template", async () => {
    const cluster = { ...CLUSTER, [INJECTOR]: map({ config: "policy: enabled", values: "" }) };
    const { code, err } = await runIn(cluster, "-f - --context here");
    expect(code).toBe(1);
    expect(err).toContain('requested template "sidecar" not found; have ');
  });

  test("fails on a context that is not there", async () => {
    expect((await runIn(CLUSTER, "-f - --context there")).err).toBe(
      'outrigger: Cannot use context "there": it is not in "/home/me/.kube/config"; ' +
        'available: "here"\n',
    );
    expect(asked).toEqual([]);
  });

  test("no cluster is asked unless a flag names one", async () => {
    const { code } = await runIn(CLUSTER, "-f -", { env: { KUBECONFIG: "/kube" } });
    expect(code).toBe(0);
    expect(asked).toEqual([]);
  });

  test.each(["istioNamespace", "injectConfigMapName", "meshConfigMapName"])(
    "--%s without a cluster is wrong usage",
    async (name) => {
      const { code, err } = await runIn(CLUSTER, `-f - --${name} x`);
      expect({ code, err }).toEqual({
        code: 2,
        err: `outrigger: Flag "--${name}" requires --context or --kubeconfig. ` +
          'Run "outrigger help inject"\n',
      });
    },
  );
});

describe("outrigger inject tells on standard error", () => {
  test("what was skipped, in istioctl's words, and the sum of it", async () => {
    const stdin = [POD, SKIPPED, SERVICE, POD, OFF].join("---\n");
    expect((await run(`-f - ${CONFIGURED}`, { stdin })).err).toBe(
      '\n===> Skipping injection because Pod "q" has host networking enabled\n\n' +
        '===> Skipping injection because Pod "r" has sidecar injection disabled\n\n' +
        "2 injected, 2 skipped (host network 1, label false 1)\n",
    );
  });

  test("one reason without its number", async () => {
    const stdin = [POD, SKIPPED, SKIPPED].join("---\n");
    expect((await run(`-f - ${CONFIGURED}`, { stdin })).err).toEndWith(
      "\n1 injected, 2 skipped (host network)\n",
    );
  });

  test("values that were not understood, with file and workload, and no control characters", async () => {
    const stdin = POD.replace(
      "{name: p}",
      '{name: p, annotations: {sidecar.istio.io/inject: "\\e[1m"}}',
    );
    const { err } = await run(`-f - ${CONFIGURED}`, { stdin });
    expect(err).toStartWith(
      'warning: "standard input", Pod "p": Invalid value for sidecar.istio.io/inject: ',
    );
    expect(err).not.toContain("\x1b");
  });

  test("progress, for many documents, on a terminal that nothing else goes to", async () => {
    const stdin = Array(60).fill(SERVICE).join("---\n");
    // deno-lint-ignore no-control-regex -- they are what is looked for
    const line = /\r\x1b\[K\d+ of 60 documents/g;
    const shown = async (options: RunOptions, flags = "-f -") =>
      (await run(flags, { stdin, ...options })).err.match(line)?.length ?? 0;
    expect(await shown({ terminals: ["stderr"] })).toBeGreaterThan(10);
    expect(await shown({ terminals: ["stderr"] })).toBeLessThan(60);
    expect(await shown({ terminals: ["stdout", "stderr"] })).toBe(0);
    expect(await shown({ terminals: ["stdout", "stderr"] }, "-f - -o x")).toBeGreaterThan(10);
    expect(await shown({})).toBe(0);
    expect(await shown({ terminals: ["stderr"], stdin: SERVICE })).toBe(0);
    const { err } = await run("-f -", { stdin, terminals: ["stderr"] });
    expect(err).toEndWith("\r\x1b[Knothing to inject\n");
  });
});

describe("outrigger inject --diff", () => {
  const DIFF = `--- app.yaml Pod "p"
+++ app.yaml Pod "p" injected
@@ -1,8 +1,20 @@
 kind: Pod
 metadata:
+  annotations:
+    prometheus.io/path: /stats/prometheus
+    prometheus.io/port: "15020"
+    prometheus.io/scrape: "true"
+    sidecar.istio.io/status: '{"initContainers":null,"containers":["istio-proxy"],"volumes":null,"imagePullSecrets":null,"revision":"default"}'
   name: p
 spec:
   containers:
   - name: c
     resources: {}
+  - args:
+    - ""
+    - cluster.local
+    - unset
+    image: hub/proxyv2:1
+    name: istio-proxy
+    resources: {}
 status: {}
`;
  const files = { "app.yaml": `${SERVICE}---\n${POD}---\n${SKIPPED}` };

  test("shows what injection changes, instead of YAML", async () => {
    const { code, out, err } = await run(`-f app.yaml --diff ${CONFIGURED}`, { files });
    expect({ code, out }).toEqual({ code: 0, out: DIFF });
    expect(err).toEndWith("1 injected, 1 skipped (host network)\n");
  });

  test("and writes YAML to the file of -o", async () => {
    const { out, file } = await run(`-f app.yaml --diff -o new.yaml ${CONFIGURED}`, { files });
    expect(out).toBe(DIFF);
    expect(file("new.yaml")).toStartWith(`${SERVICE}---\n`);
  });

  test("is coloured on a terminal, unless NO_COLOR is set", async () => {
    const line = `-f app.yaml --diff ${CONFIGURED}`;
    const { out } = await run(line, { files, terminals: ["stdout"] });
    expect(out).toContain("\x1b[32m+    image: hub/proxyv2:1\x1b[0m\n");
    // deno-lint-ignore no-control-regex -- they are what is taken away
    expect(out.replace(/\x1b\[\d+m/g, "")).toBe(DIFF);
    const env = { NO_COLOR: "1" };
    expect((await run(line, { files, env, terminals: ["stdout"] })).out).toBe(DIFF);
    expect((await run(line, { files, terminals: ["stderr"] })).out).toBe(DIFF);
  });
});

describe("outrigger inject fails", () => {
  const BAD = POD.replace(
    "{name: p}",
    "{name: bad, annotations: {inject.istio.io/templates: none}}",
  );
  const MESSAGE = 'Cannot inject "app.yaml", document 2 at line 3, Pod "bad": failed to run ' +
    'injection template: requested template "none" not found; have sidecar';
  const files = { "app.yaml": `${SERVICE}---\n${BAD}---\n${SERVICE}` };

  test("at the first bad document; what came before is out", async () => {
    expect(await run(`-f app.yaml ${CONFIGURED}`, { files })).toMatchObject({
      code: 1,
      out: `${SERVICE}---\n`,
      err: `outrigger: ${MESSAGE}\n`,
    });
  });

  test("with -o: what came before is in the file", async () => {
    const { code, err, file } = await run(`-f app.yaml -o new.yaml ${CONFIGURED}`, { files });
    expect(code).toBe(1);
    expect(err).toBe(`outrigger: ${MESSAGE}; "new.yaml" contains the documents before it\n`);
    expect(file("new.yaml")).toBe(`${SERVICE}---\n`);
  });

  test("with -o over a file that is there: it stays as it was", async () => {
    const { code, err, file } = await run(`-f app.yaml -o ./app.yaml ${CONFIGURED}`, {
      files: { ...files, "./app.yaml": files["app.yaml"] },
    });
    expect(code).toBe(1);
    expect(err).toEndWith('; "./app.yaml" is unchanged\n');
    expect(file("./app.yaml")).toBe(files["app.yaml"]);
  });

  test("and still tells what was skipped before", async () => {
    const stdin = `${SKIPPED}---\n- a\n`;
    const { code, err } = await run(`-f - ${CONFIGURED}`, { stdin });
    expect(code).toBe(1);
    expect(err).toStartWith('\n===> Skipping injection because Pod "q" has host');
    expect(err).toContain('outrigger: Cannot inject "standard input", document 2 at line 5: error');
  });

  test("with the line of the template that failed", async () => {
    const config = JSON.stringify({ templates: { sidecar: "a: 1\nb: {{ .Spec.Nope }}\n" } });
    const { code, err } = await run(`-f - ${CONFIGURED}`, {
      stdin: POD,
      files: { "config.yaml": config },
    });
    expect(code).toBe(1);
    expect(err).toEndWith("in type v1.PodSpec\n2 | b: {{ .Spec.Nope }}\n               ^\n");
  });

  const configs: [what: string, files: Record<string, string>, message: string | RegExp][] = [
    [
      "a template that does not parse",
      { "config.yaml": "templates:\n  sidecar: '{{ nope }}'\n" },
      'Cannot use injection config "config.yaml": template: inject:1: function "nope" not defined\n' +
      "1 | {{ nope }}\n",
    ],
    [
      "values of a wrong type",
      { "values.json": '{"global": {"hub": 5}}' },
      /^Cannot use values "values.json": .* of type string\n$/,
    ],
    ["values that are no YAML", { "values.json": "a: [" }, /^Cannot use values "values.json": /],
    [
      "a mesh config of a wrong type",
      { "mesh.yaml": "defaultConfig: 5\n" },
      /^Cannot use mesh config "mesh.yaml": /,
    ],
    [
      "a broken template of the old era",
      { "config.yaml": "policy: enabled\ntemplate: 'a: [[ b ]]'\n" },
      /^Cannot use injection config "config.yaml": .*function "b" not defined/,
    ],
  ];
  test.each(configs)("on %s, naming the file", async (_, files, message) => {
    const { code, out, err } = await run(`-f - ${CONFIGURED} --meshConfigFile mesh.yaml`, {
      stdin: POD,
      files: { "mesh.yaml": "", ...files },
    });
    expect({ code, out }).toEqual({ code: 1, out: "" });
    const text = err.replace(/^outrigger: /, "");
    if (typeof message === "string") expect(text).toBe(message);
    else expect(text).toMatch(message);
  });

  const missing: [line: string, message: string][] = [
    ["-f none.yaml", 'Cannot read "none.yaml": no such file or directory'],
    ["-f - --valuesFile none", 'Cannot read "none": no such file or directory'],
    ["-f empty", 'Cannot inject "empty": it contains no .yaml, .yml or .json file'],
  ];
  test.each(missing)("%s", async (line, message) => {
    const { code, err } = await run(line, { files: { "empty/notes.md": "" } });
    expect({ code, err }).toEqual({ code: 1, err: `outrigger: ${message}\n` });
  });

  test("never on a config of the old era as such: it is appended", async () => {
    const config =
      "policy: enabled\ntemplate: |-\n  containers:\n  - name: [[ .ObjectMeta.Name ]]-side\n";
    const files = { "config.yaml": config };
    const { code, out } = await run("-f - --injectConfigFile config.yaml", { stdin: POD, files });
    expect(code).toBe(0);
    expect(out).toMatch(/name: \S+-side/);
  });

  const misused: [line: string, message: string][] = [
    ["", "filename not specified (see --filename or -f)"],
    ["-f=", "filename not specified (see --filename or -f)"],
    [
      "-f - --compat 1.9",
      "Cannot behave as Istio 1.9: the templates shipped with outrigger are for today's Istio; " +
      "a compat version goes with an injection config of that version",
    ],
    [
      "-f - --compat new",
      'Flag "--compat" expects a version of Istio, as in 1.22 or 0.8, or today, got "new". ' +
      'Run "outrigger help inject"',
    ],
    ["app.yaml", 'Unexpected argument "app.yaml". Run "outrigger help inject"'],
  ];
  test.each(misused)("by usage: %s", async (line, message) => {
    expect(await run(line, { stdin: POD })).toMatchObject({
      code: 2,
      out: "",
      err: `outrigger: ${message}\n`,
    });
  });
});
