/**
 * Merges a parsed text into a message: each top-level field in the text replaces the message's field
 * entirely, including explicit zeros and empty lists. Null and absent fields keep the base value.
 */
import type { MeshField, MeshMessage } from "./mesh_schema.ts";
import { decodeProtoJson, type MessageJson } from "./proto_json.ts";

/**
 * Returns `base` with the user-written fields of `value` applied. Throws a `ProtoJsonError` if a field
 * cannot hold its value. The base is not changed; the result shares parts with it.
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

/** Reports whether a field is set. The camelCase spelling wins, even if it is null. */
function isGiven({ json, proto }: MeshField, value: MessageJson): boolean {
  if (Object.hasOwn(value, json)) return value[json] !== null;
  return Object.hasOwn(value, proto) && value[proto] !== null;
}
