/** `deno task manifests`: writes the generated manifests anew, and says which of them changed. */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generatedManifests, MANIFESTS } from "./_generated.ts";

for (const [path, text] of await generatedManifests()) {
  const file = join(MANIFESTS, path);
  const isNew = !existsSync(file) || readFileSync(file, "utf8") !== text;
  if (isNew) writeFileSync(file, text);
  console.log(`manifests/${path}: ${isNew ? "written" : "unchanged"}`);
}
