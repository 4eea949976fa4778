import { describe, expect, test } from "bun:test";
import { runCli } from "../../lib/cli/mod.ts";
import { memoryHost, type MemoryHostOptions } from "../_memory_host.ts";

const CONFIG = JSON.stringify({
  templates: {
    sidecar:
      "metadata: {labels: {mesh: in}}\nspec: {containers: [{name: istio-proxy, image: p}]}\n",
  },
});
const POD =
  "kind: Pod\nmetadata:\n  name: p\nspec:\n  containers:\n  - name: c\n    resources: {}\nstatus: {}\n";
const SERVICE = "kind: Service   # as it is\n";

async function run(command: string, line: string, options: MemoryHostOptions = {}) {
  const files = { "config.yaml": CONFIG, ...options.files };
  const host = memoryHost({ ...options, files });
  const code = await runCli([command, ...line.split(" ").filter(Boolean)], host);
  return { code, out: host.out.stdout, err: host.out.stderr };
}

const CONFIGURED = "--injectConfigFile config.yaml";

describe("outrigger uninject", () => {
  test("gives back what was injected, and passes the rest through", async () => {
    const injected = await run("inject", `-f - ${CONFIGURED}`, { stdin: `${POD}---\n${SERVICE}` });
    expect(injected.out).toContain("mesh: in");
    const { code, out, err } = await run("uninject", `-f - ${CONFIGURED}`, { stdin: injected.out });
    expect({ code, err }).toEqual({ code: 0, err: "1 uninjected\n" });
    expect(out).toBe(`${POD}---\n${SERVICE}---\n`);
  });

  test("says what it did as data", async () => {
    const { out: stdin } = await run("inject", `-f - ${CONFIGURED}`, { stdin: POD });
    const { out } = await run("uninject", `-f - ${CONFIGURED} -o json`, { stdin });
    expect(JSON.parse(out)).toEqual({
      workloads: [{
        file: "standard input",
        workload: 'Pod "p"',
        wasInjected: true,
        roundTrips: true,
        differences: [],
        notes: [],
        object: {
          kind: "Pod",
          metadata: { name: "p" },
          spec: { containers: [{ name: "c", resources: {} }] },
          status: {},
        },
      }],
    });
  });

  test("says where the config is not the one that injected", async () => {
    const { out: stdin } = await run("inject", `-f - ${CONFIGURED}`, { stdin: POD });
    const { code, err } = await run("uninject", "-f -", { stdin });
    expect(code).toBe(0);
    expect(err).toMatch(
      /^warning: "standard input", Pod "p": injecting the result again with this config gives a different pod \(\/.*\); perhaps it was injected with another config\n1 uninjected \(1 different if injected again\)\n$/,
    );
  });

  test("leaves alone what was not injected", async () => {
    const { code, out, err } = await run("uninject", "-f app.yaml", { files: { "app.yaml": POD } });
    expect({ code, out, err }).toEqual({
      code: 0,
      out: `${POD}---\n`,
      err: "0 uninjected, 1 unchanged\n",
    });
    expect((await run("uninject", "-f -", { stdin: SERVICE })).err).toBe("nothing to uninject\n");
  });

  const failures: [string, number, RegExp][] = [
    ["", 2, /filename not specified/],
    ["-f none.yaml", 1, /Cannot read "none.yaml"/],
    ["-f bad.yaml", 1, /Cannot read "bad.yaml" at line 2, column 1/],
    [
      "-f app.yaml --injectConfigFile nope.yaml",
      1,
      /Cannot use injection config "nope.yaml": .*function "nope"/,
    ],
  ];
  for (const [line, code, message] of failures) {
    test(`fails on "${line}"`, async () => {
      const files = {
        "app.yaml": POD,
        "bad.yaml": "kind: [\n",
        "nope.yaml": "templates: {sidecar: '{{ nope }}'}",
      };
      expect(await run("uninject", line, { files }))
        .toMatchObject({ code, err: expect.stringMatching(message) });
    });
  }
});
