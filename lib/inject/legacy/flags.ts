/** Reads flags from a container's arguments. */
import { atoi, NumberError } from "../../go/strconv.ts";
import { trimSpace } from "../../go/strings.ts";
import type { Container } from "../pod.ts";

/**
 * Returns the number of a flag written `--flag 2`, `-flag 2` or `--flag=2`, or `undefined` if the flag is
 * absent or not a number. The first occurrence wins.
 */
export function flagValue({ args = [] }: Container, flag: string): number | undefined {
  const pattern = new RegExp(`^--?${flag}(?:=(\\d+))?$`);
  for (const [i, arg] of args.entries()) {
    const match = pattern.exec(trimSpace(arg));
    if (!match) continue;
    const text = match[1] ?? args[i + 1];
    if (text === undefined) return undefined;
    try {
      return Number(atoi(text));
    } catch (error) {
      if (error instanceof NumberError) return undefined;
      throw error;
    }
  }
  return undefined;
}
