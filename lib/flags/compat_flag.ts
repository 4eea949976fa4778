/** The flag `--compat`: the version of Istio to behave as. */

import { COMPAT_FORM, type CompatVersion, parseCompatVersion } from "../inject/mod.ts";
import { flagMisuse } from "./flag.ts";

/** Throws a UsageError for a text that names no version. */
export function compatFlag(command: string, text: string): CompatVersion {
  const version = parseCompatVersion(text);
  if (version !== undefined) return version;
  throw flagMisuse({ command, name: "compat" }, { wanted: COMPAT_FORM, text });
}
