/** What is pinned, where it is written down, and that all places agree. */

import { readSource } from "./_source.ts";
import type { Tree } from "./_tree.ts";

interface DenoJson {
  readonly version: string;
  readonly imports: Readonly<Record<string, string>>;
  readonly allowScripts: readonly string[];
}

/** Packages are pinned exactly, explained in ARCHITECTURE.md, and nothing else is imported. */
export function checkDependencies(tree: Tree): string[] {
  const { imports, allowScripts } = denoJson(tree);
  const architecture = tree.get("ARCHITECTURE.md") ?? "";
  const problems: string[] = [];
  for (const [name, specifier] of Object.entries(imports)) {
    if (!/^npm:(@[\w.-]+\/)?[\w.-]+@\d+\.\d+\.\d+(-[\w.]+)?(\/.*)?$/.test(specifier)) {
      problems.push(`deno.json: "${specifier}" is not pinned to one version of an npm package`);
    }
    if (!architecture.includes(`\`${name}\``)) {
      problems.push(`ARCHITECTURE.md: does not say why \`${name}\` is there`);
    }
  }
  for (const script of allowScripts) {
    if (!Object.values(imports).includes(script)) {
      problems.push(`deno.json: allowScripts names "${script}", imports do not`);
    }
  }
  for (const [path, text] of tree) {
    if (!/^(lib\/.*|main)\.ts$/.test(path)) continue;
    for (const { specifier, line } of readSource(text).imports) {
      // A file within a package is the package's.
      const name = /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;
      if (/^[./]|^\w+:/.test(specifier) || Object.hasOwn(imports, name)) continue;
      problems.push(`${path}:${line}: imports "${specifier}", which deno.json does not name`);
    }
  }
  return problems;
}

/** The newest entry of the changelog is about the version that deno.json names. */
export function checkVersion(tree: Tree): string[] {
  const { version } = denoJson(tree);
  const newest = /^## (\S+)/m.exec(tree.get("CHANGELOG.md") ?? "")?.[1];
  if (newest === version) return [];
  return [`CHANGELOG.md: newest entry is ${newest ?? "missing"}, deno.json says ${version}`];
}

/** One Deno everywhere: each `deno@…` of the documents and scripts is the one that .ci/run uses. */
export function checkDenoPin(tree: Tree): string[] {
  const pinned = /\bdeno@(\d+\.\d+\.\d+)/.exec(tree.get(".ci/run") ?? "")?.[1];
  if (pinned === undefined) return [".ci/run: pins no Deno (deno@x.y.z)"];
  const problems: string[] = [];
  for (const path of ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", ".ci/run"]) {
    for (const [, version] of (tree.get(path) ?? "").matchAll(/\bdeno@([\w.-]*\w)/g)) {
      if (version !== pinned) {
        problems.push(`${path}: deno@${version}, .ci/run says deno@${pinned}`);
      }
    }
  }
  return problems;
}

function denoJson(tree: Tree): DenoJson {
  return JSON.parse(tree.get("deno.json") ?? "{}") as DenoJson;
}
