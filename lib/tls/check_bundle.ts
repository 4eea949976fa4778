/** Validates a caBundle, because the API server accepts any valid PEM and then fails every call. */

import { CertificateError, isSignedBy, readCertificates } from "../host/mod.ts";
import { TlsError } from "./serving.ts";

/** Throws a {@link TlsError} if clients that trust this bundle would not trust the serving certificate. */
export function checkBundle(
  bundle: string,
  { chain, now }: { readonly chain: string; readonly now: number },
): void {
  let authorities;
  try {
    authorities = readCertificates(bundle);
  } catch (cause) {
    if (!(cause instanceof CertificateError)) throw cause;
    throw new TlsError(cause.code, `Cannot use the CA bundle: ${cause.message}`, { cause });
  }
  const valid = authorities.filter(({ notAfter }) => notAfter > now);
  if (valid.length === 0) {
    throw new TlsError("expired", "Cannot use the CA bundle: every CA in it has expired");
  }
  const isTrusted = readCertificates(chain).some(({ pem, fingerprint }) =>
    valid.some((one) => one.fingerprint === fingerprint || isSignedBy(pem, one.pem))
  );
  if (isTrusted) return;
  throw new TlsError(
    "mismatch",
    "Cannot use the CA bundle: no CA in it signed the serving certificate",
  );
}
