/**
 * Tab check: the oracle takes a tab for white space only where no key could start. js-yaml is laxer.
 * Runs for texts that hold a tab at all.
 * @module
 */

import { COLLECTION_STYLE, type Event, EVENT_ID, SCALAR_STYLE, type ScalarEvent } from "js-yaml";
import { lineStart, YamlFailure } from "./_error.ts";

const EXPLICIT_INDENT = /[|>](?:[-+]?[1-9]|[1-9][-+]?)[ \t]*(?:#[^\r\n]*)?\r?\n?$/;

/** Throws at the first tab that stands where the oracle wants spaces. */
export function checkTabs(events: Event[], text: string): void {
  new TabCheck(text).run(events);
}

class TabCheck {
  readonly #text: string;
  #at = 0;
  #flowDepth = 0;
  /** Whether a key may start here: then a tab would be indentation. */
  #keyAllowed = true;
  /** Whether only blanks came since a plain scalar, which swallows them by a rule of its own. */
  #afterPlain = false;
  #plainIndent = 0;
  /** Where the line starts that a gap is at, once the gap has broken a line. */
  #gapLineStart = -1;
  #lineHasToken = false;
  readonly #indents: number[] = [-1];

  constructor(text: string) {
    this.#text = text;
  }

  run(events: Event[]): void {
    for (const event of events) {
      switch (event.type) {
        case EVENT_ID.POP:
          this.#indents.pop();
          break;
        case EVENT_ID.DOCUMENT:
          this.#indents.push(-1);
          break;
        case EVENT_ID.MAPPING:
        case EVENT_ID.SEQUENCE: {
          this.#gap(event.start);
          const isFlow = event.style === COLLECTION_STYLE.FLOW;
          this.#indents.push(
            isFlow ? this.#indents.at(-1)! : event.start - lineStart(this.#text, event.start),
          );
          break;
        }
        case EVENT_ID.SCALAR:
          if (event.valueStart !== -1) this.#scalar(event);
      }
    }
    this.#gap(this.#text.length);
  }

  #scalar(event: ScalarEvent): void {
    if (event.style === SCALAR_STYLE.LITERAL_BLOCK || event.style === SCALAR_STYLE.FOLDED_BLOCK) {
      this.#gap(event.valueStart);
      this.#blockScalar(event);
      this.#at = event.valueEnd;
      this.#keyAllowed = true;
      this.#afterPlain = false;
      return;
    }
    const quoted = event.style === SCALAR_STYLE.PLAIN ? 0 : 1;
    this.#gap(event.valueStart - quoted);
    this.#at = event.valueEnd + quoted;
    this.#keyAllowed = false;
    this.#afterPlain = quoted === 0;
    this.#gapLineStart = -1;
    this.#plainIndent = this.#indents.at(-1)!;
    this.#lineHasToken = true;
  }

  /** Walks what stands between scalars: blanks, comments, indicators and properties. */
  #gap(end: number): void {
    const text = this.#text;
    while (this.#at < end) {
      const code = text[this.#at];
      switch (code) {
        case " ":
          break;
        case "\t":
          this.#tab();
          break;
        case "\n":
        case "\r":
          if (this.#flowDepth === 0) this.#keyAllowed = true;
          this.#lineHasToken = false;
          this.#gapLineStart = this.#at + 1;
          break;
        case "#":
          this.#afterPlain = false;
          while (this.#at + 1 < end && text[this.#at + 1] !== "\n" && text[this.#at + 1] !== "\r") {
            this.#at++;
          }
          break;
        default:
          this.#afterPlain = false;
          this.#indicator(code);
          this.#lineHasToken = true;
      }
      this.#at++;
    }
  }

  #tab(): void {
    if (this.#afterPlain) {
      // Same line, or already in further than the scalar's parent: as good as a space.
      if (this.#gapLineStart === -1 || this.#at - this.#gapLineStart > this.#plainIndent) return;
    } else if (this.#flowDepth > 0 || !this.#keyAllowed) {
      return;
    }
    throw new YamlFailure("syntax", this.#at, "a tab stands where only spaces can indent");
  }

  #indicator(code: string): void {
    const text = this.#text;
    switch (code) {
      case "[":
      case "{":
        this.#flowDepth++;
        break;
      case "]":
      case "}":
        this.#flowDepth--;
        this.#keyAllowed = false;
        break;
      case "-":
        if (text.startsWith("---", this.#at)) {
          this.#at += 2;
          this.#keyAllowed = false;
        } else {
          this.#keyAllowed = this.#flowDepth === 0;
        }
        break;
      case "?":
        this.#keyAllowed = this.#flowDepth === 0;
        break;
      case ":":
        // First in its line it belongs to a `? ` key, and a key may follow.
        this.#keyAllowed = this.#flowDepth === 0 && !this.#lineHasToken;
        break;
      case "&":
      case "!":
      case "*":
        this.#keyAllowed = false;
        while (/[^\s,[\]{}]/.test(text[this.#at + 1] ?? " ")) this.#at++;
        break;
      case "|":
      case ">":
      case "%": // the head of a block scalar, or a directive
        while (/[^\r\n]/.test(text[this.#at + 1] ?? "\n")) this.#at++;
        break;
      default:
        this.#keyAllowed = false;
    }
  }

  /** A line of a block scalar may hold tabs, but not before it is indented. */
  #blockScalar(event: ScalarEvent): void {
    const text = this.#text;
    const header = text.slice(lineStart(text, event.valueStart - 1), event.valueStart);
    let isKnown = EXPLICIT_INDENT.test(header);
    for (let at = event.valueStart; at < event.valueEnd;) {
      let column = 0;
      while (text[at + column] === " " && (!isKnown || column < event.indent)) column++;
      const first = text[at + column];
      if (first === "\t" && (!isKnown || column < event.indent)) {
        throw new YamlFailure("syntax", at + column, "a tab stands where only spaces can indent");
      }
      if (first !== "\n" && first !== "\r") isKnown = true;
      while (at < event.valueEnd && text[at] !== "\n" && text[at] !== "\r") at++;
      at += text[at] === "\r" && text[at + 1] === "\n" ? 2 : 1;
    }
  }
}
