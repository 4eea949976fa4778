/** Reads the inputs of `-f`: a file, the manifests in a directory, or standard input. */

import type { Host } from "../host/mod.ts";

export interface Input {
  /** The path, for messages. */
  readonly name: string;
  readonly text: string;
}

const MANIFEST = /\.(ya?ml|json)$/;

/** Reads all inputs up front, so that an unreadable file fails before anything is injected. */
export async function readInputs(path: string, host: Host): Promise<Input[]> {
  if (path === "-") return [{ name: "standard input", text: await host.stdin.readText() }];
  const info = await host.stat(path);
  const names = info?.kind === "directory" ? await manifestsOf(path, host) : [path];
  const inputs: Input[] = [];
  for (const name of names) inputs.push({ name, text: await host.readText(name) });
  return inputs;
}

/** Lists the manifests in a directory by name, without subdirectories. */
async function manifestsOf(directory: string, host: Host): Promise<string[]> {
  const found: string[] = [];
  for (const { name } of await host.readDir(directory)) {
    if (!MANIFEST.test(name)) continue;
    const path = `${directory.replace(/\/+$/, "")}/${name}`;
    // Use stat, because the files of a mounted config map are symbolic links.
    if ((await host.stat(path))?.kind === "file") found.push(path);
  }
  if (found.length === 0) {
    const where = JSON.stringify(directory);
    throw new Error(`Cannot inject ${where}: it contains no .yaml, .yml or .json file`);
  }
  return found;
}
