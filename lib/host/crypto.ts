/**
 * Synchronous cryptography for template functions, through `node:crypto`, which Bun, Deno and Node
 * support, and bcrypt. Keys are DER: PKCS #8 and SubjectPublicKeyInfo.
 */

import { encodeBase64, hashSync } from "bcryptjs";
import { Buffer } from "node:buffer";
import {
  checkPrimeSync,
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  scryptSync,
  sign,
} from "node:crypto";

export type HashName = "sha1" | "sha256" | "sha384" | "sha512";
export type KeyKind = "rsa2048" | "rsa4096" | "p256" | "ed25519";

export interface HostCrypto {
  hash(name: HashName, data: Uint8Array): Uint8Array;
  hmacSha256(key: Uint8Array, data: Uint8Array): Uint8Array;
  scrypt(password: Uint8Array, salt: Uint8Array, options: ScryptOptions): Uint8Array;
  /** AES-256-CBC of whole blocks, without padding. */
  aesCbc(
    direction: "encrypt" | "decrypt",
    data: Uint8Array,
    options: { readonly key: Uint8Array; readonly iv: Uint8Array },
  ): Uint8Array;
  /** Returns the `$2a$…` string; throws for a password that is not UTF-8. */
  bcrypt(
    password: Uint8Array,
    options: { readonly cost: number; readonly salt: Uint8Array },
  ): string;
  isPrime(candidate: bigint): boolean;
  generateKey(kind: KeyKind): Uint8Array;
  publicKey(privateKey: Uint8Array): Uint8Array;
  sign(
    privateKey: Uint8Array,
    data: Uint8Array,
    options: { readonly hash: HashName | undefined },
  ): Uint8Array;
}

export interface ScryptOptions {
  readonly n: number;
  readonly r: number;
  readonly p: number;
  readonly length: number;
}

/** Higher costs are refused: 2^12 rounds take about half a second. */
const MAX_BCRYPT_COST = 12;
/** scrypt uses 128·N·r bytes: 32 MiB with sprig's parameters, and OpenSSL needs some more. */
const MAX_SCRYPT_MEMORY = 64 * 1024 * 1024;

export function createCrypto(): HostCrypto {
  return {
    hash: (name, data) => bytes(createHash(name).update(data).digest()),
    hmacSha256: (key, data) => bytes(createHmac("sha256", key).update(data).digest()),
    scrypt(password, salt, { n, r, p, length }) {
      const options = { N: n, r, p, maxmem: MAX_SCRYPT_MEMORY };
      return bytes(scryptSync(password, salt, length, options));
    },
    aesCbc(direction, data, { key, iv }) {
      const cipher = direction === "encrypt"
        ? createCipheriv("aes-256-cbc", key, iv)
        : createDecipheriv("aes-256-cbc", key, iv);
      cipher.setAutoPadding(false);
      return bytes(Buffer.concat([cipher.update(data), cipher.final()]));
    },
    bcrypt,
    isPrime: (candidate) => checkPrimeSync(candidate),
    generateKey,
    publicKey: (privateKey) =>
      bytes(createPublicKey(readKey(privateKey)).export({ format: "der", type: "spki" })),
    sign: (privateKey, data, { hash }) => bytes(sign(hash ?? null, data, readKey(privateKey))),
  };
}

function bcrypt(
  password: Uint8Array,
  { cost, salt }: { readonly cost: number; readonly salt: Uint8Array },
): string {
  if (cost > MAX_BCRYPT_COST) {
    throw new RangeError(`bcrypt cost ${cost} exceeds ${MAX_BCRYPT_COST}`);
  }
  const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(password);
  const rounds = String(cost).padStart(2, "0");
  return hashSync(text, `$2a$${rounds}$${encodeBase64([...salt], salt.length)}`);
}

function generateKey(kind: KeyKind): Uint8Array {
  const { privateKey } = kind === "p256"
    ? generateKeyPairSync("ec", { namedCurve: "P-256" })
    : kind === "ed25519"
    ? generateKeyPairSync("ed25519")
    : generateKeyPairSync("rsa", { modulusLength: kind === "rsa2048" ? 2048 : 4096 });
  return bytes(privateKey.export({ format: "der", type: "pkcs8" }));
}

function readKey(privateKey: Uint8Array): KeyObject {
  return createPrivateKey({ key: Buffer.from(privateKey), format: "der", type: "pkcs8" });
}

/** Copies a Buffer, which may be a view of a shared pool. */
function bytes(buffer: Uint8Array): Uint8Array {
  return Uint8Array.from(buffer);
}
