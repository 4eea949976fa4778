/** The escapers among Go's built-ins: `html`, `js`, `urlquery`. */
import { toBytes } from "../bytes.ts";

const HTML: Readonly<Record<string, string>> = {
  "\0": "\uFFFD",
  '"': "&#34;",
  "'": "&#39;",
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
};

export function escapeHtml(text: string): string {
  // deno-lint-ignore no-control-regex -- NUL is one of the six
  return text.replace(/[\x00"'&<>]/g, (char) => HTML[char]);
}

const JS: Readonly<Record<string, string>> = {
  "\\": "\\\\",
  "'": "\\'",
  '"': '\\"',
  "<": "\\u003C",
  ">": "\\u003E",
  "&": "\\u0026",
  "=": "\\u003D",
};

/** Quotes, brackets and controls are escaped; so is what Go would not print. */
export function escapeJs(text: string): string {
  let out = "";
  for (const char of text) {
    const code = char.codePointAt(0)!;
    if (char in JS && Object.hasOwn(JS, char)) out += JS[char];
    else if (code < 0x20) out += `\\u${hex4(code)}`;
    else if (code < 0x80) out += char;
    // A byte that is no UTF-8 stays the byte it was.
    else if (code >= 0xdc80 && code <= 0xdcff) out += char;
    else if (/^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u.test(char)) out += char;
    else out += `\\u${hex4(code)}`;
  }
  return out;
}

function hex4(code: number): string {
  return code.toString(16).toUpperCase().padStart(4, "0");
}

/** As a value of a query: letters, digits and `-_.~` stay, a space becomes `+`. */
export function escapeQuery(text: string): string {
  let out = "";
  for (const byte of toBytes(text)) {
    const char = String.fromCharCode(byte);
    if (/[A-Za-z0-9\-_.~]/.test(char)) out += char;
    else if (byte === 0x20) out += "+";
    else out += `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }
  return out;
}
