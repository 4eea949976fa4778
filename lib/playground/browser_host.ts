/**
 * The host functions that sprig needs, in a browser: the clock, random bytes and synchronous
 * hashes. The browser's cryptography is asynchronous, which template functions cannot use; so
 * functions that encrypt or generate keys fail. No injection template of Istio uses them.
 */

import { hmac } from "@noble/hashes/hmac.js";
import { sha1 } from "@noble/hashes/legacy.js";
import { scrypt } from "@noble/hashes/scrypt.js";
import { sha256, sha384, sha512 } from "@noble/hashes/sha2.js";
import { encodeBase64, hashSync } from "bcryptjs";
import type { SprigHost } from "../go/sprig/mod.ts";
import { FunctionError } from "../go/value.ts";

const HASHES = { sha1, sha256, sha384, sha512 };

/** The limit of `getRandomValues`, in bytes per call (Web Cryptography API, §10.1.1). */
const RANDOM_QUOTA = 65536;

/** The maximum bcrypt cost: 2^12 rounds take about half a second. */
const MAX_BCRYPT_COST = 12;

export function createBrowserHost(): SprigHost {
  return {
    now: () => BigInt(Date.now()) * 1_000_000n,
    localZone: "UTC",
    randomBytes(count) {
      const bytes = new Uint8Array(count);
      for (let start = 0; start < count; start += RANDOM_QUOTA) {
        crypto.getRandomValues(bytes.subarray(start, start + RANDOM_QUOTA));
      }
      return bytes;
    },
    env: () => undefined,
    hash: (name, data) => HASHES[name](data),
    hmacSha256: (key, data) => hmac(sha256, key, data),
    scrypt: (password, salt, { n, r, p, length }) =>
      scrypt(password, salt, { N: n, r, p, dkLen: length }),
    bcrypt(password, { cost, salt }) {
      if (cost > MAX_BCRYPT_COST) {
        throw new FunctionError(`bcrypt cost ${cost} exceeds ${MAX_BCRYPT_COST}`);
      }
      const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(password);
      const rounds = String(cost).padStart(2, "0");
      return hashSync(text, `$2a$${rounds}$${encodeBase64([...salt], salt.length)}`);
    },
    aesCbc: () => refuse("encryption is"),
    isPrime: () => refuse("DSA keys are"),
    generateKey: () => refuse("keys and certificates are"),
    publicKey: () => refuse("keys and certificates are"),
    sign: () => refuse("signatures are"),
  };
}

function refuse(what: string): never {
  throw new FunctionError(
    `${what} not available in the browser: use "outrigger render" or "outrigger inject"`,
  );
}
