/** Sprig's regular expressions. Those without `must` panic on a bad pattern; `regexMatch` says no. */

import { isValidUtf8 } from "../bytes.ts";
import { quote } from "../strconv.ts";
import { FunctionError, type FunctionMap, goFunction, strings } from "../value.ts";
import type { SprigHost } from "./_host.ts";
import { type GoRegexp, goRegexp } from "./_regexp.ts";

/** The functions; the clock only ends searches that go on and on. */
export function regexFunctions({ now }: Pick<SprigHost, "now">): FunctionMap {
  const match = (regexp: GoRegexp, text: string) => regexp.matchString(text);
  const find = (regexp: GoRegexp, text: string) => regexp.findString(text);
  const findAll = (regexp: GoRegexp, text: string, n: number) =>
    strings(regexp.findAllString(text, n, now));
  const split = (regexp: GoRegexp, text: string, n: number) => strings(regexp.split(text, n, now));
  const replaceAll = (regexp: GoRegexp, text: string, replacement: string) =>
    regexp.replaceAllString(text, replacement, now);
  const replaceAllLiteral = (regexp: GoRegexp, text: string, replacement: string) =>
    regexp.replaceAllLiteralString(text, replacement, now);
  return {
    regexMatch: goFunction("string, string", (pattern: string, text: string) => {
      let regexp;
      try {
        regexp = goRegexp(pattern);
      } catch (error) {
        if (error instanceof FunctionError) return false;
        throw error;
      }
      return regexp.matchString(text);
    }),
    mustRegexMatch: withPattern("string", match),
    regexFind: withMustPattern("string", find),
    mustRegexFind: withPattern("string", find),
    regexFindAll: withMustPattern("string, int", findAll),
    mustRegexFindAll: withPattern("string, int", findAll),
    regexReplaceAll: withMustPattern("string, string", replaceAll),
    mustRegexReplaceAll: withPattern("string, string", replaceAll),
    regexReplaceAllLiteral: withMustPattern("string, string", replaceAllLiteral),
    mustRegexReplaceAllLiteral: withPattern("string, string", replaceAllLiteral),
    regexSplit: withMustPattern("string, int", split),
    mustRegexSplit: withPattern("string, int", split),
    regexQuoteMeta: goFunction("string", (text: string) => text.replace(META, "\\$&")),
  };
}

const META = /[\\.+*?()|[\]{}^$]/g;

// deno-lint-ignore no-explicit-any -- goFunction checks arguments against the signature
type Use = (regexp: GoRegexp, ...args: any[]) => unknown;

/** A function whose first argument is a pattern, compiled by `regexp.Compile`. */
function withPattern(signature: string, use: Use) {
  return goFunction(
    `string, ${signature}`,
    (pattern: string, ...args: unknown[]) => use(goRegexp(pattern), ...args),
  );
}

/** The same by `regexp.MustCompile`, which panics with a text of its own. */
function withMustPattern(signature: string, use: Use) {
  return goFunction(`string, ${signature}`, (pattern: string, ...args: unknown[]) => {
    let regexp;
    try {
      regexp = goRegexp(pattern);
    } catch (error) {
      if (!(error instanceof FunctionError)) throw error;
      throw new FunctionError(`regexp: Compile(${quotePattern(pattern)}): ${error.message}`);
    }
    return use(regexp, ...args);
  });
}

// deno-lint-ignore no-control-regex -- what Go does not put between backquotes
const NO_BACKQUOTES = /[\x00-\x08\x0a-\x1f`\x7f\ufeff]/;

function quotePattern(pattern: string): string {
  const plain = isValidUtf8(pattern) && !NO_BACKQUOTES.test(pattern);
  return plain ? `\`${pattern}\`` : quote(pattern);
}
