/**
 * A review's text without what differs from one replica of a workload to the next: the request's uid,
 * and the name of the token volume. Texts that are the same otherwise are reviews of the same pod.
 *
 * Only texts of the form in which the API server writes them are masked, and only where what is left out
 * stands between quotes and is made of letters and digits: parsing two texts with one mask gives the
 * same value, but for those strings.
 */
import { TOKEN_VOLUME_PREFIX } from "../inject/private_name.ts";

export interface MaskedReview {
  /** The text with its holes, which no text without them can look like. */
  readonly mask: string;
  readonly uid: string;
  /** The name of the token volume, "" if the pod has none, and how often it is there. */
  readonly token: string;
  readonly tokens: number;
}

const UID_START = '"request":{"uid":"';
const UID = /^[0-9a-f-]{1,64}$/;
const TOKEN = /^kube-api-access-[a-z0-9]{5}$/;
const TOKEN_LENGTH = TOKEN_VOLUME_PREFIX.length + 5;

/** `undefined` where the text is of another form. */
export function maskReview(text: string): MaskedReview | undefined {
  if (text.charCodeAt(0) !== 0x7b) return undefined;
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
    // A control character, which no string of JSON has in it.
    mask += `${text.slice(from, at)}${TOKEN_VOLUME_PREFIX}\u0001`;
    from = at + TOKEN_LENGTH;
    tokens++;
  }
  return { mask: mask + text.slice(from), uid, token, tokens };
}

const QUOTE = 0x22;
