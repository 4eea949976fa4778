/**
 * Compares with Istio 0.8 to 1.8, row by row: the results of template functions, which annotations
 * are refused, which pods are injected, and the webhook's answers to reviews.
 */
import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { parseInjectionConfig } from "../../../lib/config/mod.ts";
import { UNLIMITED } from "../../../lib/data/budget.ts";
import { parseYaml } from "../../../lib/yaml/mod.ts";
import { InjectionError } from "../../../lib/inject/errors.ts";
import { templateData } from "../../../lib/inject/go_types.ts";
import { createInjector } from "../../../lib/inject/injector.ts";
import { checkAnnotations } from "../../../lib/inject/legacy/annotations.ts";
import { legacyBehavioursOf } from "../../../lib/inject/legacy/compat.ts";
import { decideLegacy } from "../../../lib/inject/legacy/decide.ts";
import {
  legacyMeshDefaults,
  legacyMeshSchema,
  parseLegacyMesh,
} from "../../../lib/inject/legacy/mesh.ts";
import { compileLegacyTemplate } from "../../../lib/inject/legacy/template.ts";
import type { Pod } from "../../../lib/inject/pod.ts";
import { normalise } from "../../../lib/kube/normalise.ts";
import { CONFORMANCE } from "../_conformance.ts";
import { legacyVersionOf, sprig, VERSIONS } from "./_cases.ts";
import { withShared } from "../../_shared.ts";

/** Rows that differ, and why: `version/table/row`. An entry that agrees fails. */
const GAPS: ReadonlyMap<RegExp, string> = new Map([
  [
    /\/funcs\/toYaml \.ObjectMeta$/,
    "Kubernetes no longer prints a creation time that is not there",
  ],
  [
    /^1\.[24]\.10\/funcs\/\.ProxyConfig\.StatusPort$/,
    "the field is there already, and empty",
  ],
  [
    /^1\.4\.10\/funcs\/structToJSON \.ProxyConfig$/,
    "keys are in camelCase, as from 1.6 on",
  ],
]);

function table<T>(version: string, name: string): T | undefined {
  const path = `${CONFORMANCE}/${version}/tables/${name}.json`;
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : undefined;
}

function rowTest(id: string, run: () => void): void {
  const gap = [...GAPS].find(([pattern]) => pattern.test(id))?.[1];
  test(gap === undefined ? id : `${id} is a known gap: ${gap}`, () => {
    if (gap === undefined) run();
    else expect(run, "a known gap that passes").toThrow();
  });
}

interface FunctionTable {
  readonly mesh: string;
  readonly pod: string;
  readonly deploymentMeta: Record<string, unknown>;
  readonly typeMeta?: string;
  readonly values?: string;
  readonly rows: { template?: string; expression?: string; output: string; error?: string }[];
}

function functionTests(version: string, { rows, ...given }: FunctionTable): void {
  const minor = legacyVersionOf(version);
  const defaults = legacyMeshDefaults(minor);
  const meshConfig = parseLegacyMesh(given.mesh, { defaults, schema: legacyMeshSchema(minor) });
  const { metadata, spec } = normalise("Pod", parseYaml(given.pod)) as unknown as Pod;
  const [kind, apiVersion] = (given.typeMeta ?? "Pod v1").split(" ");
  const data = templateData({
    typeMeta: { kind, apiVersion },
    deploymentMeta: given.deploymentMeta,
    objectMeta: metadata,
    spec,
    proxyConfig: meshConfig.defaultConfig,
    meshConfig,
    values: JSON.parse(given.values ?? "{}"),
  }, minor);
  const render = (source: string) => {
    const [left, right] = minor < 2 ? ["[[", "]]"] : ["{{", "}}"];
    const functions = { minor, proxyDefaults: defaults.defaultConfig };
    try {
      const template = compileLegacyTemplate(source, { delimiters: { left, right }, functions });
      return { output: template.render(data, UNLIMITED).output.text, error: "" };
    } catch (error) {
      return { output: "", error: (error as Error).message };
    }
  };
  // The rows were rendered as part of a longer text.
  const placeless = (error: string) => error.replace(/^template: inject:[\d:]+/, "");
  for (const { template, expression, output, error = "" } of rows) {
    const source = template ?? `{{ printf "%v" (${expression}) }}`;
    const what = expression ?? template!.slice(2, -2).trim();
    rowTest(`${version}/funcs/${what}`, () => {
      const got = render(source);
      expect(got.output).toBe(output);
      expect(placeless(got.error)).toBe(placeless(error));
    });
  }
}

function annotationTests(
  version: string,
  rows: { annotation: string; value: string; error: string }[],
): void {
  const legacy = legacyVersionOf(version);
  for (const { annotation, value, error } of rows) {
    rowTest(`${version}/annotations/${annotation} ${JSON.stringify(value)}`, () => {
      const problem = checkAnnotations({ [annotation]: value }, {
        version: legacy,
        behaviours: legacyBehavioursOf(legacy),
        proxyDefaults: legacyMeshDefaults(legacy).defaultConfig,
        meshSchema: legacyMeshSchema(legacy),
      });
      expect(problem ?? "").toBe(error);
    });
  }
}

interface DecisionRow {
  readonly policy?: string;
  readonly config?: unknown;
  readonly podSpec: unknown;
  readonly metadata: { readonly name: string };
  readonly want: boolean;
}

function decisionTests(version: string, rows: DecisionRow[]): void {
  const behaviours = legacyBehavioursOf(legacyVersionOf(version));
  for (const { policy, config, podSpec, metadata, want } of rows) {
    rowTest(`${version}/inject-required/${policy ?? ""} ${metadata.name}`, () => {
      const pod = normalise("Pod", { metadata, spec: podSpec }) as unknown as Pod;
      const parsed = parseInjectionConfig(JSON.stringify(config ?? { policy, template: "" }));
      expect(decideLegacy(pod, { config: parsed, behaviours }).inject).toBe(want);
    });
  }
}

interface HttpTable {
  readonly config: string;
  readonly mesh: string;
  readonly values?: string;
  readonly rows: {
    readonly name: string;
    readonly path: string;
    readonly status: number;
    readonly body: string;
    readonly response: string;
  }[];
}

/** The rows of the HTTP tables that concern the injector: reviews. */
function reviewTests(version: string, { config, mesh, values = "", rows }: HttpTable): void {
  const injector = createInjector({ config, mesh, values }, {
    sprig,
    compat: legacyVersionOf(version),
  });
  for (const { name, path, status, body, response } of rows) {
    const request = status === 200 ? requestOf(body) : undefined;
    const want = status === 200 ? JSON.parse(response).response : undefined;
    // Rows about the transport: bodies that are not reviews, and versions not yet supported.
    if (!request || want.uid !== (request.uid ?? "")) continue;
    rowTest(`${version}/http/${name}`, () => {
      const { object, namespace = "" } = request;
      let got: Record<string, unknown>;
      try {
        const { patch } = injector.admit({
          object,
          namespace,
          proxyEnv: injector.urlEnv(new URL(path, "http://x").pathname),
        });
        got = { allowed: true, patch };
      } catch (error) {
        if (!(error instanceof InjectionError)) throw error;
        got = { allowed: false, message: error.message };
      }
      expect(got.allowed).toBe(want.allowed);
      expect(got.message).toBe(want.status?.message);
      expect(got.patch).toEqual(want.patch && JSON.parse(atob(want.patch)));
    });
  }
}

interface ReviewRequest {
  readonly uid?: string;
  readonly namespace?: string;
  readonly object?: unknown;
}

function requestOf(body: string): ReviewRequest | undefined {
  try {
    return JSON.parse(body).request;
  } catch {
    return undefined;
  }
}

withShared("conformance", "legacy tables", () => {
  for (const version of VERSIONS) {
    describe(`tables of ${version}`, () => {
      const functions = table<FunctionTable>(version, "funcs");
      if (functions) functionTests(version, functions);
      annotationTests(version, table(version, "annotations") ?? []);
      decisionTests(version, table(version, "inject-required") ?? []);
      const http = table<HttpTable>(version, "http");
      if (http) reviewTests(version, http);
    });
  }
});
