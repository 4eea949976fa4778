/**
 * A TypeScript file as the checks need it: what it imports, its code without comments and texts, and the comment
 * it opens with. A scanner rather than a parser, since the type checker already vouches for the syntax.
 */

export interface Source {
  readonly imports: readonly Import[];
  /** The text with comments and the insides of strings, templates and regular expressions blanked. */
  readonly code: string;
  /** The comment before anything else; empty where there is none. */
  readonly opening: string;
}

export interface Import {
  readonly specifier: string;
  readonly line: number;
}

/** After these a slash begins a regular expression; after other words, brackets and quotes it divides. */
const BEFORE_REGEXP = /(?:^|[=(,:[!&|?{};+\-*%<>~^]|\b(?:return|typeof|case|in|of|do|else))\s*$/;

export function readSource(text: string): Source {
  const code = blank(text);
  const imports: Import[] = [];
  for (const match of text.matchAll(/\b(from|import)\s*\(?\s*(["'])([^"'\n]*)\2/g)) {
    // In a comment or a string the keyword has been blanked.
    if (!code.startsWith(match[1], match.index)) continue;
    imports.push({ specifier: match[3], line: lineAt(text, match.index) });
  }
  const opening = /^\s*(\/\*[^]*?\*\/|(?:\/\/[^\n]*\n?)+)/.exec(text)?.[1] ?? "";
  return { imports, code, opening };
}

export function lineAt(text: string, index: number): number {
  return text.slice(0, index).split("\n").length;
}

function blank(text: string): string {
  let out = "";
  let at = 0;
  /** For each `${` we are inside of, how many braces have been opened in it. */
  const holes: number[] = [];
  const copy = (length: number) => {
    out += text.slice(at, at + length);
    at += length;
  };
  const wipe = (end: number) => {
    out += text.slice(at, end).replace(/[^\n]/g, " ");
    at = end;
  };
  const template = () => {
    let end = at;
    while (end < text.length && text[end] !== "`" && !text.startsWith("${", end)) {
      end += text[end] === "\\" ? 2 : 1;
    }
    wipe(Math.min(end, text.length));
    if (text[at] === "`") copy(1);
    else if (at < text.length) {
      copy(2);
      holes.push(0);
    }
  };
  while (at < text.length) {
    const char = text[at];
    if (text.startsWith("//", at)) {
      wipe(endOf(text, "\n", at));
    } else if (text.startsWith("/*", at)) {
      wipe(Math.min(endOf(text, "*/", at + 2) + 2, text.length));
    } else if (char === '"' || char === "'") {
      const end = closing(text, { from: at + 1, quote: char });
      copy(1);
      wipe(end);
      copy(1);
    } else if (char === "`") {
      copy(1);
      template();
    } else if (char === "}" && holes.at(-1) === 0) {
      holes.pop();
      copy(1);
      template();
    } else if (char === "/" && BEFORE_REGEXP.test(out.slice(-80))) {
      const end = closing(text, { from: at + 1, quote: "/" });
      copy(1);
      wipe(end);
      copy(1);
    } else {
      if (char === "{" && holes.length > 0) holes[holes.length - 1]++;
      if (char === "}" && holes.length > 0) holes[holes.length - 1]--;
      copy(1);
    }
  }
  return out;
}

/** Where a string or regular expression ends, at the latest at the end of its line. */
function closing(text: string, { from, quote }: { from: number; quote: string }): number {
  let inClass = false;
  for (let at = from; at < text.length; at++) {
    const char = text[at];
    if (char === "\\") at++;
    else if (char === "\n") return at;
    else if (quote === "/" && char === "[") inClass = true;
    else if (quote === "/" && char === "]") inClass = false;
    else if (char === quote && !inClass) return at;
  }
  return text.length;
}

function endOf(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from);
  return found < 0 ? text.length : found;
}
