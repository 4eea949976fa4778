/** Flags among a container's arguments. */
import { atoi, NumberError } from "../../go/strconv.ts";
import { trimSpace } from "../../go/strings.ts";
import type { Container } from "../pod.ts";

/**
 * The number that a flag gives, `--flag 2`, `-flag 2` or `--flag=2`; `undefined` where it is not there or
 * gives none. The first of its name counts.
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
