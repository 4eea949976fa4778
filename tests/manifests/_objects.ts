/** The objects of manifests/, as `kubectl apply -f` of a file or a folder takes them: in order, not deeper. */

import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseAllYaml } from "../../lib/yaml/mod.ts";
import type { KubeObject } from "../../lib/kube/client.ts";
import { MANIFESTS } from "./_generated.ts";

export interface ManifestObject extends KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: KubeObject["metadata"] & {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
}

/** Paths within manifests/; "" is the folder itself. */
export function manifestFiles(folder = ""): string[] {
  const path = join(MANIFESTS, folder);
  if (statSync(path).isFile()) return [folder];
  return readdirSync(path).filter((name) => /\.(ya?ml|json)$/.test(name)).sort()
    .map((name) => join(folder, name));
}

export function readManifests(path = ""): ManifestObject[] {
  return manifestFiles(path).flatMap((file) =>
    parseAllYaml(readFileSync(join(MANIFESTS, file), "utf8"), { name: file })
  ) as ManifestObject[];
}

/** The one object of a kind. */
export function only(objects: readonly ManifestObject[], kind: string): ManifestObject {
  const found = objects.filter((object) => object.kind === kind);
  if (found.length !== 1) throw new Error(`there are ${found.length} of kind ${kind}`);
  return found[0];
}
