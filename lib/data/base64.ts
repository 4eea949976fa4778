/** Text in base64, as Kubernetes keeps PEM and credentials in objects. */

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Returns the base64 of a text in UTF-8. */
export function encodeBase64(text: string): string {
  return encoder.encode(text).toBase64();
}

/** Returns the text that base64 encodes. Throws a SyntaxError if it is not base64. */
export function decodeBase64(base64: string): string {
  return decoder.decode(Uint8Array.fromBase64(base64));
}
