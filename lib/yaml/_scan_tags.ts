/** Scans tags and directives. The cursor is at their first character and moves past their last. */

import { isBlank, isGap, isWord, KINDS, URI } from "./_characters.ts";
import type { Cursor } from "./_cursor.ts";
import type { TagPayload } from "./_scanner.ts";

/** Scans a tag: its handle, which is "" for `!<…>` and a lone `!`, and the rest. */
export function scanTag(cursor: Cursor): TagPayload {
  const { text } = cursor;
  let handle = "";
  let suffix: string;
  if (text.charCodeAt(cursor.pos + 1) === 0x3c) {
    cursor.pos += 2;
    suffix = scanUri(cursor, "");
    if (text.charCodeAt(cursor.pos) !== 0x3e) cursor.fail("did not find the expected '>'");
    cursor.pos++;
  } else {
    handle = scanHandle(cursor, false);
    if (handle.length > 1 && handle.endsWith("!")) {
      suffix = scanUri(cursor, "");
    } else {
      suffix = scanUri(cursor, handle);
      handle = "!";
      if (suffix === "") [handle, suffix] = [suffix, handle];
    }
  }
  cursor.need(1);
  if (!isGap(text.charCodeAt(cursor.pos))) {
    cursor.fail("did not find expected whitespace or line break");
  }
  return { handle, suffix };
}

function scanHandle(cursor: Cursor, inDirective: boolean): string {
  const { text } = cursor;
  if (text.charCodeAt(cursor.pos) !== 0x21) cursor.fail("did not find expected '!'");
  const start = cursor.pos++;
  skipWord(cursor);
  if (text.charCodeAt(cursor.pos) === 0x21) cursor.pos++;
  else if (inDirective && cursor.pos > start + 1) cursor.fail("did not find expected '!'");
  return text.slice(start, cursor.pos);
}

function skipWord(cursor: Cursor): void {
  while (isWord(cursor.text.charCodeAt(cursor.pos))) cursor.pos++;
  cursor.need(1);
}

/** Scans the characters of a tag; `head` is the part that was taken for a handle. */
function scanUri(cursor: Cursor, head: string): string {
  const { text } = cursor;
  const start = cursor.pos;
  let hasEscape = false;
  for (;;) {
    const code = text.charCodeAt(cursor.pos);
    if (code >= 128 || (KINDS[code] & URI) === 0) break;
    if (code === 0x25) {
      hasEscape = true;
      skipUriEscape(cursor);
    } else {
      cursor.pos++;
    }
  }
  cursor.need(1);
  if (head === "" && cursor.pos === start) cursor.fail("did not find expected tag URI");
  const uri = head.slice(1) + text.slice(start, cursor.pos);
  return hasEscape ? decodeUri(uri) : uri;
}

/** Decodes a tag's escapes. A tag with invalid octets means nothing, so it keeps its escapes. */
function decodeUri(uri: string): string {
  try {
    return decodeURIComponent(uri);
  } catch {
    return uri;
  }
}

/** Skips the escaped octets of one character. */
function skipUriEscape(cursor: Cursor): void {
  let left = 0;
  do {
    cursor.need(3);
    const escape = cursor.text.slice(cursor.pos, cursor.pos + 3);
    if (!/^%[0-9a-fA-F]{2}$/.test(escape)) cursor.fail("did not find URI escaped octet");
    const octet = Number.parseInt(escape.slice(1), 16);
    if (left > 0) {
      if (octet >> 6 !== 2) cursor.fail("found an incorrect trailing UTF-8 octet");
      left--;
    } else {
      left = octet < 0x80 ? 0 : octet >> 5 === 6 ? 1 : octet >> 4 === 14 ? 2 : 3;
      if (left === 3 && octet >> 3 !== 30) cursor.fail("found an incorrect leading UTF-8 octet");
    }
    cursor.pos += 3;
  } while (left > 0);
}

/** Scans a line that starts with `%`. */
export function scanDirective(cursor: Cursor): TagPayload & { readonly isVersion: boolean } {
  const start = ++cursor.pos;
  skipWord(cursor);
  const name = cursor.text.slice(start, cursor.pos);
  if (name === "") cursor.fail("could not find expected directive name");
  if (!isGap(cursor.text.charCodeAt(cursor.pos))) {
    cursor.fail("found unexpected non-alphabetical character");
  }
  const isVersion = name === "YAML";
  if (!isVersion && name !== "TAG") cursor.fail("found unknown directive name");
  cursor.skipBlanks();
  const directive = isVersion
    ? { isVersion, handle: scanVersion(cursor), suffix: "" }
    : { isVersion, ...scanTagDirective(cursor) };
  cursor.endLine();
  return directive;
}

function scanTagDirective(cursor: Cursor): TagPayload {
  const handle = scanHandle(cursor, true);
  if (!isBlank(cursor.text.charCodeAt(cursor.pos))) cursor.fail("did not find expected whitespace");
  cursor.skipBlanks();
  const suffix = scanUri(cursor, "");
  if (!isGap(cursor.text.charCodeAt(cursor.pos))) {
    cursor.fail("did not find expected whitespace or line break");
  }
  return { handle, suffix };
}

function scanVersion(cursor: Cursor): string {
  const major = scanVersionNumber(cursor);
  if (cursor.text.charCodeAt(cursor.pos) !== 0x2e) {
    cursor.fail("did not find expected digit or '.' character");
  }
  cursor.pos++;
  return `${major}.${scanVersionNumber(cursor)}`;
}

function scanVersionNumber(cursor: Cursor): number {
  const { text } = cursor;
  const start = cursor.pos;
  let code = text.charCodeAt(start);
  while (code >= 0x30 && code <= 0x39) {
    if (cursor.pos - start === 2) cursor.fail("found extremely long version number");
    code = text.charCodeAt(++cursor.pos);
  }
  cursor.need(1);
  if (cursor.pos === start) cursor.fail("did not find expected version number");
  return Number(text.slice(start, cursor.pos));
}
