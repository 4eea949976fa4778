import { describe, expect, test } from "bun:test";
import process from "node:process";
import { HostError, type ProgramOptions, runProgram } from "../../lib/host/mod.ts";

const LIMITS = { timeoutMs: 20_000, maxOutputBytes: 10_000 };

/** Runs a script in the runtime that runs this one. */
function run(script: string, options: Partial<ProgramOptions> = {}) {
  return runProgram(process.execPath, { ...LIMITS, args: ["-e", script], ...options });
}

describe("runProgram()", () => {
  test("gives what a program printed, and its code", async () => {
    expect(await run("console.log('out'); console.error('err'); process.exit(3)")).toEqual({
      code: 3,
      stdout: "out\n",
      stderr: "err\n",
    });
  });

  test("hands over arguments as they are", async () => {
    const args = ["-e", "console.log(process.argv.slice(-2).join())", "--", "$HOME; 'a", "*"];
    expect((await runProgram(process.execPath, { ...LIMITS, args })).stdout).toBe("$HOME; 'a,*\n");
  });

  test("lays variables over its own", async () => {
    const script = "console.log(process.env.GIVEN, process.env.PATH !== undefined)";
    expect((await run(script, { env: { GIVEN: "yes" } })).stdout).toBe("yes true\n");
  });

  test("has no code where a signal ended it", async () => {
    expect((await run("process.kill(process.pid, 'SIGKILL')")).code).toBeUndefined();
  });

  test("gives an ordinary program nothing to read", async () => {
    const script = "process.stdin.on('end', () => console.log('end')).resume()";
    expect((await run(script)).stdout).toBe("end\n");
  });

  const failures: [what: string, run: () => Promise<unknown>, code: string, message: RegExp][] = [
    [
      "it does not exist",
      () => runProgram("no-such-program-here", LIMITS),
      "not_found",
      /^Cannot run "no-such-program-here": no such program$/,
    ],
    [
      "it may not be run",
      () => runProgram("/", LIMITS),
      "denied",
      /^Cannot run "\/": permission denied$/,
    ],
    [
      "it takes too long",
      () => run("setTimeout(() => {}, 60_000)", { timeoutMs: 100 }),
      "failed",
      /: timed out after 0.1 s$/,
    ],
    [
      "its output is too large",
      () => run("console.log('x'.repeat(20_000)); setTimeout(() => {}, 60_000)"),
      "too_large",
      /: its output is too large$/,
    ],
  ];
  test.each(failures)("fails where %s", async (_, run, code, message) => {
    const error = await run().then(() => undefined, (error) => error);
    expect(error).toBeInstanceOf(HostError);
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
  });
});
