/** Sprig's `derivePassword`: the Master Password algorithm (Lyndir, version 2). */

import { toBytes } from "../../data/bytes.ts";
import { concatBytes } from "./_der.ts";
import type { CryptoHost } from "./_host.ts";

const SCOPE = "com.lyndir.masterpassword";
const SCRYPT = { n: 32768, r: 8, p: 2, length: 64 } as const;

/** Templates by password type. Each letter is a class of characters. */
const TEMPLATES: ReadonlyMap<string, readonly string[]> = new Map([
  ["maximum", ["anoxxxxxxxxxxxxxxxxx", "axxxxxxxxxxxxxxxxxno"]],
  ["long", [
    "CvcvnoCvcvCvcv",
    "CvcvCvcvnoCvcv",
    "CvcvCvcvCvcvno",
    "CvccnoCvcvCvcv",
    "CvccCvcvnoCvcv",
    "CvccCvcvCvcvno",
    "CvcvnoCvccCvcv",
    "CvcvCvccnoCvcv",
    "CvcvCvccCvcvno",
    "CvcvnoCvcvCvcc",
    "CvcvCvcvnoCvcc",
    "CvcvCvcvCvccno",
    "CvccnoCvccCvcv",
    "CvccCvccnoCvcv",
    "CvccCvccCvcvno",
    "CvcvnoCvccCvcc",
    "CvcvCvccnoCvcc",
    "CvcvCvccCvccno",
    "CvccnoCvcvCvcc",
    "CvccCvcvnoCvcc",
    "CvccCvcvCvccno",
  ]],
  ["medium", ["CvcnoCvc", "CvcCvcno"]],
  ["short", ["Cvcn"]],
  ["basic", ["aaanaaan", "aannaaan", "aaannaaa"]],
  ["pin", ["nnnn"]],
]);

const CLASSES: Readonly<Record<string, string>> = {
  C: "BCDFGHJKLMNPQRSTVWXYZ",
  v: "aeiou",
  c: "bcdfghjklmnpqrstvwxyz",
  a: "AEIOUaeiouBCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz",
  n: "0123456789",
  o: "@&%?,=[]_:-+*$#!'^~;()/.",
  x: "AEIOUaeiouBCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz0123456789!@#$%^&*()",
};

/** The arguments of `derivePassword`. */
interface PasswordRequest {
  readonly counter: number;
  readonly type: string;
  readonly password: string;
  readonly user: string;
  readonly site: string;
}

/** Returns the password. For an unknown type, sprig returns an error text as the result. */
export function derivePassword(host: CryptoHost, request: PasswordRequest): string {
  const templates = TEMPLATES.get(request.type);
  if (!templates) return `cannot find password template ${request.type}`;
  const scope = toBytes(SCOPE);
  const user = toBytes(request.user);
  const site = toBytes(request.site);
  const salt = concatBytes(scope, uint32(user.length), user);
  const key = host.scrypt(toBytes(request.password), salt, SCRYPT);
  const message = concatBytes(scope, uint32(site.length), site, uint32(request.counter));
  const [first, ...seed] = host.hmacSha256(key, message);
  const template = templates[first % templates.length];
  return [...template].map((letter, i) => {
    const choices = CLASSES[letter];
    return choices[seed[i] % choices.length];
  }).join("");
}

/** Returns a number as four big-endian bytes. */
function uint32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value);
  return bytes;
}
