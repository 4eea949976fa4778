/** Keys, serial numbers and validity periods for issued certificates; loads `@peculiar/x509` on demand. */

/** P-256 is supported by every TLS library and has the smallest keys and handshakes. */
export const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

/**
 * Allows for clock skew by backdating notBefore. Five minutes is the skew that Kerberos tolerates. A
 * certificate that lives less than 50 minutes is backdated by a tenth of its lifetime.
 */
const SKEW_MS = 300_000;

export function dates(now: number, lifetimeMs: number): { notBefore: Date; notAfter: Date } {
  const skew = Math.min(SKEW_MS, lifetimeMs / 10);
  return { notBefore: new Date(now - skew), notAfter: new Date(now + lifetimeMs) };
}

/**
 * Loads the library on first use, because most processes issue no certificates. The imports are dynamic
 * and in sequence, because the library requires reflect-metadata and a bundler may reorder static imports.
 */
export async function loadX509() {
  await import("reflect-metadata");
  return await import("@peculiar/x509");
}

export async function generateKeys(): Promise<CryptoKeyPair> {
  return await crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]) as CryptoKeyPair;
}

/** Returns 16 random bytes in hex. The first bit is clear, so that the number is positive. */
export function serialNumber(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[0] &= 0x7f;
  bytes[0] |= 0x40;
  return bytes.toHex();
}

/** Encodes a private key as PKCS #8 PEM. */
export async function keyText(key: CryptoKey): Promise<string> {
  const text = new Uint8Array(await crypto.subtle.exportKey("pkcs8", key)).toBase64();
  const lines = text.match(/.{1,64}/g) ?? [];
  return ["-----BEGIN PRIVATE KEY-----", ...lines, "-----END PRIVATE KEY-----", ""].join("\n");
}

/** Reads a private key in the format of {@link keyText}. */
export async function readSigningKey(pem: string): Promise<CryptoKey> {
  const bytes = Uint8Array.fromBase64(pem.replace(/-----[A-Z ]+-----/g, ""));
  return await crypto.subtle.importKey("pkcs8", bytes, ALGORITHM, false, ["sign"]);
}
