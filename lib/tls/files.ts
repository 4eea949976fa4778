/**
 * A serving certificate from files that others write: a mounted Secret, cert-manager, a script. A new
 * pair is taken when it is whole: both files readable, the key that of the certificate, not expired.
 * Until then the one before it goes on serving.
 */

import { type Clock, type FileWatch, type Host, HostError, watchFiles } from "../host/mod.ts";
import {
  type CertificateSource,
  checkMaterial,
  keepLastGood,
  type ServingListener,
  TlsError,
} from "./serving.ts";

export interface CertificateFiles {
  /** PEM, the server's own certificate first. */
  readonly certFile: string;
  readonly keyFile: string;
  /** PEM of the authorities whose certificates callers must have. */
  readonly clientCaFile?: string;
}

export interface CertificateFilesOptions extends ServingListener {
  readonly host: Pick<Host, "readText" | "watchDirectory">;
  readonly clock: Pick<Clock, "now" | "after">;
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
  const check = (texts: Texts) =>
    checkMaterial(texts, {
      certificate: quote(files.certFile),
      clientCa: quote(files.clientCaFile ?? ""),
      now: clock.now(),
    });
  let texts = await readTexts(files, host);
  const kept = keepLastGood(options, check(texts));
  /** What was found wanting last time: told once it has been found so twice. */
  let suspect: Texts | undefined;
  let cancelSettle = () => {};

  const look = async () => {
    let found: Texts | undefined;
    try {
      found = await readTexts(files, host);
      if (isSame(found, texts)) {
        kept.forgive();
      } else {
        kept.take(check(found));
        texts = found;
      }
      suspect = undefined;
    } catch (error) {
      const seen = suspect !== undefined && isSame(suspect, found);
      suspect = found ?? UNREADABLE;
      if (!seen) {
        cancelSettle();
        cancelSettle = clock.after(SETTLE_MS, () => watch.nudge());
      } else {
        kept.refuse(error);
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
    current: kept.current,
    failure: kept.failure,
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

function quote(path: string): string {
  return JSON.stringify(path);
}
