/** Sprig's path functions: Go's `path`, and `path/filepath`, which does the same on Unix. */

import { type FunctionMap, goFunction } from "../value.ts";

const BASE = goFunction("string", base);
const CLEAN = goFunction("string", clean);
const DIR = goFunction("string", dir);
const EXT = goFunction("string", ext);
const IS_ABS = goFunction("string", (path: string) => path.startsWith("/"));

export const pathFunctions: FunctionMap = {
  base: BASE,
  clean: CLEAN,
  dir: DIR,
  ext: EXT,
  isAbs: IS_ABS,
  osBase: BASE,
  osClean: CLEAN,
  osDir: DIR,
  osExt: EXT,
  osIsAbs: IS_ABS,
};

/** Go's `path.Clean`: returns the shortest equivalent path, without looking at any file. */
function clean(path: string): string {
  const rooted = path.startsWith("/");
  const kept: string[] = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") kept.push(part);
    else if (kept.length > 0 && kept.at(-1) !== "..") kept.pop();
    else if (!rooted) kept.push("..");
  }
  const joined = kept.join("/");
  return rooted ? `/${joined}` : joined || ".";
}

function base(path: string): string {
  if (path === "") return ".";
  let end = path.length;
  while (end > 0 && path[end - 1] === "/") end--;
  return end === 0 ? "/" : path.slice(path.lastIndexOf("/", end - 1) + 1, end);
}

function dir(path: string): string {
  return clean(path.slice(0, path.lastIndexOf("/") + 1));
}

function ext(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const dot = name.lastIndexOf(".");
  return dot < 0 ? "" : name.slice(dot);
}
