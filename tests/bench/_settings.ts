/** The settings that all are measured with: Istio's own where they lie beside the project, else ours. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import type { EngineSources } from "../../lib/inject/engine.ts";
import { defaultConfig } from "../../lib/inject/default_config.ts";
import { parseYaml } from "../../lib/yaml/mod.ts";
import { CONFORMANCE } from "../inject/_conformance.ts";

const HEAD = `${CONFORMANCE}/head`;

export interface Settings extends EngineSources {
  /** What they are, for people. */
  readonly title: string;
}

export function measuredSettings(): Settings {
  if (!existsSync(HEAD)) {
    const ours = defaultConfig();
    return {
      title: "the templates that ship with Outrigger",
      ...ours,
      // The peer reads JSON.
      values: JSON.stringify(parseYaml(ours.values)),
    };
  }
  const folder = `${HEAD}/settings/${readFileSync(`${HEAD}/default.txt`, "utf8").trim()}`;
  const read = (name: string) => readFileSync(`${folder}/${name}`, "utf8");
  return {
    title: "Istio's default profile",
    config: read("config.yaml"),
    values: read("values.json"),
    mesh: read("mesh.yaml"),
  };
}

/** Writes them as the files that each program reads. */
export function writeSettings(settings: Settings, folder: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/config.yaml`, settings.config);
  writeFileSync(`${folder}/values.json`, settings.values);
  writeFileSync(`${folder}/mesh.yaml`, settings.mesh);
}
