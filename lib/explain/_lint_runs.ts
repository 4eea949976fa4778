/**
 * Lints templates by running them: the corpus is injected to find failures and measure coverage;
 * then unusual but valid values are injected wherever templates print them, to see whether the pod
 * keeps its structure.
 */
import { isMap } from "../data/map.ts";
import { parseYaml, yamlPlaces } from "../yaml/mod.ts";
import { printNode, TemplateError, type TemplateTrace } from "../go/template/mod.ts";
import {
  createInjector,
  type EngineSources,
  InjectionError,
  type Injector,
  type InjectorSettings,
  NATIVE_VARIABLE,
  TEMPLATES,
} from "../inject/mod.ts";
import { normalise } from "../kube/normalise.ts";
import { applyPatch } from "../patch/mod.ts";
import type { ConfigPlaces } from "./_config_places.ts";
import { corpus, corpusPod, ODD_LABELS, ODD_NAMES, ODD_TEXTS, usualValues } from "./_corpus.ts";
import { CoverageCounter, type TemplateCoverage } from "./_coverage.ts";
import { textsOf } from "./_json.ts";
import type { LintedTemplate } from "./_lint_template.ts";
import { podNodes, specNodes } from "./_pod_nodes.ts";
import { type Rendering, type Segment } from "./_recording.ts";
import type { Finding } from "./lint.ts";

type Json = Readonly<Record<string, unknown>>;

export interface LintRunsOptions {
  readonly file: string;
  readonly places: ConfigPlaces;
  readonly sources: EngineSources;
  readonly options: InjectorSettings;
}

export interface LintedRuns {
  readonly findings: readonly Finding[];
  readonly coverage: readonly TemplateCoverage[];
  readonly tried: number;
}

export function lintRuns(
  templates: readonly LintedTemplate[],
  options: LintRunsOptions,
): LintedRuns {
  return new Runs(templates, options).result();
}

/** The result of an injection. */
type Outcome =
  | { readonly pod: Json }
  | { readonly failure: InjectionError };

class Runs {
  readonly #templates: readonly LintedTemplate[];
  readonly #options: LintRunsOptions;
  /** Findings by position and message, so that many failing pods give one finding. */
  readonly #findings = new Map<string, Finding>();
  readonly #counters = new Map<string, CoverageCounter>();
  /** The segments of the current rendering. */
  #segments: Segment[] = [];
  #tried = 0;

  constructor(templates: readonly LintedTemplate[], options: LintRunsOptions) {
    this.#templates = templates;
    this.#options = options;
  }

  result(): LintedRuns {
    this.#tryCorpus(this.#injector("false", true), this.#templates);
    const asking = this.#templates.filter(({ facts }) =>
      facts?.references.some(({ path: [root] }) => root === "NativeSidecars")
    );
    if (asking.length > 0) this.#tryCorpus(this.#injector("true", true), asking);
    const plain = this.#injector("false", false);
    for (const template of this.#templates) this.#tryOddValues(template, plain);
    const coverage = this.#templates.map(({ name, text }) =>
      this.#counters.get(name)?.result(name, text) ??
        new CoverageCounter().result(name, text)
    );
    for (const [i, { untaken }] of coverage.entries()) {
      for (const { text, offset } of untaken) {
        this.#tell(this.#templates[i], offset, {
          severity: "info",
          id: "branch_never_taken",
          message: `No test pod takes this branch: ${text}.`,
          fix:
            "It may depend on values, mesh config or annotations that the test pods do not have.",
        });
      }
    }
    return { findings: [...this.#findings.values()], coverage, tried: this.#tried };
  }

  #injector(native: string, isWatched: boolean): Injector {
    const { sources, options } = this.#options;
    return createInjector(sources, {
      ...options,
      warn: () => {},
      variables: { ...options.variables, [NATIVE_VARIABLE]: native },
      ...(isWatched && {
        trace: {
          template: (name: string) => this.#watch(name),
          rendered: (name: string, text: string) => this.#rendered(name, text),
        },
      }),
    });
  }

  #watch(name: string): TemplateTrace {
    const counter = this.#counters.get(name) ?? new CoverageCounter();
    this.#counters.set(name, counter);
    return {
      ...counter.trace,
      statement: (node, range) => {
        counter.trace.statement(node, range);
        const prints = node.type === "text" || node.type === "action";
        if (prints && range.end > range.start) this.#segments.push({ node, ...range });
      },
    };
  }

  #tryCorpus(injector: Injector, templates: readonly LintedTemplate[]): void {
    for (const template of templates) {
      for (const { what, pod } of corpus(keysOf(template, "Annotations"))) {
        this.#segments = [];
        const outcome = this.#inject(injector, pod, template.name);
        if ("failure" in outcome) this.#failed(template, outcome.failure, what);
      }
    }
  }

  #inject(injector: Injector, pod: Json, template: string): Outcome {
    this.#tried++;
    // Normalize the pod, as the API server does before it sends it.
    const object = normalise(
      "Pod",
      template === "" ? pod : withAnnotation(pod, TEMPLATES, template),
    );
    try {
      const { patch = [] } = injector.admit({ object, namespace: "shop", proxyEnv: {} });
      return { pod: applyPatch(object, patch) as Json };
    } catch (error) {
      if (error instanceof InjectionError) return { failure: error };
      throw error;
    }
  }

  #failed(template: LintedTemplate, failure: InjectionError, what: string): void {
    if (failure.code === "template") {
      const offset = offsetOf(failure, template.text);
      const message = failure.message.replace(/^failed to run injection template: /, "");
      this.#tell(template, offset, {
        severity: "error",
        id: "render_failed",
        message: `The template fails for ${what}: ${message}.`,
        fix: "Such pods cannot be created while this config is in use.",
      });
    } else if (failure.code === "structure") {
      const line = Number(/ at line (\d+),/.exec(failure.message)?.[1] ?? 1);
      const offset = template.text.split("\n", line - 1).reduce(
        (at, { length }) => at + length + 1,
        0,
      );
      this.#tell(template, offset, {
        severity: "error",
        id: "structure_changed",
        message: `The structure guard denies ${what}: ${failure.message}.`,
        fix: "Add | quote to the value.",
      });
    } else if (failure.code === "overlay") {
      this.#tell(template, 0, {
        severity: "error",
        id: "overlay_invalid",
        message:
          `The template's output for ${what} is not a valid part of a pod: ${failure.message}.`,
        fix: "Run outrigger render to see the output of the template.",
      });
    }
  }

  /** Finds unquoted actions whose value decides whether YAML parses it as a string. */
  #rendered(name: string, text: string): void {
    const template = this.#templates.find((template) => template.name === name);
    const rendering: Rendering = { template: name, text, segments: this.#segments };
    this.#segments = [];
    if (template?.facts === undefined) return;
    for (const { node } of unquotedActions(rendering)) {
      const own = [...template.facts.statements.values()].find((facts) =>
        facts.node.pos === node.pos && facts.node.type === node.type
      );
      const isOpen = own?.paths.some(([root, second]) => OPEN.has(root) || OPEN.has(second ?? ""));
      if (!isOpen || own!.functions.some((name) => WRITES_YAML.test(name))) continue;
      const pipe = node.type === "action" ? printNode(node.pipe) : "";
      this.#tell(template, node.pos, {
        severity: "warning",
        id: "unquoted",
        message:
          `{{ ${pipe} }} is not quoted, but Kubernetes requires a string here: a value such as ` +
          "yes, null or 1.10 is parsed as another type, and the pod is refused.",
        fix: `Use {{ ${pipe} | quote }}.`,
      });
    }
  }

  #tryOddValues(template: LintedTemplate, injector: Injector): void {
    for (const key of keysOf(template, "Annotations")) {
      this.#tryHole(template, injector, {
        hole: `annotation ${key}`,
        plain: [...usualValues(key).slice(-1), "plainvalue"],
        odd: ODD_TEXTS,
        pod: (value) => corpusPod({ annotations: { [key]: value } }),
        path: ["ObjectMeta", "Annotations", key],
      });
    }
    for (const key of keysOf(template, "Labels")) {
      this.#tryHole(template, injector, {
        hole: `label ${key}`,
        plain: ["plainvalue"],
        odd: ODD_LABELS,
        pod: (value) => corpusPod({ labels: { [key]: value } }),
        path: ["ObjectMeta", "Labels", key],
      });
    }
    const container = (name: string) => ({ name, image: "app" });
    const names: [string, string[], (value: string) => Json][] = [
      [
        "container name",
        ["Spec", "Containers"],
        (name) => corpusPod({ spec: { containers: [container(name)] } }),
      ],
      [
        "service account",
        ["Spec", "ServiceAccountName"],
        (serviceAccountName) => corpusPod({ spec: { serviceAccountName } }),
      ],
      [
        "workload name",
        ["DeploymentMeta"],
        (name) => corpusPod({ metadata: { name, generateName: "", ownerReferences: [] } }),
      ],
    ];
    for (const [hole, path, pod] of names) {
      this.#tryHole(template, injector, { hole, plain: ["plainvalue"], odd: ODD_NAMES, pod, path });
    }
  }

  #tryHole(
    template: LintedTemplate,
    injector: Injector,
    { hole, plain, odd, pod, path }: {
      hole: string;
      plain: readonly string[];
      odd: readonly string[];
      pod: (value: string) => Json;
      path: readonly string[];
    },
  ): void {
    const shapes: string[] = [];
    for (const value of plain) {
      const outcome = this.#inject(injector, pod(value), template.name);
      // If the injector validates the value itself, unusual values are not valid.
      if ("failure" in outcome) return;
      shapes.push(shapeOf(outcome.pod, value));
    }
    const broken: string[] = [];
    const changed: string[] = [];
    for (const value of odd) {
      const outcome = this.#inject(injector, pod(value), template.name);
      if ("pod" in outcome) {
        if (!shapes.includes(shapeOf(outcome.pod, value))) changed.push(value);
      } else if (outcome.failure.code === "template" || outcome.failure.code === "overlay") {
        broken.push(value);
      }
    }
    const offset = this.#holeOffset(template, path);
    const shown = (values: readonly string[]) =>
      values.slice(0, 3).map((value) => JSON.stringify(value)).join(", ");
    if (broken.length > 0) {
      this.#tell(template, offset, {
        severity: "warning",
        id: "breaks_on_value",
        message: `The ${hole} breaks the pod if its value is ${shown(broken)}.`,
        fix: "Quote the value where it is printed: {{ … | quote }}.",
      });
    }
    if (changed.length > 0) {
      this.#tell(template, offset, {
        severity: "warning",
        id: "changes_with_value",
        message: `The ${hole} changes more of the pod than its value where it is ${
          shown(changed)
        }.`,
        fix: "Quote the value where it is printed: {{ … | quote }}.",
      });
    }
  }

  /**
   * Returns the first action that prints the value at a path, or else the first statement that
   * reads it.
   */
  #holeOffset({ facts }: LintedTemplate, path: readonly string[]): number {
    const reads = (paths: readonly (readonly string[])[]) =>
      paths.some((other) => path.every((key, i) => other[i] === key));
    const statements = [...facts!.statements.values()].filter(({ paths }) => reads(paths));
    const prints = statements.find(({ node, functions }) =>
      node.type === "action" && node.pipe.decl.length === 0 &&
      !functions.some((name) => WRITES_YAML.test(name))
    );
    return (prints ?? statements[0])?.node.pos ?? 0;
  }

  #tell(
    { name, text, path }: LintedTemplate,
    offset: number,
    finding: Pick<Finding, "severity" | "id" | "message" | "fix">,
  ): void {
    const { file, places } = this.#options;
    const place = places.inTemplate(path, offset, text);
    // Report only the first of many pods that fail in the same way.
    const key = finding.id === "render_failed" || finding.id === "overlay_invalid"
      ? `${finding.id} ${name} ${offset}`
      : `${finding.id} ${name} ${offset} ${finding.message}`;
    if (!this.#findings.has(key)) {
      this.#findings.set(key, { ...finding, file, ...place, template: name });
    }
  }
}

/** Parts of the data that users choose freely. */
const OPEN: ReadonlySet<string> = new Set(["Values", "Annotations", "Labels", "DeploymentMeta"]);

/** Functions whose output YAML parses back unchanged. */
const WRITES_YAML =
  /^(?:quote|squote|toYaml|toJson|toJSON|structToJSON|protoToJSON|toJsonMap|toRawJson|b64enc)$/;

/** Returns the metadata keys that a template names. */
function keysOf({ facts }: LintedTemplate, map: "Annotations" | "Labels"): string[] {
  const keys = (facts?.references ?? []).flatMap(({ path }) =>
    path[0] === "ObjectMeta" && path[1] === map && path.length > 2 && path[2] !== "*"
      ? [path[2]]
      : []
  );
  return [...new Set(keys)];
}

function withAnnotation(pod: Json, key: string, value: string): Json {
  const metadata = pod.metadata as Json;
  const annotations = { ...textsOf(metadata.annotations), [key]: value };
  return { ...pod, metadata: { ...metadata, annotations } };
}

/** Returns the names of all parts of a pod, without the value that was injected. */
function shapeOf(pod: Json, value: string): string {
  const ids = [...podNodes(pod).values()].map(({ id, value }) => `${id} ${typeof value}`);
  return ids.map((id) => id.replaceAll(`[${value}]`, "[]")).sort().join("\n");
}

function offsetOf(failure: InjectionError, text: string): number {
  let cause: unknown = failure;
  while (cause instanceof Error && !(cause instanceof TemplateError)) cause = cause.cause;
  const { line = 1, column = 1 } = (cause as TemplateError | undefined)?.place ?? {};
  let offset = 0;
  for (let i = 1; i < line; i++) offset = text.indexOf("\n", offset) + 1;
  return offset + column - 1;
}

/** Returns the actions that alone form an unquoted scalar where the pod's type has a string. */
function unquotedActions({ text, segments }: Rendering): Segment[] {
  let overlay: unknown;
  try {
    overlay = parseYaml(text);
  } catch {
    return [];
  }
  if (!isMap(overlay)) return [];
  const isWhole = Object.hasOwn(overlay, "spec") || Object.hasOwn(overlay, "metadata");
  const nodes = isWhole ? podNodes(overlay) : specNodes(overlay);
  const texts = new Set(
    [...nodes.values()].filter(({ kind }) => kind === "string").map(({ path }) => path.join("\0")),
  );
  return yamlPlaces(text).filter(({ path, isPlain }) => isPlain && texts.has(path.join("\0")))
    .flatMap(({ start, end }) =>
      segments.filter((segment) =>
        segment.node.type === "action" && segment.start <= start && segment.end >= end &&
        end > start
      )
    );
}
