/** Reads and verifies certificates and keys with the runtime's X.509 implementation. */

import { createPrivateKey, X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import { createSecureContext } from "node:tls";

export interface CertificateFacts {
  /** Milliseconds since 1970. */
  readonly notBefore: number;
  readonly notAfter: number;
  /** The SHA-256 fingerprint in hex. */
  readonly fingerprint: string;
  /** The subject alternative names: `localhost`, `127.0.0.1`. */
  readonly names: readonly string[];
  /** Whether it is a CA certificate. */
  readonly isAuthority: boolean;
  /** The certificate in PEM. */
  readonly pem: string;
}

/** An unusable certificate or key. */
export class CertificateError extends Error {
  override readonly name = "CertificateError";
  readonly code: "bad_certificate" | "bad_key" | "mismatch" | "unusable";

  constructor(code: CertificateError["code"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----[^-]*-----END \1-----/g;

/** Returns the certificates in a PEM text, in order. Throws a {@link CertificateError}. */
export function readCertificates(pem: string): CertificateFacts[] {
  const found: CertificateFacts[] = [];
  for (const [block, label] of pem.matchAll(BLOCK)) {
    if (label === "CERTIFICATE") found.push(factsOf(parse(block), block));
  }
  const begun = pem.match(/-----BEGIN CERTIFICATE-----/g)?.length ?? 0;
  if (begun > found.length) {
    throw new CertificateError("bad_certificate", "a certificate is truncated");
  }
  if (found.length === 0) {
    throw new CertificateError("bad_certificate", "it contains no certificate");
  }
  return found;
}

/** Checks that a key belongs to a chain's first certificate, and returns that certificate. */
export function readKeyPair(chain: string, key: string): CertificateFacts {
  const [facts] = readCertificates(chain);
  const privateKey = parseKey(key);
  const leaf = parse(chain.match(BLOCK)!.find((block) => block.includes("BEGIN CERTIFICATE"))!);
  if (!leaf.checkPrivateKey(privateKey)) {
    throw new CertificateError("mismatch", "the key does not match the certificate");
  }
  try {
    createSecureContext({ cert: chain, key });
  } catch (cause) {
    throw new CertificateError("unusable", reasonOf(cause), { cause });
  }
  return facts;
}

/** Reports whether the first certificate in `pem` is signed by the first one in `authority`. */
export function isSignedBy(pem: string, authority: string): boolean {
  const [by] = readCertificates(authority);
  const [of] = readCertificates(pem);
  return by.isAuthority && parse(of.pem).verify(parse(by.pem).publicKey);
}

/** Reports whether a key belongs to the first certificate in `pem`. Throws a {@link CertificateError}. */
export function isKeyOf(key: string, pem: string): boolean {
  const [facts] = readCertificates(pem);
  return parse(facts.pem).checkPrivateKey(parseKey(key));
}

/** Reports whether the first certificate in `pem` is valid for a host name or IP address. */
export function isForName(pem: string, name: string): boolean {
  const certificate = parse(readCertificates(pem)[0].pem);
  return (isIP(name) ? certificate.checkIP(name) : certificate.checkHost(name)) !== undefined;
}

function parse(pem: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch (cause) {
    const reason = `a certificate in it is invalid (${reasonOf(cause)})`;
    throw new CertificateError("bad_certificate", reason, { cause });
  }
}

function parseKey(pem: string) {
  if (!/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(pem)) {
    throw new CertificateError("bad_key", "it contains no private key");
  }
  try {
    return createPrivateKey(pem);
  } catch (cause) {
    const reason = `the private key is invalid (${reasonOf(cause)})`;
    throw new CertificateError("bad_key", reason, { cause });
  }
}

function factsOf(certificate: X509Certificate, pem: string): CertificateFacts {
  const { validFrom, validTo, fingerprint256, subjectAltName = "" } = certificate;
  return {
    notBefore: Date.parse(validFrom),
    notAfter: Date.parse(validTo),
    fingerprint: fingerprint256.replaceAll(":", "").toLowerCase(),
    names: [...subjectAltName.matchAll(/(?:DNS|IP Address):([^,\s]+)/g)].map(([, name]) => name),
    isAuthority: certificate.ca,
    pem: `${pem}\n`,
  };
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
