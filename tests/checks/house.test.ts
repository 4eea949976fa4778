import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import {
  checkForeign,
  checkNames,
  checkOpenings,
  checkPage,
  checkPurity,
  checkRuntimes,
  checkTestsRun,
} from "./_house.ts";
import { readTree, type Tree } from "./_tree.ts";
import { checkDenoPin, checkDependencies, checkVersion } from "./_versions.ts";

const project = readTree(join(import.meta.dir, "../.."));

const checks = {
  checkRuntimes,
  checkPurity,
  checkNames,
  checkForeign,
  checkOpenings,
  checkPage,
  checkTestsRun,
  checkDependencies,
  checkVersion,
  checkDenoPin,
};

test("the tree holds the project, and none of what git ignores", () => {
  expect([...project.keys()]).toContain("lib/host/mod.ts");
  expect([...project.keys()].filter((path) => /^(node_modules|dist|\.git)\//.test(path))).toEqual(
    [],
  );
});

describe.each(Object.entries(checks))("%s()", (_name, check) => {
  test("finds nothing in this project", () => {
    expect(check(project)).toEqual([]);
  });
});

/** A check that finds nothing is worth something only if it can find. */
function finds(check: (tree: Tree) => string[], rows: [path: string, text: string][], base = {}) {
  test.each(rows)("finds %s: %.60s", (path, text) => {
    expect(check(new Map(Object.entries({ ...base, [path]: text })))).toHaveLength(1);
  });
}

function passes(check: (tree: Tree) => string[], rows: [path: string, text: string][], base = {}) {
  test.each(rows)("passes %s: %.60s", (path, text) => {
    expect(check(new Map(Object.entries({ ...base, [path]: text })))).toEqual([]);
  });
}

describe("checkRuntimes()", () => {
  finds(checkRuntimes, [
    ["lib/data/a.ts", `import { readFile } from "node:fs";`],
    ["lib/data/a.ts", `import { file } from "bun";`],
    ["lib/data/a.ts", `const f = Bun.file("x");`],
    ["lib/cli/a.ts", `const f = Deno.args;`],
    ["lib/cli/a.ts", `const f = globalThis.process;`],
    ["lib/cli/a.ts", `const f = \`\${process.env.HOME}\`;`],
    ["lib/go/a.ts", `Buffer.from("")`],
    ["main.ts", `Deno.exit(await x())`],
  ]);
  passes(checkRuntimes, [
    ["lib/host/a.ts", `import { readFile } from "node:fs";\nBun.file("x");`],
    ["tests/a.test.ts", `Bun.file("x");`],
    ["lib/data/a.ts", `// Bun.YAML is faster\nconst a = "Deno.args";`],
    ["lib/data/a.ts", `function process(x: string) {}\nprocess("x");\nthing.process.x;`],
  ]);
});

describe("checkPurity()", () => {
  const base = { "ARCHITECTURE.md": "`go`, `patch` and `inject` are pure: no I/O" };
  finds(checkPurity, [
    ["lib/go/a.ts", `const t = Date.now();`],
    ["lib/patch/a.ts", `const t = new Date();`],
    ["lib/inject/a.ts", `const t = Math.random();`],
    ["lib/inject/a.ts", `crypto.getRandomValues(x)`],
    ["lib/inject/a.ts", `await fetch("x")`],
    ["ARCHITECTURE.md", "no such sentence"],
  ], base);
  passes(checkPurity, [
    ["lib/go/a.ts", `const t = new Date(host.now());`],
    ["lib/go/a.ts", `// Date.now() would be ambient\nthis.fetch(1); host.crypto.x;`],
    ["lib/cli/a.ts", `const t = Date.now();`],
  ], base);
});

describe("checkNames()", () => {
  finds(checkNames, [
    ["package.json", ""],
    ["src/main.ts", ""],
    ["bunfig.toml", ""],
    [".ci/other", ""],
    ["lib/data/fooBar.ts", ""],
    ["lib/data/foo-bar.ts", ""],
    ["lib/data/utils.ts", ""],
    ["tests/a_test.spec.ts", ""],
  ]);
  passes(checkNames, [
    ["lib/data/_foo_bar2.ts", ""],
    ["tests/data/foo_bar.test.ts", ""],
    [".ci/run", ""],
    ["templates/gateway.yaml", ""],
  ]);
});

describe("checkForeign()", () => {
  finds(checkForeign, [
    ["deno.lock", ["https://registry", "npmjs.org/x"].join(".")],
    ["README.md", ["cd ", "work", "main"].join("/")],
    ["lib/a/b.ts", ["// see ", "root", ".cache"].join("/")],
    ["Containerfile", ["FROM x\nRUN echo deb", "debian.org"].join(".")],
  ]);
  passes(checkForeign, [["README.md", "a networked/workload/ path, or .root"]]);
});

describe("checkOpenings()", () => {
  const long = "x();\n".repeat(501);
  finds(checkOpenings, [
    ["lib/data/a.ts", `import x from "y";\n/** Late. */\n`],
    ["lib/data/a.ts", `/** What it is. */\n${long}`],
    ["lib/data/a.ts", `/** What it is. 500 lines and no reason. */\n${long}`],
  ]);
  passes(checkOpenings, [
    ["lib/data/a.ts", `/** What it is. */\nx();\n`],
    ["lib/data/a.ts", `// What it is.\nx();\n`],
    ["lib/data/a.ts", `/**\n * A table. Past 500\n * lines because it is one table.\n */\n${long}`],
    ["tests/a.test.ts", long],
  ]);
});

describe("checkPage()", () => {
  finds(checkPage, [
    ["lib/playground/page/a.ts", `node.innerHTML = text;`],
    ["lib/playground/page/a.ts", `node.insertAdjacentHTML("beforeend", text);`],
    ["lib/playground/page/a.ts", `const f = new Function(text);`],
    ["lib/playground/page/a.html", `<link href="https://fonts.test/a.css">`],
    ["lib/playground/page/a.html", `<link href="//fonts.test/a.css">`],
    ["lib/playground/page/a.html", `<p style="color: red">`],
    ["lib/playground/page/a.html", `<script>run()</script>`],
    ["lib/playground/page/a.html", `<button onclick="run()">`],
    ["lib/playground/page/a.css", `@import "b.css";`],
    ["lib/playground/a.ts", `document.title = "x";`],
    ["lib/inject/a.ts", `localStorage.getItem("x")`],
  ]);
  passes(checkPage, [
    [
      "lib/playground/page/a.ts",
      `// innerHTML would be markup\nnode.append(text); document.title;`,
    ],
    ["lib/playground/page/a.html", `<script type="module" src="main.js"></script>`],
    ["lib/playground/page/a.svg", `<svg xmlns="http://www.w3.org/2000/svg">`],
    ["lib/inject/a.ts", `for (const document of documents) document_.x; stream.document.y;`],
  ]);
});

describe("checkTestsRun()", () => {
  finds(checkTestsRun, [
    ["tests/a.test.ts", `test.skip("x", () => {});`],
    ["tests/a.test.ts", `test.skipIf(true)("x", () => {});`],
    ["tests/a.test.ts", `describe.only("x", () => {});`],
    ["tests/a.test.ts", `it.todo("x");`],
  ]);
  passes(checkTestsRun, [["tests/a.test.ts", `test("a test.skip( in its name", () => {});`]]);
});

describe("checkDependencies()", () => {
  const base = {
    "ARCHITECTURE.md": "`js-yaml` reads YAML",
    "deno.json": `{"imports":{"js-yaml":"npm:js-yaml@5.5.0"},"allowScripts":[]}`,
  };
  finds(checkDependencies, [
    ["deno.json", `{"imports":{"js-yaml":"npm:js-yaml@^5.5.0"},"allowScripts":[]}`],
    ["deno.json", `{"imports":{"js-yaml":"npm:js-yaml@5"},"allowScripts":[]}`],
    ["deno.json", `{"imports":{"js-yaml":"npm:js-yaml"},"allowScripts":[]}`],
    ["deno.json", `{"imports":{"js-yaml":"https://x.test/y.ts"},"allowScripts":[]}`],
    ["deno.json", `{"imports":{"js-yaml":"npm:js-yaml@5.5.0"},"allowScripts":["npm:x@1.0.0"]}`],
    ["ARCHITECTURE.md", "js-yaml, or so"],
    ["lib/data/a.ts", `import x from "left-pad";`],
    ["lib/data/a.ts", `import x from "left-pad/js-yaml";`],
    ["lib/data/a.ts", `import x from "js-yaml-more";`],
  ], base);
  passes(checkDependencies, [
    ["lib/data/a.ts", `import x from "js-yaml";\nimport y from "./y.ts";`],
    ["lib/data/a.ts", `import x from "js-yaml/lib/x.js";`],
  ], base);
});

describe("checkVersion()", () => {
  const base = { "deno.json": `{"version":"0.2.0"}` };
  finds(checkVersion, [
    ["CHANGELOG.md", "# Changelog\n\n## 0.1.0\n"],
    ["CHANGELOG.md", "# Changelog\n"],
  ], base);
  passes(checkVersion, [["CHANGELOG.md", "# Changelog\n\n## 0.2.0\n\n## 0.1.0\n"]], base);
});

describe("checkDenoPin()", () => {
  const base = { ".ci/run": "npx -y deno@2.9.6 task test" };
  finds(checkDenoPin, [
    ["README.md", "npx -y deno@2.9.5 task test"],
    ["README.md", "npx -y deno@latest task test"],
    [".ci/run", "npx -y deno task test"],
  ], base);
  passes(checkDenoPin, [["README.md", "npx -y deno@2.9.6 task test, and again deno@2.9.6."]], base);
});
