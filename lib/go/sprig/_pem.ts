/** PEM blocks as Go's `encoding/pem` reads and writes them. */

import { decodeBase64, encodeBase64 } from "../_base64.ts";
import { toBytes } from "../bytes.ts";
import { FunctionError } from "../value.ts";

const LINE_LENGTH = 64;

export interface PemBlock {
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** Writes a block in lines of 64 characters. */
export function encodePem({ type, bytes }: PemBlock): string {
  const body = encodeBase64(bytes);
  let lines = "";
  for (let i = 0; i < body.length; i += LINE_LENGTH) {
    lines += `${body.slice(i, i + LINE_LENGTH)}\n`;
  }
  return `-----BEGIN ${type}-----\n${lines}-----END ${type}-----\n`;
}

const BEGIN = /^-----BEGIN (.*)-----[ \t]*\r?$/;

/** The first whole block of a text, `undefined` without one. */
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

/** Headers such as `Proc-Type: …` come first, if any, and are of no use here. */
function decodeBody(lines: readonly string[]): Uint8Array | undefined {
  const start = lines.findIndex((line) => !line.includes(":"));
  const body = start < 0 ? "" : lines.slice(start).join("\n").replace(/[ \t]/g, "");
  try {
    return decodeBase64(toBytes(body));
  } catch (error) {
    if (error instanceof FunctionError) return undefined;
    throw error;
  }
}
