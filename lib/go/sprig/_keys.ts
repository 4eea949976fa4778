/** Converts private keys between PEM, which sprig writes and reads, and the PKCS #8 of the host. */

import { FunctionError } from "../value.ts";
import {
  bitString,
  bytesToBigint,
  der,
  DerReader,
  explicit,
  integer,
  octetString,
  oid,
  sequence,
  TAG,
} from "./_der.ts";
import { type DsaKey, generateDsaKey } from "./_dsa.ts";
import type { KeyKind, SprigHost } from "./_host.ts";
import { decodePem, encodePem } from "./_pem.ts";

const RSA = oid("1.2.840.113549.1.1.1");
const EC = oid("1.2.840.10045.2.1");
const ED25519 = oid("1.3.101.112");

/** A private key with its SubjectPublicKeyInfo, or a DSA key, which Go cannot sign with. */
export type PrivateKey =
  | {
    readonly kind: "rsa" | "ec" | "ed25519";
    readonly pkcs8: Uint8Array;
    readonly publicKey: Uint8Array;
  }
  | { readonly kind: "dsa"; readonly numbers: DsaKey };

/** Generates a key. */
export function generateKey(host: SprigHost, kind: KeyKind | "dsa"): PrivateKey {
  if (kind === "dsa") return { kind, numbers: generateDsaKey(host) };
  return fromPkcs8(host, host.generateKey(kind), "host generated an unknown kind of key");
}

/** Returns a key as PEM: PKCS #1 for RSA, SEC 1 for elliptic curves, PKCS #8 for Ed25519. */
export function formatPrivateKey(key: PrivateKey): string {
  switch (key.kind) {
    case "rsa":
      return encodePem({ type: "RSA PRIVATE KEY", bytes: parsePkcs8(key.pkcs8).content });
    case "ec":
      return encodePem({ type: "EC PRIVATE KEY", bytes: sec1(key.pkcs8, key.publicKey) });
    case "ed25519":
      return encodePem({ type: "PRIVATE KEY", bytes: key.pkcs8 });
    case "dsa": {
      const { p, q, g, y, x } = key.numbers;
      const bytes = sequence(...[0n, p, q, g, y, x].map(integer));
      return encodePem({ type: "DSA PRIVATE KEY", bytes });
    }
  }
}

/** Parses the first PEM block of a text. Throws a {@link FunctionError} with sprig's text. */
export function parsePrivateKey(host: SprigHost, pem: string): PrivateKey {
  const block = decodePem(pem);
  if (!block) throw new FunctionError("no PEM data in input");
  const { type, bytes } = block;
  switch (type) {
    case "PRIVATE KEY":
      return fromPkcs8(host, bytes, "decoding PEM as PKCS#8: x509: failed to parse private key");
    case "RSA PRIVATE KEY": {
      const message = "parsing RSA private key from PEM: x509: failed to parse private key";
      const algorithm = sequence(RSA, der(TAG.null));
      return fromPkcs8(host, sequence(integer(0n), algorithm, octetString(bytes)), message);
    }
    case "EC PRIVATE KEY":
      return fromSec1(host, bytes);
    case "DSA PRIVATE KEY":
      return { kind: "dsa", numbers: parseDsa(bytes) };
    default:
      if (!type.endsWith(" PRIVATE KEY")) {
        throw new FunctionError(`no private key data in PEM block of type ${type}`);
      }
      throw new FunctionError(`invalid private key type ${type}`);
  }
}

function fromPkcs8(host: SprigHost, pkcs8: Uint8Array, message: string): PrivateKey {
  const { algorithm } = parsePkcs8(pkcs8, message);
  const kind = equalBytes(algorithm, RSA)
    ? "rsa"
    : equalBytes(algorithm, EC)
    ? "ec"
    : equalBytes(algorithm, ED25519)
    ? "ed25519"
    : undefined;
  if (!kind) throw new FunctionError(message);
  let publicKey;
  try {
    publicKey = host.publicKey(pkcs8);
  } catch {
    // The runtime's own message would differ from Go's.
    throw new FunctionError(message);
  }
  return { kind, pkcs8, publicKey };
}

/** Returns the algorithm, its parameters, and the key in the algorithm's own format. */
function parsePkcs8(pkcs8: Uint8Array, message = "not PKCS#8") {
  const outer = new DerReader(pkcs8, message).enter();
  outer.read(TAG.integer);
  const identifier = outer.enter();
  const algorithm = identifier.read(TAG.oid).raw;
  const parameters = identifier.nextTag === TAG.oid ? identifier.read(TAG.oid).raw : undefined;
  return { algorithm, parameters, content: outer.read(TAG.octetString).content };
}

/** Returns a key as SEC 1, with the curve and the public key as Go writes it. */
function sec1(pkcs8: Uint8Array, publicKey: Uint8Array): Uint8Array {
  const { content, parameters } = parsePkcs8(pkcs8);
  const inner = new DerReader(content, "not SEC 1").enter();
  inner.read(TAG.integer);
  const secret = inner.read(TAG.octetString).raw;
  return sequence(
    integer(1n),
    secret,
    explicit(0, parameters!),
    explicit(1, bitString(publicKeyBits(publicKey))),
  );
}

function fromSec1(host: SprigHost, bytes: Uint8Array): PrivateKey {
  const message = "parsing EC private key from PEM: x509: failed to parse EC private key";
  const outer = new DerReader(bytes, message).enter();
  outer.read(TAG.integer);
  outer.read(TAG.octetString);
  if (outer.nextTag !== 0xa0) {
    throw new FunctionError("parsing EC private key from PEM: x509: unknown elliptic curve");
  }
  const curve = outer.enter(0xa0).read(TAG.oid).raw;
  const pkcs8 = sequence(integer(0n), sequence(EC, curve), octetString(bytes));
  return fromPkcs8(host, pkcs8, message);
}

function parseDsa(bytes: Uint8Array): DsaKey {
  const message = "parsing DSA private key from PEM: asn1: structure error";
  const outer = new DerReader(bytes, message).enter();
  const number = () => bytesToBigint(outer.read(TAG.integer).content);
  number();
  return { p: number(), q: number(), g: number(), y: number(), x: number() };
}

/** Returns the key within a SubjectPublicKeyInfo. */
export function publicKeyBits(publicKey: Uint8Array): Uint8Array {
  const outer = new DerReader(publicKey, "not a public key").enter();
  outer.enter();
  return outer.read(TAG.bitString).content.subarray(1);
}

/** Returns the object identifier of the curve in the SubjectPublicKeyInfo of an EC key. */
export function publicKeyCurve(publicKey: Uint8Array): Uint8Array {
  const identifier = new DerReader(publicKey, "not a public key").enter().enter();
  identifier.read(TAG.oid);
  return identifier.read(TAG.oid).raw;
}

export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
