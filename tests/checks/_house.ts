/** The rules of the house that a machine can keep. Each takes the tree and gives its problems, a line each. */

import { lineAt, readSource } from "./_source.ts";
import type { Tree } from "./_tree.ts";

/** `node:`, Bun and Deno are for lib/host (and tests): everything else takes a `Host`. */
export function checkRuntimes(tree: Tree): string[] {
  const problems: string[] = [];
  for (const [path, text] of sources(tree)) {
    if (path.startsWith("lib/host/")) continue;
    const { imports, code } = readSource(text);
    for (const { specifier, line } of imports) {
      if (/^(node|bun|deno|jsr|npm|https?):|^(bun|deno)$/.test(specifier)) {
        problems.push(`${path}:${line}: imports "${specifier}": only lib/host names a runtime`);
      }
    }
    const names =
      /(?<![.\w$])(?:globalThis\s*\.\s*)?(Bun|Deno|process|Buffer|NodeJS)\b(?=\s*[.[])|\bglobalThis\s*\.\s*(Bun|Deno|process|Buffer)\b/g;
    for (const match of code.matchAll(names)) {
      const name = match[1] ?? match[2];
      problems.push(`${path}:${lineAt(code, match.index)}: ${name}: only lib/host names a runtime`);
    }
  }
  return problems;
}

/** The rooms of which ARCHITECTURE.md says "are pure" take clock, randomness and I/O as arguments. */
export function checkPurity(tree: Tree): string[] {
  const sentence = /^((?:`\w+`(?:, | and )?)+) are pure/m.exec(tree.get("ARCHITECTURE.md") ?? "");
  if (sentence === null) return ["ARCHITECTURE.md: no sentence that says which rooms are pure"];
  const pure = [...sentence[1].matchAll(/`(\w+)`/g)].map((match) => `lib/${match[1]}/`);
  const problems: string[] = [];
  for (const [path, text] of sources(tree)) {
    if (!pure.some((room) => path.startsWith(room))) continue;
    const { code } = readSource(text);
    const ambient =
      /\bDate\s*\.\s*now\b|\bnew\s+Date\s*(?:\(\s*\)|(?![\s(]))|\bMath\s*\.\s*random\b|\bperformance\s*\.\s*now\b|(?<![.\w$])(?:crypto\s*\.|fetch\s*\(|console\s*\.|set(?:Timeout|Interval)\s*\()/g;
    for (const match of code.matchAll(ambient)) {
      problems.push(`${path}:${lineAt(code, match.index)}: ${match[0]}: this room is pure`);
    }
  }
  return problems;
}

/** The user fixed the top level; a name more is a decision, made here. */
const TOP_LEVEL = new Set([
  ...["deno.json", "deno.lock", "main.ts", "lib", "templates", "manifests", "tests"],
  ...["Containerfile", ".ci", ".gitignore", "LICENSE"],
  ...["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"],
]);

export function checkNames(tree: Tree): string[] {
  const problems = new Set<string>();
  for (const path of tree.keys()) {
    const [top] = path.split("/");
    if (!TOP_LEVEL.has(top)) problems.add(`${top}: not part of the top level`);
    if (top === ".ci" && path !== ".ci/run") problems.add(`${path}: .ci holds run alone`);
    if (!path.endsWith(".ts")) continue;
    const file = path.slice(path.lastIndexOf("/") + 1);
    if (!/^_?[a-z0-9]+(_[a-z0-9]+)*(\.test)?\.ts$/.test(file)) {
      problems.add(`${path}: file names are snake_case`);
    }
    if (/^_?(utils?|helpers?|misc|common)\.ts$/.test(file)) {
      problems.add(`${path}: a name that says nothing; name it by what it does`);
    }
  }
  return [...problems];
}

/** Registries are whoever builds this chooses; paths of one machine mean nothing on the next. */
const FOREIGN =
  /registry[.]npm|proxy[.]gol|deb[.]deb|pypi[.]o|[/]root[/]|[/]work[/]|[/]tmp[/]bash_jobs/;

export function checkForeign(tree: Tree): string[] {
  const problems: string[] = [];
  for (const [path, text] of tree) {
    for (const [index, line] of text.split("\n").entries()) {
      const found = FOREIGN.exec(line)?.[0];
      if (found !== undefined) {
        problems.push(
          `${path}:${index + 1}: "${found}": a registry's host or a path of one machine`,
        );
      }
    }
  }
  return problems;
}

/** The only place where code runs in a browser. */
const BROWSER = "lib/playground/page/";

/**
 * What the page shows may come from anyone, so it goes in as text; nothing is loaded from elsewhere; and
 * what only browsers have is not named outside the page.
 */
export function checkPage(tree: Tree): string[] {
  const problems: string[] = [];
  for (const [path, text] of tree) {
    const isPage = path.startsWith(BROWSER);
    const isCode = /^lib\/.*\.ts$/.test(path);
    if (!isPage && !isCode) continue;
    const code = isCode ? readSource(text).code : text;
    const add = (pattern: RegExp, rule: string) => {
      for (const match of code.matchAll(pattern)) {
        problems.push(`${path}:${lineAt(code, match.index)}: ${match[0].trim()}: ${rule}`);
      }
    };
    if (!isPage) {
      add(
        /(?<![.\w$])(?:window|navigator|localStorage|sessionStorage)\s*\.|(?<![.\w$])document\s*\.\s*(?:body|title|cookie|documentElement|createElement|getElement\w+|querySelector\w*|addEventListener)\b/g,
        `only ${BROWSER} runs in a browser`,
      );
      continue;
    }
    add(
      /\.(?:inner|outer)HTML\b|\binsertAdjacentHTML\b|\bdocument\s*\.\s*write|\bcreateContextualFragment\b|\bDOMParser\b/g,
      "what is shown goes in as text",
    );
    add(/(?<![.\w$])eval\s*\(|\bnew\s+Function\b/g, "text is never run");
    if (isCode) continue;
    add(
      /(?:https?:)?\/\/(?!www\.w3\.org\/)[a-z]|@import/gi,
      "the page loads nothing from elsewhere",
    );
    add(/\sstyle\s*=|\son\w+\s*=|<script(?![^>]*\ssrc=)|<style/gi, "the page's policy forbids it");
  }
  return problems;
}

const COMFORT = 500;

/** A file of lib opens with what it is, and past 500 lines with why it is not two files. */
export function checkOpenings(tree: Tree): string[] {
  const problems: string[] = [];
  for (const [path, text] of sources(tree)) {
    const { opening } = readSource(text);
    const lines = text.split("\n").length - 1;
    if (opening === "") problems.push(`${path}: does not open with a comment that says what it is`);
    const reason = opening.replace(/[\s*/]+/g, " ");
    if (lines > COMFORT && !/\b500 lines\b.*\b(because|since|so that)\b/i.test(reason)) {
      problems.push(
        `${path}: ${lines} lines: split it, or say in its first comment "Past 500 lines because …"`,
      );
    }
  }
  return problems;
}

/** The one place that skips tests: those whose data is not part of the project. */
const SKIPS = "tests/_shared.ts";

/** Finds tests that do not run, which prove nothing, and tests that run alone, which hide the others. */
export function checkTestsRun(tree: Tree): string[] {
  const problems: string[] = [];
  for (const [path, text] of tree) {
    if (!path.startsWith("tests/") || !path.endsWith(".ts") || path === SKIPS) continue;
    const { code } = readSource(text);
    for (
      const match of code.matchAll(
        /\b(?:test|it|describe)\s*\.\s*((?:skip|todo)(?:If)?|only|if)\b/g,
      )
    ) {
      problems.push(`${path}:${lineAt(code, match.index)}: .${match[1]} in a test`);
    }
  }
  return problems;
}

/** The files of the program itself, without its tests. */
function sources(tree: Tree): [string, string][] {
  return [...tree].filter(([path]) => path === "main.ts" || /^lib\/.*\.ts$/.test(path));
}
