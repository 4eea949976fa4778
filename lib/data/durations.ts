/** Spans of time in milliseconds. */

export const DAY_MS = 86_400_000;

/** Returns the pause after a number of failures: `first` after one, then twice as long each time. */
export function backoff(
  failures: number,
  { first, most }: { readonly first: number; readonly most: number },
): number {
  return Math.min(first * 2 ** (failures - 1), most);
}
