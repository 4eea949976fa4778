/** The compiled program serving on loopback, with a certificate of an authority of the test's own. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Program, startProgram } from "../cli/_program.ts";
import { createAuthority } from "./_certificates.ts";

export interface Injector {
  readonly program: Program;
  /** PEM, for the caBundle. */
  readonly ca: string;
  /** As in `https://127.0.0.1:40001/inject`. */
  readonly url: string;
  stop(): Promise<void>;
}

export async function startInjector(flags: readonly string[] = []): Promise<Injector> {
  const folder = mkdtempSync(join(tmpdir(), "outrigger-e2e-injector-"));
  const authority = await createAuthority("injector");
  const { certificate, key } = await authority.issue({
    subject: "CN=injector",
    addresses: ["127.0.0.1"],
  });
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text, { mode: 0o600 });
    return join(folder, name);
  };
  const program = await startProgram([
    "serve",
    "--config-source=embedded",
    "--address=127.0.0.1",
    "--port=0",
    "--monitoringPort=0",
    "--drain=0s",
    `--tlsCertFile=${file("tls.crt", certificate)}`,
    `--tlsKeyFile=${file("tls.key", key)}`,
    ...flags,
  ]);
  return {
    program,
    ca: authority.certificate,
    url: `https://127.0.0.1:${program.port}/inject`,
    async stop() {
      program.kill("SIGTERM");
      await program.exited;
      rmSync(folder, { recursive: true });
    },
  };
}
