/**
 * The messages between the page and its engine. They are plain data, because they cross threads,
 * and requests are also shared as links. `checkRequest` validates data from outside.
 */

/** The texts that a user edits. */
export const SOURCES = ["manifest", "config", "values", "mesh"] as const;

export type Source = (typeof SOURCES)[number];

export interface PlaySettings {
  /** An Istio version such as `1.22` or `0.8`, or `today`. */
  readonly compat: string;
  readonly revision: string;
  /** The namespace of objects that do not name one. */
  readonly namespace: string;
  /** The namespace's labels, for example `istio-injection=enabled,team=shop`. */
  readonly namespaceLabels: string;
  /** Whether the cluster's nodes support native sidecars. */
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

/**
 * The maximum length of all four texts together, in UTF-16 units: ten times Istio's own config and
 * values.
 */
export const MAX_TEXT = 1024 * 1024;

/** An error or warning and its position; lines and columns start at 1. */
export interface Diagnostic {
  readonly source: Source;
  readonly severity: "error" | "warning";
  readonly line: number;
  readonly column: number;
  /** In the words of Go, Kubernetes or Istio if they have a message. */
  readonly message: string;
}

/** A step of the decision, in order of precedence. */
export interface PlayedStep {
  readonly title: string;
  /** The verdict; `unasked` if an earlier step decided. */
  readonly verdict: "pass" | "inject" | "skip" | "fail" | "unknown" | "unasked";
  /** What was found, the rule, and where the value is set. */
  readonly found: string;
  readonly rule: string;
  readonly from: string;
}

/** A common mistake and its fix. */
export interface PlayedMistake {
  readonly text: string;
  readonly fix: string;
}

/** The origin of lines of the result. */
export interface Origin {
  /** Lines of the result, starting at 1, inclusive. */
  readonly firstLine: number;
  readonly lastLine: number;
  /** `template sidecar`, or what a stage of the injector does. */
  readonly maker: string;
  /** The line in the config, for template output. */
  readonly line?: number;
  /** The template action that wrote it; absent for literal text. */
  readonly action?: string;
  /** The conditions around it, outermost first, with their lines in the config. */
  readonly branches: readonly { readonly text: string; readonly line: number }[];
  /** The data it was made from, for example `values global.hub`, and its place in the input. */
  readonly inputs: readonly OriginInput[];
}

export interface OriginInput {
  readonly name: string;
  readonly value: string;
  readonly place?: { readonly source: Source; readonly line: number };
}

export type WorkloadStatus = "injected" | "skipped" | "failed";

export interface PlayedWorkload {
  /** Kind and name, for example `Deployment "shop/cart"`. */
  readonly name: string;
  /** The line in the manifest where its document starts. */
  readonly line: number;
  readonly status: WorkloadStatus;
  /** The reason, as a sentence. */
  readonly reason: string;
  readonly templates: readonly string[];
  readonly warnings: readonly string[];
  /** YAML; `after` equals `before` if nothing was injected. */
  readonly before: string;
  readonly after: string;
  /** JSON, one operation per line. */
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
  /** Warnings about the config as a whole. */
  readonly warnings: readonly string[];
}

/** An example; it lists only what differs from the bundled texts and settings. */
export interface Example {
  readonly id: string;
  readonly title: string;
  /** What the example shows. */
  readonly note: string;
  readonly texts: Partial<Readonly<Record<Source, string>>>;
  readonly settings?: Partial<PlaySettings>;
  /** The text to show first; the manifest if absent. */
  readonly opens?: Source;
}

/** The bundled texts, without a manifest. */
export type Shipped = Readonly<Record<Exclude<Source, "manifest">, string>>;

/** The worker's first message. */
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

/** Builds an example's complete request. */
export function requestOf({ texts, settings }: Example, shipped: Shipped): PlayRequest {
  return { manifest: "", ...shipped, ...texts, settings: { ...DEFAULT_SETTINGS, ...settings } };
}

const SETTING_LENGTH = 1000;

/** Validates a request of unknown shape. Throws a TypeError that names the problem. */
export function checkRequest(value: unknown): PlayRequest {
  if (typeof value !== "object" || value === null) throw new TypeError("it is not an object");
  const given = value as Record<string, unknown>;
  const text = (object: Record<string, unknown>, key: string, most: number): string => {
    const found = Object.hasOwn(object, key) ? object[key] : undefined;
    if (typeof found !== "string") throw new TypeError(`"${key}" must be a string`);
    if (found.length > most) throw new TypeError(`"${key}" exceeds ${most} characters`);
    return found;
  };
  const settings = Object.hasOwn(given, "settings") ? given.settings : undefined;
  if (typeof settings !== "object" || settings === null) {
    throw new TypeError('"settings" must be an object');
  }
  const setting = (key: keyof PlaySettings) =>
    text(settings as Record<string, unknown>, key, SETTING_LENGTH);
  const { nativeSidecars } = settings as Record<string, unknown>;
  if (typeof nativeSidecars !== "boolean") {
    throw new TypeError('"nativeSidecars" must be true or false');
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
    throw new TypeError(`the texts have ${length} characters: the limit is ${MAX_TEXT}`);
  }
  return request;
}
