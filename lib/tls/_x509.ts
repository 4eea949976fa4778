/** Keys, serial numbers and dates of what we issue; `@peculiar/x509`, loaded when it is needed. */

/** P-256: what every TLS library takes, with the smallest keys and handshakes. */
export const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

/**
 * Clocks differ: what is issued is valid from a little earlier on. Five minutes are what Kerberos allows,
 * by which the clocks of most sites are set; a tenth of its life for what lives shorter than that.
 */
const SKEW_MS = 300_000;

export function dates(now: number, lifetimeMs: number): { notBefore: Date; notAfter: Date } {
  const skew = Math.min(SKEW_MS, lifetimeMs / 10);
  return { notBefore: new Date(now - skew), notAfter: new Date(now + lifetimeMs) };
}

/**
 * Only when asked for, since most never issue anything; and one after the other, since the second does
 * not load without the first, and a bundle need not keep the order of imports.
 */
export async function loadX509() {
  await import("reflect-metadata");
  return await import("@peculiar/x509");
}

export async function generateKeys(): Promise<CryptoKeyPair> {
  return await crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]) as CryptoKeyPair;
}

/** Sixteen random bytes, positive: the highest bit of the first one is not set. */
export function serialNumber(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[0] &= 0x7f;
  bytes[0] |= 0x40;
  return bytes.toHex();
}

/** PKCS #8, PEM. */
export async function keyText(key: CryptoKey): Promise<string> {
  const text = new Uint8Array(await crypto.subtle.exportKey("pkcs8", key)).toBase64();
  const lines = text.match(/.{1,64}/g) ?? [];
  return ["-----BEGIN PRIVATE KEY-----", ...lines, "-----END PRIVATE KEY-----", ""].join("\n");
}

/** Reads what {@link keyText} wrote. */
export async function readSigningKey(pem: string): Promise<CryptoKey> {
  const bytes = Uint8Array.fromBase64(pem.replace(/-----[A-Z ]+-----/g, ""));
  return await crypto.subtle.importKey("pkcs8", bytes, ALGORITHM, false, ["sign"]);
}
