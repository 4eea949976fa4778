/** Sprig's encodings: base64, base32 and JSON. Those without `must` swallow errors in odd ways. */

import { decodeBase64, encodeBase64 } from "../_base64.ts";
import { fromBytes, toBytes } from "../bytes.ts";
import { decodeJson, decodeJsonLeniently, encodeJson, type EncodeJsonOptions } from "../json.ts";
import { FunctionError, type FunctionMap, goFunction } from "../value.ts";
import { decodeBase32, encodeBase32 } from "./_base32.ts";

const PRETTY: EncodeJsonOptions = { indent: "  " };
const RAW: EncodeJsonOptions = { escapeHtml: false };

export const encodingFunctions: FunctionMap = {
  b64enc: goFunction("string", (text: string) => encodeBase64(toBytes(text))),
  b64dec: goFunction("string", (text: string) => orErrorText(() => decodeBase64(toBytes(text)))),
  b32enc: goFunction("string", (text: string) => encodeBase32(toBytes(text))),
  b32dec: goFunction("string", (text: string) => orErrorText(() => decodeBase32(toBytes(text)))),
  toJson: goFunction("any", (value: unknown) => orEmpty(value, {})),
  mustToJson: goFunction("any", (value: unknown) => encodeJson(value)),
  toPrettyJson: goFunction("any", (value: unknown) => orEmpty(value, PRETTY)),
  mustToPrettyJson: goFunction("any", (value: unknown) => encodeJson(value, PRETTY)),
  // The one that panics rather than to leave an empty string.
  toRawJson: goFunction("any", (value: unknown) => encodeJson(value, RAW)),
  mustToRawJson: goFunction("any", (value: unknown) => encodeJson(value, RAW)),
  fromJson: goFunction("string", (text: string) => decodeJsonLeniently(text).value),
  mustFromJson: goFunction("string", (text: string) => decodeJson(text)),
};

/** The error's text takes the place of the result. */
function orErrorText(decode: () => Uint8Array): string {
  try {
    return fromBytes(decode());
  } catch (error) {
    if (error instanceof FunctionError) return error.message;
    throw error;
  }
}

function orEmpty(value: unknown, options: EncodeJsonOptions): string {
  try {
    return encodeJson(value, options);
  } catch (error) {
    if (error instanceof FunctionError) return "";
    throw error;
  }
}
