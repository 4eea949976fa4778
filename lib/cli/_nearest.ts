/** Suggestions for misspelled commands, flags and values. */

import { editDistance } from "../data/edit_distance.ts";

/** The longest word to compare: longer ones are not typos, and edit distance is quadratic. */
const MAX_LENGTH = 64;

/**
 * Returns the candidate nearest to `word`, or undefined if none is close. Ignores case and dashes, so that
 * `--inject-config-file` finds `--injectConfigFile`.
 */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const wanted = plain(word);
  if (wanted === "" || wanted.length > MAX_LENGTH) return undefined;
  // Allow one error, and one more for every three letters.
  let best = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  let found: string | undefined;
  for (const candidate of candidates) {
    const other = plain(candidate);
    const begins = wanted.length >= 2 && other.startsWith(wanted);
    const distance = begins ? 1 : editDistance(wanted, other);
    // If every letter differs, it is not a near miss.
    if (distance < best && distance < other.length) {
      best = distance;
      found = candidate;
    }
  }
  return found;
}

/** Returns `what` as a sentence, followed by a suggestion if a candidate is close. */
export function didYouMean(what: string, word: string, candidates: Iterable<string>): string {
  const found = nearest(word, candidates);
  return found === undefined ? `${what}.` : `${what}: did you mean "${found}"?`;
}

function plain(word: string): string {
  return word.toLowerCase().replaceAll("-", "");
}
