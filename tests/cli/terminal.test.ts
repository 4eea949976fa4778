import { describe, expect, test } from "bun:test";
import { Progress } from "../../lib/cli/_progress.ts";
import { type Cell, painter, table } from "../../lib/cli/_terminal.ts";
import type { Host } from "../../lib/host/mod.ts";
import { memoryHost } from "../_memory_host.ts";

function terminal(env: Readonly<Record<string, string>> = {}, isTerminal = true): Host & {
  out: { stderr: string };
} {
  const host = memoryHost({ env });
  return {
    ...host,
    stdout: { ...host.stdout, isTerminal },
    stderr: { ...host.stderr, isTerminal },
  };
}

describe("painter()", () => {
  const cases: [what: string, host: Host, painted: string][] = [
    ["a terminal", terminal(), "\x1b[31mx\x1b[0m"],
    ["a pipe", terminal({}, false), "x"],
    ["NO_COLOR", terminal({ NO_COLOR: "1" }), "x"],
    ["an empty NO_COLOR, which counts as none", terminal({ NO_COLOR: "" }), "\x1b[31mx\x1b[0m"],
    ["a terminal that knows no colours", terminal({ TERM: "dumb" }), "x"],
  ];
  test.each(cases)("on %s", (_, host, painted) => {
    expect(painter(host)("red", "x")).toBe(painted);
    expect(painter(host, "stderr")("red", "x")).toBe(painted);
    expect(painter(host)(undefined, "x")).toBe("x");
  });
});

describe("table()", () => {
  const cases: [what: string, rows: Cell[][], text: string][] = [
    ["no rows", [], ""],
    [
      "columns by their widest, the last one free",
      [["a", "bb", "c"], ["aaa", "b", "a long one"]],
      "a    bb  c\naaa  b   a long one\n",
    ],
    ["rows of other lengths", [["one"], ["a", "b"], []], "one\na  b\n\n"],
    ["characters beyond 16 bits, one column each", [["𝒳", "b"], ["aa", "b"]], "𝒳   b\naa  b\n"],
    ["texts that would move the cursor", [["a\x1b[2J\n", "b"]], "a\\u001b[2J\\n  b\n"],
    ["an empty end without trailing space", [["a", ""], ["aa", "b"]], "a\naa  b\n"],
  ];
  test.each(cases)("has %s", (_, rows, text) => expect(table(rows)).toBe(text));

  test("aligns by what is seen, not by the codes of colours", () => {
    const rows: Cell[][] = [[{ text: "ok", colour: "green" }, "x"], ["error", "y"]];
    expect(table(rows, { header: ["STATE", "WHAT"], indent: 2, paint: painter(terminal()) })).toBe(
      "  \x1b[1mSTATE\x1b[0m  \x1b[1mWHAT\x1b[0m\n  \x1b[32mok\x1b[0m     x\n  error  y\n",
    );
  });
});

describe("Progress", () => {
  async function lines(host: ReturnType<typeof terminal>, total: number, isTerminalTaken = false) {
    let now = 0;
    const progress = new Progress({ ...host, now: () => now += 60 }, {
      total,
      what: "pods",
      isTerminalTaken,
    });
    for (let i = 0; i < 4; i++) await progress.add();
    await progress.finish();
    await progress.finish();
    return host.out.stderr;
  }

  test("is one line, moved on at most ten times a second, and taken away", async () => {
    expect(await lines(terminal(), 50)).toBe(
      "\r\x1b[K1 of 50 pods\r\x1b[K3 of 50 pods\r\x1b[K",
    );
  });

  test("says nothing of short work, to a pipe, or where the result is", async () => {
    expect(await lines(terminal(), 49)).toBe("");
    expect(await lines(terminal({}, false), 50)).toBe("");
    expect(await lines(terminal(), 50, true)).toBe("");
  });
});
