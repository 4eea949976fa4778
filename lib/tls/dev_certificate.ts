/**
 * A certificate for this machine that nobody else trusts, with an authority of its own: for trying
 * things out. Both live in memory only and are gone with the process.
 */

import { readKeyPair } from "../host/mod.ts";
import { createAuthority, issueCertificate } from "./authority.ts";
import type { ServingCertificate } from "./serving.ts";

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

const DAY_MS = 86_400_000;

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
