/** Certificates for tests, each created once because that takes milliseconds. */
import { createDevCertificate, type DevCertificate } from "../../lib/tls/dev_certificate.ts";

/** The current time in tests with a fake clock. */
export const NOW = Date.UTC(2026, 0, 2);

const made = new Map<string, Promise<DevCertificate>>();

/** Returns the certificate of a name, always the same one. */
export function pair(name: string, { now = NOW, days = 30 } = {}): Promise<DevCertificate> {
  const key = JSON.stringify([name, now, days]);
  const found = made.get(key) ?? createDevCertificate({ now, days });
  made.set(key, found);
  return found;
}
