/**
 * A config under attack, and a judge that knows nothing of how it defends itself: it injects pods with values that are
 * what they seem, and takes the pods that come out for all that a value may lead to. A hostile value must lead to one of
 * these, differ from it in scalars alone that the value decides anyway, or be refused.
 */
import { existsSync, readFileSync } from "node:fs";
import { sprigFunctions } from "../../lib/go/sprig/mod.ts";
import type { CompatVersion } from "../../lib/inject/compat.ts";
import { defaultConfig } from "../../lib/inject/default_config.ts";
import type { EngineSources } from "../../lib/inject/engine.ts";
import { InjectionError } from "../../lib/inject/errors.ts";
import { createInjector, type Injector } from "../../lib/inject/injector.ts";
import { ISTIO_0_8 } from "../../lib/inject/legacy/compat.ts";
import { applyPatch } from "../../lib/patch/json_patch.ts";
import { testSprigHost } from "../go/_sprig_host.ts";
import { CONFORMANCE, hasConformance } from "../inject/_conformance.ts";
import { type Place, placesOf, plainPod, templatesOf } from "./_places.ts";
import { BENIGN_VALUES } from "./_values.ts";

/** The settings that most test cases of a version use. */
const SETTINGS = [
  ["head", "0abeabe6f7"],
  ["1.26.8", "79888445dd"],
  ["1.18.7", "f88d397c5b"],
  ["1.10.6", "02118467c4"],
  ["1.7.8", "5172229a32"],
  ["1.4.10", "f7ecb2f10a"],
  ["1.1.3", "3f363fc2e6"],
  ["0.8.0", "214ee2d40b"],
] as const;

/** A pod's scalars by path. */
type Entries = ReadonlyMap<string, string>;

export type Verdict =
  | { readonly kind: "kept" | "skipped" }
  | { readonly kind: "denied"; readonly code: string; readonly message: string }
  /** A successful attack: the scalar in the pod that is unexpected or has the wrong value. */
  | { readonly kind: "broken"; readonly path: string; readonly found: string };

export interface Target {
  readonly name: string;
  readonly places: readonly Place[];
  /** Whether an ordinary pod is injected with it at all: some templates want values that others have not. */
  readonly isUsable: boolean;
  /** Injects a pod with these values in these places. */
  attack(places: readonly Place[], values: readonly string[]): Verdict;
}

export interface TargetOptions {
  readonly structureGuard?: "deny" | "off";
}

/** Opens a target for each template of each config that can inject ordinary pods. */
export function openTargets(options: TargetOptions = {}): Target[] {
  return everyTarget(options).filter(({ isUsable }) => isUsable);
}

/** Opens a target with one template. */
export function openTarget(name: string, template: string, options: TargetOptions): Target {
  const config = JSON.stringify({
    policy: "enabled",
    defaultTemplates: ["t"],
    templates: { t: template },
  });
  return targetsOf(name, { config, values: "", mesh: "" }, { compat: "today", ...options })[0];
}

function everyTarget(options: TargetOptions): Target[] {
  const shipped = defaultConfig();
  const legacy = readFileSync(`${import.meta.dirname}/../../templates/legacy-1.1.yaml`, "utf8");
  return [
    ...targetsOf("ours", shipped, { compat: "today", ...options }),
    ...targetsOf("ours, 1.1", { config: legacy, values: "", mesh: "" }, { compat: 1, ...options }),
    ...(hasConformance ? SETTINGS : []).flatMap(([version, settings]) => {
      const read = (file: string) => {
        const path = `${CONFORMANCE}/${version}/settings/${settings}/${file}`;
        return existsSync(path) ? readFileSync(path, "utf8") : "";
      };
      const sources = {
        config: read("config.yaml"),
        values: read("values.json"),
        mesh: read("mesh.yaml"),
      };
      const [major, minor] = version.split(".").map(Number);
      const compat = version === "head" ? "today" : major === 0 ? ISTIO_0_8 : minor;
      return targetsOf(version, sources, { compat, ...options });
    }),
  ];
}

function targetsOf(
  name: string,
  sources: EngineSources,
  options: TargetOptions & { compat: CompatVersion },
): Target[] {
  const injector = createInjector(sources, { sprig: sprigFunctions(testSprigHost()), ...options });
  const places = placesOf(sources);
  return templatesOf(sources).map((template) =>
    new ConfigTarget(template === undefined ? name : `${name} ${template}`, {
      injector,
      places,
      template,
    })
  );
}

interface Baseline {
  /** What benign values lead to: for each set of paths the scalars that were seen. */
  readonly shapes: ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>;
  /** Paths whose scalars depend on the value. */
  readonly varying: ReadonlySet<string>;
}

class ConfigTarget implements Target {
  readonly name: string;
  readonly places: readonly Place[];
  readonly #injector: Injector;
  readonly #template: string | undefined;
  readonly #baselines = new Map<string, Baseline>();

  constructor(
    name: string,
    { injector, places, template }: {
      injector: Injector;
      places: readonly Place[];
      template: string | undefined;
    },
  ) {
    this.name = name;
    this.places = places;
    this.#injector = injector;
    this.#template = template;
  }

  get isUsable(): boolean {
    return "entries" in this.#inject([], []);
  }

  attack(places: readonly Place[], values: readonly string[]): Verdict {
    const baseline = this.#baseline(places);
    const result = this.#inject(places, values);
    if (!("entries" in result)) return result;
    const { entries } = result;
    const shape = baseline.shapes.get(shapeOf(entries));
    if (shape === undefined) return { kind: "broken", ...nearest(entries, baseline) };
    for (const [path, scalar] of entries) {
      if (baseline.varying.has(path) || shape.get(path)!.has(scalar)) continue;
      return { kind: "broken", path, found: scalar };
    }
    return { kind: "kept" };
  }

  #baseline(places: readonly Place[]): Baseline {
    const key = places.map(({ name }) => name).join("\0");
    const known = this.#baselines.get(key);
    if (known !== undefined) return known;
    const shapes = new Map<string, Map<string, Set<string>>>();
    const varying = new Set<string>();
    const seen = new Map<string, string>();
    for (const values of benign(places.length)) {
      // An injector may ignore what it cannot read: the pod without one of the values is harmless, too.
      const given = places.filter((_, i) => values[i] !== IGNORED);
      const result = this.#inject(given, values.filter((value) => value !== IGNORED));
      if (!("entries" in result)) continue;
      const shape = shapes.get(shapeOf(result.entries)) ?? new Map<string, Set<string>>();
      shapes.set(shapeOf(result.entries), shape);
      for (const [path, scalar] of result.entries) {
        if ((seen.get(path) ?? scalar) !== scalar) varying.add(path);
        seen.set(path, scalar);
        shape.set(path, (shape.get(path) ?? new Set()).add(scalar));
      }
    }
    const baseline = { shapes, varying };
    this.#baselines.set(key, baseline);
    return baseline;
  }

  #inject(
    places: readonly Place[],
    values: readonly string[],
  ): { entries: Entries } | Exclude<Verdict, { kind: "broken" }> {
    const pod = plainPod();
    const { annotations } = pod.metadata as { annotations: Record<string, string> };
    if (this.#template !== undefined) annotations["inject.istio.io/templates"] = this.#template;
    for (const [i, place] of places.entries()) place.put(pod, values[i]);
    const own = new Map<string, string>();
    flatten(pod, { into: own, values: forms(values) });
    try {
      const request = { object: pod, namespace: "shop", proxyEnv: {} };
      const { patch } = this.#injector.admit(request, {});
      if (patch === undefined) return { kind: "skipped" };
      const entries = new Map<string, string>();
      flatten(applyPatch(pod, patch), { into: entries, values: forms(values), without: own });
      return { entries };
    } catch (error) {
      if (!(error instanceof InjectionError)) throw error;
      return { kind: "denied", code: error.code, message: error.message };
    }
  }
}

/** Stands for a value that is not put into the pod. */
const IGNORED = "\0ignored";

/** Each value alone in every place, and with several places also each value beside others. */
function benign(places: number): string[][] {
  const values = [IGNORED, ...BENIGN_VALUES];
  const count = values.length;
  return values.flatMap((value, i) =>
    [0, 7, 16].slice(0, places === 1 ? 1 : 3).map((step) =>
      Array.from(
        { length: places },
        (_, at) => at === 0 ? value : values[(i + at * step) % count],
      )
    )
  );
}

function shapeOf(entries: Entries): string {
  return [...entries.keys()].sort().join("\n");
}

/** Values as they come out of an encoder, where half a surrogate pair is no character, or of an unquoted scalar. */
function forms(values: readonly string[]): string[] {
  const unquoted = (value: string) =>
    value.replace(/[ \t]#.*$/s, "").replace(/^[ \t]+|[ \t]+$/g, "").replace(
      /^(["'])(.*)\1$/s,
      "$2",
    );
  return values.flatMap((value) => [value, value.toWellFormed(), unquoted(value)]);
}

/** Lists whose items go by their names, so that one more does not move the others; a value as a name is masked. */
const NAMED_LISTS = /\/(?:containers|initContainers|volumes)$/;

/** Maps whose keys are not those of Kubernetes; a value as a key is masked. */
const FREE_MAPS = /\/(?:labels|annotations|nodeSelector|matchLabels)$/;

function flatten(
  node: unknown,
  { into, values, without, path = "" }: {
    into: Map<string, string>;
    values: readonly string[];
    without?: Entries;
    path?: string;
  },
): void {
  const masked = (text: string) => values.includes(text) && text !== "" ? "«value»" : text;
  if (typeof node !== "object" || node === null) {
    const scalar = JSON.stringify(node);
    const before = without?.get(path);
    // What the pod had there itself is its own, and so is what became of the value in its own place.
    if (before === undefined || (before !== scalar && !values.includes(JSON.parse(before)))) {
      into.set(path, scalar);
    }
    return;
  }
  const names = new Set<string>();
  for (const [key, item] of Object.entries(node)) {
    let step = FREE_MAPS.test(path) ? masked(key) : key;
    if (Array.isArray(node)) {
      const { name } = (item ?? {}) as { name?: unknown };
      if (NAMED_LISTS.test(path) && typeof name === "string" && !names.has(name)) {
        names.add(name);
        step = `[${masked(name)}]`;
      } else step = `[${key}]`;
    }
    flatten(item, { into, values, without, path: `${path}/${step}` });
  }
  if (Object.keys(node).length === 0) into.set(`${path}/`, Array.isArray(node) ? "[]" : "{}");
}

/** Returns a path that no benign value produces, or one that is missing. */
function nearest(entries: Entries, { shapes }: Baseline): { path: string; found: string } {
  const known = new Set([...shapes.values()].flatMap((shape) => [...shape.keys()]));
  for (const [path, found] of entries) if (!known.has(path)) return { path, found };
  const least =
    [...shapes.values()].map((shape) => [...shape.keys()].filter((p) => !entries.has(p)))
      .sort((a, b) => a.length - b.length)[0];
  return { path: least?.[0] ?? "", found: "missing" };
}
