/**
 * The authorities of a certificate that others bring: a file beside it (`ca.crt` of a mounted Secret,
 * Istio's `root-cert.pem`), read again when it changes. What it says is judged where it is used.
 */

import { type Clock, type Host, HostError, watchFiles } from "../host/mod.ts";

export interface CaFileOptions {
  readonly host: Pick<Host, "readText" | "watchDirectory">;
  readonly clock: Pick<Clock, "after">;
  /** It says something else, or cannot be read any more. */
  readonly onChange: () => void;
  /** Once for each reason. */
  readonly onFailure: (message: string) => void;
}

export interface CaFile {
  /** What it said last; `undefined` before it could be read. */
  bundle(): string | undefined;
  /** Why it cannot be read now. */
  failure(): string | undefined;
  close(): void;
}

export async function openCaFile(path: string, options: CaFileOptions): Promise<CaFile> {
  const { host, clock, onChange, onFailure } = options;
  let bundle: string | undefined;
  let failure: string | undefined;

  const look = async () => {
    try {
      const text = await host.readText(path);
      failure = undefined;
      if (text === bundle) return;
      bundle = text;
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
      if (failure === error.message) return;
      failure = error.message;
      onFailure(failure);
    }
    onChange();
  };

  await look();
  const watch = watchFiles({ paths: () => [path], look, host, clock });
  return { bundle: () => bundle, failure: () => failure, close: watch.close };
}
