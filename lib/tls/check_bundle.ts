/** Whether a text may become a caBundle: the API server takes any, and then calls nobody. */

import { CertificateError, isSignedBy, readCertificates } from "../host/mod.ts";
import { TlsError } from "./serving.ts";

/** Throws a {@link TlsError} where callers with that bundle would not trust what we serve. */
export function checkBundle(
  bundle: string,
  { chain, now }: { readonly chain: string; readonly now: number },
): void {
  let authorities;
  try {
    authorities = readCertificates(bundle);
  } catch (cause) {
    if (!(cause instanceof CertificateError)) throw cause;
    throw new TlsError(cause.code, `Cannot use the authorities: ${cause.message}`, { cause });
  }
  const valid = authorities.filter(({ notAfter }) => notAfter > now);
  if (valid.length === 0) throw new TlsError("expired", "Cannot use the authorities: all expired");
  const isTrusted = readCertificates(chain).some(({ pem, fingerprint }) =>
    valid.some((one) => one.fingerprint === fingerprint || isSignedBy(pem, one.pem))
  );
  if (isTrusted) return;
  throw new TlsError(
    "mismatch",
    "Cannot use the authorities: none of them signed the certificate that is served",
  );
}
