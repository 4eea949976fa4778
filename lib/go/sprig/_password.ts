/** The passwords of "Master Password" (Lyndir, algorithm 2): derived from a secret, never stored. */

import { toBytes } from "../bytes.ts";
import { concatBytes } from "./_der.ts";
import type { CryptoHost } from "./_host.ts";

const SCOPE = "com.lyndir.masterpassword";
const SCRYPT = { n: 32768, r: 8, p: 2, length: 64 } as const;

/** Shapes by type of password; each letter is a class of characters. */
const SHAPES: ReadonlyMap<string, readonly string[]> = new Map([
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

/** Whose password it is, and for what. */
export interface PasswordRequest {
  readonly counter: number;
  readonly type: string;
  readonly password: string;
  readonly user: string;
  readonly site: string;
}

/** The password; for an unknown type, sprig's complaint instead. */
export function derivePassword(host: CryptoHost, request: PasswordRequest): string {
  const shapes = SHAPES.get(request.type);
  if (!shapes) return `cannot find password template ${request.type}`;
  const scope = toBytes(SCOPE);
  const user = toBytes(request.user);
  const site = toBytes(request.site);
  const salt = concatBytes(scope, uint32(user.length), user);
  const key = host.scrypt(toBytes(request.password), salt, SCRYPT);
  const message = concatBytes(scope, uint32(site.length), site, uint32(request.counter));
  const [first, ...seed] = host.hmacSha256(key, message);
  const shape = shapes[first % shapes.length];
  return [...shape].map((letter, i) => {
    const choices = CLASSES[letter];
    return choices[seed[i] % choices.length];
  }).join("");
}

/** Big-endian. */
function uint32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value);
  return bytes;
}
