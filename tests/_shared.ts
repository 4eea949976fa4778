/**
 * The shared folder beside the checkout: data of other projects, which this one must not contain. Tests that need it
 * are registered as skipped where it is absent, so that the summary of a run counts them.
 */
import { test } from "bun:test";
import { existsSync } from "node:fs";

export const SHARED = `${import.meta.dirname}/../../shared`;

/** Registers tests that read a folder or file of `../shared`, or one skipped test in their place. */
export function withShared(path: string, name: string, register: () => void): void {
  if (existsSync(`${SHARED}/${path}`)) register();
  else test.skipIf(true)(`${name} (no ../shared/${path})`, () => {});
}
