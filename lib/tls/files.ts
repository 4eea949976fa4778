/**
 * A serving certificate from files that another program writes: a mounted Secret, cert-manager, a script.
 * A new pair takes effect once it is valid: both files are readable, the key matches, and the certificate
 * has not expired. Until then the previous pair stays in use.
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
  /** PEM of the CAs that must have signed client certificates. */
  readonly clientCaFile?: string;
}

export interface CertificateFilesOptions extends ServingListener {
  readonly host: Pick<Host, "readText" | "watchDirectory">;
  readonly clock: Pick<Clock, "now" | "after">;
  readonly pollMs?: number;
}

/**
 * Two files cannot change atomically. An invalid pair is read again after this delay and reported only if
 * it is still invalid. Together with the debounce of the watch this stays well below a second.
 */
const SETTLE_MS = 300;

/** Reads and watches certificate files. Throws a {@link TlsError} if there is no valid pair at first. */
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
  /** The invalid content of the last read; it is reported if the next read finds the same. */
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
