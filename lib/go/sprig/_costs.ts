/**
 * What calls of sprig's costly functions take of a budget. The figures are lower than the time that the calls take: a
 * template that calls one of them, or that makes a certificate and its authority, stays below the budget of a review
 * (REVIEW_UNITS in lib/inject/limits.ts). A template that calls them for each item of a pod does not.
 */
import { type FunctionMap, recover } from "../value.ts";
import { goRegexp } from "./_regexp.ts";

/** One hash with bcrypt's default cost takes 50 to 90 ms. */
const BCRYPT = 30_000;

/** scrypt with 32,768 rounds and 32 MB takes 100 to 200 ms. */
const SCRYPT = 60_000;

/** An RSA key of 2048 bits takes 40 to 200 ms. */
const RSA_2048 = 30_000;

/** An RSA key of 4096 bits, or the primes of a DSA key, take 500 to 1,600 ms. One is more than a review has time for. */
const LARGE_KEY = 60_000;

/** A key on a curve, or a signature, takes 1 to 3 ms. */
const SMALL_KEY = 2_000;

const key = (kind: string) => ["ecdsa", "ed25519"].includes(kind) ? SMALL_KEY : LARGE_KEY;

/** Units for an instruction of a pattern: compiling it. */
const INSTRUCTION = 2;

/** Units for a character and an instruction. Most searches skip most instructions. */
const SEARCH = 0.05;

/** A pattern that does not compile costs what its characters do. */
function regexp(pattern: string, text = ""): number {
  return recover(() => {
    const { size } = goRegexp(pattern);
    return size * (INSTRUCTION + text.length * SEARCH);
  }, () => pattern.length * INSTRUCTION);
}

// deno-lint-ignore no-explicit-any -- each function knows its own parameter types
const COSTS: Readonly<Record<string, (...args: any[]) => number>> = {
  bcrypt: () => BCRYPT,
  htpasswd: () => BCRYPT,
  derivePassword: () => SCRYPT,
  genPrivateKey: key,
  genCA: () => RSA_2048,
  genSelfSignedCert: () => RSA_2048,
  genSignedCert: () => RSA_2048,
  genCAWithKey: () => SMALL_KEY,
  genSelfSignedCertWithKey: () => SMALL_KEY,
  genSignedCertWithKey: () => SMALL_KEY,
  regexMatch: regexp,
  mustRegexMatch: regexp,
  regexFind: regexp,
  mustRegexFind: regexp,
  regexFindAll: regexp,
  mustRegexFindAll: regexp,
  regexReplaceAll: regexp,
  mustRegexReplaceAll: regexp,
  regexReplaceAllLiteral: regexp,
  mustRegexReplaceAllLiteral: regexp,
  regexSplit: regexp,
  mustRegexSplit: regexp,
};

/** Returns the functions with what their calls cost. */
export function withCosts(functions: FunctionMap): FunctionMap {
  const costly = Object.entries(COSTS).map(([name, cost]) => [name, { ...functions[name], cost }]);
  return { ...functions, ...Object.fromEntries(costly) };
}
