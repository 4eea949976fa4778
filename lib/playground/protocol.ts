/**
 * What the page and its engine say to each other: plain data, since it goes from one thread to another and,
 * the request, into links that people share. `checkRequest` is the door for data from outside.
 */

/** The texts that a person edits. */
export const SOURCES = ["manifest", "config", "values", "mesh"] as const;

export type Source = (typeof SOURCES)[number];

export interface PlaySettings {
  /** A version of Istio, as in `1.22` or `0.8`, or `today`. */
  readonly compat: string;
  readonly revision: string;
  /** For objects that name none. */
  readonly namespace: string;
  /** Of that namespace, as in `istio-injection=enabled,team=shop`. */
  readonly namespaceLabels: string;
  /** Whether the cluster's nodes run native sidecars. */
  readonly nativeSidecars: boolean;
}

export type PlayRequest = Readonly<Record<Source, string>> & { readonly settings: PlaySettings };

export const DEFAULT_SETTINGS: PlaySettings = {
  compat: "today",
  revision: "",
  namespace: "default",
  namespaceLabels: "istio-injection=enabled",
  nativeSidecars: false,
};

/** Of all four texts together, in UTF-16 units. Istio's own config and values are a tenth of it. */
export const MAX_TEXT = 1024 * 1024;

/** A mistake and its place; lines and columns count from 1. */
export interface Diagnostic {
  readonly source: Source;
  readonly severity: "error" | "warning";
  readonly line: number;
  readonly column: number;
  /** In the words of Go, Kubernetes or Istio where they have some. */
  readonly message: string;
}

/** One step of the decision, in the order of precedence. */
export interface PlayedStep {
  readonly title: string;
  /** `unasked`: an earlier step had ended the matter. */
  readonly verdict: "pass" | "inject" | "skip" | "fail" | "unknown" | "unasked";
  /** What it found, the rule it went by, and where that was written. */
  readonly found: string;
  readonly rule: string;
  readonly from: string;
}

/** A usual mistake, and what to do about it. */
export interface PlayedMistake {
  readonly text: string;
  readonly fix: string;
}

/** Where lines of the result come from. */
export interface Origin {
  /** Of the result, from 1; both included. */
  readonly firstLine: number;
  readonly lastLine: number;
  /** What made it: `template sidecar`, or what a stage of the injector does. */
  readonly maker: string;
  /** Of the config, where a template made it. */
  readonly line?: number;
  /** The action of the template that wrote it; absent where it is spelled out there. */
  readonly action?: string;
  /** Conditions around it, from the outermost, with their lines in the config. */
  readonly branches: readonly { readonly text: string; readonly line: number }[];
  /** What went into it, as in `values global.hub`, and where that stands. */
  readonly inputs: readonly OriginInput[];
}

export interface OriginInput {
  readonly name: string;
  readonly value: string;
  readonly place?: { readonly source: Source; readonly line: number };
}

export type WorkloadStatus = "injected" | "skipped" | "failed";

export interface PlayedWorkload {
  /** Kind and name, as in `Deployment "shop/cart"`. */
  readonly name: string;
  /** Where its document starts in the manifest. */
  readonly line: number;
  readonly status: WorkloadStatus;
  /** Why, in a sentence. */
  readonly reason: string;
  readonly templates: readonly string[];
  readonly warnings: readonly string[];
  /** YAML; `after` is the same as `before` where nothing was injected. */
  readonly before: string;
  readonly after: string;
  /** JSON, an operation a line. */
  readonly patch: string;
  readonly operations: number;
  readonly steps: readonly PlayedStep[];
  readonly mistakes: readonly PlayedMistake[];
  readonly origins: readonly Origin[];
}

export interface PlayAnswer {
  readonly workloads: readonly PlayedWorkload[];
  /** The whole manifest, injected. */
  readonly output: string;
  readonly diagnostics: readonly Diagnostic[];
  /** About the config as a whole. */
  readonly warnings: readonly string[];
}

/** An example of `examples.ts`: it says only what is not as shipped. */
export interface Example {
  readonly id: string;
  readonly title: string;
  /** What to look at. */
  readonly note: string;
  readonly texts: Partial<Readonly<Record<Source, string>>>;
  readonly settings?: Partial<PlaySettings>;
  /** The text to show first; the manifest if absent. */
  readonly opens?: Source;
}

/** The texts that ship; there is no manifest among them. */
export type Shipped = Readonly<Record<Exclude<Source, "manifest">, string>>;

/** What the worker says once it has begun. */
export interface WorkerReady {
  readonly examples: readonly Example[];
  readonly shipped: Shipped;
}

export interface WorkerQuestion {
  readonly id: number;
  readonly request: PlayRequest;
}

export interface WorkerAnswer {
  readonly id: number;
  readonly answer: PlayAnswer;
}

/** An example as a whole. */
export function requestOf({ texts, settings }: Example, shipped: Shipped): PlayRequest {
  return { manifest: "", ...shipped, ...texts, settings: { ...DEFAULT_SETTINGS, ...settings } };
}

const SETTING_LENGTH = 1000;

/** The request in a value of unknown shape; throws a TypeError that says what is wrong with it. */
export function checkRequest(value: unknown): PlayRequest {
  if (typeof value !== "object" || value === null) throw new TypeError("it is no object");
  const given = value as Record<string, unknown>;
  const text = (object: Record<string, unknown>, key: string, most: number): string => {
    const found = Object.hasOwn(object, key) ? object[key] : undefined;
    if (typeof found !== "string") throw new TypeError(`"${key}" is no text`);
    if (found.length > most) throw new TypeError(`"${key}" is longer than ${most} characters`);
    return found;
  };
  const settings = Object.hasOwn(given, "settings") ? given.settings : undefined;
  if (typeof settings !== "object" || settings === null) {
    throw new TypeError('"settings" is no object');
  }
  const setting = (key: keyof PlaySettings) =>
    text(settings as Record<string, unknown>, key, SETTING_LENGTH);
  const { nativeSidecars } = settings as Record<string, unknown>;
  if (typeof nativeSidecars !== "boolean") {
    throw new TypeError('"nativeSidecars" is neither true nor false');
  }
  const request = {
    manifest: text(given, "manifest", MAX_TEXT),
    config: text(given, "config", MAX_TEXT),
    values: text(given, "values", MAX_TEXT),
    mesh: text(given, "mesh", MAX_TEXT),
    settings: {
      compat: setting("compat"),
      revision: setting("revision"),
      namespace: setting("namespace"),
      namespaceLabels: setting("namespaceLabels"),
      nativeSidecars,
    } satisfies PlaySettings,
  };
  const length = SOURCES.reduce((sum, source) => sum + request[source].length, 0);
  if (length > MAX_TEXT) {
    throw new TypeError(`the texts have ${length} characters, the most is ${MAX_TEXT}`);
  }
  return request;
}
