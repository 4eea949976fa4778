/**
 * A CA file for a serving certificate from files (`ca.crt` of a mounted Secret, Istio's `root-cert.pem`).
 * It is reread when it changes. Its content is validated by its user.
 */

import { type Clock, type Host, HostError, watchFiles } from "../host/mod.ts";

export interface CaFileOptions {
  readonly host: Pick<Host, "readText" | "watchDirectory">;
  readonly clock: Pick<Clock, "after">;
  /** Called when the content has changed, or the file can no longer be read. */
  readonly onChange: () => void;
  /** Called once for each reason. */
  readonly onFailure: (message: string) => void;
}

export interface CaFile {
  /** Returns the last content, or undefined before the file could be read. */
  bundle(): string | undefined;
  /** Returns why the file cannot be read now. */
  failure(): string | undefined;
  close(): void;
}

/** Reads a CA file and watches it. */
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
