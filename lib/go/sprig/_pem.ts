/** Reads and writes PEM blocks as Go's `encoding/pem` does. */

import { decodeBase64 } from "../_base64.ts";
import { toBytes } from "../../data/bytes.ts";
import { recover } from "../value.ts";

const LINE_LENGTH = 64;

interface PemBlock {
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** Encodes a block in lines of 64 characters. */
export function encodePem({ type, bytes }: PemBlock): string {
  const body = bytes.toBase64();
  let lines = "";
  for (let i = 0; i < body.length; i += LINE_LENGTH) {
    lines += `${body.slice(i, i + LINE_LENGTH)}\n`;
  }
  return `-----BEGIN ${type}-----\n${lines}-----END ${type}-----\n`;
}

const BEGIN = /^-----BEGIN (.*)-----[ \t]*\r?$/;

/** Returns the first complete block of a text; `undefined` if there is none. */
export function decodePem(text: string): PemBlock | undefined {
  const lines = text.split("\n");
  for (let i = 0; i < lines.length; i++) {
    const begin = BEGIN.exec(lines[i]);
    if (!begin) continue;
    const [, type] = begin;
    const end = lines.findIndex((line, k) => k > i && isEnd(line, type));
    if (end < 0) continue;
    const bytes = decodeBody(lines.slice(i + 1, end));
    if (bytes) return { type, bytes };
  }
  return undefined;
}

function isEnd(line: string, type: string): boolean {
  const mark = `-----END ${type}-----`;
  return line.startsWith(mark) && /^[ \t]*\r?$/.test(line.slice(mark.length));
}

/** Decodes the lines of a block, and skips headers such as `Proc-Type: …`. */
function decodeBody(lines: readonly string[]): Uint8Array | undefined {
  const start = lines.findIndex((line) => !line.includes(":"));
  const body = start < 0 ? "" : lines.slice(start).join("\n").replace(/[ \t]/g, "");
  return recover(() => decodeBase64(toBytes(body)), () => undefined);
}
