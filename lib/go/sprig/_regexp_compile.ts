/**
 * Compiles patterns with re2js. This file translates the syntax that re2js does not accept, and
 * turns its errors into Go's.
 */

import { RE2JS, RE2JSSyntaxException } from "re2js";
import { FunctionError } from "../value.ts";

const MAX_PATTERN_LENGTH = 16 * 1024;
/** The maximum instructions of a compiled pattern; a nested `{1000}` makes a few thousand. */
const MAX_PROGRAM_SIZE = 100_000;

/** A compiled pattern, and its groups by name. In Go, several groups can have the same name. */
interface CompiledRegexp {
  readonly program: RE2JS;
  readonly names: ReadonlyMap<string, readonly number[]>;
}

/** Compiles a pattern. Throws a {@link FunctionError} with the text of Go's `regexp.Compile`. */
export function compileRegexp(pattern: string): CompiledRegexp {
  if (pattern.length > MAX_PATTERN_LENGTH) {
    throw new FunctionError(`regexp: expression longer than ${MAX_PATTERN_LENGTH} characters`);
  }
  const invalid = pattern.search(/\p{Cs}/u);
  if (invalid >= 0) throw syntaxError("invalid UTF-8", pattern.slice(invalid));
  const { translated, rewritten, aliases } = translate(pattern);
  let program;
  try {
    program = RE2JS.compile(translated);
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error;
    const code = error.getDescription();
    throw syntaxError(code, WHOLE.has(code) ? pattern : restore(error.getPattern(), rewritten));
  }
  if (program.programSize() > MAX_PROGRAM_SIZE) throw syntaxError("expression too large", pattern);
  const names = new Map<string, number[]>();
  for (const [unique, group] of Object.entries(program.namedGroups())) {
    const name = aliases.get(unique) ?? unique;
    names.set(name, [...names.get(name) ?? [], group].sort((a, b) => a - b));
  }
  return { program, names };
}

/** Errors for which Go quotes the whole pattern. */
const WHOLE: ReadonlySet<string> = new Set([
  "expression too large",
  "expression nests too deeply",
]);

function syntaxError(code: string, expression: string): FunctionError {
  return new FunctionError(`error parsing regexp: ${code}: \`${expression}\``);
}

/** Long names of Unicode categories, of which re2js knows only the short ones. */
const CATEGORY_ALIASES: Readonly<Record<string, string>> = {
  Casedletter: "Lc",
  Closepunctuation: "Pe",
  Cntrl: "Cc",
  Combiningmark: "M",
  Connectorpunctuation: "Pc",
  Control: "Cc",
  Currencysymbol: "Sc",
  Dashpunctuation: "Pd",
  Decimalnumber: "Nd",
  Digit: "Nd",
  Enclosingmark: "Me",
  Finalpunctuation: "Pf",
  Format: "Cf",
  Initialpunctuation: "Pi",
  Letter: "L",
  Letternumber: "Nl",
  Lineseparator: "Zl",
  Lowercaseletter: "Ll",
  Mark: "M",
  Mathsymbol: "Sm",
  Modifierletter: "Lm",
  Modifiersymbol: "Sk",
  Nonspacingmark: "Mn",
  Number: "N",
  Openpunctuation: "Ps",
  Other: "C",
  Otherletter: "Lo",
  Othernumber: "No",
  Otherpunctuation: "Po",
  Othersymbol: "So",
  Paragraphseparator: "Zp",
  Privateuse: "Co",
  Punct: "P",
  Punctuation: "P",
  Separator: "Z",
  Spaceseparator: "Zs",
  Spacingmark: "Mc",
  Surrogate: "Cs",
  Symbol: "S",
  Titlecaseletter: "Lt",
  Unassigned: "Cn",
  Uppercaseletter: "Lu",
};

/** A pattern translated for re2js. */
interface Translation {
  readonly translated: string;
  /** The parts that were rewritten, in order, with their original text. */
  readonly rewritten: readonly (readonly [to: string, from: string])[];
  /** Made-up names of groups, with their real names. */
  readonly aliases: ReadonlyMap<string, string>;
}

// A quotation, a Unicode class, an escape, a POSIX class, a named group, or any character.
const TOKEN = /\\Q[^]*?(?:\\E|$)|\\[pP]\{(\^?)([^}]*)\}|\\[^]|\[:\^?[a-z]*:\]|\(\?P?<(\w+)>|[^]/g;

/** Rewrites loosely written Unicode classes and repeated group names for re2js. */
function translate(pattern: string): Translation {
  const rewritten: [string, string][] = [];
  const aliases = new Map<string, string>();
  const seen = new Set<string>();
  /** The offset from which the current character class can be closed; -1 outside a class. */
  let closable = -1;
  const translated = pattern.replace(TOKEN, (token: string, not, unicode, group, at: number) => {
    let result = token;
    if (unicode !== undefined) {
      result = `${token.slice(0, 2)}{${not}${canonicalName(unicode)}}`;
    } else if (closable >= 0) {
      if (token === "]" && at >= closable) closable = -1;
      return token;
    } else if (token === "[") {
      // A bracket at the start of a class, or after the caret, is a literal.
      closable = at + (pattern[at + 1] === "^" ? 3 : 2);
      return token;
    } else if (group !== undefined && seen.has(group)) {
      let unique = group;
      while (seen.has(unique) || pattern.includes(`<${unique}>`)) unique += "_";
      aliases.set(unique, group);
      seen.add(unique);
      result = token.replace(group, unique);
    } else if (group !== undefined) seen.add(group);
    else return token;
    rewritten.push([result, token]);
    return result;
  });
  return { translated, rewritten, aliases };
}

/** Undoes the translation in a part of the pattern that an error quotes. */
function restore(quoted: string | null, rewritten: Translation["rewritten"]): string {
  let out = quoted ?? "";
  let at = 0;
  for (const [to, from] of rewritten) {
    const found = out.indexOf(to, at);
    if (found < 0) continue;
    out = out.slice(0, found) + from + out.slice(found + to.length);
    at = found + from.length;
  }
  return out;
}

/**
 * Returns a name of a Unicode class as Go looks it up: without regard to case, spaces, underscores
 * and hyphens. So Go finds no script with an underscore in its name, and neither does this.
 */
function canonicalName(name: string): string {
  const letters = name.replace(/[ _-]/g, "");
  const canonical = letters.charAt(0).replace(/[a-z]/, (c) => c.toUpperCase()) +
    letters.slice(1).replace(/[A-Z]/g, (c) => c.toLowerCase());
  return Object.hasOwn(CATEGORY_ALIASES, canonical) ? CATEGORY_ALIASES[canonical] : canonical;
}
