/**
 * Decodes the body of a watch response, one JSON event per line. An ERROR event is thrown like any other
 * refusal.
 */

import { isMap } from "../data/map.ts";
import { type ClientResponse, joinBytes } from "../host/mod.ts";
import { ApiError, refusal } from "./api_error.ts";
import type { KubeObject } from "./client.ts";

export type WatchEvent =
  | { readonly type: "added" | "modified" | "deleted"; readonly object: KubeObject }
  /** No object changed up to this resource version. */
  | { readonly type: "bookmark"; readonly resourceVersion: string };

/** etcd limits objects to 1.5 MiB, and JSON can escape one character with six. */
const MAX_LINE_BYTES = 10 * 1024 * 1024;

const NEWLINE = 10;

export interface WatchEventsOptions {
  /** What failed, for error messages: `watch Nodes of context "c"`. */
  readonly action: string;
  readonly silenceMs: number;
}

export async function* watchEvents(
  response: Pick<ClientResponse, "chunks">,
  { action, silenceMs }: WatchEventsOptions,
): AsyncGenerator<WatchEvent> {
  const unusable = (reason: string, cause?: unknown) =>
    new ApiError("bad_response", `Cannot ${action}: bad response: ${reason}`, { cause });
  for await (const line of lines(response.chunks({ silenceMs }), unusable)) {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch (cause) {
      throw unusable("not JSON", cause);
    }
    yield eventOf(value, { action, unusable });
  }
}

type Unusable = (reason: string, cause?: unknown) => ApiError;

function eventOf(
  value: unknown,
  { action, unusable }: { readonly action: string; readonly unusable: Unusable },
): WatchEvent {
  if (!isMap(value) || !isMap(value.object)) throw unusable("not a watch event");
  const { type, object } = value;
  if (type === "ERROR") {
    const status = typeof object.code === "number" ? object.code : 0;
    throw refusal(action, { status, body: JSON.stringify(object) });
  }
  if (!isMap(object.metadata)) throw unusable("an object has no metadata");
  switch (type) {
    case "ADDED":
    case "MODIFIED":
    case "DELETED":
      return {
        type: type.toLowerCase() as "added" | "modified" | "deleted",
        object: object as KubeObject,
      };
    case "BOOKMARK": {
      const { resourceVersion } = object.metadata;
      return {
        type: "bookmark",
        resourceVersion: typeof resourceVersion === "string" ? resourceVersion : "",
      };
    }
    default:
      throw unusable(`unknown event type ${JSON.stringify(String(type).slice(0, 40))}`);
  }
}

/** Splits the body into lines. Text after the last newline is an incomplete line and is dropped. */
async function* lines(
  chunks: AsyncIterable<Uint8Array>,
  unusable: Unusable,
): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let begun: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    for (let from = 0; from < chunk.length;) {
      const newline = chunk.indexOf(NEWLINE, from);
      const end = newline < 0 ? chunk.length : newline;
      length += end - from;
      if (length > MAX_LINE_BYTES) throw unusable(`a line exceeds ${MAX_LINE_BYTES} bytes`);
      begun.push(chunk.subarray(from, end));
      from = end + 1;
      if (newline < 0) break;
      const line = joinBytes(begun);
      begun = [];
      length = 0;
      if (line.length > 0) yield decoded(line, decoder, unusable);
    }
  }
}

function decoded(line: Uint8Array, decoder: TextDecoder, unusable: Unusable): string {
  try {
    return decoder.decode(line);
  } catch (cause) {
    throw unusable("not UTF-8", cause);
  }
}
