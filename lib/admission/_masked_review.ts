/**
 * Masks the parts of a review that differ between replicas of a workload: the request's uid, the
 * token volume's name, and the times of managed fields. Reviews with equal masks are for equal
 * pods.
 *
 * Only texts formatted as the API server formats them are masked, and only quoted strings of
 * letters and digits are removed. So parsing two texts with the same mask gives the same value,
 * apart from those strings.
 */
import { TOKEN_VOLUME_PREFIX } from "../inject/mod.ts";

export interface MaskedReview {
  /** The text with placeholders, which no other text can contain. */
  readonly mask: string;
  readonly uid: string;
  /** The token volume's name, "" if the pod has none, and its number of occurrences. */
  readonly token: string;
  readonly tokens: number;
  /** The number of masked times. */
  readonly times: number;
}

const UID_START = '"request":{"uid":"';
const UID = /^[0-9a-f-]{1,64}$/;
const TOKEN = /^kube-api-access-[a-z0-9]{5}$/;
/** Matches a time member as the API server formats it, without February 29. */
const TIME =
  /"time":"\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)|02-(?:0[1-9]|1\d|2[0-8]))T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ"/g;
/** The placeholder: a control character, which valid JSON cannot contain unescaped. */
const HOLE = "\u0001";
const TOKEN_LENGTH = TOKEN_VOLUME_PREFIX.length + 5;

/** Masks a review; returns `undefined` if its text has another form. */
export function maskReview(text: string): MaskedReview | undefined {
  if (text.charCodeAt(0) !== 0x7b || text.includes(HOLE)) return undefined;
  const found = text.indexOf(UID_START);
  if (found < 0) return undefined;
  const start = found + UID_START.length;
  const end = text.indexOf('"', start);
  const uid = text.slice(start, end);
  // If the uid occurs twice, either one could be the request's.
  if (!UID.test(uid) || text.includes(uid, end)) return undefined;
  let mask = text.slice(0, start);
  let at = text.indexOf(TOKEN_VOLUME_PREFIX);
  // The API server never writes the name before the uid.
  if (at >= 0 && at < end) return undefined;
  const token = at < 0 ? "" : text.slice(at, at + TOKEN_LENGTH);
  if (at >= 0 && !TOKEN.test(token)) return undefined;
  let from = end;
  let tokens = 0;
  for (; at >= 0; at = text.indexOf(TOKEN_VOLUME_PREFIX, from)) {
    const isWhole = text.charCodeAt(at - 1) === QUOTE &&
      text.charCodeAt(at + TOKEN_LENGTH) === QUOTE && text.startsWith(token, at);
    if (!isWhole) return undefined;
    mask += `${text.slice(from, at)}${TOKEN_VOLUME_PREFIX}${HOLE}`;
    from = at + TOKEN_LENGTH;
    tokens++;
  }
  let times = 0;
  mask = (mask + text.slice(from)).replace(TIME, () => {
    times++;
    return `"time":"${HOLE}"`;
  });
  return { mask, uid, token, tokens, times };
}

const QUOTE = 0x22;
