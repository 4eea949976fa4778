/**
 * What a server serves with, wherever it comes from: a pair that is whole (the key that of the
 * certificate, not expired), and the last good one for as long as the newest is not.
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

/** Where a server has its certificate from. */
export interface CertificateSource {
  current(): ServingCertificate;
  /** Why the newest one is not the current one; `undefined` where it is. */
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
  /** Where it is, for errors, as in `"/tls/tls.crt"`. */
  readonly certificate: string;
  readonly clientCa?: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Throws a {@link TlsError} that says where and what is wrong. */
export function checkMaterial(
  material: SecureMaterial,
  { certificate, clientCa, now }: CheckOptions,
): ServingCertificate {
  const facts = told(certificate, () => readKeyPair(material.certificates, material.key));
  if (facts.notAfter <= now) {
    const message = `Cannot load certificate ${certificate}: it expired ${day(facts.notAfter)}`;
    throw new TlsError("expired", message);
  }
  if (material.clientCa !== undefined) {
    told(clientCa ?? certificate, () => readCertificates(material.clientCa!));
  }
  return { material, facts };
}

export interface ServingListener {
  /** A new certificate is current; throws where it cannot be served after all. */
  readonly onChange: (certificate: ServingCertificate) => void;
  /** Once for each reason. */
  readonly onFailure: (error: TlsError) => void;
}

export interface LastGood<C extends ServingCertificate | undefined> {
  current(): C;
  failure(): string | undefined;
  /** Serves it from now on; throws, and keeps the other, where the listener does. */
  take(next: ServingCertificate): void;
  /** The newest is the current one after all. */
  forgive(): void;
  /** The newest cannot be served, or not be had. */
  refuse(error: unknown): void;
}

/** Begins with a good one, or, where it may come later, with none. */
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

/** Puts the place before what is wrong with what is there. */
function told<T>(place: string, read: () => T): T {
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
  const still = `still serving the one that expires ${day(current.facts.notAfter)}`;
  const text = message.replace(/^Cannot load/, "Cannot reload");
  return new TlsError(code, `${text}; ${still}`, { cause: error });
}

export function day(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10);
}
