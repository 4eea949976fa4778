/**
 * What is on the page as the part of its address after `#`, which browsers send to nobody: JSON, deflated,
 * in base64url. A text that is as shipped is left out. Links come from anyone, so reading one is bounded and
 * checked.
 */
import { checkRequest, MAX_TEXT, type PlayRequest, type Shipped, SOURCES } from "../protocol.ts";

/** In front of each link, so that another form can be told from this one. */
const FORM = "1.";

/** Deflated text of a megabyte that is not made to deceive; most links have a hundredth of it. */
const MAX_LINK = 512 * 1024;

export async function writeLink(request: PlayRequest, shipped: Shipped): Promise<string> {
  const kept = Object.entries(request).filter(([key, value]) =>
    (shipped as Record<string, unknown>)[key] !== value
  );
  const json = new TextEncoder().encode(JSON.stringify(Object.fromEntries(kept)));
  const packed = await collect(through(json, new CompressionStream("deflate-raw")), Infinity);
  return FORM + packed.toBase64({ alphabet: "base64url", omitPadding: true });
}

/** `undefined` for no link; throws an Error that says what is wrong with one. */
export async function readLink(hash: string, shipped: Shipped): Promise<PlayRequest | undefined> {
  const text = hash.replace(/^#/, "");
  if (text === "" || !/^\d+\./.test(text)) return undefined;
  if (!text.startsWith(FORM)) throw new Error("it is of another version of this page");
  if (text.length > MAX_LINK) throw new Error(`it is longer than ${MAX_LINK} characters`);
  const packed = Uint8Array.fromBase64(text.slice(FORM.length), { alphabet: "base64url" });
  // A character takes three bytes of UTF-8 at most.
  const stream = through(packed, new DecompressionStream("deflate-raw"));
  const json = new TextDecoder("utf-8", { fatal: true }).decode(
    await collect(stream, 3 * MAX_TEXT),
  );
  const given: unknown = JSON.parse(json);
  if (typeof given !== "object" || given === null) throw new Error("it holds no object");
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

/** A few bytes can inflate to gigabytes: reading ends past the limit. */
async function collect(stream: ReadableStream<Uint8Array>, limit: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for (const reader = stream.getReader();;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > limit) {
      await reader.cancel();
      throw new Error(`it holds more than ${limit} bytes`);
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
