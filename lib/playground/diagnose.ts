/**
 * Maps errors to positions in the input. Messages are kept whole, so that users can search for
 * them.
 */
import { ConfigError } from "../config/mod.ts";
import { YamlError, yamlPlaces } from "../yaml/mod.ts";
import { TemplateError } from "../go/template/mod.ts";
import { type ConfigText, lineAt } from "./config_text.ts";
import type { Diagnostic, Source } from "./protocol.ts";

/** Returns the first error of a class in a chain of causes. */
export function causeOf<T extends Error>(
  error: unknown,
  kind: new (...args: never[]) => T,
): T | undefined {
  let at = error;
  for (let depth = 0; at instanceof Error && depth < 20; depth++, at = at.cause) {
    if (at instanceof kind) return at;
  }
  return undefined;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Builds a diagnostic for an error in the config, values or mesh config. */
export function configDiagnostic(
  error: unknown,
  { source, text }: { source: Source; text: string },
): Diagnostic {
  const message = messageOf(error);
  const yaml = causeOf(error, YamlError);
  if (yaml !== undefined && yaml.line > 0) {
    return { source, severity: "error", line: yaml.line, column: yaml.column, message };
  }
  const key = causeOf(error, ConfigError) && /key "([^"]+)"/.exec(message)?.[1];
  const place = key === undefined
    ? undefined
    : yamlPlaces(text).find(({ path }) => path.join(".") === key);
  const line = place === undefined ? 1 : lineAt(text, place.keyStart);
  return { source, severity: "error", line, column: 1, message };
}

/** Builds a diagnostic for a template error; `undefined` for other errors. */
export function templateDiagnostic(
  error: unknown,
  { config, names }: { config: ConfigText; names: readonly string[] },
): Diagnostic | undefined {
  const failed = causeOf(error, TemplateError);
  if (failed === undefined) return undefined;
  const { place } = failed;
  // In Istio's errors all templates have the same name; the line itself identifies the template.
  const isThere = (name: string) =>
    place !== undefined &&
    config.templates.get(name)?.split("\n")[place.line - 1] === place.sourceLine;
  const start = config.placeOf(
    names.find(isThere) ?? [...config.templates.keys()].find(isThere) ?? "",
  );
  return {
    source: "config",
    severity: "error",
    line: place && start ? start.line + place.line - 1 : 1,
    column: place && start ? start.indent + (place.column ?? 1) : 1,
    message: failed.message,
  };
}

/**
 * Builds a diagnostic for an error about one object of the manifest: at the annotation it names, or
 * else at the object's start.
 */
export function objectDiagnostic(
  error: unknown,
  { manifest, line }: { manifest: string; line: number },
): Diagnostic {
  const message = messageOf(error);
  const found = { source: "manifest", severity: "error", message } as const;
  const annotation = /[\w.-]+\.io\/[\w.-]*\w/.exec(message)?.[0];
  if (annotation !== undefined) {
    const lines = manifest.split("\n");
    for (let index = line - 1; index < lines.length && !/^---(\s|$)/.test(lines[index]); index++) {
      const column = lines[index].indexOf(annotation);
      if (column >= 0) return { ...found, line: index + 1, column: column + 1 };
    }
  }
  return { ...found, line, column: 1 };
}
