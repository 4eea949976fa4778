/**
 * Scripts for browsers. From the sources they are bundled on the spot, by Bun; an executable has them inside,
 * where the task `compile` put them.
 */

import { HostError } from "./host_error.ts";

/** Texts by the name of the file. */
export type Scripts = Readonly<Record<string, string>>;

/** Bundles each source, with all that it imports, into one script. */
export async function bundleScripts(sources: Readonly<Record<string, URL>>): Promise<Scripts> {
  if (typeof Bun === "undefined") {
    throw new HostError("failed", "Cannot bundle the page: that takes Bun, or the executable");
  }
  const built = Object.entries(sources).map(async ([name, source]) => {
    const { outputs } = await Bun.build({
      entrypoints: [Bun.fileURLToPath(source)],
      target: "browser",
      format: "esm",
      minify: true,
    });
    return [name, await outputs[0].text()];
  });
  return Object.fromEntries(await Promise.all(built));
}

/** A file that was put into the executable; `undefined` where there is none of the name. */
export async function embeddedFile(name: string): Promise<Uint8Array | undefined> {
  if (typeof Bun === "undefined") return undefined;
  // They are files, which have names, though the types know them as blobs.
  const found = Bun.embeddedFiles.find((file) => (file as File).name === name);
  return found && new Uint8Array(await found.arrayBuffer());
}
