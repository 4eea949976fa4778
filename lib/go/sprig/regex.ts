/** Sprig's regular expressions. Except `regexMatch`, functions without `must` panic on errors. */

import { canBackquote, quote } from "../strconv.ts";
import { type FunctionMap, goFunction, recover, strings, wrapError } from "../value.ts";
import type { SprigHost } from "./_host.ts";
import { type GoRegexp, goRegexp } from "./_regexp.ts";

/** Returns the functions. The clock only serves to stop searches that take too long. */
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
    regexMatch: goFunction(
      "string, string",
      (pattern: string, text: string) =>
        recover(() => goRegexp(pattern), () => undefined)?.matchString(text) ?? false,
    ),
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

/** Returns a function whose first argument is a pattern, compiled like `regexp.Compile`. */
function withPattern(signature: string, use: Use) {
  return goFunction(
    `string, ${signature}`,
    (pattern: string, ...args: unknown[]) => use(goRegexp(pattern), ...args),
  );
}

/** Like {@link withPattern}, but compiled like `regexp.MustCompile`, which panics. */
function withMustPattern(signature: string, use: Use) {
  return goFunction(`string, ${signature}`, (pattern: string, ...args: unknown[]) => {
    const quoted = canBackquote(pattern) ? `\`${pattern}\`` : quote(pattern);
    const regexp = wrapError(`regexp: Compile(${quoted})`, () => goRegexp(pattern));
    return use(regexp, ...args);
  });
}
