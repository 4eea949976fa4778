/**
 * Redacts proxy configs by the schema of Istio's messages: enums, durations, numbers and booleans
 * are kept, strings become placeholders. So a template prints as many variables as before.
 */

import { MESH_SCHEMA, type MeshMessage, type MeshType } from "../config/mesh_schema.ts";
import { isMap } from "../data/map.ts";
import { parseYaml, YamlError } from "../yaml/mod.ts";
import { blank, type Json, mapValues, REDACTED } from "./_redact_fields.ts";

/** Strings that select images and variables. */
const KEPT: ReadonlySet<string> = new Set(["imageType"]);

const DURATION = /^-?\d{1,12}(?:\.\d{1,9})?(?:ns|us|ms|s|m|h)$/;
const NUMBER = /^-?\d{1,20}$/;
/** Istio requires addresses to have a port. */
const ADDRESS = /^[^\s/]+:(\d{1,5})$/;

/** Redacts the annotation's text, JSON or YAML, as JSON. Invalid text stays invalid. */
export function redactProxyConfigText(text: string): string {
  try {
    const config = parseYaml(text);
    // Empty text is valid and means no config.
    if (config === null || config === undefined) return "";
    return isMap(config) ? JSON.stringify(redactProxyConfig(config)) : REDACTED;
  } catch (error) {
    if (error instanceof YamlError) return `{${REDACTED}`;
    throw error;
  }
}

export function redactProxyConfig(config: Json): Json {
  return redactMessage(MESH_SCHEMA.proxyConfig, config, 0);
}

/**
 * Redacts a message. Messages nest about five levels deep; recursion ends with a message's fields.
 */
function redactMessage(message: MeshMessage, map: Json, depth: number): Json {
  return mapValues(map, (value, key) => {
    const field = message.fields.find(({ json, proto }) => json === key || proto === key);
    if (field === undefined) return redactUnknown(value, depth);
    return KEPT.has(field.json) ? value : redactValue(field.type, value, depth + 1);
  });
}

function redactValue(type: MeshType, value: unknown, depth: number): unknown {
  switch (type.kind) {
    case "message":
      return isMap(value) ? redactMessage(type.message, value, depth) : blank(value);
    case "list":
      return Array.isArray(value)
        ? value.map((item) => redactValue(type.elem, item, depth))
        : blank(value);
    case "map":
      return isMap(value)
        ? mapValues(value, (item) => redactValue(type.elem, item, depth))
        : blank(value);
    case "enum":
      return typeof value === "number" || type.enum.numbers.has(String(value))
        ? value
        : blank(value);
    case "string":
      return typeof value === "string" ? redactText(value) : blank(value);
    case "struct":
      return blank(value);
    default:
      return redactUnknown(value, depth);
  }
}

/** Keeps a value that reveals little: a number, a boolean or a duration, whatever the field. */
function redactUnknown(value: unknown, depth: number): unknown {
  if (typeof value === "number") return value;
  const isPlain = typeof value === "string" && (DURATION.test(value) || NUMBER.test(value));
  return isPlain ? value : blank(value, depth);
}

function redactText(text: string): string {
  if (text === "" || text === "true" || text === "false") return text;
  const [, port] = ADDRESS.exec(text) ?? [];
  return port === undefined ? REDACTED : `${REDACTED}:${port}`;
}
