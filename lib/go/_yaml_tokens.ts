/**
 * The tokens that Go's YAML library sees in a text. Only what decides about errors is kept: the kind of
 * a token, its line, names of anchors and handles of tags.
 *
 * Keys are the difficulty. Whether `a` starts a mapping shows only at a colon behind it, so places
 * where a key may have started are remembered, and its tokens put in afterwards. When such a place is
 * given up, and which character is looked at first, decides which error a text gets.
 */
import { isBlank, isBreak, isGap, YamlCursor } from "./_yaml_cursor.ts";
import { skipBlockScalar, skipDirective, skipPlain, skipQuoted, skipTag } from "./_yaml_scalars.ts";

export type YamlTokenKind =
  | "stream-end"
  | "version-directive"
  | "tag-directive"
  | "document-start"
  | "document-end"
  | "block-sequence"
  | "block-mapping"
  | "block-end"
  | "["
  | "{"
  | "]"
  | "}"
  | ","
  | "-"
  | "key"
  | "value"
  | "alias"
  | "anchor"
  | "tag"
  | "scalar";

export interface YamlToken {
  readonly kind: YamlTokenKind;
  /** From 0. */
  readonly line: number;
  /** Name of an anchor or alias, handle of a tag; `1.1` of a version. */
  readonly name?: string;
}

/** A place where a key may have started. */
interface KeyPlace {
  readonly index: number;
  readonly line: number;
  readonly column: number;
  possible: boolean;
  /** Nothing but a key can stand there. */
  readonly required: boolean;
  /** Number of the token, counted from the start of the text. */
  readonly token: number;
}

/** Past that many characters, or the end of the line, no key is looked for. */
const MAX_KEY = 1024;
/** The library's own limit of nesting. */
const MAX_DEPTH = 10_000;

/** What no plain scalar starts with. */
const INDICATOR = /[-?:,[\]{}#&*!|>'"%@`]/;

export class YamlTokens {
  readonly #cursor: YamlCursor;
  #indent = -1;
  readonly #indents: number[] = [];
  #flow = 0;
  #keyAllowed = true;
  /** One for each level of brackets. */
  readonly #places: KeyPlace[] = [
    { index: 0, line: 0, column: 0, possible: false, required: false, token: -1 },
  ];
  /** Index of a place by its token. Entries go missing and stale as they do in the library. */
  readonly #placeOf = new Map<number, number>();
  /** Tokens not yet taken, and how many were. */
  readonly #queue: YamlToken[] = [];
  #taken = 0;
  #done = false;

  constructor(text: string) {
    this.#cursor = new YamlCursor(text);
  }

  /** The next token, once nothing can come in front of it any more. */
  peek(): YamlToken {
    while (this.#queue.length === 0 || this.#mayBeKey()) this.#scan();
    return this.#queue[0];
  }

  take(): YamlToken {
    const token = this.peek();
    this.#queue.shift();
    this.#taken++;
    return token;
  }

  #mayBeKey(): boolean {
    const place = this.#placeOf.get(this.#taken);
    return place !== undefined && this.#isValid(this.#places[place]) && !this.#done;
  }

  #push(kind: YamlTokenKind, line = this.#cursor.line, name?: string): void {
    this.#queue.push({ kind, line, name });
  }

  /** At the end if its place has been passed. */
  #insert(token: YamlToken, at: number): void {
    this.#queue.splice(at < 0 ? this.#queue.length : at, 0, token);
  }

  #scan(): void {
    const cursor = this.#cursor;
    this.#skipToToken();
    this.#unroll(cursor.column);
    const char = cursor.at();
    if (char === "") return this.#fetchEnd();
    if (cursor.column === 0) {
      if (char === "%") return this.#fetchDirective();
      if (cursor.isDocumentMark("-")) return this.#fetchDocumentMark("document-start");
      if (cursor.isDocumentMark(".")) return this.#fetchDocumentMark("document-end");
    }
    const gapNext = isGap(cursor.at(1));
    switch (char) {
      case "[":
      case "{":
        return this.#fetchFlowStart(char);
      case "]":
      case "}":
        return this.#fetchFlowEnd(char);
      case ",":
        return this.#fetchFlowEntry();
      case "-":
        if (gapNext) return this.#fetchBlockEntry();
        break;
      case "?":
        if (gapNext || this.#flow > 0) return this.#fetchKey();
        break;
      case ":":
        if (gapNext || this.#flow > 0) return this.#fetchValue();
        break;
      case "*":
      case "&":
        return this.#fetchAnchor(char === "*" ? "alias" : "anchor");
      case "!":
        return this.#fetchNode("tag", () => skipTag(cursor));
      case "|":
      case ">":
        if (this.#flow === 0) return this.#fetchBlockScalar();
        break;
      case "'":
      case '"':
        return this.#fetchNode("scalar", () => skipQuoted(cursor, char));
    }
    const startsPlain = !isGap(char) && !INDICATOR.test(char) ||
      char === "-" && !isBlank(cursor.at(1)) ||
      this.#flow === 0 && (char === "?" || char === ":") && !gapNext;
    if (!startsPlain) cursor.fail("found character that cannot start any token");
    this.#fetchPlain();
  }

  #skipToToken(): void {
    const cursor = this.#cursor;
    for (;;) {
      if (cursor.column === 0 && cursor.at() === "\ufeff") cursor.skip();
      // A tab may not indent what may be a key.
      const tabs = this.#flow > 0 || !this.#keyAllowed;
      cursor.skipWhile((char) => char === " " || (tabs && char === "\t"));
      cursor.skipComment();
      if (!isBreak(cursor.at())) return;
      cursor.skipBreak();
      if (this.#flow === 0) this.#keyAllowed = true;
    }
  }

  // Keys

  #isValid(place: KeyPlace): boolean {
    if (!place.possible) return false;
    const { line, index } = this.#cursor;
    if (place.line === line && place.index + MAX_KEY >= index) return true;
    if (place.required) this.#cursor.fail("could not find expected ':'");
    place.possible = false;
    return false;
  }

  #place(possible: boolean): KeyPlace {
    const { index, line, column } = this.#cursor;
    const required = possible && this.#flow === 0 && this.#indent === column;
    return { index, line, column, possible, required, token: this.#taken + this.#queue.length };
  }

  #saveKey(): void {
    if (!this.#keyAllowed) return;
    const place = this.#place(true);
    this.#dropKey();
    this.#places[this.#places.length - 1] = place;
    this.#placeOf.set(place.token, this.#places.length - 1);
  }

  #dropKey(): void {
    const place = this.#places[this.#places.length - 1];
    if (!place.possible) return;
    if (place.required) this.#cursor.fail("could not find expected ':'");
    place.possible = false;
    this.#placeOf.delete(place.token);
  }

  // Indentation

  #roll(column: number, token: YamlToken, at = -1): void {
    if (this.#flow > 0 || this.#indent >= column) return;
    this.#indents.push(this.#indent);
    this.#indent = column;
    this.#checkDepth(this.#indents.length);
    this.#insert(token, at);
  }

  #unroll(column: number): void {
    if (this.#flow > 0) return;
    while (this.#indent > column) {
      this.#push("block-end");
      this.#indent = this.#indents.pop()!;
    }
  }

  #checkDepth(depth: number): void {
    if (depth > MAX_DEPTH) this.#cursor.fail(`exceeded max depth of ${MAX_DEPTH}`);
  }

  // Tokens, a kind or two a function

  #fetchEnd(): void {
    const cursor = this.#cursor;
    if (cursor.column !== 0) {
      cursor.column = 0;
      cursor.line++;
    }
    this.#endContent();
    this.#push("stream-end");
    this.#done = true;
  }

  #endContent(): void {
    this.#unroll(-1);
    this.#dropKey();
    this.#keyAllowed = false;
  }

  #fetchDocumentMark(kind: YamlTokenKind): void {
    this.#endContent();
    this.#push(kind);
    this.#cursor.skip(3);
  }

  #fetchDirective(): void {
    this.#endContent();
    const line = this.#cursor.line;
    const directive = skipDirective(this.#cursor);
    if ("version" in directive) this.#push("version-directive", line, directive.version);
    else this.#push("tag-directive", line, directive.handle);
  }

  #fetchFlowStart(char: "[" | "{"): void {
    this.#saveKey();
    this.#places.push(this.#place(false));
    this.#flow++;
    this.#checkDepth(this.#flow);
    this.#keyAllowed = true;
    this.#push(char);
    this.#cursor.skip();
  }

  #fetchFlowEnd(char: "]" | "}"): void {
    this.#dropKey();
    if (this.#flow > 0) {
      this.#flow--;
      // For empty brackets this is the place of the bracket itself, a slip of the library.
      this.#placeOf.delete(this.#places.pop()!.token);
    }
    this.#keyAllowed = false;
    this.#push(char);
    this.#cursor.skip();
  }

  #fetchFlowEntry(): void {
    this.#dropKey();
    this.#keyAllowed = true;
    this.#push(",");
    this.#cursor.skip();
  }

  #fetchBlockEntry(): void {
    const { line, column } = this.#cursor;
    if (this.#flow === 0) {
      if (!this.#keyAllowed) {
        this.#cursor.fail("block sequence entries are not allowed in this context");
      }
      this.#roll(column, { kind: "block-sequence", line });
    }
    this.#dropKey();
    this.#keyAllowed = true;
    this.#push("-");
    this.#cursor.skip();
  }

  #fetchKey(): void {
    const { line, column } = this.#cursor;
    if (this.#flow === 0) {
      if (!this.#keyAllowed) this.#cursor.fail("mapping keys are not allowed in this context");
      this.#roll(column, { kind: "block-mapping", line });
    }
    this.#dropKey();
    this.#keyAllowed = this.#flow === 0;
    this.#push("key");
    this.#cursor.skip();
  }

  #fetchValue(): void {
    const { line, column } = this.#cursor;
    const place = this.#places[this.#places.length - 1];
    if (this.#isValid(place)) {
      const at = place.token - this.#taken;
      this.#insert({ kind: "key", line: place.line }, at);
      this.#roll(place.column, { kind: "block-mapping", line: place.line }, at);
      place.possible = false;
      this.#placeOf.delete(place.token);
      this.#keyAllowed = false;
    } else {
      if (this.#flow === 0) {
        if (!this.#keyAllowed) this.#cursor.fail("mapping values are not allowed in this context");
        this.#roll(column, { kind: "block-mapping", line });
      }
      this.#keyAllowed = this.#flow === 0;
    }
    this.#push("value");
    this.#cursor.skip();
  }

  /** What may be a key, and which none may follow. */
  #fetchNode(kind: YamlTokenKind, skip: () => string | void): void {
    this.#saveKey();
    this.#keyAllowed = false;
    const line = this.#cursor.line;
    this.#push(kind, line, skip() ?? undefined);
  }

  #fetchAnchor(kind: "alias" | "anchor"): void {
    const cursor = this.#cursor;
    this.#fetchNode(kind, () => {
      cursor.skip();
      const name = cursor.word();
      if (name === "" || !(isGap(cursor.at()) || /[?:,\]}%@`]/.test(cursor.at()))) {
        cursor.fail("did not find expected alphabetic or numeric character");
      }
      return name;
    });
  }

  #fetchBlockScalar(): void {
    this.#dropKey();
    this.#keyAllowed = true;
    const line = this.#cursor.line;
    skipBlockScalar(this.#cursor, this.#indent);
    this.#push("scalar", line);
  }

  #fetchPlain(): void {
    this.#fetchNode("scalar", () => {
      const context = { indent: this.#indent + 1, inFlow: this.#flow > 0 };
      if (skipPlain(this.#cursor, context)) this.#keyAllowed = true;
    });
  }
}
