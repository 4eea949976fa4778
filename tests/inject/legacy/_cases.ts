/** Reads Istio's test cases for configs with a single `template`. */
import { existsSync, readFileSync } from "node:fs";
import { sprigFunctions } from "../../../lib/go/sprig/mod.ts";
import type { MeshConfig } from "../../../lib/config/mod.ts";
import { parseInjectionConfig } from "../../../lib/config/mod.ts";
import { ISTIO_0_8, type LegacyVersion } from "../../../lib/inject/legacy/compat.ts";
import { createLegacyEngine, type LegacyEngine } from "../../../lib/inject/legacy/engine.ts";
import { legacyMeshDefaults } from "../../../lib/inject/legacy/mesh.ts";
import type { Operation } from "../../../lib/patch/json_patch.ts";
import { testSprigHost } from "../../go/_sprig_host.ts";
import { type Case, CONFORMANCE, type WebhookCase, webhookCases } from "../_conformance.ts";

export const VERSIONS = [
  "0.8.0",
  "1.0.9",
  "1.1.3",
  "1.2.10",
  "1.4.10",
  "1.6.14",
  "1.7.8",
  "1.8.6",
] as const;

export interface LegacyCase extends Case {
  readonly note?: string;
}

export interface LegacyWebhookCase extends WebhookCase {
  /** Up to 1.7. */
  readonly patch?: readonly Operation[] | null;
  /** The reason why the original's patch failed to apply. */
  readonly patchError?: string;
}

export function legacyWebhookCases(conformance: LegacyCase): LegacyWebhookCase[] {
  return webhookCases(conformance);
}

export function legacyVersionOf(version: string): LegacyVersion {
  const [major, minor] = version.split(".").map(Number);
  return major === 0 ? ISTIO_0_8 : minor;
}

export const sprig = sprigFunctions(testSprigHost());

/** The mesh config that some of Istio 1.6's tests use. */
function testModeDefaults(): MeshConfig {
  const { tracing: _, ...proxy } = legacyMeshDefaults(6).defaultConfig;
  const { sdsUdsPath: __, ...mesh } = legacyMeshDefaults(6);
  return {
    ...mesh,
    protocolDetectionTimeout: "0.100s",
    enableAutoMtls: false,
    accessLogFile: "/dev/stdout",
    localityLbSetting: {},
    defaultConfig: { ...proxy, concurrency: 0, discoveryAddress: "istio-pilot:15010" },
  };
}

const engines = new Map<string, LegacyEngine>();

/** Returns an engine with the settings of a case. Engines are cached, since many cases share one. */
export function legacyEngineFor({ version, settings, note = "" }: LegacyCase): LegacyEngine {
  const testMode = note.includes("TestMode=true");
  const key = JSON.stringify([version, settings, testMode]);
  let engine = engines.get(key);
  if (!engine) {
    const read = (file: string) => {
      const path = `${CONFORMANCE}/${version}/settings/${settings}/${file}`;
      return existsSync(path) ? readFileSync(path, "utf8") : "";
    };
    engine = createLegacyEngine(
      parseInjectionConfig(read("config.yaml")),
      { values: read("values.json"), mesh: read("mesh.yaml") },
      {
        sprig,
        version: legacyVersionOf(version),
        meshDefaults: testMode ? testModeDefaults() : undefined,
      },
    );
    engines.set(key, engine);
  }
  return engine;
}
