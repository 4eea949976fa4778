/**
 * What sprig takes from the world around it, as one argument: the clock, the local zone, randomness,
 * environment variables, name lookup and cryptography. `lib/go` itself stays pure, so a test can fix
 * all of it and a server decides what templates may see. All of it is synchronous: Go's template
 * functions are.
 */

/** Hashes that sprig and certificates ask for. */
export type HashName = "sha1" | "sha256" | "sha384" | "sha512";

/** Keys that can be made: what sprig's generators ask for, by their fixed sizes. */
export type KeyKind = "rsa2048" | "rsa4096" | "p256" | "ed25519";

/** Parameters of scrypt, by RFC 7914's names. */
export interface ScryptOptions {
  readonly n: number;
  readonly r: number;
  readonly p: number;
  readonly length: number;
}

/**
 * Primitives over bytes. Keys travel as PKCS #8 DER (private) and SubjectPublicKeyInfo DER (public),
 * which every runtime reads and writes; PEM, PKCS #1, SEC 1 and X.509 are made from those here.
 */
export interface CryptoHost {
  hash(name: HashName, data: Uint8Array): Uint8Array;
  hmacSha256(key: Uint8Array, data: Uint8Array): Uint8Array;
  scrypt(password: Uint8Array, salt: Uint8Array, options: ScryptOptions): Uint8Array;
  /** AES-256-CBC of whole blocks, without padding. */
  aesCbc(
    direction: "encrypt" | "decrypt",
    data: Uint8Array,
    options: { readonly key: Uint8Array; readonly iv: Uint8Array },
  ): Uint8Array;
  /** The `$2a$…` string of a password of at most 72 bytes, with a salt of 16. */
  bcrypt(
    password: Uint8Array,
    options: { readonly cost: number; readonly salt: Uint8Array },
  ): string;
  /** Whether a number is prime, but for a negligible chance. */
  isPrime(candidate: bigint): boolean;
  /** A new private key, PKCS #8. */
  generateKey(kind: KeyKind): Uint8Array;
  /** The public half of a PKCS #8 key; throws where the key makes no sense. */
  publicKey(privateKey: Uint8Array): Uint8Array;
  /** Signs; the hash is `undefined` for Ed25519. RSA is PKCS #1 v1.5, ECDSA is in DER. */
  sign(
    privateKey: Uint8Array,
    data: Uint8Array,
    options: { readonly hash: HashName | undefined },
  ): Uint8Array;
}

/** Everything ambient that sprig needs. */
export interface SprigHost extends CryptoHost {
  /** Nanoseconds since the epoch. */
  now(): bigint;
  /** IANA name of the zone that Go calls `Local`. */
  readonly localZone: string;
  /** Cryptographically strong random bytes. */
  randomBytes(count: number): Uint8Array;
  /** Value of an environment variable that templates may see; `undefined` for any other. */
  env(name: string): string | undefined;
  /** Addresses of a host; absent where templates may not ask the network. */
  lookupHost?(name: string): readonly string[];
}
