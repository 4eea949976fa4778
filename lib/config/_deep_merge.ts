/**
 * Merges messages as `proto.Merge` does, on canonical JSON: set scalars override, lists are concatenated,
 * maps are merged by key, and messages field by field. Istio 1.13 to 1.15 merged proxy configs this way.
 */
import { parseDuration } from "../go/time.ts";
import type { MeshField, MeshMessage } from "./mesh_schema.ts";
import { durationText, type MessageJson } from "./proto_json.ts";

const SECOND = 1_000_000_000n;

export function deepMerge(
  message: MeshMessage,
  { base, over }: { base: MessageJson; over: MessageJson },
): MessageJson {
  const merged: Record<string, unknown> = { ...base };
  for (const field of message.fields) {
    const { json, oneof } = field;
    if (!Object.hasOwn(over, json)) continue;
    const others = message.fields.filter((other) =>
      oneof && other.oneof === oneof && other !== field
    );
    for (const other of others) delete merged[other.json];
    merged[json] = Object.hasOwn(base, json)
      ? mergeField(field, base[json], over[json])
      : over[json];
  }
  return merged;
}

function mergeField({ type }: MeshField, base: unknown, over: unknown): unknown {
  switch (type.kind) {
    case "message":
      return deepMerge(type.message, { base: base as MessageJson, over: over as MessageJson });
    case "list":
      return [...base as unknown[], ...over as unknown[]];
    case "map":
      return { ...base as object, ...over as object };
    case "wrapper":
      // A wrapper has a single field, and a zero counts as unset.
      return over || base;
    case "duration":
      return mergeDurations(base as string, over as string);
    default:
      return over;
  }
}

/** Merges durations as messages: non-zero seconds and nanoseconds each override. */
function mergeDurations(base: string, over: string): string {
  const [below, above] = [parseDuration(base), parseDuration(over)];
  const seconds = above / SECOND || below / SECOND;
  return durationText(seconds * SECOND + (above % SECOND || below % SECOND));
}
