/**
 * A certificate for this machine that nobody else trusts, with an authority of its own: for trying
 * things out. Both live in memory only and are gone with the process.
 */

import { readKeyPair } from "../host/mod.ts";
import type { ServingCertificate } from "./files.ts";

export interface DevCertificateOptions {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Names and addresses it is for. */
  readonly names?: readonly string[];
  readonly days?: number;
}

export interface DevCertificate extends ServingCertificate {
  /** PEM of the authority. */
  readonly authority: string;
}

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const DAY_MS = 86_400_000;
/** Clocks differ: it is valid from a little earlier on. */
const SKEW_MS = 300_000;

/**
 * Only when asked for, since most never issue anything; and one after the other, since the second does
 * not load without the first, and a bundle need not keep the order of imports.
 */
async function loadX509() {
  await import("reflect-metadata");
  return await import("@peculiar/x509");
}

export async function createDevCertificate(
  { now, names = ["localhost", "127.0.0.1", "::1"], days = 30 }: DevCertificateOptions,
): Promise<DevCertificate> {
  const x509 = await loadX509();
  const dates = { notBefore: new Date(now - SKEW_MS), notAfter: new Date(now + days * DAY_MS) };
  const authorityKeys = await generateKeys();
  const authority = await x509.X509CertificateGenerator.createSelfSigned({
    ...dates,
    serialNumber: serialNumber(),
    name: "CN=outrigger dev authority",
    keys: authorityKeys,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
      // By these a caller that trusts several of our authorities tells them apart.
      await x509.SubjectKeyIdentifierExtension.create(authorityKeys.publicKey),
    ],
  });
  const keys = await generateKeys();
  const certificate = await x509.X509CertificateGenerator.create({
    ...dates,
    serialNumber: serialNumber(),
    subject: "CN=outrigger dev",
    issuer: authority.subject,
    publicKey: keys.publicKey,
    signingKey: authorityKeys.privateKey,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(false),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([
        x509.ExtendedKeyUsage.serverAuth,
        x509.ExtendedKeyUsage.clientAuth,
      ]),
      await x509.AuthorityKeyIdentifierExtension.create(authorityKeys.publicKey),
      new x509.SubjectAlternativeNameExtension(names.map((value) => ({
        type: /^[\d.]+$|:/.test(value) ? "ip" as const : "dns" as const,
        value,
      }))),
    ],
  });
  const material = {
    certificates: `${certificate.toString("pem")}\n`,
    key: await pemOf(keys.privateKey),
  };
  return {
    material,
    facts: readKeyPair(material.certificates, material.key),
    authority: `${authority.toString("pem")}\n`,
  };
}

async function generateKeys(): Promise<CryptoKeyPair> {
  return await crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]) as CryptoKeyPair;
}

/** Sixteen random bytes, positive: the highest bit of the first one is not set. */
function serialNumber(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[0] &= 0x7f;
  bytes[0] |= 0x40;
  return bytes.toHex();
}

async function pemOf(key: CryptoKey): Promise<string> {
  const text = new Uint8Array(await crypto.subtle.exportKey("pkcs8", key)).toBase64();
  const lines = text.match(/.{1,64}/g) ?? [];
  return ["-----BEGIN PRIVATE KEY-----", ...lines, "-----END PRIVATE KEY-----", ""].join("\n");
}
