/**
 * Versions of Masterminds/semver 3.5, which also accepts `v1.2`, `1` and leading zeros, and the
 * type `*semver.Version` that sprig's `semver` returns.
 */

import { byteLength, compareStrings, toBytes } from "../../data/bytes.ts";
import { parseUint } from "../strconv.ts";
import {
  BYTES,
  FunctionError,
  type GoMethod,
  type GoType,
  int,
  NIL_DEREFERENCE,
  recover,
  STRING,
  Typed,
  UINT64,
  wrapError,
} from "../value.ts";

/** The library's limit. */
const MAX_LENGTH = 256;
const MAX_UINT64 = (1n << 64n) - 1n;

/** The fields of Go's struct. */
export interface Version {
  readonly major: bigint;
  readonly minor: bigint;
  readonly patch: bigint;
  readonly prerelease: string;
  readonly metadata: string;
  readonly original: string;
}

const IDENTIFIERS = "[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*";
const VERSION_TEXT = new RegExp(
  `^v?(\\d+)(?:\\.(\\d+))?(?:\\.(\\d+))?(?:-(${IDENTIFIERS}))?(?:\\+(${IDENTIFIERS}))?$`,
);

/** Parses a version. Throws a {@link FunctionError} with the library's text. */
export function parseVersion(text: string): Version {
  if (byteLength(text) > MAX_LENGTH) {
    throw new FunctionError(`version string is too long (max ${MAX_LENGTH} bytes)`);
  }
  const match = VERSION_TEXT.exec(text);
  if (!match) throw new FunctionError("invalid semantic version");
  const [, major, minor = "0", patch = "0", prerelease = "", metadata = ""] = match;
  const version = {
    major: parseSegment(major),
    minor: parseSegment(minor),
    patch: parseSegment(patch),
    prerelease,
    metadata,
    original: text,
  };
  checkPrerelease(prerelease);
  return version;
}

function parseSegment(digits: string): bigint {
  return wrapError("error parsing version segment", () => parseUint(digits, 10, 64));
}

function checkPrerelease(prerelease: string) {
  if (prerelease === "") return;
  for (const part of prerelease.split(".")) {
    if (/^0\d+$/.test(part)) throw new FunctionError("version segment starts with 0");
    if (!IDENTIFIER.test(part)) throw new FunctionError("invalid prerelease string");
  }
}

const IDENTIFIER = /^[0-9A-Za-z-]+$/;

/** Returns the canonical text, without `v` and with three numbers. */
function formatVersion(version: Version): string {
  const { major, minor, patch, prerelease, metadata } = version;
  return `${major}.${minor}.${patch}${prerelease && `-${prerelease}`}${metadata && `+${metadata}`}`;
}

/** Compares versions by precedence, which ignores metadata. Returns -1, 0 or 1. */
export function compareVersions(a: Version, b: Version): number {
  return compareNumbers(a.major, b.major) || compareNumbers(a.minor, b.minor) ||
    compareNumbers(a.patch, b.patch) || comparePrereleases(a.prerelease, b.prerelease);
}

function compareNumbers(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function comparePrereleases(a: string, b: string): number {
  if (a === b) return 0;
  // The release is higher than its prereleases.
  if (a === "") return 1;
  if (b === "") return -1;
  return compareIdentifiers(a, b);
}

/** Compares dotted identifiers one by one. If all are equal, the shorter list is lower. */
export function compareIdentifiers(a: string, b: string): number {
  const as = a.split(".");
  const bs = b.split(".");
  for (let i = 0; i < Math.max(as.length, bs.length); i++) {
    const order = compareIdentifier(as[i] ?? "", bs[i] ?? "");
    if (order !== 0) return order;
  }
  return 0;
}

function compareIdentifier(a: string, b: string): number {
  if (a === b) return 0;
  if (a === "" || b === "") return a === "" ? -1 : 1;
  const x = identifierNumber(a);
  const y = identifierNumber(b);
  if (x === undefined && y === undefined) return compareStrings(a, b);
  if (x === undefined || y === undefined) return x === undefined ? 1 : -1;
  return x > y ? 1 : -1;
}

/** Returns the number of a numeric identifier. The library treats digits beyond uint64 as text. */
function identifierNumber(text: string): bigint | undefined {
  return recover<bigint | undefined>(() => parseUint(text, 10, 64), () => undefined);
}

/** Returns a changed version, which keeps the `v` of the original. */
function derive(version: Version, changes: Partial<Version>): Typed {
  const next = { ...version, ...changes };
  const original = (version.original.startsWith("v") ? "v" : "") + formatVersion(next);
  return new Typed(VERSION, { ...next, original });
}

function increment(version: Version, part: "major" | "minor" | "patch"): bigint {
  if (version[part] === MAX_UINT64) {
    throw new FunctionError(`${part} version increment would overflow uint64`);
  }
  return version[part] + 1n;
}

const RELEASED = { prerelease: "", metadata: "" };

function incrementMajor(version: Version): Typed {
  return derive(version, { ...RELEASED, major: increment(version, "major"), minor: 0n, patch: 0n });
}

function incrementPatch(version: Version): Typed {
  // The next patch of a prerelease is its release.
  if (version.prerelease) return derive(version, RELEASED);
  return derive(version, { ...RELEASED, patch: increment(version, "patch") });
}

function setPrerelease(version: Version, prerelease: string): Typed {
  checkPrerelease(prerelease);
  return derive(version, { prerelease });
}

function setMetadata(version: Version, metadata: string): Typed {
  if (metadata !== "" && !metadata.split(".").every((part) => IDENTIFIER.test(part))) {
    throw new FunctionError("invalid metadata string");
  }
  return derive(version, { metadata });
}

function method(call: (version: Version) => unknown): GoMethod {
  return { params: [], call };
}

/** The methods of `semver.Version`, which a pointer has as well. */
const VALUE_METHODS: readonly (readonly [string, GoMethod])[] = [
  ["Major", method((v) => new Typed(UINT64, v.major))],
  ["Minor", method((v) => new Typed(UINT64, v.minor))],
  ["Patch", method((v) => new Typed(UINT64, v.patch))],
  ["Prerelease", method((v) => v.prerelease)],
  ["Metadata", method((v) => v.metadata)],
  ["String", method(formatVersion)],
  ["Value", method(formatVersion)],
  ["MarshalText", method((v) => new Typed(BYTES, [...toBytes(formatVersion(v))].map(BigInt)))],
  [
    "MarshalJSON",
    method((v) => new Typed(BYTES, [...toBytes(`"${formatVersion(v)}"`)].map(BigInt))),
  ],
  ["IncPatch", method(incrementPatch)],
  ["IncMinor", method((v) => derive(v, { ...RELEASED, minor: increment(v, "minor"), patch: 0n }))],
  ["IncMajor", method(incrementMajor)],
  ["SetPrerelease", { params: [STRING], call: setPrerelease }],
  ["SetMetadata", { params: [STRING], call: setMetadata }],
];

const VERSION: GoType = {
  name: "semver.Version",
  kind: "struct",
  methods: new Map(VALUE_METHODS),
  stringer: (value) => formatVersion(value as Version),
  toJson: (value) => formatVersion(value as Version),
};

/** `*semver.Version`. */
export const VERSION_POINTER: GoType = {
  name: "*semver.Version",
  kind: "ptr",
  elem: VERSION,
  get methods(): ReadonlyMap<string, GoMethod> {
    return POINTER_METHODS;
  },
  stringer: VERSION.stringer,
  toJson: VERSION.toJson,
};

function comparison(call: (order: number) => unknown): GoMethod {
  return {
    params: [VERSION_POINTER],
    call(a: Version, b: Version | null) {
      if (b === null) throw new FunctionError(NIL_DEREFERENCE);
      return call(compareVersions(a, b));
    },
  };
}

const POINTER_METHODS: ReadonlyMap<string, GoMethod> = new Map([
  ...VALUE_METHODS,
  ["Original", method((v) => v.original)],
  ["Compare", comparison((order) => int(order))],
  ["LessThan", comparison((order) => order < 0)],
  ["LessThanEqual", comparison((order) => order <= 0)],
  ["GreaterThan", comparison((order) => order > 0)],
  ["GreaterThanEqual", comparison((order) => order >= 0)],
  ["Equal", {
    params: [VERSION_POINTER],
    call: (a: Version, b: Version | null) => b !== null && compareVersions(a, b) === 0,
  }],
]);
