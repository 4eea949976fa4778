/** The built-in escaping functions: `html`, `js`, `urlquery`. */
import { toBytes } from "../../data/bytes.ts";
import { isPrint } from "../strconv.ts";

const HTML: Readonly<Record<string, string>> = {
  "\0": "\uFFFD",
  '"': "&#34;",
  "'": "&#39;",
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
};

/** Go's `template.HTMLEscapeString`. */
export function escapeHtml(text: string): string {
  // deno-lint-ignore no-control-regex -- NUL is one of the characters to escape
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

/** Go's `template.JSEscapeString`. */
export function escapeJs(text: string): string {
  let out = "";
  for (const char of text) {
    const code = char.codePointAt(0)!;
    if (Object.hasOwn(JS, char)) out += JS[char];
    else if (code < 0x20) out += `\\u${hex4(code)}`;
    else if (code < 0x80) out += char;
    // An invalid byte stays as it is.
    else if (code >= 0xdc80 && code <= 0xdcff || isPrint(code)) out += char;
    else out += `\\u${hex4(code)}`;
  }
  return out;
}

function hex4(code: number): string {
  return code.toString(16).toUpperCase().padStart(4, "0");
}

/** Go's `url.QueryEscape`. */
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
