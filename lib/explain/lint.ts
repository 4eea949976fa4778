/**
 * Finds problems of an injection config before a pod meets them: in the config itself, in the names
 * that its templates use, and by injecting ordinary pods and pods with unusual but valid values.
 */
import { ConfigError, parseMeshConfig, parseValues } from "../config/mod.ts";
import { YamlError } from "../yaml/mod.ts";
import { configAround, type InjectorSettings, isBareTemplate } from "../inject/mod.ts";
import { lintConfig } from "./_lint_config.ts";
import { lintRuns } from "./_lint_runs.ts";
import { lintTemplate } from "./_lint_template.ts";
import type { TemplateCoverage } from "./_coverage.ts";

export type { BranchCoverage, TemplateCoverage } from "./_coverage.ts";

/**
 * How serious a finding is. Errors break pods or the config, warnings may, infos are worth knowing.
 */
export type Severity = "error" | "warning" | "info";

export type FindingId =
  | "config_unreadable"
  | "values_unreadable"
  | "mesh_unreadable"
  | "policy_illegal"
  | "selector_invalid"
  | "selector_empty"
  | "unknown_template"
  | "no_templates"
  | "deprecated"
  | "template_syntax"
  | "unknown_function"
  | "unknown_field"
  | "unknown_values_key"
  | "not_repeatable"
  | "render_failed"
  | "overlay_invalid"
  | "structure_changed"
  | "breaks_on_value"
  | "changes_with_value"
  | "unquoted"
  | "branch_never_taken"
  | "not_for_pods";

export interface Finding {
  readonly severity: Severity;
  readonly id: FindingId;
  /** The file's path, as given. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** The affected line. */
  readonly sourceLine: string;
  /** The template's name. */
  readonly template?: string;
  /** The problem, as a sentence. */
  readonly message: string;
  /** The fix, as a sentence. */
  readonly fix: string;
}

export interface LintRequest {
  /** An injection config, or a single template. */
  readonly config: string;
  /** Absent if unknown; then keys are not checked. */
  readonly values?: string;
  readonly mesh?: string;
  /** File names, for findings. */
  readonly files?: { readonly config?: string; readonly values?: string; readonly mesh?: string };
}

export interface LintReport {
  readonly findings: readonly Finding[];
  readonly coverage: readonly TemplateCoverage[];
  /** The number of injections tried. */
  readonly tried: number;
}

/**
 * Lints a config and its templates.
 * @example
 * ```ts
 * lint({ config: "templates: {sidecar: '{{ nope }}'}" }, { sprig }).findings[1].id; // unknown_function
 * ```
 */
export function lint(request: LintRequest, options: InjectorSettings): LintReport {
  const isBare = isBareTemplate(request.config);
  const text = isBare ? configAround(request.config) : request.config;
  const files = { config: "config", values: "values", mesh: "mesh", ...request.files };
  const findings: Finding[] = [];
  let tried = 0;
  let coverage: readonly TemplateCoverage[] = [];
  const values = readable(() => parseValues(request.values ?? "").untyped, {
    id: "values_unreadable",
    file: files.values,
    text: request.values ?? "",
    findings,
  });
  readable(() => parseMeshConfig(request.mesh ?? ""), {
    id: "mesh_unreadable",
    file: files.mesh,
    text: request.mesh ?? "",
    findings,
  });
  const config = readable(() => lintConfig(text, { file: files.config, isBare }), {
    id: "config_unreadable",
    file: files.config,
    text,
    findings,
  });
  if (config !== undefined) {
    findings.push(...config.findings);
    const templates = config.templates.map((template) =>
      lintTemplate(template, {
        file: files.config,
        places: config.places,
        values: request.values === undefined ? undefined : values,
        options,
      })
    );
    findings.push(...templates.flatMap((template) => template.findings));
    // Templates that do not compile cannot be run.
    const canRun = values !== undefined && templates.length > 0 &&
      templates.every(({ facts }) => facts !== undefined) && !hasErrors(findings, "unreadable");
    if (canRun) {
      const runs = lintRuns(templates.filter(({ isForPods }) => isForPods), {
        file: files.config,
        places: config.places,
        sources: {
          config: config.runnable,
          values: request.values ?? "",
          mesh: request.mesh ?? "",
        },
        options,
      });
      findings.push(...runs.findings);
      ({ coverage, tried } = runs);
    }
  }
  const rank = { error: 0, warning: 1, info: 2 };
  return {
    findings: findings.toSorted((a, b) =>
      rank[a.severity] - rank[b.severity] || a.line - b.line || a.column - b.column
    ),
    coverage,
    tried,
  };
}

function hasErrors(findings: readonly Finding[], part: string): boolean {
  return findings.some(({ severity, id }) => severity === "error" && id.includes(part));
}

/** Calls a reader; on a ConfigError, adds a finding and returns `undefined`. */
function readable<T>(
  read: () => T,
  { id, file, text, findings }: {
    id: "config_unreadable" | "values_unreadable" | "mesh_unreadable";
    file: string;
    text: string;
    findings: Finding[];
  },
): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    let cause: unknown = error;
    while (cause instanceof Error && !(cause instanceof YamlError)) cause = cause.cause;
    const { line, column } = cause instanceof YamlError ? cause : { line: 1, column: 1 };
    const sourceLine = text.split("\n")[line - 1] ?? "";
    const message = `${error.message}.`;
    const fix = "The injector would reject it and keep the previous one.";
    findings.push({ severity: "error", id, file, line, column, sourceLine, message, fix });
    return undefined;
  }
}
