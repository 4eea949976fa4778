/** The flag `--compat`: the Istio version to emulate. */

import { COMPAT_FORM, type CompatVersion, parseCompatVersion } from "../inject/mod.ts";
import { flagMisuse } from "./flag.ts";

/** Parses the value of --compat; throws a UsageError if it is not a version. */
export function compatFlag(command: string, text: string): CompatVersion {
  const version = parseCompatVersion(text);
  if (version !== undefined) return version;
  throw flagMisuse({ command, name: "compat" }, { wanted: COMPAT_FORM, text });
}
