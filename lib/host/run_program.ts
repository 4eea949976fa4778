/**
 * Runs another program to its end and gives back what it printed: the credential plugins that kubeconfig
 * files name. No shell is involved, so arguments are what they are.
 */

import { type ChildProcess, spawn, type StdioOptions } from "node:child_process";
import process from "node:process";
import { HostError, hostErrorFrom } from "./host_error.ts";
import { joinBytes } from "./join_bytes.ts";

export interface ProgramOptions {
  readonly args?: readonly string[];
  /** Laid over this process's own variables. */
  readonly env?: Readonly<Record<string, string>>;
  /** Hands on standard input and standard error, for a program that has to ask somebody. */
  readonly interactive?: boolean;
  /** It is killed after so many milliseconds. */
  readonly timeoutMs: number;
  /** Of each of its outputs. */
  readonly maxOutputBytes: number;
}

export interface ProgramResult {
  /** 0 where all went well; `undefined` where a signal ended it. */
  readonly code: number | undefined;
  readonly stdout: string;
  /** Empty for an interactive program: people have seen it. */
  readonly stderr: string;
}

export type RunProgram = (command: string, options: ProgramOptions) => Promise<ProgramResult>;

/** Throws a HostError where the program cannot be run, takes too long or prints too much. */
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
      else stop(new HostError("too_large", `Cannot ${action}: it prints too much`));
    });
    return () => new TextDecoder().decode(joinBytes(chunks));
  };
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
  const timer = setTimeout(() => {
    stop(new HostError("failed", `Cannot ${action}: not done after ${timeoutMs / 1000} s`));
  }, timeoutMs);
  child.on("error", reject);
  child.on(
    "close",
    (code) => resolve({ code: code ?? undefined, stdout: stdout(), stderr: stderr() }),
  );
  return promise.finally(() => {
    clearTimeout(timer);
    // What it started may live on and hold the other ends open.
    child.stdout?.destroy();
    child.stderr?.destroy();
  });
}
