/**
 * Highlights YAML with embedded Go templates line by line: keys, values, comments and actions in
 * `{{ }}` or `[[ ]]`. It is a stream tokenizer, because a YAML grammar would treat a template in a
 * config as one string.
 */
import {
  foldService,
  HighlightStyle,
  StreamLanguage,
  type StringStream,
} from "@codemirror/language";
import type { Text } from "@codemirror/state";
import { tags } from "@lezer/highlight";

interface Mode {
  /** The delimiter that closes the current action. */
  close: "}}" | "]]" | undefined;
  inComment: boolean;
  /** Whether only dashes have been seen on this line. */
  atStart: boolean;
}

const KEYWORDS =
  /^(?:if|else|end|range|with|define|template|block|break|continue|and|or|not|nil|true|false)\b/;

export const goYaml = StreamLanguage.define<Mode>({
  name: "go-yaml",
  startState: () => ({ close: undefined, inComment: false, atStart: true }),
  token(stream, mode) {
    if (stream.sol()) mode.atStart = true;
    if (mode.inComment) return comment(stream, mode);
    return mode.close === undefined ? yaml(stream, mode) : action(stream, mode);
  },
  tokenTable: {
    function: tags.function(tags.variableName),
    special: tags.special(tags.string),
  },
  languageData: { commentTokens: { line: "#" } },
});

function yaml(stream: StringStream, mode: Mode): string | null {
  if (stream.eatSpace()) return null;
  if (stream.match("{{") || stream.match("[[", true)) {
    mode.close = stream.current() === "{{" ? "}}" : "]]";
    mode.atStart = false;
    stream.match(/^-(?=\s)/);
    if (stream.match(/^\s*(?=\/\*)/)) mode.inComment = true;
    return "brace";
  }
  if (stream.match(/^#.*/)) return "comment";
  if (mode.atStart && stream.match(/^(?:---|\.\.\.)(?=\s|$).*/)) return "meta";
  if (mode.atStart && stream.match(/^-(?=\s|$)/)) return "punctuation";
  const isStart = mode.atStart;
  mode.atStart = false;
  if (
    stream.match(
      /^(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[\w$][^\s:{}[\],&*#?|<>=!%@"'`]*)(?=\s*:(?:\s|$))/,
    )
  ) {
    return isStart || stream.string[stream.pos] === ":" ? "propertyName" : null;
  }
  if (
    stream.match(/^"(?:[^"\\{[]|\\.|\{(?!\{)|\[(?!\[))*"?|^'(?:[^'{[]|''|\{(?!\{)|\[(?!\[))*'?/)
  ) return "string";
  if (stream.match(/^[|>][+-]?\d?(?=\s*(?:#.*)?$)/)) return "punctuation";
  if (stream.match(/^[&*!][\w./-]+/)) return "meta";
  if (stream.match(/^-?\d+(?:\.\d+)?(?=[\s,\]}]|$)/)) return "number";
  if (stream.match(/^(?:true|false|null|yes|no|on|off)(?=[\s,\]}]|$)/i)) return "bool";
  if (stream.eat(/[:,{}[\]]/)) return "punctuation";
  if (stream.match(/^(?:[^\s:,{}[\]#]|:(?!\s|$)|(?<!\s)#)+/)) return "content";
  stream.next();
  return null;
}

function action(stream: StringStream, mode: Mode): string | null {
  if (stream.eatSpace()) return null;
  const { close } = mode;
  if (close !== undefined && (stream.match(close) || stream.match(`-${close}`))) {
    mode.close = undefined;
    return "brace";
  }
  if (stream.match(/^"(?:[^"\\]|\\.)*"?|^`[^`]*`?|^'(?:[^'\\]|\\.)*'?/)) return "special";
  if (stream.match(KEYWORDS)) return "keyword";
  if (stream.match(/^\$\w*/)) return "variableName";
  if (stream.match(/^(?:\.\w+)+|^\./)) return "typeName";
  if (stream.match(/^[+-]?(?:0x[\da-f]+|\d[\d._e]*)/i)) return "number";
  if (stream.match(/^\w+/)) return "function";
  stream.next();
  return "operator";
}

function comment(stream: StringStream, mode: Mode): string {
  if (stream.match(/^.*?\*\//)) mode.inComment = false;
  else stream.skipToEnd();
  return "comment";
}

/** Folds a line with the lines indented below it. */
export const foldByIndent = foldService.of(({ doc }, start) => {
  const line = doc.lineAt(start);
  const indent = indentOf(line.text);
  if (indent < 0) return null;
  let last = line.number;
  for (let number = line.number + 1; number <= doc.lines; number++) {
    const next = indentOf(doc.line(number).text);
    if (next >= 0 && next <= indent && !isItemOf(doc, { line: line.number, number })) break;
    if (next >= 0) last = number;
  }
  return last === line.number ? null : { from: line.to, to: doc.line(last).to };
});

/** The dashes of a list may have the same column as its key. */
function isItemOf(doc: Text, { line, number }: { line: number; number: number }): boolean {
  const [key, item] = [doc.line(line).text, doc.line(number).text];
  return /^\s*- /.test(item) && !/^\s*- /.test(key) && indentOf(key) === indentOf(item);
}

/** Returns the indentation of a line, or -1 if it is blank. */
function indentOf(text: string): number {
  return text.search(/\S/);
}

/** The colors are CSS variables, so that both themes share these rules. */
export const highlighting = HighlightStyle.define([
  { tag: tags.propertyName, color: "var(--code-key)" },
  { tag: [tags.string, tags.content], color: "var(--code-text)" },
  { tag: [tags.number, tags.bool], color: "var(--code-number)" },
  { tag: tags.comment, color: "var(--code-comment)", fontStyle: "italic" },
  { tag: [tags.punctuation, tags.operator], color: "var(--code-faint)" },
  { tag: tags.meta, color: "var(--code-faint)" },
  { tag: tags.brace, color: "var(--code-brace)", fontWeight: "600" },
  { tag: tags.keyword, color: "var(--code-keyword)", fontWeight: "600" },
  { tag: tags.variableName, color: "var(--code-variable)" },
  { tag: tags.typeName, color: "var(--code-field)" },
  { tag: tags.function(tags.variableName), color: "var(--code-function)" },
  { tag: tags.special(tags.string), color: "var(--code-special)" },
]);
