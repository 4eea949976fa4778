/**
 * A development certificate for this machine, signed by a CA of its own that no other machine trusts. Both
 * are kept in memory only.
 */

import { DAY_MS } from "../data/durations.ts";
import { readKeyPair } from "../host/mod.ts";
import { createAuthority, issueCertificate } from "./authority.ts";
import type { ServingCertificate } from "./serving.ts";

export interface DevCertificateOptions {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The DNS names and IP addresses of the server. */
  readonly names?: readonly string[];
  readonly days?: number;
}

export interface DevCertificate extends ServingCertificate {
  /** The CA in PEM. */
  readonly authority: string;
}

/** Creates a CA and a certificate that it signed. */
export async function createDevCertificate(
  { now, names = ["localhost", "127.0.0.1", "::1"], days = 30 }: DevCertificateOptions,
): Promise<DevCertificate> {
  const validity = { now, lifetimeMs: days * DAY_MS };
  const authority = await createAuthority(validity);
  const request = { ...validity, names, isForCallers: true };
  const { certificate, key } = await issueCertificate(authority, request);
  return {
    material: { certificates: certificate, key },
    facts: readKeyPair(certificate, key),
    authority: authority.certificate,
  };
}
