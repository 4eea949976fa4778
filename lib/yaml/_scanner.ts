/**
 * Scans a text into tokens, as go-yaml splits it.
 *
 * Keys are the hard part. Only a later colon shows that `a` starts a map, so the scanner records one
 * possible key per bracket level and marks its token afterwards. When it gives up a possible key decides
 * how far it looks ahead of the parser, and which of two errors is reported; it follows go-yaml exactly,
 * mistakes included.
 */

import { INDICATOR, isBreak, isGap, isWideBreak, isWord, KINDS } from "./_characters.ts";
import { Cursor } from "./_cursor.ts";
import { EVENT, STYLE, YamlEvent } from "./_events.ts";
import { scanDirective, scanTag } from "./_scan_tags.ts";
import { scanBlockScalar, scanPlain, scanQuoted } from "./_scan_scalars.ts";

export const TOKEN = {
  streamEnd: 0,
  versionDirective: 1,
  tagDirective: 2,
  documentStart: 3,
  documentEnd: 4,
  blockList: 5,
  blockMap: 6,
  blockEnd: 7,
  flowList: 8,
  flowMap: 9,
  flowListEnd: 10,
  flowMapEnd: 11,
  comma: 12,
  dash: 13,
  key: 14,
  colon: 15,
  alias: 16,
  anchor: 17,
  tag: 18,
  scalar: 19,
} as const;

/** A tag or a `%TAG` line, whose prefix is the suffix, or the version of a `%YAML` line as the handle. */
export interface TagPayload {
  readonly handle: string;
  readonly suffix: string;
}

type Payload = YamlEvent | TagPayload | string | undefined;

/** The distance from a possible key, within its line, at which a colon is still recognised. */
const MAX_KEY_SPAN = 1024;

/** The token before a key; replaced if the token turns out to start one. */
const NOTHING = 0;
const KEY = 1;
const MAP_AND_KEY = 2;

/** A token; reused when its place in the queue is free again. */
class Token {
  kind = 0;
  place = 0;
  mark = NOTHING;
  /** The bracket level whose key the token may start, or -1. Entries go stale as in go-yaml. */
  keyLevel = -1;
  payload: Payload = undefined;
}

export class Scanner {
  readonly cursor: Cursor;
  /** The tokens from #head to #tail are pending; token 0 of the queue has number #first in the text. */
  readonly #tokens: Token[] = [];
  #first = 0;
  #head = 0;
  #tail = 0;
  /** The column of the innermost block collection, followed by those of the enclosing ones. */
  #indent = -1;
  readonly #indents: number[] = [];
  #keyAllowed = true;
  // The possible key of each bracket level.
  #flow = 0;
  readonly #keys: KeyPlace[] = [new KeyPlace()];

  constructor(text: string) {
    this.cursor = new Cursor(text);
  }

  /** Returns the kind of the next token, once nothing can be inserted before it. */
  peek(): number {
    for (;;) {
      if (this.#head < this.#tail) {
        const { mark, keyLevel, kind } = this.#tokens[this.#head];
        if (mark !== NOTHING) return mark === KEY ? TOKEN.key : TOKEN.blockMap;
        if (keyLevel < 0 || !this.#isPossible(this.#keys[keyLevel])) return kind;
      }
      this.#scan();
    }
  }

  /** Returns the start of the token last peeked at. */
  get place(): number {
    return this.#tokens[this.#head].place;
  }

  /** Returns the payload of the token last peeked at. */
  get payload(): Payload {
    return this.#tokens[this.#head].payload;
  }

  /** Skips the token last peeked at. */
  take(): void {
    const token = this.#tokens[this.#head];
    if (token.mark !== NOTHING) {
      token.mark--;
    } else if (++this.#head === this.#tail) {
      this.#first += this.#tail;
      this.#head = this.#tail = 0;
    }
  }

  #push(kind: number, place: number, payload?: Payload): Token {
    const token = this.#tokens[this.#tail++] ??= new Token();
    token.kind = kind;
    token.place = place;
    token.mark = NOTHING;
    token.keyLevel = -1;
    token.payload = payload;
    return token;
  }

  /** Returns the token with a number, unless it was taken. */
  #waiting(number: number): Token | undefined {
    const i = number - this.#first;
    return i >= this.#head && i < this.#tail ? this.#tokens[i] : undefined;
  }

  // Keys

  #isPossible(key: KeyPlace): boolean {
    if (!key.possible) return false;
    const { pos, lineStart, text } = this.cursor;
    if (key.lineStart === lineStart) {
      const span = pos - key.pos;
      if (span <= MAX_KEY_SPAN || countCharacters(text, key.pos, pos) <= MAX_KEY_SPAN) return true;
    }
    if (key.required) this.cursor.fail("could not find expected ':'");
    key.possible = false;
    return false;
  }

  /** Records that a key may start at the next token. */
  #saveKey(): void {
    if (!this.#keyAllowed) return;
    const { pos, lineStart } = this.cursor;
    this.#dropKey();
    const key = this.#keys[this.#flow];
    key.possible = true;
    key.required = this.#flow === 0 && this.#indent === pos - lineStart;
    key.pos = pos;
    key.lineStart = lineStart;
    key.token = this.#first + this.#tail;
  }

  /** Pushes a token at which a key may start. */
  #pushKeyed(kind: number, place: number, payload?: Payload): void {
    const key = this.#keys[this.#flow];
    const isSaved = key.possible && key.token === this.#first + this.#tail;
    const token = this.#push(kind, place, payload);
    if (isSaved) token.keyLevel = this.#flow;
  }

  #dropKey(): void {
    const key = this.#keys[this.#flow];
    if (!key.possible) return;
    if (key.required) this.cursor.fail("could not find expected ':'");
    key.possible = false;
    this.#forget(key.token);
  }

  /** Releases a token held back for a possible key. */
  #forget(number: number): void {
    const token = this.#waiting(number);
    if (token !== undefined) token.keyLevel = -1;
  }

  // Indentation

  /** Reports whether a block collection starts at a column. */
  #roll(column: number): boolean {
    if (this.#flow > 0 || this.#indent >= column) return false;
    this.#indents.push(this.#indent);
    this.#indent = column;
    return true;
  }

  #unroll(column: number): void {
    if (this.#flow > 0) return;
    while (this.#indent > column) {
      this.#push(TOKEN.blockEnd, this.cursor.pos);
      this.#indent = this.#indents.pop()!;
    }
  }

  // Tokens

  #scan(): void {
    const { cursor } = this;
    const { text } = cursor;
    this.#skipToToken();
    const { pos } = cursor;
    const column = pos - cursor.lineStart;
    if (this.#indent > column) this.#unroll(column);
    cursor.need(4);
    const code = text.charCodeAt(pos);
    if (code < 128 ? (KINDS[code] & INDICATOR) === 0 : !isWideBreak(code)) {
      if (column !== 0 || code !== 0x2e || !cursor.isDocumentMark()) return this.#fetchPlain();
      return this.#fetchDocumentMark(TOKEN.documentEnd);
    }
    if (column === 0) {
      if (code === 0x25) return this.#fetchDirective();
      if (code === 0x2d && cursor.isDocumentMark()) {
        return this.#fetchDocumentMark(TOKEN.documentStart);
      }
    }
    switch (code) {
      case 0:
        return this.#fetchEnd();
      case 0x5b: // [
        return this.#fetchFlowStart(TOKEN.flowList);
      case 0x7b: // {
        return this.#fetchFlowStart(TOKEN.flowMap);
      case 0x5d: // ]
        return this.#fetchFlowEnd(TOKEN.flowListEnd);
      case 0x7d: // }
        return this.#fetchFlowEnd(TOKEN.flowMapEnd);
      case 0x2c: // ,
        return this.#fetchComma();
      case 0x2d: // -
        if (isGap(text.charCodeAt(pos + 1))) return this.#fetchDash();
        return this.#fetchPlain();
      case 0x3f: // ?
        if (this.#flow > 0 || isGap(text.charCodeAt(pos + 1))) return this.#fetchKey();
        return this.#fetchPlain();
      case 0x3a: // :
        if (this.#flow > 0 || isGap(text.charCodeAt(pos + 1))) return this.#fetchColon();
        return this.#fetchPlain();
      case 0x2a: // *
        return this.#fetchAnchor(TOKEN.alias);
      case 0x26: // &
        return this.#fetchAnchor(TOKEN.anchor);
      case 0x21: // !
        this.#saveKey();
        this.#keyAllowed = false;
        return this.#pushKeyed(TOKEN.tag, pos, scanTag(cursor));
      case 0x27: // '
      case 0x22: // "
        this.#saveKey();
        this.#keyAllowed = false;
        return this.#pushKeyed(TOKEN.scalar, pos, scanQuoted(cursor, code));
      case 0x7c: // |
      case 0x3e: // >
        if (this.#flow === 0) return this.#fetchBlockScalar(code === 0x7c);
    }
    cursor.fail("found character that cannot start any token");
  }

  #skipToToken(): void {
    const { cursor } = this;
    const { text } = cursor;
    for (;;) {
      // A tab may not indent a possible key.
      const tabs = this.#flow > 0 || !this.#keyAllowed;
      let { pos } = cursor;
      let code = text.charCodeAt(pos);
      while (code === 0x20 || (code === 0x09 && tabs)) code = text.charCodeAt(++pos);
      cursor.pos = pos;
      if (code === 0x23) {
        cursor.skipComment();
        code = text.charCodeAt(cursor.pos);
      }
      if (!isBreak(code)) return;
      cursor.skipBreak();
      if (this.#flow === 0) this.#keyAllowed = true;
    }
  }

  #fetchEnd(): void {
    const { cursor } = this;
    // go-yaml ends the last line, so that nothing in it is a key.
    if (cursor.pos !== cursor.lineStart) cursor.lineStart = ++cursor.pos;
    this.#endContent();
    this.#push(TOKEN.streamEnd, cursor.pos);
  }

  #endContent(): void {
    this.#unroll(-1);
    this.#dropKey();
    this.#keyAllowed = false;
  }

  #fetchDocumentMark(kind: number): void {
    this.#endContent();
    this.#push(kind, this.cursor.pos);
    this.cursor.pos += 3;
  }

  #fetchDirective(): void {
    this.#endContent();
    const place = this.cursor.pos;
    const { isVersion, ...directive } = scanDirective(this.cursor);
    this.#push(isVersion ? TOKEN.versionDirective : TOKEN.tagDirective, place, directive);
  }

  #fetchFlowStart(kind: number): void {
    const { cursor } = this;
    this.#saveKey();
    const token = this.#first + this.#tail;
    this.#pushKeyed(kind, cursor.pos);
    this.#flow++;
    const key = this.#keys[this.#flow] ??= new KeyPlace();
    key.possible = false;
    key.required = false;
    key.token = token;
    this.#keyAllowed = true;
    cursor.pos++;
  }

  #fetchFlowEnd(kind: number): void {
    this.#dropKey();
    if (this.#flow > 0) {
      // For empty brackets this is the bracket's own token, a mistake in go-yaml: it is not held back for
      // the key that it may start.
      this.#forget(this.#keys[this.#flow].token);
      this.#flow--;
    }
    this.#keyAllowed = false;
    this.#push(kind, this.cursor.pos++);
  }

  #fetchComma(): void {
    this.#dropKey();
    this.#keyAllowed = true;
    this.#push(TOKEN.comma, this.cursor.pos++);
  }

  #fetchDash(): void {
    const { cursor } = this;
    if (this.#flow === 0) {
      if (!this.#keyAllowed) {
        cursor.fail("block sequence entries are not allowed in this context");
      }
      if (this.#roll(cursor.pos - cursor.lineStart)) this.#push(TOKEN.blockList, cursor.pos);
    }
    this.#dropKey();
    this.#keyAllowed = true;
    this.#push(TOKEN.dash, cursor.pos++);
  }

  #fetchKey(): void {
    const { cursor } = this;
    if (this.#flow === 0) {
      if (!this.#keyAllowed) cursor.fail("mapping keys are not allowed in this context");
      if (this.#roll(cursor.pos - cursor.lineStart)) this.#push(TOKEN.blockMap, cursor.pos);
    }
    this.#dropKey();
    this.#keyAllowed = this.#flow === 0;
    this.#push(TOKEN.key, cursor.pos++);
  }

  #fetchColon(): void {
    const { cursor } = this;
    const key = this.#keys[this.#flow];
    if (this.#isPossible(key)) {
      const isMap = this.#roll(key.pos - key.lineStart);
      const token = this.#waiting(key.token);
      if (token !== undefined) {
        token.mark = isMap ? MAP_AND_KEY : KEY;
        token.keyLevel = -1;
      } else {
        // The parser has passed the key: go-yaml's tokens come too late, and out of order.
        this.#push(TOKEN.key, key.pos);
        if (isMap) this.#push(TOKEN.blockMap, key.pos);
      }
      key.possible = false;
      this.#keyAllowed = false;
    } else {
      if (this.#flow === 0) {
        if (!this.#keyAllowed) cursor.fail("mapping values are not allowed in this context");
        if (this.#roll(cursor.pos - cursor.lineStart)) this.#push(TOKEN.blockMap, cursor.pos);
      }
      this.#keyAllowed = this.#flow === 0;
    }
    this.#push(TOKEN.colon, cursor.pos++);
  }

  #fetchAnchor(kind: number): void {
    const { cursor } = this;
    this.#saveKey();
    this.#keyAllowed = false;
    const place = cursor.pos++;
    let code = cursor.text.charCodeAt(cursor.pos);
    while (isWord(code)) code = cursor.text.charCodeAt(++cursor.pos);
    const name = cursor.text.slice(place + 1, cursor.pos);
    if (name === "" || !(isGap(code) || "?:,]}%@`".includes(String.fromCharCode(code)))) {
      cursor.fail("did not find expected alphabetic or numeric character");
    }
    if (kind === TOKEN.anchor) return this.#pushKeyed(kind, place, name);
    const span = { at: place, start: place, end: cursor.pos, value: name };
    this.#pushKeyed(kind, place, new YamlEvent(EVENT.alias, STYLE.plain, span));
  }

  #fetchBlockScalar(literal: boolean): void {
    this.#dropKey();
    this.#keyAllowed = true;
    const place = this.cursor.pos;
    this.#push(
      TOKEN.scalar,
      place,
      scanBlockScalar(this.cursor, { literal, indent: this.#indent }),
    );
  }

  #fetchPlain(): void {
    const { cursor } = this;
    this.#saveKey();
    const place = cursor.pos;
    const event = scanPlain(cursor, { indent: this.#indent + 1, inFlow: this.#flow > 0 });
    // A key may follow a line break.
    this.#keyAllowed = cursor.lineStart > event.end;
    this.#pushKeyed(TOKEN.scalar, place, event);
  }
}

/** A position where a key may have started. */
class KeyPlace {
  possible = false;
  /** Nothing but a key can be there. */
  required = false;
  pos = 0;
  lineStart = 0;
  /** The number of its token in the text. */
  token = -1;
}

function countCharacters(text: string, start: number, end: number): number {
  let count = end - start;
  for (let i = start; i < end; i++) if ((text.charCodeAt(i) & 0xfc00) === 0xdc00) count--;
  return count;
}
