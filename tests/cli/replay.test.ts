/** `outrigger serve --record` and `outrigger replay`, the one reading what the other wrote. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { runCli } from "../../lib/cli/mod.ts";
import { memoryHost } from "../_memory_host.ts";
import { Client } from "../server/_client.ts";
import { podReview } from "../server/_serving.ts";
import { CONFIG, type Files, programFiles, startProgram } from "./_program.ts";

let files: Files;
let recording: Record<string, string>;
let metrics = "";

function pod(name: string, more: Record<string, unknown> = {}) {
  const env = [{ name: "PASSWORD", value: "hunter2" }];
  return {
    metadata: { generateName: `${name}-`, namespace: "shop" },
    spec: { containers: [{ name: "app", env }], ...more },
  };
}

beforeAll(async () => {
  files = await programFiles();
  const directory = `${files.directory}/made/for/it`;
  await using program = await startProgram([
    ...["serve", "--drain=0s", `--record=${directory}`],
    ...files.flags,
  ]);
  const client = await Client.tls(program.port);
  for (const name of ["web", "api", "db"]) {
    await client.review(podReview({ object: pod(name) }));
  }
  await client.review(podReview({ object: pod("host", { hostNetwork: true }) }));
  await client.review(podReview({ object: pod("asked"), dryRun: true }));
  client.close();
  const plain = await Client.plain(program.plainPort);
  // Nothing was busy, so that all of it is written within a moment.
  const deadline = performance.now() + 15_000;
  while (!metrics.includes('outrigger_record_reviews_total{result="written"} 4')) {
    expect(performance.now()).toBeLessThan(deadline);
    metrics = (await plain.request("/metrics")).body;
  }
  plain.close();
  program.kill("SIGTERM");
  expect(await program.exited).toBe(0);
  recording = Object.fromEntries(
    readdirSync(directory).map((name) => {
      expect(statSync(`${directory}/${name}`).mode & 0o777).toBe(0o600);
      return [`rec/${name}`, readFileSync(`${directory}/${name}`, "utf8")];
    }),
  );
}, 60_000);
afterAll(() => files[Symbol.dispose]());

const NEW = CONFIG.replace("image: proxy", "image: proxy:2");

async function run(line: string, more: Record<string, string> = {}) {
  const host = memoryHost({
    files: { ...recording, "new.yaml": NEW, "old.yaml": CONFIG, ...more },
  });
  const code = await runCli(["replay", ...line.split(" ")], host);
  return { code, out: host.out.stdout, err: host.out.stderr };
}

describe("a recording", () => {
  test("holds pods without their secrets, and the configuration", () => {
    const text = Object.values(recording).join("");
    expect(text).not.toContain("hunter2");
    expect(text.trim().split("\n").map((line) => Object.keys(JSON.parse(line))[0])).toEqual([
      ...["config", "review", "review", "review", "review"],
    ]);
    expect(text).not.toContain("asked-");
  });
});

describe("outrigger replay", () => {
  test("finds nothing to tell of the same config: code 0", async () => {
    expect(await run("rec --config old.yaml")).toEqual({
      code: 0,
      out: "old.yaml changes 0 of 4 patches\n",
      err: "",
    });
  });

  test("shows what a config changes, pods alike together: code 3", async () => {
    expect(await run("rec/ --config new.yaml")).toEqual({
      code: 3,
      out: `new.yaml changes 3 of 4 patches

3 pods: shop/web-*, shop/api-*, shop/db-*
  ~ spec.containers[istio-proxy].image: proxy → proxy:2
`,
      err: "",
    });
  });

  test("takes values alone, with the recorded config, and one file of a recording", async () => {
    const [path] = Object.keys(recording);
    const { code, out } = await run(`${path} --values v.yaml`, { "v.yaml": "which: two" });
    expect(code).toBe(3);
    expect(out).toContain("v.yaml changes 3 of 4 patches\n");
    expect(out).toContain("  ~ metadata.labels.which: one → two\n");
  });

  test("tells decisions that change", async () => {
    const { out } = await run("rec --config n.yaml --values v.yaml", {
      "n.yaml": CONFIG.replace("enabled", "disabled"),
      "v.yaml": "which: two",
    });
    expect(out).toContain("the new configuration changes 3 of 4 patches\n");
    expect(out).toContain(
      "  ~ (decision): injected (policy enabled) → skipped (policy disabled)\n",
    );
  });

  test("compares two configs, neither of them the recorded one", async () => {
    const { code, out } = await run("rec --against new.yaml --config new.yaml");
    expect({ code, out }).toEqual({ code: 0, out: "new.yaml changes 0 of 4 patches\n" });
  });

  test("-o json has all of it", async () => {
    const { code, out } = await run("rec --config new.yaml -o json");
    expect(code).toBe(3);
    expect(JSON.parse(out)).toEqual({
      reviews: 4,
      changed: 3,
      notReproduced: [],
      groups: [{
        members: ["shop/web-*", "shop/api-*", "shop/db-*"],
        changes: [{ path: "spec.containers[istio-proxy].image", from: "proxy", to: "proxy:2" }],
      }],
      unreadable: [],
    });
    expect((await run("rec --config new.yaml -o yaml")).out).toContain("\nchanged: 3\n".slice(1));
  });

  test("sees the same time and randomness on both sides", async () => {
    const random = CONFIG.replace(
      "image: proxy",
      `image: 'proxy:{{ randAlphaNum 8 }}-{{ now | date "05" }}'`,
    );
    const { code } = await run("rec --against r.yaml --config r.yaml", { "r.yaml": random });
    expect(code).toBe(0);
  });

  test("says which pods it cannot vouch for", async () => {
    const [path] = Object.keys(recording);
    const other = recording[path].replaceAll(/"operations":[1-9]\d*/g, '"operations":99');
    const { out } = await run("rec --config new.yaml", { [path]: other });
    expect(out).toMatch(
      /\n3 of 4 recorded decisions cannot be reproduced, because .*shop\/web-/,
    );
  });

  test("passes over lines that it cannot read, and says so", async () => {
    const [path] = Object.keys(recording);
    const { code, out, err } = await run("rec --config new.yaml", {
      [path]: `${recording[path]}{"review": {"conf`,
      "rec/z.jsonl": recording[path].split("\n")[1],
      "rec/zz.jsonl": recording[path].split("\n")[1].replace(/"config":"\w+"/, '"config":"gone"'),
    });
    expect(code).toBe(3);
    expect(out).toContain("new.yaml changes 4 of 5 patches\n");
    expect(err).toBe(
      `warning: skipped "${path}", line 6: it is not JSON\n` +
        'warning: skipped "rec/zz.jsonl", line 1: the recording does not contain its configuration\n',
    );
  });

  const failures: [line: string, code: number, err: string][] = [
    [
      "rec",
      2,
      'Specify at least one of --config, --values, --mesh and --structure-guard. Run "outrigger help replay"',
    ],
    ["none --config new.yaml", 1, 'Cannot list "none": no such file or directory'],
    [
      "empty --config new.yaml",
      1,
      'Cannot replay "empty": it contains no recording (*.jsonl); create one with ' +
      '"outrigger serve --record empty"',
    ],
    ["void --config new.yaml", 1, 'Cannot replay "void": it contains no reviews'],
    [
      "rec --config bad.yaml",
      1,
      'Cannot use "bad.yaml": template: inject:1: unclosed action\n1 | spec: {{',
    ],
  ];
  test.each(failures)("%s: code %d", async (line, code, err) => {
    const more = {
      "empty/notes.md": "",
      "void/a.jsonl": "",
      "bad.yaml": 'templates: {sidecar: "spec: {{"}',
    };
    expect(await run(line, more)).toEqual({ code, out: "", err: `outrigger: ${err}\n` });
  });
});
