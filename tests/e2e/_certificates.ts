/** An authority and the certificates it issues, for servers and callers that tests make. */

import "reflect-metadata";
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509CertificateGenerator,
} from "@peculiar/x509";

export interface KeyPair {
  /** PEM. */
  readonly certificate: string;
  readonly key: string;
}

export interface Authority {
  /** PEM of its own certificate. */
  readonly certificate: string;
  issue(request: {
    /** As in `O=system:masters, CN=admin`. */
    readonly subject: string;
    /** A server's; a caller's has none. */
    readonly names?: readonly string[];
    readonly addresses?: readonly string[];
    readonly notAfter?: Date;
  }): Promise<KeyPair>;
}

const CURVE = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const DAY = 24 * 60 * 60 * 1000;

export async function createAuthority(name: string): Promise<Authority> {
  const keys = await createKeys();
  let serial = 1;
  const life = () => ({
    notBefore: new Date(Date.now() - DAY),
    notAfter: new Date(Date.now() + DAY),
  });
  const own = await X509CertificateGenerator.createSelfSigned({
    serialNumber: "01",
    name: `CN=${name}`,
    keys,
    signingAlgorithm: CURVE,
    ...life(),
    extensions: [
      new BasicConstraintsExtension(true, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return {
    certificate: own.toString("pem"),
    async issue({ subject, names = [], addresses = [], notAfter }) {
      const { publicKey, privateKey } = await createKeys();
      const alternatives = [
        ...names.map((value) => ({ type: "dns" as const, value })),
        ...addresses.map((value) => ({ type: "ip" as const, value })),
      ];
      const isServer = alternatives.length > 0;
      const certificate = await X509CertificateGenerator.create({
        serialNumber: (++serial).toString(16).padStart(2, "0"),
        subject,
        issuer: own.subject,
        publicKey,
        signingKey: keys.privateKey,
        signingAlgorithm: CURVE,
        ...life(),
        ...(notAfter === undefined ? {} : { notAfter }),
        extensions: [
          new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
          // Server authentication, client authentication: RFC 5280, 4.2.1.12.
          new ExtendedKeyUsageExtension([isServer ? "1.3.6.1.5.5.7.3.1" : "1.3.6.1.5.5.7.3.2"]),
          await AuthorityKeyIdentifierExtension.create(own.publicKey),
          ...(isServer ? [new SubjectAlternativeNameExtension(alternatives)] : []),
        ],
      });
      return { certificate: certificate.toString("pem"), key: await keyText(privateKey) };
    },
  };
}

/** PEM of a key pair, for those who sign something other than certificates. */
export async function createSigningKey(): Promise<{ privateKey: string; publicKey: string }> {
  const { privateKey, publicKey } = await createKeys();
  const spki = await crypto.subtle.exportKey("spki", publicKey);
  return {
    privateKey: await keyText(privateKey),
    publicKey: PemConverter.encode(spki, "PUBLIC KEY"),
  };
}

function createKeys(): Promise<CryptoKeyPair> {
  return crypto.subtle.generateKey(CURVE, true, ["sign", "verify"]) as Promise<CryptoKeyPair>;
}

async function keyText(key: CryptoKey): Promise<string> {
  return PemConverter.encode(await crypto.subtle.exportKey("pkcs8", key), "PRIVATE KEY");
}
