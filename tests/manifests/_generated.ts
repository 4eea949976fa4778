/** The manifests that are made from other parts of the project: never edited, always in step. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runCli } from "../../lib/cli/mod.ts";
import { stringifyYaml } from "../../lib/yaml/mod.ts";
import { defaultConfig } from "../../lib/inject/default_config.ts";
import { memoryHost } from "../_memory_host.ts";

export const ROOT = join(import.meta.dirname!, "..", "..");
export const MANIFESTS = join(ROOT, "manifests");

const shipped = (name: string) => readFileSync(join(ROOT, "templates", name), "utf8");

/** Texts by path within manifests/. */
export async function generatedManifests(): Promise<ReadonlyMap<string, string>> {
  return new Map([
    ["20-config.yaml", configMaps()],
    ["90-webhook.yaml", await webhook()],
    ["istio-1.1/20-config.yaml", legacyConfigMaps()],
  ]);
}

function configMaps(): string {
  return generated(
    "What is injected: templates, values and mesh config as they are in templates/, under the keys of\n" +
      "# Istio's config maps. A change is in force within two seconds of being applied.",
    [
      configMap(
        {
          name: "outrigger",
          namespace: "outrigger-system",
          labels: { "app.kubernetes.io/name": "outrigger" },
        },
        {
          config: defaultConfig().config,
          values: shipped("values.yaml"),
          mesh: shipped("mesh.yaml"),
        },
      ),
    ],
  );
}

function legacyConfigMaps(): string {
  const labels = { app: "istio" };
  const namespace = "istio-system";
  return generated(
    "What is injected: templates/legacy-1.1.yaml, under the names and keys of Istio 1.1. Put your own\n" +
      "# config maps here if you have them: their templates run as they are.",
    [
      configMap({ name: "istio-sidecar-injector", namespace, labels }, {
        config: shipped("legacy-1.1.yaml"),
      }),
      configMap({ name: "istio", namespace, labels }, { mesh: LEGACY_MESH }),
    ],
  );
}

/** What is not said is the default of that version. */
const LEGACY_MESH = `disablePolicyChecks: true
enableTracing: false
defaultConfig:
  discoveryAddress: istio-pilot.istio-system:15010
`;

async function webhook(): Promise<string> {
  const host = memoryHost();
  const code = await runCli(["webhook", "generate"], host);
  if (code !== 0) throw new Error(host.out.stderr);
  return generated(
    "Which pods the API server asks the injector about: the output of outrigger webhook generate.\n" +
      "# The caBundle is filled in, and kept, by the injector.",
    [host.out.stdout],
  );
}

function configMap(metadata: object, data: Readonly<Record<string, string>>): string {
  return stringifyYaml({ apiVersion: "v1", kind: "ConfigMap", metadata, data });
}

function generated(comment: string, documents: readonly string[]): string {
  return `# ${comment}\n# Written by deno task manifests.\n${documents.join("---\n")}`;
}
