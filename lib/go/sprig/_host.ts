/**
 * The environment that sprig needs, as one argument: clock, local zone, randomness, environment
 * variables, name lookup and cryptography. So `lib/go` stays pure, tests can fix every answer, and
 * the server decides what templates can see. All of it is synchronous, because template functions
 * are.
 */

/** The hashes that sprig and its certificates use. */
export type HashName = "sha1" | "sha256" | "sha384" | "sha512";

/** The keys that sprig generates, with their fixed sizes. */
export type KeyKind = "rsa2048" | "rsa4096" | "p256" | "ed25519";

/** The parameters of scrypt, with the names of RFC 7914. */
export interface ScryptOptions {
  readonly n: number;
  readonly r: number;
  readonly p: number;
  readonly length: number;
}

/**
 * Cryptographic primitives. Private keys are PKCS #8 and public keys SubjectPublicKeyInfo, both in
 * DER, which every runtime supports. This folder converts them to PEM, PKCS #1, SEC 1 and X.509.
 */
export interface CryptoHost {
  hash(name: HashName, data: Uint8Array): Uint8Array;
  hmacSha256(key: Uint8Array, data: Uint8Array): Uint8Array;
  scrypt(password: Uint8Array, salt: Uint8Array, options: ScryptOptions): Uint8Array;
  /** Encrypts or decrypts whole blocks with AES-256-CBC, without padding. */
  aesCbc(
    direction: "encrypt" | "decrypt",
    data: Uint8Array,
    options: { readonly key: Uint8Array; readonly iv: Uint8Array },
  ): Uint8Array;
  /** Returns the `$2a$…` hash of a password of at most 72 bytes, with a salt of 16 bytes. */
  bcrypt(
    password: Uint8Array,
    options: { readonly cost: number; readonly salt: Uint8Array },
  ): string;
  /** Reports whether a number is prime, with a negligible error probability. */
  isPrime(candidate: bigint): boolean;
  /** Generates a private key, as PKCS #8. */
  generateKey(kind: KeyKind): Uint8Array;
  /** Returns the public key of a PKCS #8 key. Throws if the key is invalid. */
  publicKey(privateKey: Uint8Array): Uint8Array;
  /** Signs data (PKCS #1 v1.5 for RSA, DER for ECDSA). The hash is `undefined` for Ed25519. */
  sign(
    privateKey: Uint8Array,
    data: Uint8Array,
    options: { readonly hash: HashName | undefined },
  ): Uint8Array;
}

/** The environment that sprig needs. */
export interface SprigHost extends CryptoHost {
  /** Returns the current Unix time in nanoseconds. */
  now(): bigint;
  /** The IANA name of the zone that Go calls `Local`. */
  readonly localZone: string;
  /** Returns cryptographically secure random bytes. */
  randomBytes(count: number): Uint8Array;
  /** Returns an environment variable, or `undefined` if templates must not see it. */
  env(name: string): string | undefined;
  /** Looks up the addresses of a host. Absent if templates must not use the network. */
  lookupHost?(name: string): readonly string[];
}
