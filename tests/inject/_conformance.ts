/** Reads the cases of Istio's own tests, pods and the injector's answers, from the shared folder. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { sprigFunctions } from "../../lib/go/sprig/mod.ts";
import { type ClusterFacts, createEngine, type Engine } from "../../lib/inject/engine.ts";
import type { CompatVersion } from "../../lib/inject/compat.ts";
import { SHARED } from "../_shared.ts";
import { testSprigHost } from "../go/_sprig_host.ts";

export { SHARED };
export const CONFORMANCE = `${SHARED}/conformance`;

export const hasConformance = existsSync(CONFORMANCE);

export interface Case {
  readonly version: string;
  readonly name: string;
  readonly directory: string;
  readonly settings: string;
  readonly env: Readonly<Record<string, string>>;
  readonly nodes?: readonly string[];
  readonly kubeInject: boolean;
  readonly webhook: boolean;
  readonly expectedError?: string;
}

export interface WebhookCase {
  readonly namespace: string;
  readonly pod: Record<string, unknown>;
  readonly allowed: boolean;
  readonly message: string;
  readonly patched?: Record<string, unknown>;
}

export function casesOf(version: string): Case[] {
  const root = `${CONFORMANCE}/${version}/cases`;
  return readdirSync(root).sort().map((name) => {
    const directory = `${root}/${name}`;
    const data = JSON.parse(readFileSync(`${directory}/case.json`, "utf8"));
    return { env: {}, ...data, version, name, directory };
  });
}

export function webhookCases({ directory }: Case): WebhookCase[] {
  return readdirSync(directory).filter((name) => name.startsWith("webhook-")).sort()
    .map((name) => JSON.parse(readFileSync(`${directory}/${name}`, "utf8")));
}

/** The minor version for compatibility; head is today. */
export function compatOf(version: string): CompatVersion {
  return version === "head" ? "today" : Number(version.split(".")[1]);
}

const engines = new Map<string, Engine>();
const sprig = sprigFunctions(testSprigHost());

/** Returns an engine with the settings of a case. Engines are cached, since many cases share one. */
export function engineFor(
  settings: Pick<Case, "version" | "settings" | "env">,
  { revision }: { revision: string },
): Engine {
  const key = JSON.stringify([settings.version, settings.settings, settings.env, revision]);
  let engine = engines.get(key);
  if (!engine) {
    const read = (file: string) => {
      const path = `${CONFORMANCE}/${settings.version}/settings/${settings.settings}/${file}`;
      return existsSync(path) ? readFileSync(path, "utf8") : "";
    };
    engine = createEngine(
      { config: read("config.yaml"), values: read("values.json"), mesh: read("mesh.yaml") },
      {
        sprig,
        revision,
        compat: compatOf(settings.version),
        env: (name) => Object.hasOwn(settings.env, name) ? settings.env[name] : undefined,
      },
    );
    engines.set(key, engine);
  }
  return engine;
}

/** The cluster in Istio's tests. */
export function clusterFor({ nodes }: Pick<Case, "nodes">): ClusterFacts {
  const range = "1000620000/10000";
  const openshift = {
    "openshift.io/sa.scc.uid-range": range,
    "openshift.io/sa.scc.supplemental-groups": range,
  };
  return {
    nodes: nodes?.map((kubeletVersion, i) => ({ name: `node-${i}`, kubeletVersion })),
    namespaceAnnotations: (namespace) => namespace === "test-ns" ? openshift : undefined,
  };
}
