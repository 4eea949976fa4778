/** The project's files as the checks see them: text by path. Made-up ones are as good as real ones. */

import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** Paths are relative to the project, with slashes. */
export type Tree = ReadonlyMap<string, string>;

/** Found by name only: their contents are data, and no rule is about them. */
const DATA = /^tests\/(vectors|golden)\//;

/** What git ignores, for copies of the project that are not a repository. */
const IGNORED = new Set([".git", "node_modules", "dist"]);

export function readTree(root: string): Tree {
  const paths = (fromGit(root) ?? walk(root, "")).filter((path) => isFile(join(root, path)));
  return new Map(
    paths.sort().map((
      path,
    ) => [path, DATA.test(path) ? "" : readFileSync(join(root, path), "utf8")]),
  );
}

/** Tracked files and those that soon will be; nothing where there is no git or no repository here. */
function fromGit(root: string): string[] | undefined {
  const { status, stdout } = spawnSync(
    "git",
    ["ls-files", "-z", "--cached", "--others", "--exclude-standard"],
    { cwd: root, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 },
  );
  const paths = status === 0 ? stdout.split("\0").filter((path) => path !== "") : [];
  return paths.length > 0 ? [...new Set(paths)] : undefined;
}

function walk(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (IGNORED.has(entry.name)) return [];
    return entry.isDirectory() ? walk(root, path) : [path];
  });
}

/** False too for what git tracks and someone has just deleted. */
function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
