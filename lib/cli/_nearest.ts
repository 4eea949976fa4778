/** The word someone meant: for unknown commands, flags and values. */

import { editDistance } from "../data/edit_distance.ts";

/** Longer words are no typing errors, and the distance costs length squared. */
const MAX_LENGTH = 64;

/**
 * The candidate nearest to `word`, or undefined where none is near enough to be worth a question. Case and
 * dashes do not count, so `--inject-config-file` finds `--injectConfigFile`.
 */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const wanted = plain(word);
  if (wanted === "" || wanted.length > MAX_LENGTH) return undefined;
  // One error in a short word, and one more for each three letters after that.
  let best = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  let found: string | undefined;
  for (const candidate of candidates) {
    const other = plain(candidate);
    const begins = wanted.length >= 2 && other.startsWith(wanted);
    const distance = begins ? 1 : editDistance(wanted, other);
    // A word of which nothing is left is no near miss.
    if (distance < best && distance < other.length) {
      best = distance;
      found = candidate;
    }
  }
  return found;
}

/** `what` as a sentence, with the question after it where there is one worth asking. */
export function didYouMean(what: string, word: string, candidates: Iterable<string>): string {
  const found = nearest(word, candidates);
  return found === undefined ? `${what}.` : `${what}: did you mean "${found}"?`;
}

function plain(word: string): string {
  return word.toLowerCase().replaceAll("-", "");
}
