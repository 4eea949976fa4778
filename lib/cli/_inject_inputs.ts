/** What `-f` names: one file, the manifests of a directory, or standard input. */

import type { Host } from "../host/mod.ts";

export interface Input {
  /** For messages: the path as it can be opened. */
  readonly name: string;
  readonly text: string;
}

const MANIFEST = /\.(ya?ml|json)$/;

/** All of it, before anything is injected, so that a file that can't be read costs nothing. */
export async function readInputs(path: string, host: Host): Promise<Input[]> {
  if (path === "-") return [{ name: "standard input", text: await host.stdin.readText() }];
  const info = await host.stat(path);
  const names = info?.kind === "directory" ? await manifestsOf(path, host) : [path];
  const inputs: Input[] = [];
  for (const name of names) inputs.push({ name, text: await host.readText(name) });
  return inputs;
}

/** The directory's own files, in the order of their names; not those of folders below. */
async function manifestsOf(directory: string, host: Host): Promise<string[]> {
  const found: string[] = [];
  for (const { name } of await host.readDir(directory)) {
    if (!MANIFEST.test(name)) continue;
    const path = `${directory.replace(/\/+$/, "")}/${name}`;
    // Asked of the path: a mounted config map shows its files as links.
    if ((await host.stat(path))?.kind === "file") found.push(path);
  }
  if (found.length === 0) {
    const where = JSON.stringify(directory);
    throw new Error(`Cannot inject ${where}: no file in it ends in .yaml, .yml or .json`);
  }
  return found;
}
