/**
 * The page's scripts: bundled from the sources, or embedded in the executable by `build_page.ts`.
 */
import { bundleScripts, embeddedFile, type Scripts } from "../../host/mod.ts";

/** The name of the scripts in an executable. */
export const BUNDLE = "page.bundle";

export async function pageScripts(): Promise<Scripts> {
  const packed = await embeddedFile(BUNDLE);
  return packed === undefined ? await buildScripts() : await unpackScripts(packed);
}

export function buildScripts(): Promise<Scripts> {
  return bundleScripts({
    "main.js": new URL("../page/main.ts", import.meta.url),
    "worker.js": new URL("../page/worker.ts", import.meta.url),
  });
}

export function packScripts(scripts: Scripts): Promise<Uint8Array> {
  return gzip(new TextEncoder().encode(JSON.stringify(scripts)));
}

async function unpackScripts(packed: Uint8Array): Promise<Scripts> {
  const stream = new Blob([packed as BlobPart]).stream();
  return await new Response(stream.pipeThrough(new DecompressionStream("gzip"))).json() as Scripts;
}

export async function gzip(bytes: Uint8Array): Promise<Uint8Array> {
  const stream = new Blob([bytes as BlobPart]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
