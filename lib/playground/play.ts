/**
 * The playground's engine: takes the texts of the page and returns everything that it shows. It
 * injects like the webhook, into the pods that controllers would create. Errors in the texts are
 * returned as diagnostics, never thrown.
 */
import { parseValues } from "../config/mod.ts";
import { isMap } from "../data/map.ts";
import { parseYaml, stringifyYaml, YamlError } from "../yaml/mod.ts";
import {
  type AdmissionTracer,
  type ChainStep,
  createAdmissionTracer,
  explain,
  type StepId,
} from "../explain/mod.ts";
import type { FunctionMap } from "../go/value.ts";
import {
  COMPAT_FORM,
  type CompatVersion,
  type Document,
  type EngineSources,
  holdsPods,
  type InjectorSettings,
  joinDocuments,
  NATIVE_VARIABLE,
  parseCompatVersion,
  type Pod,
  SeparatorError,
  SettingError,
  splitDocuments,
  type WorkloadObject,
} from "../inject/mod.ts";
import { DecodeError, normalise } from "../kube/normalise.ts";
import { applyPatch, type Operation } from "../patch/mod.ts";
import { generateWebhook } from "../webhook/generate.ts";
import type { ConfigurationLike } from "../webhook/match.ts";
import { WebhookError } from "../webhook/webhook_error.ts";
import { originsOf } from "./_origins.ts";
import { type ConfigText, readConfigText } from "./config_text.ts";
import { type CreatedPod, createdPod } from "./created_pod.ts";
import { configDiagnostic, messageOf, objectDiagnostic, templateDiagnostic } from "./diagnose.ts";
import type {
  Diagnostic,
  PlayAnswer,
  PlayedStep,
  PlayedWorkload,
  PlayRequest,
} from "./protocol.ts";

export interface PlayOptions {
  readonly sprig: FunctionMap;
}

export type Play = (request: PlayRequest) => PlayAnswer;

/** Most edits change only the manifest, so the injector is kept until another text changes. */
export function createPlayer(options: PlayOptions): Play {
  let kept: { key: string; opened: Opened } | undefined;
  return (request) => {
    const { config, values, mesh, settings } = request;
    const key = JSON.stringify([config, values, mesh, settings]);
    if (kept?.key !== key) kept = { key, opened: openEngine(request, options) };
    return play(request, kept.opened);
  };
}

function play(request: PlayRequest, opened: Opened): PlayAnswer {
  const { engine } = opened;
  const diagnostics = [...opened.diagnostics];
  const warnings = new Set(opened.warnings);
  if (engine !== undefined) engine.warn.tell = (message) => warnings.add(message);
  const outputs: string[] = [];
  const workloads: PlayedWorkload[] = [];
  const run = { request, engine, diagnostics, workloads, warnings };
  try {
    for (const document of splitDocuments(request.manifest)) {
      outputs.push(playDocument(document, run));
    }
  } catch (error) {
    if (!(error instanceof SeparatorError)) throw error;
    diagnostics.push(atLine(error.line, error.message));
  }
  return {
    workloads,
    // Omit the separator at the end of the stream.
    output: joinDocuments(outputs).replace(/---\n$/, ""),
    diagnostics,
    warnings: [...warnings],
  };
}

interface Run {
  readonly request: PlayRequest;
  readonly engine: PlayEngine | undefined;
  readonly diagnostics: Diagnostic[];
  readonly workloads: PlayedWorkload[];
  readonly warnings: Set<string>;
}

interface PlayEngine {
  readonly config: ConfigText;
  readonly sources: EngineSources;
  readonly options: InjectorSettings;
  readonly tracer: AdmissionTracer;
  readonly webhooks: readonly ConfigurationLike[];
  readonly namespaceLabels: Readonly<Record<string, string>>;
  /** Receives the injector's warnings. */
  readonly warn: { tell: (message: string) => void };
}

interface Opened {
  /** `undefined` if the texts are not valid; the diagnostics say why. */
  readonly engine?: PlayEngine;
  readonly diagnostics: readonly Diagnostic[];
  readonly warnings: readonly string[];
}

function openEngine(request: PlayRequest, { sprig }: PlayOptions): Opened {
  const { values, mesh, settings } = request;
  const diagnostics: Diagnostic[] = [];
  const warnings: string[] = [];
  const attempt = <T>(source: "config" | "values", read: (text: string) => T) => {
    try {
      return read(request[source]);
    } catch (error) {
      diagnostics.push(configDiagnostic(error, { source, text: request[source] }));
    }
  };
  const config = attempt("config", readConfigText);
  attempt("values", parseValues);
  if (config === undefined || diagnostics.length > 0) return { diagnostics, warnings };
  try {
    const warn = { tell: (message: string) => void warnings.push(message) };
    const sources = { config: config.text, values, mesh };
    const options: InjectorSettings = {
      sprig,
      revision: settings.revision,
      compat: compatVersion(settings.compat),
      variables: { [NATIVE_VARIABLE]: String(settings.nativeSidecars) },
      warn: (message) => warn.tell(message.trim()),
    };
    const tracer = createAdmissionTracer(sources, options);
    const webhooks = [generateWebhook({ revision: settings.revision }) as ConfigurationLike];
    const namespaceLabels = labelsOf(settings.namespaceLabels, warnings);
    const engine = { config, sources, options, tracer, webhooks, namespaceLabels, warn };
    return { engine, diagnostics, warnings };
  } catch (error) {
    diagnostics.push(engineDiagnostic(error, { config, mesh }));
    return { diagnostics, warnings };
  }
}

function engineDiagnostic(
  error: unknown,
  { config, mesh }: { config: ConfigText; mesh: string },
): Diagnostic {
  const found = templateDiagnostic(error, { config, names: [...config.templates.keys()] });
  if (found !== undefined) return found;
  // Errors of the settings have no text to mark, so mark the config.
  if (error instanceof SettingError || error instanceof WebhookError) {
    return { source: "config", severity: "error", line: 1, column: 1, message: error.message };
  }
  return configDiagnostic(error, { source: "mesh", text: mesh });
}

/** Parses labels as kubectl does: `a=b,c=d`. */
function labelsOf(text: string, warnings: string[]): Record<string, string> {
  const pairs = text.split(/[\s,]+/).filter((part) => part !== "");
  return Object.fromEntries(pairs.flatMap((pair): [string, string][] => {
    const [, key, value] = /^([^=]+)=(.*)$/.exec(pair) ?? [];
    if (key !== undefined) return [[key, value]];
    warnings.push(`Cannot parse namespace label ${JSON.stringify(pair)}: must be key=value`);
    return [];
  }));
}

function compatVersion(text: string): CompatVersion {
  const version = parseCompatVersion(text);
  if (version !== undefined) return version;
  throw new SettingError(`Unknown Istio version ${JSON.stringify(text)}: must be ${COMPAT_FORM}`);
}

function atLine(line: number, message: string, column = 1): Diagnostic {
  return { source: "manifest", severity: "error", line, column, message };
}

function playDocument(document: Document, run: Run): string {
  const { text, line } = document;
  try {
    const object = readObject(parseYaml(text, { bigints: true }));
    if (object === undefined) return text;
    return stringifyYaml(playObject(object, document, run));
  } catch (error) {
    if (error instanceof YamlError) {
      const reason = error.cause instanceof Error ? error.cause.message : error.message;
      run.diagnostics.push(atLine(line + error.line - 1, reason, error.column));
    } else if (error instanceof DecodeError) {
      const reason = `error unmarshaling JSON: while decoding JSON: ${error.message}`;
      run.diagnostics.push(atLine(line, reason));
    } else {
      throw error;
    }
    return text;
  }
}

/** Decodes an object into its type's normal form; returns `undefined` for kinds without pods. */
function readObject(value: unknown): WorkloadObject | undefined {
  if (!isMap(value)) return undefined;
  const kind = Object.hasOwn(value, "kind") ? (value as { kind: unknown }).kind : undefined;
  if (typeof kind !== "string" || !holdsPods(kind)) return undefined;
  return normalise(kind, value, { strings: "convert" });
}

function playObject(object: WorkloadObject, document: Document, run: Run): WorkloadObject {
  if (object.kind === "List") {
    const items = (object.items ?? []) as readonly unknown[];
    return {
      ...object,
      items: items.map((item) => {
        const typed = readObject(item);
        return typed === undefined ? item : playObject(typed, document, run);
      }),
    };
  }
  const created = createdPod(object, run.request.settings.namespace);
  // Without an engine, the diagnostics say everything.
  if (created === undefined || run.engine === undefined) return object;
  const { after, played } = playPod(object, { created, document, engine: run.engine, run });
  run.workloads.push(played);
  return after;
}

interface PodRun {
  readonly created: CreatedPod;
  readonly document: Document;
  readonly engine: PlayEngine;
  readonly run: Run;
}

function playPod(
  object: WorkloadObject,
  { created, document, engine, run }: PodRun,
): { after: WorkloadObject; played: PlayedWorkload } {
  const { request } = run;
  const { line } = document;
  const { config, tracer } = engine;
  const explanation = explain({
    object,
    namespace: request.settings.namespace,
    namespaceFacts: { labels: engine.namespaceLabels },
    webhooks: engine.webhooks,
    sources: engine.sources,
    origins: ORIGINS,
  }, engine.options)!;
  const { injected, sentence, error, adds, warnings } = explanation;
  const before = stringifyYaml(object);
  const shared = {
    name: explanation.workload,
    line,
    templates: adds?.templates ?? [],
    warnings,
    steps: explanation.steps.map(stepOf),
    mistakes: explanation.mistakes.map(({ text, fix }) => ({ text, fix })),
    before,
  };
  const untouched = { after: before, patch: "[]", operations: 0, origins: [] };
  const pod = normalise("Pod", created.pod) as unknown as Pod;
  try {
    // Inject even if no webhook would call the injector, to find template errors.
    const { patch = [], provenance } = tracer.admit({
      object: pod,
      namespace: created.namespace,
      proxyEnv: {},
    });
    if (!injected) {
      const played = { ...shared, ...untouched, status: "skipped", reason: sentence } as const;
      return { after: object, played };
    }
    const after = normaliseLike(object, created.put(applyPatch(pod, patch) as Pod));
    const text = stringifyYaml(after);
    const { path } = created;
    const played: PlayedWorkload = {
      ...shared,
      status: "injected",
      reason: sentence,
      after: text,
      patch: patchText(patch),
      operations: patch.length,
      origins: originsOf(provenance, { before, after: text, path, config, request, document }),
    };
    return { after, played };
  } catch (thrown) {
    run.diagnostics.push(
      templateDiagnostic(thrown, { config, names: [...config.templates.keys()] }) ??
        objectDiagnostic(thrown, { manifest: request.manifest, line }),
    );
    const reason = error ?? messageOf(thrown);
    return { after: object, played: { ...shared, ...untouched, status: "failed", reason } };
  }
}

/** The names of the texts in explanations. */
const ORIGINS = {
  config: "the config",
  values: "the values",
  mesh: "the mesh config",
  object: "the manifest",
  namespace: "the cluster settings",
};

/** Omits empty metadata, as in the object that it is compared with. */
function normaliseLike({ kind }: WorkloadObject, object: WorkloadObject): WorkloadObject {
  return normalise(kind as string, object);
}

const TITLES: Readonly<Record<StepId, string>> = {
  webhook: "Webhook",
  operation: "Operation",
  host_network: "Host network",
  ignored_namespace: "Namespace",
  label: "Label",
  annotation: "Annotation",
  never_selector: "Never-inject selectors",
  always_selector: "Always-inject selectors",
  policy: "Policy",
  templates: "Templates",
  result: "Result",
};

function stepOf({ id, verdict, reached, found, rule, from }: ChainStep): PlayedStep {
  return { title: TITLES[id], verdict: reached ? verdict : "unasked", found, rule, from };
}

/** Formats a patch, one operation per line. */
function patchText(patch: readonly Operation[]): string {
  if (patch.length === 0) return "[]";
  return `[\n${patch.map((operation) => `  ${JSON.stringify(operation)}`).join(",\n")}\n]`;
}
