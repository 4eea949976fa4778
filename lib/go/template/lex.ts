/**
 * Stage one: splits the source into tokens, with Go's rules on delimiters, trim markers, comments
 * and literals.
 *
 * The lexer is lazy, because errors of the parser name the line of the last token it requested.
 * Invalid text becomes a token of type "error", after which there are only "eof" tokens.
 */
import { byteLength } from "../../data/bytes.ts";
import { sprintf } from "../fmt.ts";
import { quote } from "../strconv.ts";
import { int } from "../value.ts";

export type TokenType =
  | "error"
  | "eof"
  | "text"
  | "leftDelim"
  | "rightDelim"
  | "space"
  | "pipe"
  | "assign"
  | "declare"
  | "leftParen"
  | "rightParen"
  | "char"
  | "charConstant"
  | "string"
  | "rawString"
  | "number"
  | "complex"
  | "bool"
  | "dot"
  | "nil"
  | "field"
  | "variable"
  | "identifier"
  | "keyword";

export interface Token {
  readonly type: TokenType;
  /** Offset in the source, in UTF-16 units. */
  readonly pos: number;
  /** The source text of the token, or the message of an error. */
  readonly text: string;
  /** The line where the token starts, from 1. */
  readonly line: number;
}

interface LexOptions {
  /** Default `{{`. */
  readonly leftDelim?: string;
  /** Default `}}`. */
  readonly rightDelim?: string;
  /** Keywords (`break` and `continue`) that are not keywords because a function has that name. */
  readonly notKeywords?: ReadonlySet<string>;
}

const KEYWORDS = new Set([
  "block",
  "break",
  "continue",
  "define",
  "else",
  "end",
  "if",
  "range",
  "template",
  "with",
]);

/** The only characters that Go's lexer takes for space. */
const SPACE = " \t\r\n";
const TRIM_MARKER_LENGTH = 2; // the minus sign and the space
const LETTER_OR_DIGIT = /^[\p{L}\p{Nd}_]$/u;

/**
 * Sticky expressions that match runs of characters. Templates are parsed once, just after the
 * program starts and before any code is optimized, so an expression is faster than a loop.
 */
const SPACES = /[ \t\r\n]*/y;
const WORD = /[\p{L}\p{Nd}_]*/uy;
/** Text up to a character that can end a literal, by its quote. */
const PLAIN: Readonly<Record<string, RegExp>> = { '"': /[^"\\\n]*/y, "'": /[^'\\\n]*/y };

const EOF = "";

/** Returns the tokens of a template one by one. */
export class Lexer {
  readonly #source: string;
  readonly #left: string;
  readonly #right: string;
  readonly #notKeywords: ReadonlySet<string>;
  #pos = 0;
  /** The start of the current token. */
  #start = 0;
  #line = 1;
  #startLine = 1;
  #insideAction = false;
  #parenDepth = 0;
  #failed = false;

  constructor(source: string, options: LexOptions) {
    this.#source = source;
    this.#left = options.leftDelim || "{{";
    this.#right = options.rightDelim || "}}";
    this.#notKeywords = options.notKeywords ?? new Set();
  }

  next(): Token {
    if (this.#failed) return { type: "eof", pos: 0, text: "EOF", line: this.#startLine };
    return this.#insideAction ? this.#action() : this.#text();
  }

  /** Returns the token from `#start` to `#pos`, and starts the next one. */
  #emit(type: TokenType): Token {
    const token = {
      type,
      pos: this.#start,
      text: this.#source.slice(this.#start, this.#pos),
      line: this.#startLine,
    };
    this.#skip();
    return token;
  }

  /** Ignores the text from `#start` to `#pos`, except for its lines. */
  #skip(): void {
    let at = this.#source.indexOf("\n", this.#start);
    while (at >= 0 && at < this.#pos) {
      this.#line++;
      at = this.#source.indexOf("\n", at + 1);
    }
    this.#start = this.#pos;
    this.#startLine = this.#line;
  }

  #error(message: string): Token {
    this.#failed = true;
    return { type: "error", pos: this.#start, text: message, line: this.#startLine };
  }

  /** Returns the character (code point) at `#pos`; "" at the end. */
  #peek(): string {
    const code = this.#source.codePointAt(this.#pos);
    return code === undefined ? EOF : String.fromCodePoint(code);
  }

  #advance(): string {
    const char = this.#peek();
    this.#pos += char.length;
    return char;
  }

  #accept(set: string): boolean {
    const char = this.#peek();
    if (char === EOF || !set.includes(char)) return false;
    this.#pos += char.length;
    return true;
  }

  #acceptRun(set: string): void {
    while (this.#accept(set));
  }

  /** Skips what a sticky expression matches, which can be nothing. */
  #passRun(run: RegExp): void {
    run.lastIndex = this.#pos;
    run.test(this.#source);
    this.#pos = run.lastIndex;
  }

  #startsWith(text: string, at = this.#pos): boolean {
    return this.#source.startsWith(text, at);
  }

  #spaceAt(at: number): boolean {
    return at < this.#source.length && SPACE.includes(this.#source[at]);
  }

  #leftTrimAt(at: number): boolean {
    return this.#source[at] === "-" && this.#spaceAt(at + 1);
  }

  /** Reports whether a right delimiter starts at an offset, and whether it has a trim marker. */
  #rightDelimAt(at: number): "no" | "plain" | "trim" {
    if (
      this.#spaceAt(at) && this.#source[at + 1] === "-" &&
      this.#startsWith(this.#right, at + TRIM_MARKER_LENGTH)
    ) return "trim";
    return this.#startsWith(this.#right, at) ? "plain" : "no";
  }

  #text(): Token {
    for (;;) {
      const at = this.#source.indexOf(this.#left, this.#pos);
      if (at < 0) {
        this.#pos = this.#source.length;
        return this.#emit(this.#pos > this.#start ? "text" : "eof");
      }
      if (at > this.#pos) {
        this.#pos = at;
        if (this.#leftTrimAt(at + this.#left.length)) {
          while (this.#pos > this.#start && this.#spaceAt(this.#pos - 1)) this.#pos--;
        }
        const text = this.#emit("text");
        this.#pos = at;
        this.#skip();
        if (text.text) return text;
      }
      this.#pos += this.#left.length;
      const marker = this.#leftTrimAt(this.#pos) ? TRIM_MARKER_LENGTH : 0;
      if (!this.#startsWith("/*", this.#pos + marker)) {
        const delim = this.#emit("leftDelim");
        this.#insideAction = true;
        this.#parenDepth = 0;
        this.#pos += marker;
        this.#skip();
        return delim;
      }
      this.#pos += marker;
      this.#skip();
      const error = this.#comment();
      if (error) return error;
    }
  }

  /** Skips a comment and its right delimiter. Returns an error token if the comment is invalid. */
  #comment(): Token | undefined {
    const end = this.#source.indexOf("*/", this.#pos + 2);
    if (end < 0) return this.#error("unclosed comment");
    this.#pos = end + 2;
    const delim = this.#rightDelimAt(this.#pos);
    if (delim === "no") return this.#error("comment ends before closing delimiter");
    if (delim === "trim") this.#pos += TRIM_MARKER_LENGTH;
    this.#pos += this.#right.length;
    if (delim === "trim") this.#passRun(SPACES);
    this.#skip();
    return undefined;
  }

  #rightDelim(): Token {
    const trim = this.#rightDelimAt(this.#pos) === "trim";
    if (trim) {
      this.#pos += TRIM_MARKER_LENGTH;
      this.#skip();
    }
    this.#pos += this.#right.length;
    const token = this.#emit("rightDelim");
    if (trim) {
      this.#passRun(SPACES);
      this.#skip();
    }
    this.#insideAction = false;
    return token;
  }

  #action(): Token {
    if (this.#rightDelimAt(this.#pos) !== "no") {
      return this.#parenDepth === 0 ? this.#rightDelim() : this.#error("unclosed left paren");
    }
    const char = this.#peek();
    if (char === EOF) return this.#error("unclosed action");
    if (SPACE.includes(char)) return this.#space();
    if (char >= "0" && char <= "9" || char === "+" || char === "-") return this.#number();
    if (isAlphaNumeric(char)) return this.#identifier();
    this.#pos += char.length;
    switch (char) {
      case "=":
        return this.#emit("assign");
      case ":":
        return this.#advance() === "=" ? this.#emit("declare") : this.#error("expected :=");
      case "|":
        return this.#emit("pipe");
      case '"':
        return this.#quoted('"', "string", "unterminated quoted string");
      case "'":
        return this.#quoted("'", "charConstant", "unterminated character constant");
      case "`":
        return this.#rawString();
      case "$":
        return this.#fieldOrVariable("variable");
      case ".": {
        const next = this.#source[this.#pos];
        // At the end of the source, Go takes "." for the start of a number, which is then invalid.
        if (next < "0" || next > "9") return this.#fieldOrVariable("field");
        this.#pos--;
        return this.#number();
      }
      case "(":
        this.#parenDepth++;
        return this.#emit("leftParen");
      case ")":
        this.#parenDepth--;
        return this.#parenDepth < 0
          ? this.#error("unexpected right paren")
          : this.#emit("rightParen");
    }
    if (char >= " " && char <= "~") return this.#emit("char");
    return this.#error(`unrecognized character in action: ${describeCharacter(char)}`);
  }

  /** Reads a run of spaces, except for a last one that belongs to a trim marker. */
  #space(): Token {
    this.#passRun(SPACES);
    if (this.#rightDelimAt(this.#pos - 1) === "trim") {
      this.#pos--;
      if (this.#pos === this.#start) return this.#rightDelim();
    }
    return this.#emit("space");
  }

  #identifier(): Token {
    this.#passRun(WORD);
    const word = this.#source.slice(this.#start, this.#pos);
    if (!this.#atTerminator()) return this.#badCharacter();
    if (word === "nil") return this.#emit("nil");
    if (word === "true" || word === "false") return this.#emit("bool");
    const keyword = KEYWORDS.has(word) && !this.#notKeywords.has(word);
    return this.#emit(keyword ? "keyword" : "identifier");
  }

  #fieldOrVariable(type: "field" | "variable"): Token {
    if (this.#atTerminator()) return this.#emit(type === "variable" ? "variable" : "dot");
    this.#passRun(WORD);
    return this.#atTerminator() ? this.#emit(type) : this.#badCharacter();
  }

  #badCharacter(): Token {
    return this.#error(`bad character ${describeCharacter(this.#peek())}`);
  }

  /** Reports whether a word can end here. In `$x+2`, for example, a space is missing. */
  #atTerminator(): boolean {
    const char = this.#peek();
    return char === EOF || (SPACE + ".,|:)(").includes(char) || this.#startsWith(this.#right);
  }

  /** Reads a literal with backslash escapes, after its opening quote. */
  #quoted(end: string, type: TokenType, unterminated: string): Token {
    for (;;) {
      this.#passRun(PLAIN[end]);
      let char = this.#advance();
      if (char === end) return this.#emit(type);
      if (char === "\\") char = this.#advance();
      if (char === EOF || char === "\n") return this.#error(unterminated);
    }
  }

  #rawString(): Token {
    const end = this.#source.indexOf("`", this.#pos);
    if (end < 0) return this.#error("unterminated raw quoted string");
    this.#pos = end + 1;
    return this.#emit("rawString");
  }

  /** Reads a number. It accepts more than numbers, and the parser checks the result. */
  #number(): Token {
    const bad = () =>
      this.#error(`bad number syntax: ${quote(this.#source.slice(this.#start, this.#pos))}`);
    if (!this.#scanNumber()) return bad();
    const sign = this.#peek();
    if (sign !== "+" && sign !== "-") return this.#emit("number");
    if (!this.#scanNumber() || this.#source[this.#pos - 1] !== "i") return bad();
    return this.#emit("complex");
  }

  #scanNumber(): boolean {
    this.#accept("+-");
    let digits = "0123456789_";
    let exponent = "eE";
    if (this.#accept("0")) {
      if (this.#accept("xX")) (digits = "0123456789abcdefABCDEF_", exponent = "pP");
      else if (this.#accept("oO")) (digits = "01234567_", exponent = "");
      else if (this.#accept("bB")) (digits = "01_", exponent = "");
    }
    this.#acceptRun(digits);
    if (this.#accept(".")) this.#acceptRun(digits);
    if (exponent && this.#accept(exponent)) {
      this.#accept("+-");
      this.#acceptRun("0123456789_");
    }
    this.#accept("i");
    if (!isAlphaNumeric(this.#peek())) return true;
    this.#advance();
    return false;
  }
}

function isAlphaNumeric(char: string): boolean {
  return char !== EOF && LETTER_OR_DIGIT.test(char);
}

/** Returns the code point of a character, and the character if it is printable. Go's EOF is -1. */
function describeCharacter(char: string): string {
  return sprintf("%#U", [int(char.codePointAt(0) ?? -1)]);
}

/** Returns the text for a token in an error of the parser. */
export function describeToken(token: Token): string {
  switch (token.type) {
    case "eof":
      return "EOF";
    case "error":
      return token.text;
    case "keyword":
    case "dot":
    case "nil":
      return `<${token.text}>`;
  }
  // Go compares the length in bytes, but cuts after characters.
  if (byteLength(token.text) <= 10) return quote(token.text);
  return `${quote([...token.text].slice(0, 10).join(""))}...`;
}
