/** Sprig's encodings: base64, base32 and JSON. Functions without `must` hide most errors. */

import { decodeBase64 } from "../_base64.ts";
import { fromBytes, toBytes } from "../../data/bytes.ts";
import { decodeJson, decodeJsonLeniently, encodeJson, type EncodeJsonOptions } from "../json.ts";
import { type FunctionMap, goFunction, recover } from "../value.ts";
import { decodeBase32, encodeBase32 } from "./_base32.ts";

const PRETTY: EncodeJsonOptions = { indent: "  " };
const RAW: EncodeJsonOptions = { escapeHtml: false };

export const encodingFunctions: FunctionMap = {
  b64enc: goFunction("string", (text: string) => toBytes(text).toBase64()),
  b64dec: goFunction("string", (text: string) => orErrorText(() => decodeBase64(toBytes(text)))),
  b32enc: goFunction("string", (text: string) => encodeBase32(toBytes(text))),
  b32dec: goFunction("string", (text: string) => orErrorText(() => decodeBase32(toBytes(text)))),
  toJson: goFunction("any", (value: unknown) => orEmpty(value, {})),
  mustToJson: goFunction("any", (value: unknown) => encodeJson(value)),
  toPrettyJson: goFunction("any", (value: unknown) => orEmpty(value, PRETTY)),
  mustToPrettyJson: goFunction("any", (value: unknown) => encodeJson(value, PRETTY)),
  // Unlike the two above, this one panics.
  toRawJson: goFunction("any", (value: unknown) => encodeJson(value, RAW)),
  mustToRawJson: goFunction("any", (value: unknown) => encodeJson(value, RAW)),
  fromJson: goFunction("string", (text: string) => decodeJsonLeniently(text).value),
  mustFromJson: goFunction("string", (text: string) => decodeJson(text)),
};

/** Returns decoded text, or the text of the error. */
function orErrorText(decode: () => Uint8Array): string {
  return recover(() => fromBytes(decode()), (error) => error.message);
}

function orEmpty(value: unknown, options: EncodeJsonOptions): string {
  return recover(() => encodeJson(value, options), () => "");
}
