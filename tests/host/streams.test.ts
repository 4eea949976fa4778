/** Standard streams can only be tried from outside: each test runs a small program of its own. */

import { describe, expect, test } from "bun:test";
import { join } from "node:path";

const HOST = join(import.meta.dir, "../../lib/host/mod.ts");

/** Runs `body` with `host` in scope, in a shell line where `$PROGRAM` is the program. */
async function shell(line: string, body: string) {
  const source = `import { createHost } from ${JSON.stringify(HOST)};
    const host = createHost();
    ${body}`;
  const child = Bun.spawn(["bash", "-c", `set -o pipefail; ${line}`], {
    env: { ...process.env, BUN: process.execPath, SOURCE: source },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { stdout: stdout.trim(), stderr, code };
}

const PROGRAM = `"$BUN" -e "$SOURCE"`;

describe("stdout.write()", () => {
  test("loses nothing of megabytes written to a pipe", async () => {
    const body = `await host.stdout.write("x".repeat(5_000_000)); host.setExitCode(0);`;
    expect(await shell(`${PROGRAM} | wc -c`, body)).toEqual({
      stdout: "5000000",
      stderr: "",
      code: 0,
    });
  });

  test("to a reader that went away is an error with code closed, and kills nothing", async () => {
    const body = `
      try { for (;;) await host.stdout.write("x".repeat(100_000)); }
      catch (error) { await host.stderr.write(error.code); host.setExitCode(7); }`;
    expect(await shell(`${PROGRAM} | head -c 1 >/dev/null`, body)).toEqual({
      stdout: "",
      stderr: "closed",
      code: 7,
    });
  });
});

describe("stdin", () => {
  test("is read whole, from a pipe", async () => {
    const body = `await host.stdout.write(String((await host.stdin.readText()).length));`;
    const { stdout } = await shell(`head -c 300000 /dev/zero | tr '\\0' a | ${PROGRAM}`, body);
    expect(stdout).toBe("300000");
  });

  test("without a word in it is empty text", async () => {
    const body = `await host.stdout.write(JSON.stringify(await host.stdin.readText()));`;
    expect((await shell(`${PROGRAM} </dev/null`, body)).stdout).toBe(`""`);
  });
});
