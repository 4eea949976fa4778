/**
 * A serving certificate from any source: validates a pair (the key matches, the certificate has not
 * expired), and keeps the last valid pair in use until a newer one is valid.
 */

import {
  CertificateError,
  type CertificateFacts,
  readCertificates,
  readKeyPair,
  type SecureMaterial,
} from "../host/mod.ts";

export interface ServingCertificate {
  readonly material: SecureMaterial;
  readonly facts: CertificateFacts;
}

/** A source of serving certificates. */
export interface CertificateSource {
  current(): ServingCertificate;
  /** Returns why the newest certificate is not in use, or undefined if it is. */
  failure(): string | undefined;
  close(): void;
}

export type TlsErrorCode = "unreadable" | CertificateError["code"] | "expired";

export class TlsError extends Error {
  override readonly name = "TlsError";
  readonly code: TlsErrorCode;

  constructor(code: TlsErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export interface CheckOptions {
  /** The place of the certificate, for error messages: `"/tls/tls.crt"`. */
  readonly certificate: string;
  readonly clientCa?: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Validates a pair. Throws a {@link TlsError} that names the place and the problem. */
export function checkMaterial(
  material: SecureMaterial,
  { certificate, clientCa, now }: CheckOptions,
): ServingCertificate {
  const facts = located(certificate, () => readKeyPair(material.certificates, material.key));
  if (facts.notAfter <= now) {
    const message = `Cannot load certificate ${certificate}: expired on ${day(facts.notAfter)}`;
    throw new TlsError("expired", message);
  }
  if (material.clientCa !== undefined) {
    located(clientCa ?? certificate, () => readCertificates(material.clientCa!));
  }
  return { material, facts };
}

export interface ServingListener {
  /** Called with a new certificate; throws if it cannot be used after all. */
  readonly onChange: (certificate: ServingCertificate) => void;
  /** Called once for each reason. */
  readonly onFailure: (error: TlsError) => void;
}

export interface LastGood<C extends ServingCertificate | undefined> {
  current(): C;
  failure(): string | undefined;
  /** Replaces the current certificate; if the listener throws, keeps the current one and throws. */
  take(next: ServingCertificate): void;
  /** Clears the failure, because the newest certificate is the current one. */
  forgive(): void;
  /** Records that the newest certificate is invalid or cannot be read. */
  refuse(error: unknown): void;
}

/** Starts with a valid certificate, or with undefined if the first one may come later. */
export function keepLastGood<C extends ServingCertificate | undefined>(
  { onChange, onFailure }: ServingListener,
  first: C,
): LastGood<C | ServingCertificate> {
  let current: C | ServingCertificate = first;
  let failure: TlsError | undefined;
  return {
    current: () => current,
    failure: () => failure?.message,
    take(next) {
      onChange(next);
      current = next;
      failure = undefined;
    },
    forgive() {
      failure = undefined;
    },
    refuse(error) {
      const next = refusal(error, current);
      if (failure?.message === next.message) return;
      failure = next;
      onFailure(next);
    },
  };
}

/** Adds the place to errors about a certificate. */
function located<T>(place: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (!(cause instanceof CertificateError)) throw cause;
    const message = `Cannot load certificate ${place}: ${cause.message}`;
    throw new TlsError(cause.code, message, { cause });
  }
}

function refusal(error: unknown, current: ServingCertificate | undefined): TlsError {
  const { code, message } = error instanceof TlsError
    ? error
    : new TlsError("unusable", error instanceof Error ? error.message : String(error));
  if (current === undefined) {
    return new TlsError(code, `${message}; not serving yet`, { cause: error });
  }
  const still = `still serving the one that expires on ${day(current.facts.notAfter)}`;
  const text = message.replace(/^Cannot load/, "Cannot reload");
  return new TlsError(code, `${text}; ${still}`, { cause: error });
}

/** Formats a time as a date: `2027-03-01`. */
export function day(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10);
}
