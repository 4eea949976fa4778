/**
 * X.509 certificates as Go's `x509.CreateCertificate` writes them for sprig: a subject of one common
 * name, key usages for servers and clients, alternative names; signed by oneself or an authority.
 */

import { isValidUtf8, toBytes } from "../bytes.ts";
import { quote } from "../strconv.ts";
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

/** What goes into a certificate; times are in nanoseconds since the epoch. */
export interface CertificateTemplate {
  readonly commonName: string;
  readonly addresses: readonly Uint8Array[];
  readonly dnsNames: readonly string[];
  readonly notBefore: bigint;
  readonly notAfter: bigint;
  readonly serial: bigint;
  readonly isAuthority: boolean;
}

/** What of an authority's certificate shows in those it signs. */
export interface Issuer {
  readonly subject: Uint8Array;
  readonly publicKey: Uint8Array;
  readonly subjectKeyId: Uint8Array | undefined;
}

type SigningKey = Exclude<PrivateKey, { readonly kind: "dsa" }>;

/** The DER of a new certificate. Without an issuer it is signed by its own key. */
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

/** Curve, hash, and the algorithm that joins them; Go takes no other curves. */
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
  const known = CURVES.find(([one]) => equalBytes(one, curve));
  if (!known) throw new FunctionError("x509: unsupported elliptic curve");
  return { hash: known[1], algorithm: known[2] };
}

const PRINTABLE = /^[A-Za-z0-9 '()+,\-./:=?]*$/;
const COMMON_NAME = oid("2.5.4.3");

function distinguishedName(commonName: string): Uint8Array {
  if (commonName === "") return sequence();
  if (!isValidUtf8(commonName)) throw new FunctionError("asn1: string not valid UTF-8");
  const tag = PRINTABLE.test(commonName) ? TAG.printableString : TAG.utf8String;
  return sequence(der(TAG.set, sequence(COMMON_NAME, der(tag, toBytes(commonName)))));
}

const NANOSECONDS = 1_000_000_000n;

/** Two digits of the year up to 2049, four from then on and before 1950, as RFC 5280 wants it. */
function time(nanoseconds: bigint): Uint8Array {
  const fraction = nanoseconds % NANOSECONDS;
  // Whole seconds are cut off towards the past, also before 1970.
  const seconds = (nanoseconds - fraction) / NANOSECONDS - (fraction < 0n ? 1n : 0n);
  const iso = new Date(Number(seconds) * 1000).toISOString();
  const digits = iso.slice(0, 19).replace(/[-T:]/g, "") + "Z";
  const year = Number(iso.slice(0, 4));
  const isShort = year >= 1950 && year < 2050;
  return der(
    isShort ? TAG.utcTime : TAG.generalizedTime,
    toBytes(isShort ? digits.slice(2) : digits),
  );
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
/** The same, and signing certificates. */
const AUTHORITY_USAGE = bitString(Uint8Array.of(0b1010_0100), 2);

/** In Go's order. */
function extensions(
  host: SprigHost,
  template: CertificateTemplate,
  keys: { readonly publicKey: Uint8Array; readonly authorityKeyId: Uint8Array | undefined },
): Uint8Array[] {
  const { isAuthority, addresses, dnsNames, commonName } = template;
  const list = [
    extension(KEY_USAGE, isAuthority ? AUTHORITY_USAGE : USAGE, true),
    extension(EXTENDED_KEY_USAGE, SERVER_AND_CLIENT),
    extension(BASIC_CONSTRAINTS, isAuthority ? sequence(TRUE) : sequence(), true),
  ];
  if (isAuthority) {
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
    // With no subject, these names are all there is.
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

/** The four bytes of an IPv4 address that is written as IPv6. */
function unmapped(address: Uint8Array): Uint8Array {
  const prefix = address.subarray(0, 12);
  const isMapped = address.length === 16 && prefix.every((byte, i) => byte === (i < 10 ? 0 : 0xff));
  return isMapped ? address.subarray(12) : address;
}

/** Reads of a certificate what its signing others needs; throws with Go's text where it is broken. */
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
  // Unique identifiers, which nobody uses, may come first.
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
    const complaint = "x509: invalid subject key identifier";
    return new DerReader(value, complaint).read(TAG.octetString).content;
  }
  return undefined;
}
