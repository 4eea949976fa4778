/**
 * A serving certificate from files that others write: a mounted Secret, cert-manager, a script. A new
 * pair is taken when it is whole: both files readable, the key that of the certificate, not expired.
 * Until then the one before it goes on serving.
 */

import {
  CertificateError,
  type CertificateFacts,
  type Clock,
  type FileWatch,
  type Host,
  HostError,
  readCertificates,
  readKeyPair,
  type SecureMaterial,
  watchFiles,
} from "../host/mod.ts";

export interface CertificateFiles {
  /** PEM, the server's own certificate first. */
  readonly certFile: string;
  readonly keyFile: string;
  /** PEM of the authorities whose certificates callers must have. */
  readonly clientCaFile?: string;
}

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

export interface CertificateFilesOptions {
  readonly host: Pick<Host, "readText" | "watchDirectory">;
  readonly clock: Pick<Clock, "now" | "after">;
  /** A new certificate is current; throws where it cannot be served after all. */
  readonly onChange: (certificate: ServingCertificate) => void;
  readonly onFailure: (error: TlsError) => void;
  readonly pollMs?: number;
}

/**
 * Two files cannot change at once. What does not fit is looked at again after this long, and only
 * then is it a failure; with the time that changes are gathered it stays well within a second.
 */
const SETTLE_MS = 300;

/** Throws a {@link TlsError} where there is no good pair to begin with. */
export async function openCertificateFiles(
  files: CertificateFiles,
  options: CertificateFilesOptions,
): Promise<CertificateSource> {
  const { host, clock } = options;
  let texts = await readTexts(files, host);
  let current = check(texts, files, clock.now());
  let failure: TlsError | undefined;
  /** What was found wanting last time: told once it has been found so twice. */
  let suspect: Texts | undefined;
  let cancelSettle = () => {};

  const look = async () => {
    let found: Texts | undefined;
    try {
      found = await readTexts(files, host);
      if (isSame(found, texts)) {
        failure = suspect = undefined;
        return;
      }
      const next = check(found, files, clock.now());
      options.onChange(next);
      texts = found;
      current = next;
      failure = suspect = undefined;
    } catch (error) {
      const seen = suspect !== undefined && isSame(suspect, found);
      suspect = found ?? UNREADABLE;
      if (!seen) {
        cancelSettle();
        cancelSettle = clock.after(SETTLE_MS, () => watch.nudge());
      } else if (failure === undefined || failure.message !== reload(error, current).message) {
        failure = reload(error, current);
        options.onFailure(failure);
      }
    }
  };

  const paths = [files.certFile, files.keyFile, files.clientCaFile].filter((path) =>
    path !== undefined
  );
  const watch: FileWatch = watchFiles({
    paths: () => paths,
    look,
    host,
    clock,
    pollMs: options.pollMs,
  });
  return {
    current: () => current,
    failure: () => failure?.message,
    close() {
      cancelSettle();
      watch.close();
    },
  };
}

interface Texts {
  readonly certificates: string;
  readonly key: string;
  readonly clientCa?: string;
}

const UNREADABLE: Texts = { certificates: "", key: "" };

async function readTexts(files: CertificateFiles, host: Pick<Host, "readText">): Promise<Texts> {
  const { certFile, keyFile, clientCaFile } = files;
  try {
    const [certificates, key, clientCa] = await Promise.all([
      host.readText(certFile),
      host.readText(keyFile),
      clientCaFile === undefined ? undefined : host.readText(clientCaFile),
    ]);
    return { certificates, key, ...(clientCa === undefined ? {} : { clientCa }) };
  } catch (cause) {
    if (!(cause instanceof HostError)) throw cause;
    throw new TlsError("unreadable", cause.message, { cause });
  }
}

function isSame(a: Texts, b: Texts = UNREADABLE): boolean {
  return a.certificates === b.certificates && a.key === b.key && a.clientCa === b.clientCa;
}

function check(texts: Texts, files: CertificateFiles, now: number): ServingCertificate {
  const facts = told(files.certFile, () => readKeyPair(texts.certificates, texts.key));
  if (facts.notAfter <= now) {
    const message = `Cannot load certificate ${quote(files.certFile)}: ` +
      `it expired ${day(facts.notAfter)}`;
    throw new TlsError("expired", message);
  }
  if (texts.clientCa !== undefined) {
    told(files.clientCaFile!, () => readCertificates(texts.clientCa!));
  }
  return { material: texts, facts };
}

/** Puts the file's name before what is wrong with it. */
function told<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (!(cause instanceof CertificateError)) throw cause;
    const message = `Cannot load certificate ${quote(file)}: ${cause.message}`;
    throw new TlsError(cause.code, message, { cause });
  }
}

function reload(error: unknown, { facts }: ServingCertificate): TlsError {
  const { code, message } = error instanceof TlsError
    ? error
    : new TlsError("unusable", error instanceof Error ? error.message : String(error));
  const still = `still serving the one that expires ${day(facts.notAfter)}`;
  const text = message.replace(/^Cannot load/, "Cannot reload");
  return new TlsError(code, `${text}; ${still}`, { cause: error });
}

function day(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10);
}

function quote(path: string): string {
  return JSON.stringify(path);
}
