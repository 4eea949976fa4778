/**
 * A review's text without what differs from one replica of a workload to the next: the request's uid,
 * the name of the token volume, and when managed fields were set. Texts that are the same otherwise are
 * reviews of the same pod.
 *
 * Only texts of the form in which the API server writes them are masked, and only where what is left out
 * stands between quotes and is made of letters and digits: parsing two texts with one mask gives the
 * same value, but for those strings.
 */
import { TOKEN_VOLUME_PREFIX } from "../inject/mod.ts";

export interface MaskedReview {
  /** The text with its holes, which no text without them can look like. */
  readonly mask: string;
  readonly uid: string;
  /** The name of the token volume, "" if the pod has none, and how often it is there. */
  readonly token: string;
  readonly tokens: number;
  /** How many times were left out. */
  readonly times: number;
}

const UID_START = '"request":{"uid":"';
const UID = /^[0-9a-f-]{1,64}$/;
const TOKEN = /^kube-api-access-[a-z0-9]{5}$/;
/** A member that is a time, to the second as the API server writes it, on a day that every year has. */
const TIME =
  /"time":"\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)|02-(?:0[1-9]|1\d|2[0-8]))T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ"/g;
/** What holes are made of: a control character, which no text of JSON has in it. */
const HOLE = "\u0001";
const TOKEN_LENGTH = TOKEN_VOLUME_PREFIX.length + 5;

/** `undefined` where the text is of another form. */
export function maskReview(text: string): MaskedReview | undefined {
  if (text.charCodeAt(0) !== 0x7b || text.includes(HOLE)) return undefined;
  const found = text.indexOf(UID_START);
  if (found < 0) return undefined;
  const start = found + UID_START.length;
  const end = text.indexOf('"', start);
  const uid = text.slice(start, end);
  // Were it there twice, nobody could tell which one is the request's.
  if (!UID.test(uid) || text.includes(uid, end)) return undefined;
  let mask = text.slice(0, start);
  let at = text.indexOf(TOKEN_VOLUME_PREFIX);
  // A name before the uid would be in a part of the text that nobody expects it in.
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
