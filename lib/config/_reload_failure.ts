/**
 * What is wrong with a configuration, and where: the file or ConfigMap key, with line and column. Template
 * errors count lines from the start of the template, so they are mapped to the line in the whole file.
 */

import { YamlError } from "../yaml/mod.ts";
import { TemplateError } from "../go/template/mod.ts";
import { ConfigError } from "./config_error.ts";
import { parseInjectionConfig } from "./injection_config.ts";
import { parseValues } from "./values.ts";
import type { ConfigTexts, SourceName, SourcePlace } from "./reload.ts";

interface Place extends SourcePlace {
  /** Both start at 1. */
  readonly line?: number;
  readonly column?: number;
}

export class ConfigFailure extends Error {
  override readonly name = "ConfigFailure";
  readonly code = "bad_config";
  readonly place: Place;

  constructor(message: string, options: { place: Place; cause?: unknown }) {
    super(message, { cause: options.cause });
    this.place = options.place;
  }

  /** Returns the failure with the version still being served appended to its message. */
  whileServing(version: string): ConfigFailure {
    const { place, cause } = this;
    return new ConfigFailure(`${this.message}; still serving version ${version}`, { place, cause });
  }
}

export interface FailureContext {
  readonly texts: ConfigTexts;
  readonly places: Readonly<Partial<Record<SourceName, SourcePlace>>>;
}

export function describeFailure(error: unknown, context: FailureContext): ConfigFailure {
  if (error instanceof ConfigFailure) return error;
  const reason = error instanceof Error ? error.message : String(error);
  const place = placeOf(error, context);
  const source = textOf(place);
  if (source === undefined) return new ConfigFailure(reason, { place, cause: error });
  const at = [place.line, place.column].filter((number) => number !== undefined).join(":");
  const where = `${source}${at && ` at ${at}`}`;
  // The source's name already says what was read; keep only the reason.
  const why = reason.replace(/^Cannot read [a-z ]+(?:, line \d+, column \d+)?: /, "");
  return new ConfigFailure(`Cannot load ${where}: ${why}`, { place, cause: error });
}

function textOf({ file, configMap, key }: SourcePlace): string | undefined {
  if (configMap === undefined) return file === undefined ? undefined : JSON.stringify(file);
  const map = `ConfigMap ${JSON.stringify(configMap)}`;
  return key === undefined ? map : `key ${JSON.stringify(key)} of ${map}`;
}

function placeOf(error: unknown, { texts, places }: FailureContext): Place {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at instanceof TemplateError) {
      return { ...places.config, ...lineInText(texts.config, at) };
    }
    if (at instanceof ConfigError) {
      const { line, column } = at.cause instanceof YamlError ? at.cause : {};
      return { ...places[sourceOf(texts)], line, column };
    }
  }
  return {};
}

/** Returns the text that fails to parse, by parsing each one. */
function sourceOf({ config, values }: ConfigTexts): SourceName {
  if (!reads(() => parseInjectionConfig(config))) return "config";
  return reads(() => parseValues(values)) ? "mesh" : "values";
}

function reads(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}

/** Locates the failing line by its content. Returns nothing if the line is not unique. */
function lineInText(config: string, { place }: TemplateError): Pick<Place, "line" | "column"> {
  const wanted = place?.sourceLine.trim() ?? "";
  if (place === undefined || wanted === "") return {};
  const lines = config.split("\n");
  const where = (fits: (line: string) => boolean) =>
    [...lines.keys()].filter((index) => fits(lines[index]));
  const exact = where((line) => line.trim() === wanted);
  const found = exact.length > 0 ? exact : where((line) => line.includes(wanted));
  if (found.length !== 1) return {};
  const shift = lines[found[0]].indexOf(wanted) - place.sourceLine.indexOf(wanted);
  const column = place.column === undefined ? undefined : place.column + shift;
  return { line: found[0] + 1, ...(column === undefined ? {} : { column }) };
}
