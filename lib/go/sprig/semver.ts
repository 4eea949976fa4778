/** Sprig's semantic versions: `semver` parses a version, `semverCompare` checks a constraint. */

import { type FunctionMap, goFunction, Typed } from "../value.ts";
import { checkConstraint } from "./_semver_constraint.ts";
import { parseVersion, VERSION_POINTER } from "./_semver_version.ts";

export const semverFunctions: FunctionMap = {
  semver: goFunction("string", (text: string) => new Typed(VERSION_POINTER, parseVersion(text))),
  semverCompare: goFunction("string, string", checkConstraint),
};
