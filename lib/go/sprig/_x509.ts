/**
 * Creates X.509 certificates as Go's `x509.CreateCertificate` does for sprig: the subject is a
 * common name, the key usages are those of servers and clients, and a CA or the key itself signs.
 */

import { toBytes } from "../../data/bytes.ts";
import { quote } from "../strconv.ts";
import { civilTime, formatTime, fromNanoseconds } from "../time.ts";
import { FunctionError } from "../value.ts";
import {
  bitString,
  der,
  DerReader,
  explicit,
  integer,
  octetString,
  oid,
  sequence,
  TAG,
} from "./_der.ts";
import type { HashName, SprigHost } from "./_host.ts";
import { equalBytes, type PrivateKey, publicKeyBits, publicKeyCurve } from "./_keys.ts";

/** The contents of a certificate. Times are Unix times in nanoseconds. */
interface CertificateTemplate {
  readonly commonName: string;
  readonly addresses: readonly Uint8Array[];
  readonly dnsNames: readonly string[];
  readonly notBefore: bigint;
  readonly notAfter: bigint;
  readonly serial: bigint;
  readonly isCa: boolean;
}

/** The parts of a CA's certificate that are needed to sign others. */
export interface Issuer {
  readonly subject: Uint8Array;
  readonly publicKey: Uint8Array;
  readonly subjectKeyId: Uint8Array | undefined;
}

type SigningKey = Exclude<PrivateKey, { readonly kind: "dsa" }>;

/** Returns a new certificate in DER. Without an issuer, it is self-signed. */
export function createCertificate(
  host: SprigHost,
  template: CertificateTemplate,
  by: { readonly key: PrivateKey; readonly signer: PrivateKey; readonly issuer?: Issuer },
): Uint8Array {
  const { key, signer, issuer } = by;
  if (signer.kind === "dsa") {
    throw new FunctionError("x509: certificate private key does not implement crypto.Signer");
  }
  const { hash, algorithm } = signatureAlgorithm(signer);
  if (key.kind === "dsa") {
    throw new FunctionError("x509: unsupported public key type: *dsa.PublicKey");
  }
  const subject = distinguishedName(template.commonName);
  if (issuer && !equalBytes(issuer.publicKey, signer.publicKey)) {
    throw new FunctionError("x509: provided PrivateKey doesn't match parent's PublicKey");
  }
  const isOwn = !issuer || equalBytes(issuer.subject, subject);
  const tbs = sequence(
    explicit(0, integer(2n)),
    integer(template.serial),
    algorithm,
    issuer?.subject ?? subject,
    sequence(time(template.notBefore), time(template.notAfter)),
    subject,
    key.publicKey,
    explicit(
      3,
      sequence(...extensions(host, template, {
        publicKey: key.publicKey,
        authorityKeyId: isOwn ? undefined : issuer.subjectKeyId,
      })),
    ),
  );
  return sequence(tbs, algorithm, bitString(host.sign(signer.pkcs8, tbs, { hash })));
}

const RSA_SHA256 = sequence(oid("1.2.840.113549.1.1.11"), der(TAG.null));
const ED25519 = sequence(oid("1.3.101.112"));

/** The curves that Go supports, each with its hash and signature algorithm. */
const CURVES: readonly (readonly [curve: Uint8Array, hash: HashName, algorithm: Uint8Array])[] = [
  [oid("1.3.132.0.33"), "sha256", sequence(oid("1.2.840.10045.4.3.2"))],
  [oid("1.2.840.10045.3.1.7"), "sha256", sequence(oid("1.2.840.10045.4.3.2"))],
  [oid("1.3.132.0.34"), "sha384", sequence(oid("1.2.840.10045.4.3.3"))],
  [oid("1.3.132.0.35"), "sha512", sequence(oid("1.2.840.10045.4.3.4"))],
];

function signatureAlgorithm(
  key: SigningKey,
): { readonly hash: HashName | undefined; readonly algorithm: Uint8Array } {
  if (key.kind === "rsa") return { hash: "sha256", algorithm: RSA_SHA256 };
  if (key.kind === "ed25519") return { hash: undefined, algorithm: ED25519 };
  const curve = publicKeyCurve(key.publicKey);
  const known = CURVES.find(([known]) => equalBytes(known, curve));
  if (!known) throw new FunctionError("x509: unsupported elliptic curve");
  return { hash: known[1], algorithm: known[2] };
}

const PRINTABLE = /^[A-Za-z0-9 '()+,\-./:=?]*$/;
const COMMON_NAME = oid("2.5.4.3");

function distinguishedName(commonName: string): Uint8Array {
  if (commonName === "") return sequence();
  if (!commonName.isWellFormed()) throw new FunctionError("asn1: string not valid UTF-8");
  const tag = PRINTABLE.test(commonName) ? TAG.printableString : TAG.utf8String;
  return sequence(der(TAG.set, sequence(COMMON_NAME, der(tag, toBytes(commonName)))));
}

/** Encodes a time as in RFC 5280, with a year of two digits from 1950 to 2049. */
function time(nanoseconds: bigint): Uint8Array {
  const at = fromNanoseconds(nanoseconds);
  const { year } = civilTime(at);
  if (year < 1950 || year >= 2050) {
    return der(TAG.generalizedTime, toBytes(formatTime(at, "20060102150405Z")));
  }
  return der(TAG.utcTime, toBytes(formatTime(at, "060102150405Z")));
}

const KEY_USAGE = oid("2.5.29.15");
const EXTENDED_KEY_USAGE = oid("2.5.29.37");
const BASIC_CONSTRAINTS = oid("2.5.29.19");
const SUBJECT_KEY_ID = oid("2.5.29.14");
const AUTHORITY_KEY_ID = oid("2.5.29.35");
const SUBJECT_ALTERNATIVE_NAME = oid("2.5.29.17");
const SERVER_AND_CLIENT = sequence(oid("1.3.6.1.5.5.7.3.1"), oid("1.3.6.1.5.5.7.3.2"));
const TRUE = der(TAG.boolean, Uint8Array.of(0xff));
/** Digital signature and key encipherment. */
const USAGE = bitString(Uint8Array.of(0b1010_0000), 5);
/** Digital signature, key encipherment and certificate signing. */
const CA_USAGE = bitString(Uint8Array.of(0b1010_0100), 2);

/** Returns the extensions, in Go's order. */
function extensions(
  host: SprigHost,
  template: CertificateTemplate,
  keys: { readonly publicKey: Uint8Array; readonly authorityKeyId: Uint8Array | undefined },
): Uint8Array[] {
  const { isCa, addresses, dnsNames, commonName } = template;
  const list = [
    extension(KEY_USAGE, isCa ? CA_USAGE : USAGE, true),
    extension(EXTENDED_KEY_USAGE, SERVER_AND_CLIENT),
    extension(BASIC_CONSTRAINTS, isCa ? sequence(TRUE) : sequence(), true),
  ];
  if (isCa) {
    const id = host.hash("sha256", publicKeyBits(keys.publicKey)).subarray(0, 20);
    list.push(extension(SUBJECT_KEY_ID, octetString(id)));
  }
  if (keys.authorityKeyId) {
    list.push(extension(AUTHORITY_KEY_ID, sequence(der(0x80, keys.authorityKeyId))));
  }
  if (addresses.length > 0 || dnsNames.length > 0) {
    const names = [
      ...dnsNames.map(dnsName),
      ...addresses.map((address) => der(0x87, unmapped(address))),
    ];
    // Critical if the subject is empty.
    list.push(extension(SUBJECT_ALTERNATIVE_NAME, sequence(...names), commonName === ""));
  }
  return list;
}

function extension(id: Uint8Array, value: Uint8Array, critical = false): Uint8Array {
  return sequence(id, ...critical ? [TRUE] : [], octetString(value));
}

function dnsName(name: string): Uint8Array {
  const bytes = toBytes(name);
  if (bytes.some((byte) => byte > 0x7f)) {
    throw new FunctionError(`x509: ${quote(name)} cannot be encoded as an IA5String`);
  }
  return der(0x82, bytes);
}

/** Returns the four bytes of an IPv4-mapped IPv6 address, and any other address as it is. */
function unmapped(address: Uint8Array): Uint8Array {
  const prefix = address.subarray(0, 12);
  const isMapped = address.length === 16 && prefix.every((byte, i) => byte === (i < 10 ? 0 : 0xff));
  return isMapped ? address.subarray(12) : address;
}

/** Parses the parts of a CA's certificate that are needed to sign others. Throws Go's errors. */
export function parseCertificate(bytes: Uint8Array): Issuer {
  const input = new DerReader(bytes, "x509: malformed certificate");
  const certificate = input.enter();
  if (!input.isAtEnd) throw new FunctionError("x509: trailing data");
  const tbs = certificate.enter(TAG.sequence, "x509: malformed tbs certificate");
  if (tbs.nextTag === 0xa0) tbs.read(0xa0, "x509: malformed version");
  tbs.read(TAG.integer, "x509: malformed serial number");
  const inner = tbs.read(TAG.sequence, "x509: malformed signature algorithm identifier");
  const outer = certificate.read(TAG.sequence, "x509: malformed algorithm identifier");
  if (!equalBytes(inner.raw, outer.raw)) {
    throw new FunctionError("x509: inner and outer signature algorithm identifiers don't match");
  }
  tbs.read(TAG.sequence, "x509: malformed issuer");
  tbs.read(TAG.sequence, "x509: malformed validity");
  const subject = tbs.read(TAG.sequence, "x509: malformed issuer").raw;
  const publicKey = tbs.read(TAG.sequence, "x509: malformed spki").raw;
  let subjectKeyId: Uint8Array | undefined;
  // Unique identifiers may precede the extensions.
  while (!tbs.isAtEnd) {
    if (tbs.nextTag === 0xa3) subjectKeyId = findSubjectKeyId(tbs.enter(0xa3));
    else tbs.read(tbs.nextTag, "x509: malformed tbs certificate");
  }
  certificate.read(TAG.bitString, "x509: malformed signature");
  return { subject, publicKey, subjectKeyId };
}

function findSubjectKeyId(wrapped: DerReader): Uint8Array | undefined {
  const list = wrapped.enter(TAG.sequence, "x509: malformed extensions");
  while (!list.isAtEnd) {
    const one = list.enter(TAG.sequence, "x509: malformed extension");
    const id = one.read(TAG.oid, "x509: malformed extension OID field").raw;
    if (one.nextTag === TAG.boolean) one.read(TAG.boolean);
    const value = one.read(TAG.octetString, "x509: malformed extension value field").content;
    if (!equalBytes(id, SUBJECT_KEY_ID)) continue;
    const message = "x509: invalid subject key identifier";
    return new DerReader(value, message).read(TAG.octetString).content;
  }
  return undefined;
}
