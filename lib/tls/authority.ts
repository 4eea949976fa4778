/**
 * Issues: an authority of our own, certificates that it signs for a webhook's server, and requests to
 * be signed by another authority. Texts in and out, PEM; nothing is kept here.
 */

import { readCertificates } from "../host/mod.ts";
import {
  ALGORITHM,
  dates,
  generateKeys,
  keyText,
  loadX509,
  readSigningKey,
  serialNumber,
} from "./_x509.ts";

const DAY_MS = 86_400_000;

/**
 * What is renewed is renewed with a third of its life left. For a certificate these are thirty days in
 * which a renewal that fails can be noticed and mended.
 */
export const CERTIFICATE_LIFETIME_MS = 90 * DAY_MS;

/**
 * The third that an authority has left when the next one takes over (121 days) must be longer than the
 * life of a certificate, so that none outlives its authority. Longer still would only make rotation
 * something that nobody has seen working.
 */
export const AUTHORITY_LIFETIME_MS = 365 * DAY_MS;

/** A certificate and its private key. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

export interface Validity {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly lifetimeMs: number;
}

export interface ServerCertificate extends Validity {
  /** Names and addresses it is for. */
  readonly names: readonly string[];
  /** Whether callers may show it, too. */
  readonly isForCallers?: boolean;
}

/** Each has a name of its own, so that callers that trust several can tell them apart. */
export async function createAuthority({ now, lifetimeMs }: Validity): Promise<KeyPair> {
  const x509 = await loadX509();
  const keys = await generateKeys();
  const serial = serialNumber();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    ...dates(now, lifetimeMs),
    serialNumber: serial,
    name: `O=outrigger, CN=outrigger-ca-${serial.slice(0, 16)}`,
    keys,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(
        x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign,
        true,
      ),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certificate: `${certificate.toString("pem")}\n`, key: await keyText(keys.privateKey) };
}

/** For a server; it never outlives its authority. */
export async function issueCertificate(
  authority: KeyPair,
  { now, lifetimeMs, names, isForCallers = false }: ServerCertificate,
): Promise<KeyPair> {
  const x509 = await loadX509();
  const issuer = new x509.X509Certificate(authority.certificate);
  const [{ notAfter: authorityEnds }] = readCertificates(authority.certificate);
  const { notBefore, notAfter } = dates(now, lifetimeMs);
  const keys = await generateKeys();
  const certificate = await x509.X509CertificateGenerator.create({
    notBefore,
    notAfter: new Date(Math.min(notAfter.getTime(), authorityEnds)),
    serialNumber: serialNumber(),
    subject: SUBJECT,
    issuer: issuer.subject,
    publicKey: keys.publicKey,
    signingKey: await readSigningKey(authority.key),
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([
        x509.ExtendedKeyUsage.serverAuth,
        ...(isForCallers ? [x509.ExtendedKeyUsage.clientAuth] : []),
      ]),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
      new x509.SubjectAlternativeNameExtension(alternatives(names)),
    ],
  });
  return { certificate: `${certificate.toString("pem")}\n`, key: await keyText(keys.privateKey) };
}

export interface SigningRequest {
  /** PKCS #10. */
  readonly request: string;
  readonly key: string;
}

/** For another to sign; `subject` as in `O=system:nodes, CN=system:node:x`, where that one wants some. */
export async function createSigningRequest(
  { names, subject = SUBJECT }: { names: readonly string[]; subject?: string },
): Promise<SigningRequest> {
  const x509 = await loadX509();
  const keys = await generateKeys();
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name: subject,
    keys,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(alternatives(names)),
    ],
  });
  return { request: `${request.toString("pem")}\n`, key: await keyText(keys.privateKey) };
}

/** The names a Service goes by; the API server asks for `<service>.<namespace>.svc`. */
export function serviceNames(service: string, namespace: string): string[] {
  const within = `${service}.${namespace}`;
  return [`${within}.svc`, `${within}.svc.cluster.local`, within, service];
}

/** Callers look at the alternative names alone, and a common name has room for 64 letters. */
const SUBJECT = "O=outrigger, CN=outrigger-webhook";

function alternatives(names: readonly string[]) {
  return names.map((value) => ({
    type: /^[\d.]+$|:/.test(value) ? "ip" as const : "dns" as const,
    value,
  }));
}
