/** Sprig's hashes, passwords, ciphers, keys and certificates, on top of the host's primitives. */

import { decodeBase64 } from "../_base64.ts";
import { fromBytes, toBytes } from "../../data/bytes.ts";
import { FunctionError, type FunctionMap, goFunction, UINT32 } from "../value.ts";
import { certificateFunctions } from "./_certificates.ts";
import { concatBytes } from "./_der.ts";
import type { HashName, KeyKind, SprigHost } from "./_host.ts";
import { formatPrivateKey, generateKey } from "./_keys.ts";
import { derivePassword } from "./_password.ts";

/** Go's default cost. */
const BCRYPT_COST = 10;
const BCRYPT_SALT_BYTES = 16;
const BCRYPT_MAX_BYTES = 72;
const AES_BLOCK = 16;
const AES_KEY = 32;

const KEY_KINDS: ReadonlyMap<string, KeyKind | "dsa"> = new Map([
  ["", "rsa4096"],
  ["rsa", "rsa4096"],
  ["dsa", "dsa"],
  ["ecdsa", "p256"],
  ["ed25519", "ed25519"],
]);

export function cryptoFunctions(host: SprigHost): FunctionMap {
  const sum = (name: HashName) =>
    goFunction("string", (text: string) => host.hash(name, toBytes(text)).toHex());
  return {
    sha1sum: sum("sha1"),
    sha256sum: sum("sha256"),
    sha512sum: sum("sha512"),
    adler32sum: goFunction("string", (text: string) => String(adler32(toBytes(text)))),
    bcrypt: goFunction("string", (password: string) => bcrypt(host, password)),
    htpasswd: goFunction("string, string", (user: string, password: string) => {
      if (user.includes(":")) return `invalid username: ${user}`;
      return `${user}:${bcrypt(host, password)}`;
    }),
    derivePassword: goFunction(
      "uint32, string, string, string, string",
      (counter: bigint, type: string, password: string, user: string, site: string) =>
        derivePassword(host, { counter: Number(counter), type, password, user, site }),
      { uint32: UINT32 },
    ),
    genPrivateKey: goFunction("string", (type: string) => {
      const kind = KEY_KINDS.get(type);
      return kind ? formatPrivateKey(generateKey(host, kind)) : `Unknown type ${type}`;
    }),
    encryptAES: goFunction(
      "string, string",
      (password: string, plain: string) => encryptAes(host, password, plain),
    ),
    decryptAES: goFunction(
      "string, string",
      (password: string, cipher: string) => decryptAes(host, password, cipher),
    ),
    ...certificateFunctions(host),
  };
}

function adler32(bytes: Uint8Array): number {
  let low = 1;
  let high = 0;
  for (const byte of bytes) {
    low = (low + byte) % 65521;
    high = (high + low) % 65521;
  }
  return high * 65536 + low;
}

/** Hashes a password. On failure, sprig returns the error text as the result. */
function bcrypt(host: SprigHost, password: string): string {
  const bytes = toBytes(password);
  if (bytes.length > BCRYPT_MAX_BYTES) {
    return "failed to encrypt string with bcrypt: " +
      `bcrypt: password length exceeds ${BCRYPT_MAX_BYTES} bytes`;
  }
  const salt = host.randomBytes(BCRYPT_SALT_BYTES);
  try {
    return host.bcrypt(bytes, { cost: BCRYPT_COST, salt });
  } catch {
    return "failed to encrypt string with bcrypt: password is not UTF-8";
  }
}

/** Returns the password, cut or padded with zeros to the key length, as in sprig. */
function aesKey(password: string): Uint8Array {
  const key = new Uint8Array(AES_KEY);
  key.set(toBytes(password).subarray(0, AES_KEY));
  return key;
}

function encryptAes(host: SprigHost, password: string, plain: string): string {
  if (plain === "") return "";
  const content = toBytes(plain);
  const padding = AES_BLOCK - content.length % AES_BLOCK;
  const padded = concatBytes(content, new Uint8Array(padding).fill(padding));
  const iv = host.randomBytes(AES_BLOCK);
  const cipher = host.aesCbc("encrypt", padded, { key: aesKey(password), iv });
  return concatBytes(iv, cipher).toBase64();
}

/** Decrypts base64. Sprig does not check lengths, so invalid text makes the Go runtime panic. */
function decryptAes(host: SprigHost, password: string, base64: string): string {
  if (base64 === "") return "";
  const text = toBytes(base64);
  const bytes = decodeBase64(text);
  const capacity = Math.floor(text.length / 4) * 3;
  if (capacity < AES_BLOCK) {
    throw outOfRange(`[:${AES_BLOCK}] with capacity ${capacity}`);
  }
  if (bytes.length < AES_BLOCK) throw outOfRange(`[${AES_BLOCK}:${bytes.length}]`);
  const iv = bytes.subarray(0, AES_BLOCK);
  const cipher = bytes.subarray(AES_BLOCK);
  if (cipher.length % AES_BLOCK !== 0) {
    throw new FunctionError("crypto/cipher: input not full blocks");
  }
  if (cipher.length === 0) throw new FunctionError("runtime error: index out of range [-1]");
  const plain = host.aesCbc("decrypt", cipher, { key: aesKey(password), iv });
  const end = plain.length - plain.at(-1)!;
  if (end < 0) throw outOfRange(`[:${end}]`);
  return fromBytes(plain.subarray(0, end));
}

function outOfRange(what: string): FunctionError {
  return new FunctionError(`runtime error: slice bounds out of range ${what}`);
}
