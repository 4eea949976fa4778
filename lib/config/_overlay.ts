/**
 * Reading a text over a message: each top-level field that the text gives replaces the message's own
 * wholly, explicit zeros and empty lists included; null and absent fields leave it.
 */
import type { MeshField, MeshMessage } from "./mesh_schema.ts";
import { decodeProtoJson, type MessageJson } from "./proto_json.ts";

/**
 * The message with the fields of `value` (as people write it) over it. Throws a `ProtoJsonError` for a
 * value that a field cannot take. The base is not changed; the result shares parts with it.
 */
export function overlayMessage(
  message: MeshMessage,
  { base, value }: { base: MessageJson; value: unknown },
): MessageJson {
  const decoded = decodeProtoJson(message, value);
  if (typeof value !== "object" || value === null) return base;
  const out: Record<string, unknown> = { ...base };
  for (const field of message.fields) {
    if (!isGiven(field, value as MessageJson)) continue;
    if (field.oneof !== undefined) {
      for (const other of message.fields) {
        if (other.oneof === field.oneof) delete out[other.json];
      }
    }
    if (Object.hasOwn(decoded, field.json)) out[field.json] = decoded[field.json];
    else delete out[field.json];
  }
  return out;
}

/** camelCase wins, even if it is null. */
function isGiven({ json, proto }: MeshField, value: MessageJson): boolean {
  if (Object.hasOwn(value, json)) return value[json] !== null;
  return Object.hasOwn(value, proto) && value[proto] !== null;
}
