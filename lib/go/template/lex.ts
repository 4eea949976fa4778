/**
 * Stage one: source text → tokens, by Go's rules (delimiters, trim markers, comments, literals).
 *
 * The lexer is lazy: it makes a token when asked, because the parser's errors name the line of the
 * last token that was looked at. What it can't read becomes one token of type "error", after which
 * there are only "eof" tokens. It judges no syntax beyond single tokens.
 */
import { byteLength } from "../bytes.ts";
import { quote } from "../strconv.ts";

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
  /** The source text of the token; of an error, its message. */
  readonly text: string;
  /** The line on which it starts, from 1. */
  readonly line: number;
}

export interface LexOptions {
  readonly leftDelim: string;
  readonly rightDelim: string;
  /** Keywords that a function of the same name takes over: Go gives up `break` and `continue`. */
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

/** Space, tab, carriage return, newline: Go's engine trims and separates by these alone. */
const SPACE = " \t\r\n";
const TRIM_MARKER_LENGTH = 2; // the minus and the space beside it
const LETTER_OR_DIGIT = /^[\p{L}\p{Nd}_]$/u;

/**
 * Runs of characters, each matched where its `lastIndex` says. Most of a template is runs, and it is
 * read once by a program that has just started: an expression takes a run in one step where a loop
 * would take each character through the interpreter.
 */
const SPACES = /[ \t\r\n]*/y;
const WORD = /[\p{L}\p{Nd}_]*/uy;
/** Up to what may end a literal, by its quote. */
const PLAIN: Readonly<Record<string, RegExp>> = { '"': /[^"\\\n]*/y, "'": /[^'\\\n]*/y };

const EOF = "";

export class Lexer {
  readonly #source: string;
  readonly #left: string;
  readonly #right: string;
  readonly #notKeywords: ReadonlySet<string>;
  #pos = 0;
  /** Start of the token being read, and the line it is on. */
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

  /** A token from `#start` to `#pos`; the next one starts behind it. */
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

  /** Leaves out what lies between `#start` and `#pos`, counting its lines. */
  #skip(): void {
    let at = this.#source.indexOf("\n", this.#start);
    // Rarely looks past the token: most lines of a template end soon.
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

  /** The character at `#pos`, a whole code point; "" at the end. */
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

  /** As far as the expression goes from here; it matches nothing, too. */
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

  /** Whether a right delimiter stands here, and whether with a trim marker. */
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

  /** Skips a comment and its delimiter; they leave no token. */
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
        if (next === undefined || next < "0" || next > "9") {
          // At the very end Go reads a lone "." as a number, which is none.
          if (next !== undefined) return this.#fieldOrVariable("field");
        }
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

  /** A run of spaces, which must leave the last one to a trim marker that follows. */
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

  /** Whether a word may end here: `$x+2` is refused for want of a space. */
  #atTerminator(): boolean {
    const char = this.#peek();
    return char === EOF || (SPACE + ".,|:)(").includes(char) || this.#startsWith(this.#right);
  }

  /** A literal with backslash escapes; its opening quote is past. */
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

  /** Accepts all that may be a number, and more; whether it is one, the parser finds out. */
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

/** `%#U` of Go: the code point, and the character where it prints. */
function describeCharacter(char: string): string {
  const code = char === EOF ? -1 : char.codePointAt(0)!;
  // Go's end-of-input rune is -1, which fmt prints as an unsigned number.
  if (code < 0) return "U+FFFFFFFFFFFFFFFF";
  const hex = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
  return /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(char) ? `${hex} '${char}'` : hex;
}

/** How a parser error names a token: quoted, keywords in angle brackets, long ones cut. */
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
  // Go measures in bytes, and cuts in characters.
  if (byteLength(token.text) <= 10) return quote(token.text);
  return `${quote([...token.text].slice(0, 10).join(""))}...`;
}
