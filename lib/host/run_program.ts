/** Runs another program, such as a kubeconfig's credential plugin, and returns its output. It uses no shell. */

import { type ChildProcess, spawn, type StdioOptions } from "node:child_process";
import process from "node:process";
import { HostError, hostErrorFrom } from "./host_error.ts";
import { joinBytes } from "./join_bytes.ts";

export interface ProgramOptions {
  readonly args?: readonly string[];
  /** Variables in addition to those of this process. */
  readonly env?: Readonly<Record<string, string>>;
  /** Passes on standard input and standard error, for a program that prompts. */
  readonly interactive?: boolean;
  /** The program is killed after this time. */
  readonly timeoutMs: number;
  /** The limit for each of standard output and standard error. */
  readonly maxOutputBytes: number;
}

export interface ProgramResult {
  /** The exit code; undefined if a signal ended the program. */
  readonly code: number | undefined;
  readonly stdout: string;
  /** Empty for an interactive program, which writes to the terminal. */
  readonly stderr: string;
}

export type RunProgram = (command: string, options: ProgramOptions) => Promise<ProgramResult>;

/** Runs a program. Throws a HostError if it cannot be started, takes too long or prints too much. */
export const runProgram: RunProgram = async (command, options) => {
  const action = `run ${JSON.stringify(command)}`;
  try {
    return await finish(start(command, options), { action, ...options });
  } catch (error) {
    const failure = hostErrorFrom(error, action);
    if (failure.code !== "not_found") throw failure;
    throw new HostError("not_found", `Cannot ${action}: no such program`, { cause: error });
  }
};

function start(command: string, { args = [], env, interactive }: ProgramOptions): ChildProcess {
  const stdio: StdioOptions = interactive
    ? ["inherit", "pipe", "inherit"]
    : ["ignore", "pipe", "pipe"];
  return spawn(command, args, { stdio, shell: false, env: { ...process.env, ...env } });
}

function finish(
  child: ChildProcess,
  { action, timeoutMs, maxOutputBytes }: ProgramOptions & { readonly action: string },
): Promise<ProgramResult> {
  const { promise, resolve, reject } = Promise.withResolvers<ProgramResult>();
  const stop = (error: HostError) => {
    child.kill("SIGKILL");
    reject(error);
  };
  const collect = (stream: ChildProcess["stdout"]) => {
    const chunks: Uint8Array[] = [];
    let length = 0;
    stream?.on("data", (chunk: Uint8Array) => {
      length += chunk.length;
      if (length <= maxOutputBytes) chunks.push(chunk);
      else stop(new HostError("too_large", `Cannot ${action}: its output is too large`));
    });
    return () => new TextDecoder().decode(joinBytes(chunks));
  };
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
  const timer = setTimeout(() => {
    stop(new HostError("failed", `Cannot ${action}: timed out after ${timeoutMs / 1000} s`));
  }, timeoutMs);
  child.on("error", reject);
  child.on(
    "close",
    (code) => resolve({ code: code ?? undefined, stdout: stdout(), stderr: stderr() }),
  );
  return promise.finally(() => {
    clearTimeout(timer);
    // Its child processes may still run and hold the other ends open.
    child.stdout?.destroy();
    child.stderr?.destroy();
  });
}
