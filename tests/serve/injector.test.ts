/** What the server makes of a configuration, and what it lets it know of the cluster. */
import { describe, expect, test } from "bun:test";
import { createInjector } from "../../lib/inject/injector.ts";
import { sprigFunctions } from "../../lib/go/sprig/mod.ts";
import { testSprigHost } from "../go/_sprig_host.ts";

const CONFIG = `policy: enabled
templates:
  sidecar: |
    metadata:
      labels: {native: "{{ .NativeSidecars }}"}
`;

const sprig = sprigFunctions(testSprigHost());

function build({ values = "", config = CONFIG, clusterId }: {
  readonly values?: string;
  readonly config?: string;
  readonly clusterId?: string;
} = {}) {
  const warnings: string[] = [];
  const injector = createInjector({ config, values, mesh: "" }, {
    sprig,
    tried: true,
    ...(clusterId === undefined ? {} : { clusterId }),
    warn: (message) => warnings.push(message),
  });
  return { injector, warnings };
}

describe("createInjector() for a server", () => {
  const named = (name: string) => `global: {multiCluster: {clusterName: ${name}}}`;
  const rows: [
    what: string,
    options: Parameters<typeof build>[0],
    path: string,
    native: boolean,
  ][] = [
    ["the cluster that nobody named", {}, "/inject", true],
    ["another that the URL names", {}, "/inject/cluster/remote", false],
    ["our own by the name that it has then", {}, "/inject/cluster/Kubernetes", true],
    ["the cluster of the values", { values: named("east") }, "/inject", true],
    ["the same, by the URL", { values: named("east") }, "/inject/cluster/east", true],
    ["another than that of the values", { values: named("east") }, "/inject/cluster/west", false],
    ["the one of --cluster-id", { clusterId: "east" }, "/inject/cluster/east", true],
    ["a request that names none", { clusterId: "east" }, "/inject", true],
    ["another than ours", { clusterId: "east" }, "/inject/cluster/Kubernetes", false],
    ["values that say the same", { clusterId: "east", values: named("east") }, "/inject", true],
  ];
  test.each(rows)("tells templates of our nodes for %s", (_, options, path, native) => {
    const { injector } = build(options);
    const proxyEnv = injector.urlEnv(path);
    const object = { metadata: { name: "x" }, spec: { containers: [{ name: "a" }] } };
    const { patch } = injector.admit({ object, namespace: "x", proxyEnv }, {
      nodes: [{ name: "n", kubeletVersion: "v1.35.0" }],
    });
    expect(JSON.stringify(patch)).toContain(`"native":"${native}"`);
  });

  test("tries both native and ordinary sidecars, and warns of nothing while it does", () => {
    expect(build().warnings).toEqual([]);
    for (const condition of [".NativeSidecars", "not .NativeSidecars"]) {
      const broken = CONFIG.replace('"{{', `"{{ if ${condition} }}{{ fail "no" }}{{ end }}{{`);
      expect(() => build({ config: broken })).toThrow("error calling fail: no");
    }
  });
});
