/** Certificates for tests, made once: making one takes some milliseconds. */
import { createDevCertificate, type DevCertificate } from "../../lib/tls/dev_certificate.ts";

/** The moment that tests with a clock of their own take for now. */
export const NOW = Date.UTC(2026, 0, 2);

const made = new Map<string, Promise<DevCertificate>>();

/** The certificate of that name: the same one each time. */
export function pair(name: string, { now = NOW, days = 30 } = {}): Promise<DevCertificate> {
  const key = JSON.stringify([name, now, days]);
  const found = made.get(key) ?? createDevCertificate({ now, days });
  made.set(key, found);
  return found;
}
