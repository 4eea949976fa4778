/**
 * Creates self-signed CAs, the webhook's serving certificates, and certificate signing requests. Input and
 * output are PEM. Nothing is stored here.
 */

import { DAY_MS } from "../data/durations.ts";
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

/**
 * The default lifetime of a certificate. It is renewed with a third of it left, which gives thirty days to
 * notice and fix a failing renewal.
 */
export const CERTIFICATE_LIFETIME_MS = 90 * DAY_MS;

/**
 * The default lifetime of a CA. The third that is left when the next CA takes over (121 days) must exceed
 * the lifetime of a certificate, so that no certificate outlives its CA. It is not longer because rotation
 * should happen often enough to be known to work.
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
  /** The DNS names and IP addresses of the server. */
  readonly names: readonly string[];
  /** Whether it is also a client certificate. */
  readonly isForCallers?: boolean;
}

/** Creates a CA. Each has a unique name, so that clients that trust several can find the right one. */
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

/** Issues a serving certificate, which never outlives its CA. */
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
  /** PKCS #10 in PEM. */
  readonly request: string;
  readonly key: string;
}

/** Creates a request for another CA to sign. Some signers require a `subject`: `O=…, CN=…`. */
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

/** Returns the DNS names of a Service. The API server verifies `<service>.<namespace>.svc`. */
export function serviceNames(service: string, namespace: string): string[] {
  const within = `${service}.${namespace}`;
  return [`${within}.svc`, `${within}.svc.cluster.local`, within, service];
}

/** A constant, because clients verify only the alternative names and a common name is limited to 64 characters. */
const SUBJECT = "O=outrigger, CN=outrigger-webhook";

function alternatives(names: readonly string[]) {
  return names.map((value) => ({
    type: /^[\d.]+$|:/.test(value) ? "ip" as const : "dns" as const,
    value,
  }));
}
