/**
 * Encodes the page's state in the URL fragment, which browsers do not send to servers: deflated
 * JSON in base64url, without the bundled texts. Links may come from anyone, so decoding is bounded
 * and validated.
 */
import { checkRequest, MAX_TEXT, type PlayRequest, type Shipped, SOURCES } from "../protocol.ts";

/** The version prefix of a link. */
const FORM = "1.";

/**
 * The maximum length of a link: a megabyte of ordinary text, deflated. Most links are a hundredth
 * of that.
 */
const MAX_LINK = 512 * 1024;

export async function writeLink(request: PlayRequest, shipped: Shipped): Promise<string> {
  const kept = Object.entries(request).filter(([key, value]) =>
    (shipped as Record<string, unknown>)[key] !== value
  );
  const json = new TextEncoder().encode(JSON.stringify(Object.fromEntries(kept)));
  const packed = await collect(through(json, new CompressionStream("deflate-raw")), Infinity);
  return FORM + packed.toBase64({ alphabet: "base64url", omitPadding: true });
}

/** Decodes a link; returns `undefined` if there is none. Throws an Error if it is not valid. */
export async function readLink(hash: string, shipped: Shipped): Promise<PlayRequest | undefined> {
  const text = hash.replace(/^#/, "");
  if (text === "" || !/^\d+\./.test(text)) return undefined;
  if (!text.startsWith(FORM)) throw new Error("it was created by another version of this page");
  if (text.length > MAX_LINK) throw new Error(`it exceeds ${MAX_LINK} characters`);
  const packed = Uint8Array.fromBase64(text.slice(FORM.length), { alphabet: "base64url" });
  // A UTF-16 unit takes at most three bytes of UTF-8.
  const stream = through(packed, new DecompressionStream("deflate-raw"));
  const json = new TextDecoder("utf-8", { fatal: true }).decode(
    await collect(stream, 3 * MAX_TEXT),
  );
  const given: unknown = JSON.parse(json);
  if (typeof given !== "object" || given === null) throw new Error("it does not contain an object");
  const texts = SOURCES.filter((source) => Object.hasOwn(given, source))
    .map((source) => [source, (given as Record<string, unknown>)[source]]);
  const settings = Object.hasOwn(given, "settings") ? (given as PlayRequest).settings : undefined;
  return checkRequest({ ...shipped, ...Object.fromEntries(texts), settings });
}

function through(bytes: Uint8Array, stream: GenericTransformStream): ReadableStream<Uint8Array> {
  return new Blob([bytes as BlobPart]).stream().pipeThrough(
    stream as ReadableWritablePair<Uint8Array, Uint8Array>,
  );
}

interface GenericTransformStream {
  readonly readable: ReadableStream;
  readonly writable: WritableStream;
}

/** Reads a stream up to a limit, because a few bytes can inflate to gigabytes. */
async function collect(stream: ReadableStream<Uint8Array>, limit: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for (const reader = stream.getReader();;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > limit) {
      await reader.cancel();
      throw new Error(`its content exceeds ${limit} bytes`);
    }
    parts.push(value);
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
