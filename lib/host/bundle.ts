/**
 * Scripts for browsers. When the sources are run, Bun bundles them at startup. In the executable they are
 * embedded by the task `compile`.
 */

import { HostError } from "./host_error.ts";

/** Script texts by file name. */
export type Scripts = Readonly<Record<string, string>>;

/** Bundles each source with its imports into one script. */
export async function bundleScripts(sources: Readonly<Record<string, URL>>): Promise<Scripts> {
  if (typeof Bun === "undefined") {
    throw new HostError("failed", "Cannot bundle the page: run with Bun, or use the executable");
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

/** Returns a file that is embedded in the executable, or undefined if there is none of that name. */
export async function embeddedFile(name: string): Promise<Uint8Array | undefined> {
  if (typeof Bun === "undefined") return undefined;
  // The types say Blob, but embedded files have names.
  const found = Bun.embeddedFiles.find((file) => (file as File).name === name);
  return found && new Uint8Array(await found.arrayBuffer());
}
