/**
 * Renders the templates in turn: each gets the same data, and its output is parsed as YAML and merged
 * twice, into the pod and into an empty one that shows what templates alone add.
 */
import type { Budget } from "../data/budget.ts";
import { encodeJson } from "../go/json.ts";
import { parseYaml, YamlError } from "../yaml/mod.ts";
import { quote } from "../go/strconv.ts";
import { trimSpace } from "../go/strings.ts";
import type { Typed } from "../go/value.ts";
import { TemplateError } from "../go/template/mod.ts";
import { normalise, type NormaliseMemo } from "../kube/normalise.ts";
import { strategicMerge } from "../patch/mod.ts";
import type { Behaviours } from "./compat.ts";
import { InjectionError } from "./errors.ts";
import { spendOnOutput, spendOnTemplate } from "./limits.ts";
import { NATIVE_SIDECAR, PROXY_CONTAINER, TEMPLATES } from "./names.ts";
import { containersOf, findContainer, lookup, type Pod, withSpec } from "./pod.ts";
import type { Overlay } from "./overlay_shapes.ts";
import { type GuardOptions, guardStructure } from "./structure_guard.ts";
import type { TemplateSet } from "./template_set.ts";
import type { InjectionTrace } from "./trace.ts";

export interface RenderOptions {
  readonly templates: TemplateSet;
  readonly names: readonly string[];
  /** Builds the templates' data; `copied` if templates may modify it. */
  readonly data: (options: { copied: boolean }) => Typed;
  readonly nativeSidecars: boolean;
  readonly behaviours: Pick<
    Behaviours,
    "nativeAnnotation" | "nativeSidecars" | "containerRestartPolicy" | "tellsYamlErrors"
  >;
  readonly guard: GuardOptions;
  readonly budget: Budget;
  readonly trace?: InjectionTrace;
}

export interface Rendered {
  readonly pod: Pod;
  /** The templates' part alone. */
  readonly template: Pod;
}

const EMPTY_POD = normalise("Pod", {}) as unknown as Pod;

/** Returns the templates of a pod: those it requests, or else the config's, with aliases expanded. */
export function selectTemplates(
  pod: Pod,
  { defaults, aliases }: {
    defaults: readonly string[];
    aliases: Readonly<Record<string, readonly string[]>>;
  },
): string[] {
  const asked = lookup(pod.metadata.annotations, TEMPLATES);
  const names = asked === undefined ? defaults : asked.split(",").map(trimSpace);
  return names.flatMap((name) => Object.hasOwn(aliases, name) ? aliases[name] : [name]);
}

export function renderTemplates(original: Pod, options: RenderOptions): Rendered {
  let pod = original;
  let template = EMPTY_POD;
  for (const name of options.names) {
    let overlay = renderOverlay(name, options);
    const memo = options.templates.get(name)?.shapes?.normal;
    if (overlay && !options.behaviours.containerRestartPolicy) overlay = withoutRestarts(overlay);
    const intoTemplate = () => {
      const prefix = "failed applying injection overlay: ";
      template = applyOverlay(template, overlay, { prefix, memo });
    };
    const intoPod = () => {
      pod = moveNativeSidecar(pod, template, options);
      const prefix =
        "failed parsing generated injected YAML (check Istio sidecar injector configuration): ";
      pod = applyOverlay(pod, overlay, { prefix, memo });
    };
    // Without native sidecars Istio merges into the pod first, which affects only errors.
    const steps = [intoTemplate, intoPod];
    for (const step of options.behaviours.nativeSidecars ? steps : steps.reverse()) step();
    options.trace?.stage?.("template", pod);
  }
  return { pod, template };
}

function renderOverlay(
  name: string,
  { templates, data, behaviours, guard, budget, trace }: RenderOptions,
): Overlay | undefined {
  const compiled = templates.get(name);
  if (!compiled) {
    throw new InjectionError(
      "unknown_template",
      `requested template ${quote(name)} not found; have ${templates.names.join(", ")}`,
    );
  }
  const { mutates, shapes } = compiled;
  const dot = data({ copied: mutates });
  try {
    trace?.data?.(dot);
    spendOnTemplate(name, budget);
    const rendered = compiled.render(dot, budget);
    const { output } = rendered;
    if (trace !== undefined) trace.rendered?.(name, output.text);
    const parse = () => {
      spendOnOutput(name, output.text, budget);
      guardStructure(rendered, guard);
      return parseOverlay(output.text, behaviours);
    };
    return shapes === undefined ? parse() : shapes.overlay(output, parse);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    throw new InjectionError("template", error.message, { cause: error });
  }
}

/** Parses a rendered text; returns `undefined` if it is not a document that can be merged. */
function parseOverlay(
  text: string,
  { tellsYamlErrors }: Pick<Behaviours, "tellsYamlErrors">,
): Overlay | undefined {
  let document: unknown;
  try {
    document = parseYaml(text);
  } catch (cause) {
    if (!(cause instanceof YamlError)) throw cause;
    if (!tellsYamlErrors) return undefined;
    throw new InjectionError("overlay", `yaml to json: ${cause.original}`, { cause });
  }
  if (document === null || document === undefined) return {};
  return typeof document === "object" && !Array.isArray(document) ? document as Overlay : undefined;
}

/** Removes what old Kubernetes did not support: a restart policy per container. */
function withoutRestarts(overlay: Overlay): Overlay {
  const { spec } = overlay;
  if (typeof spec !== "object" || spec === null) return overlay;
  const lists = Object.entries(spec).map(([key, list]) => {
    if (!/^(c|initC)ontainers$/.test(key) || !Array.isArray(list)) return [key, list];
    const kept = list.map((container) => {
      if (typeof container !== "object" || container === null) return container;
      const { restartPolicy: _, ...rest } = container;
      return rest;
    });
    return [key, kept];
  });
  return { ...overlay, spec: Object.fromEntries(lists) };
}

function applyOverlay(
  pod: Pod,
  overlay: Overlay | undefined,
  { prefix, memo }: { prefix: string; memo: NormaliseMemo | undefined },
): Pod {
  const fail = (message: string, cause?: unknown): never => {
    throw new InjectionError("overlay", prefix + message, { cause });
  };
  if (!overlay) return fail("strategic merge: invalid JSON document");
  let merged: unknown;
  try {
    merged = strategicMerge(pod, overlay, "Pod");
  } catch (error) {
    fail(`strategic merge: ${(error as Error).message}`, error);
  }
  try {
    return normalise("Pod", merged, { known: pod, memo }) as unknown as Pod;
  } catch (error) {
    return fail(
      `unmarshal patched pod: ${firstMistake(merged) ?? (error as Error).message}`,
      error,
    );
  }
}

/** Returns the first mistake as Go reports it: in the order of sorted keys. */
function firstMistake(merged: unknown): string | undefined {
  try {
    normalise("Pod", JSON.parse(encodeJson(merged)));
  } catch (error) {
    return (error as Error).message;
  }
}

/**
 * Moves a user's istio-proxy to the init containers if the template has a native sidecar, so that the two
 * can merge.
 */
function moveNativeSidecar(pod: Pod, template: Pod, options: RenderOptions): Pod {
  const own = options.behaviours.nativeAnnotation
    ? lookup(pod.metadata.annotations, NATIVE_SIDECAR)
    : undefined;
  const native = own === "true" || (own !== "false" && options.nativeSidecars);
  const sidecar = findContainer(pod, "containers", PROXY_CONTAINER);
  if (!native || !sidecar || !findContainer(template, "initContainers", PROXY_CONTAINER)) {
    return pod;
  }
  return withSpec(pod, {
    // Only the first: a second one with that name is the user's mistake, and must remain visible.
    containers: containersOf(pod, "containers").filter((container) => container !== sidecar),
    initContainers: [...containersOf(pod, "initContainers"), sidecar],
  });
}
