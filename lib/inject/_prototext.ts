/**
 * Formats messages like their `String` method, which is what a template prints for `{{ .ProxyConfig }}`.
 * Go's library separates fields by one or two spaces, depending on the build; here it is one.
 */
import type { MeshMessage, MeshType } from "../config/mesh_schema.ts";
import { type MessageJson } from "../config/proto_json.ts";
import { compareStrings } from "../data/bytes.ts";
import { encodeJson } from "../go/json.ts";
import { parseDuration } from "../go/time.ts";

/** Formats fields in declaration order, by their proto names. */
export function prototext(message: MeshMessage, json: MessageJson): string {
  const parts: string[] = [];
  for (const { json: key, proto, type } of message.fields) {
    if (!Object.hasOwn(json, key)) continue;
    const value = json[key];
    if (type.kind === "list") {
      for (const item of value as unknown[]) parts.push(`${proto}:${text(type.elem, item)}`);
    } else if (type.kind === "map") {
      const entries = value as Readonly<Record<string, unknown>>;
      for (const name of Object.keys(entries).sort(compareStrings)) {
        const item = text(type.elem, entries[name]);
        parts.push(`${proto}:{key:${quoted(name)} value:${item}}`);
      }
    } else {
      parts.push(`${proto}:${text(type, value)}`);
    }
  }
  return parts.join(" ");
}

function text(type: MeshType, value: unknown): string {
  switch (type.kind) {
    case "string":
      return quoted(value as string);
    case "message":
      return `{${prototext(type.message, value as MessageJson)}}`;
    case "wrapper":
      return value ? `{value:${value}}` : "{}";
    case "duration": {
      const ns = parseDuration(value as string);
      const parts = [["seconds", ns / 1_000_000_000n], ["nanos", ns % 1_000_000_000n]];
      return `{${parts.filter(([, n]) => n !== 0n).map(([name, n]) => `${name}:${n}`).join(" ")}}`;
    }
    case "struct":
      return `{${encodeJson(value)}}`;
    default:
      return String(value);
  }
}

/** Quotes as prototext does, which leaves characters past ASCII alone, printable or not. */
function quoted(value: string): string {
  // deno-lint-ignore no-control-regex -- it escapes control characters
  return `"${value.replace(/[\\"\0-\x1f\x7f]/g, (char) => ESCAPES.get(char) ?? hexEscape(char))}"`;
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ["\\", "\\\\"],
  ['"', '\\"'],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
]);

function hexEscape(char: string): string {
  return `\\x${char.charCodeAt(0).toString(16).padStart(2, "0")}`;
}
