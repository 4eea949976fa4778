/**
 * Version constraints of Masterminds/semver 3.5, such as `>=1.2, <2 || ~3.1`, `1.x`, `^0.2.3` and
 * `1.2 - 1.4`. A prerelease only satisfies groups that mention a prerelease.
 */

import { byteLength } from "../../data/bytes.ts";
import { quote } from "../strconv.ts";
import { FunctionError, recover } from "../value.ts";
import {
  compareIdentifiers,
  compareVersions,
  parseVersion,
  type Version,
} from "./_semver_version.ts";

const MAX_LENGTH = 512;
const MAX_GROUPS = 32;

// JavaScript's \s matches more than Go's. The bar among the digits is in the library, too.
const SPACE = "[\\t\\n\\f\\r ]";
const NUMBER = "[0-9|xX*]+";
const IDENTIFIERS = "[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*";
const VERSION =
  `v?(?:${NUMBER})(?:\\.${NUMBER})?(?:\\.${NUMBER})?(?:-${IDENTIFIERS})?(?:\\+${IDENTIFIERS})?`;
const OPERATOR = "(?:!=|>=|=>|<=|=<|~>|=|>|<|~|\\^)?";

const RANGE = new RegExp(`${SPACE}*(${VERSION})${SPACE}+-${SPACE}+(${VERSION})${SPACE}*`, "g");
const ITEM = new RegExp(`(${OPERATOR})${SPACE}*(${VERSION})`, "y");
const PARTS = new RegExp(`^v?(${NUMBER})(?:\\.(${NUMBER}))?(?:\\.(${NUMBER}))?(-${IDENTIFIERS})?`);
const SPACES = new RegExp(`${SPACE}*`, "y");

/** A comparison. `wild` is the first part of its version that is missing or a wildcard. */
interface Constraint {
  readonly operator: string;
  readonly version: Version;
  readonly wild: "none" | "major" | "minor" | "patch";
}

/** Reports whether a version satisfies a constraint. */
export function checkConstraint(constraint: string, version: string): boolean {
  const groups = parseConstraint(constraint);
  const parsed = parseVersion(version);
  return groups.some((group) => {
    const namesPrerelease = group.some((one) => one.version.prerelease !== "");
    if (parsed.prerelease !== "" && !namesPrerelease) return false;
    return group.every((one) => CHECKS[one.operator](parsed, one));
  });
}

/** Returns groups of comparisons. A version must satisfy all comparisons of one group. */
function parseConstraint(text: string): Constraint[][] {
  if (byteLength(text) > MAX_LENGTH) {
    throw new FunctionError(`constraint string is too long (max ${MAX_LENGTH} bytes)`);
  }
  const groups = rewriteRanges(text).split("||");
  if (groups.length > MAX_GROUPS) {
    throw new FunctionError(`too many constraint groups (max ${MAX_GROUPS})`);
  }
  return groups.map(parseGroup);
}

/** Rewrites `1.2 - 1.4` to `>= 1.2, <= 1.4 ` at its first occurrence, like the library. */
function rewriteRanges(text: string): string {
  let out = text;
  for (const [range, from, to] of text.matchAll(RANGE)) {
    out = out.replace(range, () => `>= ${from}, <= ${to} `);
  }
  return out;
}

/** Parses comparisons separated by spaces or a comma, without backtracking. */
function parseGroup(text: string): Constraint[] {
  const found: [operator: string, version: string][] = [];
  let at = skip(SPACES, text, 0);
  for (;;) {
    ITEM.lastIndex = at;
    const item = ITEM.exec(text);
    if (!item) throw improper(text);
    found.push([item[1], item[2]]);
    const end = ITEM.lastIndex;
    at = skip(SPACES, text, end);
    if (at === text.length) break;
    if (text[at] === ",") at = skip(SPACES, text, at + 1);
    else if (at === end) throw improper(text);
  }
  return found.map(parseItem);
}

function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  pattern.test(text);
  return pattern.lastIndex;
}

function improper(text: string): FunctionError {
  return new FunctionError(`improper constraint: ${quote(text)}`);
}

function parseItem([operator, text]: [string, string]): Constraint {
  const [, major, minor, patch, prerelease = ""] = PARTS.exec(text)!;
  const wild = isWild(major) ? "major" : isWild(minor) ? "minor" : isWild(patch) ? "patch" : "none";
  const full = {
    major: `0.0.0${prerelease}`,
    minor: `${major}.0.0${prerelease}`,
    patch: `${major}.${minor}.0${prerelease}`,
    none: text,
  }[wild];
  const version = recover(() => parseVersion(full), () => {
    throw new FunctionError("constraint parser error");
  });
  return { operator, version, wild };
}

function isWild(part: string | undefined): boolean {
  return part === undefined || part === "x" || part === "X" || part === "*";
}

type Check = (version: Version, constraint: Constraint) => boolean;

const CHECKS: Readonly<Record<string, Check>> = {
  "": equal,
  "=": equal,
  "!=": notEqual,
  ">": greater,
  "<": (version, one) => compareVersions(version, one.version) < 0,
  ">=": atLeast,
  "=>": atLeast,
  "<=": atMost,
  "=<": atMost,
  "~": tilde,
  "~>": tilde,
  "^": caret,
};

function equal(version: Version, one: Constraint): boolean {
  if (one.wild !== "none") return tilde(version, one);
  return compareVersions(version, one.version) === 0;
}

function notEqual(version: Version, one: Constraint): boolean {
  const { version: other, wild } = one;
  if (wild === "none" || version.major !== other.major) {
    return compareVersions(version, other) !== 0;
  }
  if (wild === "minor") return false;
  if (wild === "patch" && version.minor === other.minor) {
    return compareIdentifiers(version.prerelease, other.prerelease) !== 0;
  }
  return compareVersions(version, other) !== 0;
}

/** Implements `>`. `>1` starts at 2, and `>1.2` at 1.3. */
function greater(version: Version, { version: other, wild }: Constraint): boolean {
  if (wild === "none" || wild === "major") return compareVersions(version, other) > 0;
  if (version.major !== other.major) return version.major > other.major;
  return wild === "patch" && version.minor > other.minor;
}

function atLeast(version: Version, one: Constraint): boolean {
  return compareVersions(version, one.version) >= 0;
}

/** Implements `<=`. `<=1` includes every 1.x, and `<=1.2` every 1.2.x. */
function atMost(version: Version, { version: other, wild }: Constraint): boolean {
  if (wild === "none") return compareVersions(version, other) <= 0;
  if (version.major !== other.major) return version.major < other.major;
  return wild === "minor" || version.minor <= other.minor;
}

function tilde(version: Version, { version: other, wild }: Constraint): boolean {
  if (compareVersions(version, other) < 0) return false;
  const isZero = other.major === 0n && other.minor === 0n && other.patch === 0n;
  if (isZero && wild !== "minor" && wild !== "patch") return true;
  if (version.major !== other.major) return false;
  return wild === "minor" || version.minor === other.minor;
}

/** Implements `^`, which allows no change up to the first part that is not zero. */
function caret(version: Version, { version: other, wild }: Constraint): boolean {
  if (compareVersions(version, other) < 0 || version.major !== other.major) return false;
  if (other.major > 0n || wild === "minor") return true;
  if (other.minor > 0n || wild === "patch") return version.minor === other.minor;
  return version.minor === 0n && version.patch === other.patch;
}
