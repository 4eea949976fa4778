/** The real program as a process of its own, and its log. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import type { DevCertificate } from "../../lib/tls/dev_certificate.ts";
import { pair } from "../tls/_pairs.ts";

const ROOT = `${import.meta.dirname}/../..`;
/** After this long a test has failed; it is no wait. */
const DEADLINE_MS = 60_000;

export type LogLine = Readonly<Record<string, unknown>>;

export interface Program {
  readonly pid: number;
  readonly port: number;
  readonly plainPort: number;
  /** All that was printed so far. */
  output(): string;
  /** The first line of the log that fits, from the beginning; waits for it. */
  line(fits: (line: LogLine) => boolean): Promise<LogLine>;
  kill(signal: "SIGTERM" | "SIGINT" | "SIGKILL"): void;
  readonly exited: Promise<number | null>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface ProgramOptions {
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts it, and waits until it serves; throws with its output where it ends before that. */
export async function startProgram(
  args: readonly string[],
  { env = {} }: ProgramOptions = {},
): Promise<Program> {
  const program = spawn(args, env);
  const serving = await program.line(({ message }) => message === "serving");
  return Object.assign(program, {
    port: serving.port as number,
    plainPort: serving.monitoringPort as number,
  });
}

/** Runs it to its end. */
export async function runProgram(
  args: readonly string[],
  { env = {} }: ProgramOptions = {},
): Promise<{ code: number | null; output: string }> {
  const program = spawn(args, env);
  const code = await program.exited;
  return { code, output: program.output() };
}

function spawn(args: readonly string[], env: Readonly<Record<string, string>>) {
  // OUTRIGGER_TEST_PROGRAM names a compiled executable to be tested instead of the sources.
  const executable = process.env.OUTRIGGER_TEST_PROGRAM;
  const command = executable ? [executable] : [process.execPath, `${ROOT}/main.ts`];
  let output = "";
  let wake = () => {};
  const child = Bun.spawn([...command, ...args], {
    env: { PATH: process.env.PATH ?? "", ...env },
    stdout: "pipe",
    stderr: "pipe",
  });
  const read = async (stream: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder();
    for await (const chunk of stream) {
      output += decoder.decode(chunk, { stream: true });
      wake();
    }
  };
  const closed = Promise.all([read(child.stdout), read(child.stderr)]);
  let isOver = false;
  const exited = child.exited.then(async () => {
    await closed;
    isOver = true;
    wake();
    return child.signalCode === null ? child.exitCode : null;
  });
  const lines = () =>
    output.split("\n").flatMap((line): LogLine[] => {
      try {
        return [JSON.parse(line)];
      } catch {
        return [];
      }
    });
  return {
    pid: child.pid,
    exited,
    output: () => output,
    kill: (signal: "SIGTERM" | "SIGINT" | "SIGKILL") => child.kill(signal),
    async line(fits: (line: LogLine) => boolean) {
      const deadline = setTimeout(() => child.kill("SIGKILL"), DEADLINE_MS);
      try {
        for (;;) {
          const found = lines().find(fits);
          if (found !== undefined) return found;
          if (isOver) throw new Error(`The program ended without that line:\n${output}`);
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      } finally {
        clearTimeout(deadline);
      }
    },
    async [Symbol.asyncDispose]() {
      if (!isOver) child.kill("SIGKILL");
      await exited;
    },
  };
}

export interface Files extends Disposable {
  readonly directory: string;
  readonly certificate: DevCertificate;
  /** Flags that name all of them, any free ports, and loopback. */
  readonly flags: readonly string[];
  write(name: string, text: string): void;
}

export const CONFIG = `policy: enabled
templates:
  sidecar: |
    metadata:
      labels:
        which: "{{ .Values.which }}"
    spec:
      containers:
      - name: istio-proxy
        image: proxy
`;

/** Config, values, mesh config and certificate in a directory of their own. */
export async function programFiles(): Promise<Files> {
  const directory = mkdtempSync(`${tmpdir()}/outrigger-serve-`);
  const certificate = await pair("serve", { now: Date.now() - Date.now() % 3_600_000 });
  const write = (name: string, text: string) => writeFileSync(`${directory}/${name}`, text);
  write("config", CONFIG);
  write("values", "which: one");
  write("mesh", "");
  write("tls.crt", certificate.material.certificates);
  write("tls.key", certificate.material.key);
  return {
    directory,
    certificate,
    write,
    flags: [
      `--injectConfig=${directory}/config`,
      `--injectValues=${directory}/values`,
      `--meshConfig=${directory}/mesh`,
      `--tlsCertFile=${directory}/tls.crt`,
      `--tlsKeyFile=${directory}/tls.key`,
      ...["--address=127.0.0.1", "--port=0", "--monitoringPort=0"],
    ],
    [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }),
  };
}
