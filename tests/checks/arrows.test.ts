import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { checkArrows, readRooms } from "./_arrows.ts";
import { readTree } from "./_tree.ts";

test("rooms that are entered by mod.ts are entered by nothing else", () => {
  const check = (text: string) =>
    checkArrows(
      new Map([
        ["ARCHITECTURE.md", `${TABLE}\n\n\`patch\` and \`kube\`\nare entered by \`mod.ts\`.`],
        ["lib/cli/a.ts", text],
      ]),
    );
  expect(check(`import { x } from "../patch/mod.ts";`)).toEqual([]);
  expect(check(`import { x } from "../data/yaml.ts";`)).toEqual([]);
  expect(check(`import { x } from "../patch/json_patch.ts";`)).toEqual([
    'lib/cli/a.ts:1: imports "../patch/json_patch.ts": other rooms import lib/patch/mod.ts',
  ]);
});

test("the import arrows of ARCHITECTURE.md are kept", () => {
  expect(checkArrows(readTree(join(import.meta.dir, "../..")))).toEqual([]);
});

const TABLE = `# Rooms
| folder | owns | may import |
|---|---|---|
| \`lib/host/\` | the machine | nothing of lib |
| \`lib/data/\` | YAML | nothing of lib |
| \`lib/kube/\` | schema | data, host |
| \`lib/patch/\` | patches | data, kube/schema |
| \`lib/config/\` | config | data, host (reload only) |
| \`lib/inject/\` | pods | data |
| \`lib/cli/\` | commands | anything |

| folder | owns |
|---|---|
| \`lib/other/\` | no row of that table |
`;

test("readRooms() reads the table and no other", () => {
  expect(Object.fromEntries(readRooms(TABLE))).toEqual({
    host: [],
    data: [],
    kube: [{ target: "data" }, { target: "host" }],
    patch: [{ target: "data" }, { target: "kube/schema" }],
    config: [{ target: "data" }, { target: "host", only: "reload" }],
    inject: [{ target: "data" }],
    cli: [{ target: "*" }],
  });
  expect(readRooms("# nothing").size).toBe(0);
});

describe("checkArrows()", () => {
  const check = (path: string, text: string, table = TABLE) =>
    checkArrows(new Map([["ARCHITECTURE.md", table], [path, text]]));

  const kept: [path: string, text: string][] = [
    ["lib/kube/a.ts", `import { x } from "../data/yaml.ts";`],
    ["lib/kube/a.ts", `import { x } from "./b/c.ts";`],
    ["lib/kube/a.ts", `import { x } from "./_b.ts";`],
    ["lib/kube/b/a.ts", `import { x } from "../_b.ts";`],
    ["lib/kube/a.ts", `import yaml from "js-yaml";`],
    ["lib/patch/a.ts", `import { x } from "../kube/schema.ts";`],
    ["lib/patch/a.ts", `import { x } from "../kube/schema/pod.ts";`],
    ["lib/config/reload.ts", `import { x } from "../host/mod.ts";`],
    ["lib/config/_reload_timer.ts", `import { x } from "../host/mod.ts";`],
    ["lib/cli/version.ts", `import x from "../../deno.json" with { type: "json" };`],
    ["lib/cli/a.ts", `import { x } from "../patch/json_patch.ts";`],
    ["lib/inject/a.ts", `import x from "../../templates/a.yaml" with { type: "text" };`],
    ["lib/data/a.ts", `// import { x } from "../host/mod.ts";`],
    ["lib/data/a.ts", `const text = \`import { x } from "../host/mod.ts"\`;`],
    ["main.ts", `import { x } from "./lib/cli/mod.ts";`],
    ["tests/a.test.ts", `import { x } from "../lib/kube/_b.ts";`],
  ];
  test.each(kept)("%s may: %s", (path, text) => {
    expect(check(path, text)).toEqual([]);
  });

  const broken: [path: string, text: string, problem: string][] = [
    ["lib/data/a.ts", `import { x } from "../host/mod.ts";`, "lib/data may not"],
    ["lib/data/a.ts", `import type { X } from "../host/mod.ts";`, "lib/data may not"],
    ["lib/data/a.ts", `export * from "../host/mod.ts";`, "lib/data may not"],
    ["lib/data/a.ts", `const x = await import("../host/mod.ts");`, "lib/data may not"],
    ["lib/data/a.ts", `import {\n  x,\n} from "../host/mod.ts";`, "lib/data/a.ts:3: imports"],
    ["lib/data/a.ts", `const a = 4 / 2;\nimport "../host/mod.ts"; // b / c`, "lib/data/a.ts:2"],
    ["lib/data/a.ts", 'const a = /["`/*]/;\nimport "../host/mod.ts";', "lib/data/a.ts:2"],
    ["lib/data/a.ts", 'const a = `${`${{}}`}//`;\nimport "../host/mod.ts";', "lib/data/a.ts:2"],
    ["lib/host/a.ts", `import { x } from "../data/yaml.ts";`, "lib/host may not"],
    ["lib/patch/a.ts", `import { x } from "../kube/client.ts";`, "lib/patch may not"],
    ["lib/patch/a.ts", `import { x } from "../kube/schema_old.ts";`, "lib/patch may not"],
    ["lib/config/load.ts", `import { x } from "../host/mod.ts";`, "lib/config may not"],
    ["lib/cli/a.ts", `import { x } from "../kube/_b.ts";`, "are for lib/kube alone"],
    ["lib/kube/a.ts", `import { x } from "./b/_c.ts";`, "are for lib/kube/b alone"],
    ["lib/cli/a.ts", `import { x } from "../../main.ts";`, "outside lib"],
    ["lib/cli/a.ts", `import { x } from "../../tests/_memory_host.ts";`, "outside lib"],
    ["lib/data/a.ts", `import x from "../../deno.json" with { type: "json" };`, "only lib/cli"],
    [
      "lib/cli/a.ts",
      `import x from "../../templates/a.yaml" with { type: "text" };`,
      "only lib/inject",
    ],
    ["main.ts", `import { x } from "./lib/data/yaml.ts";`, "no more"],
    ["lib/new/a.ts", ``, "lib/new: not in the table"],
    ["lib/a.ts", ``, "lib/a.ts: not in the table"],
  ];
  test.each(broken)("%s may not: %s", (path, text, problem) => {
    expect(check(path, text).join("\n")).toContain(problem);
  });

  test("tells of a document or table that is not there, or names no folder", () => {
    expect(checkArrows(new Map())).toEqual(["ARCHITECTURE.md: missing"]);
    expect(check("main.ts", "", "# none").join()).toContain("no table");
    const wrong = TABLE.replace("data, host |", "date, all of host |");
    expect(check("main.ts", "", wrong).join()).toContain(`"date", which is no folder`);
    expect(check("main.ts", "", wrong).join()).toContain(`"all of host", which is no folder`);
  });
});
