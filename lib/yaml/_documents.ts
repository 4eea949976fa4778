/**
 * Splitting stage: a YAML stream goes in, the place of each document comes out. Markers count only in
 * the first column, where nothing else can hold them: quotes may not, and block scalars end at them.
 * @module
 */

import { YamlFailure } from "./_error.ts";

/** One document, from its directives or `---` to the marker that ends it. */
export interface DocumentRange {
  start: number;
  end: number;
}

const MARKER = /(?:^|[\r\n])(---|\.\.\.)(?=[ \t\r\n]|$)/g;

// Directives, comments and blank lines: what may stand before `---`.
const PROLOGUE = /^\ufeff?(?:(?:%[^\r\n]*| *(?:#[^\r\n]*)?)[\r\n])*(?:%[^\r\n]*| *(?:#[^\r\n]*)?)$/;

const DIRECTIVE = /(?:^|[\r\n])%([^\r\n]*)/g;

// The oracle knows two directives, and no version of YAML but 1.1.
const KNOWN_DIRECTIVE =
  /^(?:YAML[ \t]+1\.1|TAG[ \t]+!(?:[A-Za-z0-9_-]*!)?[ \t]+[^ \t#]+)[ \t]*(?:#.*)?$/;

/** Finds the documents one after the other; text past the one asked for is not looked at. */
export function* findDocuments(text: string): Generator<DocumentRange> {
  let start = 0;
  let isOpen = false; // whether the current document has its `---`
  let mayBeBare = true; // whether it may go without: only the first one may
  if (/^ +---(?:\s|$)/.test(text)) {
    throw new YamlFailure("syntax", text.indexOf("-"), "--- must stand in the first column");
  }
  for (const match of text.matchAll(MARKER)) {
    const at = match.index + match[0].length - 3;
    const hasContent = isOpen || !PROLOGUE.test(text.slice(start, at));
    if (hasContent) {
      if (!isOpen && !mayBeBare) throw noStart(start);
      yield { start, end: at };
    } else if (match[1] === "---") {
      checkDirectives(text, start, at);
    } else if (mayBeBare) {
      throw new YamlFailure("syntax", at, "a document ends before it starts");
    }
    mayBeBare = false;
    isOpen = match[1] === "---";
    if (!isOpen) start = at + 3;
    else if (hasContent) start = at;
  }
  const rest = text.slice(start);
  if (isOpen) {
    yield { start, end: text.length };
  } else if (!PROLOGUE.test(rest)) {
    if (!mayBeBare) throw noStart(start);
    yield { start, end: text.length };
  } else if (/(?:^|[\r\n])%/.test(rest)) {
    throw noStart(start);
  }
}

function noStart(offset: number): YamlFailure {
  return new YamlFailure("syntax", offset, "a document must start with ---");
}

function checkDirectives(text: string, start: number, end: number): void {
  const prologue = text.slice(start, end);
  if (!prologue.includes("%")) return;
  for (const match of prologue.matchAll(DIRECTIVE)) {
    if (KNOWN_DIRECTIVE.test(match[1])) continue;
    const at = start + match.index + match[0].length - match[1].length;
    throw new YamlFailure("syntax", at, `unknown directive %${match[1]}`);
  }
}
