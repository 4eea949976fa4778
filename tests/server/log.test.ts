import { describe, expect, test } from "bun:test";
import { createLogger, type LogFormat, type LogLevel } from "../../lib/server/log.ts";
import { memoryHost } from "../_memory_host.ts";
import { fakeClock } from "./_fake_clock.ts";

async function logged(
  { format = "json", level = "info" }: { format?: LogFormat; level?: LogLevel },
  write: (log: ReturnType<typeof createLogger>) => void,
): Promise<string> {
  const host = memoryHost();
  const log = createLogger({ output: host.stdout, clock: fakeClock(), format, level });
  write(log);
  await log.flush();
  return host.out.stdout;
}

describe("createLogger()", () => {
  test("writes one JSON object a line", async () => {
    const text = await logged({}, (log) => {
      log.info("pod injected", { namespace: "shop", ms: 1.5 });
      log.error("bad\nline", { error: 'quote " and\nbreak' });
    });
    expect(text.split("\n").slice(0, -1).map((line) => JSON.parse(line))).toEqual([
      {
        time: "2026-01-02T00:00:00.000Z",
        level: "info",
        message: "pod injected",
        namespace: "shop",
        ms: 1.5,
      },
      {
        time: "2026-01-02T00:00:00.000Z",
        level: "error",
        message: "bad\nline",
        error: 'quote " and\nbreak',
      },
    ]);
  });

  test("writes text for people, quoted where it must be", async () => {
    const text = await logged({ format: "text" }, (log) => {
      log.warn("careful", { plain: "x", spaced: "a b", none: undefined, list: ["a", "b"], n: 5 });
    });
    expect(text).toBe(
      '2026-01-02T00:00:00.000Z  warn   careful  plain=x  spaced="a b"  list=a,b  n=5\n',
    );
  });

  test.each([
    ["debug", "debug info warn error"],
    ["info", "info warn error"],
    ["warn", "warn error"],
    ["error", "error"],
    ["none", ""],
  ])("at %s writes %s", async (level, wanted) => {
    const text = await logged({ level: level as LogLevel }, (log) => {
      for (const one of ["debug", "info", "warn", "error"] as const) {
        log[one](one);
        expect(log.isOn(one)).toBe(wanted.split(" ").includes(one));
      }
    });
    expect([...text.matchAll(/"message":"(\w+)"/g)].map(([, word]) => word).join(" ")).toBe(wanted);
  });

  test("drops lines that nobody takes, goes on, and says how many", async () => {
    let release = () => {};
    const written: string[] = [];
    const output = {
      isTerminal: false,
      write(data: string | Uint8Array) {
        written.push(String(data));
        return new Promise<void>((resolve) => {
          release = resolve;
        });
      },
    };
    const log = createLogger({ output, clock: fakeClock(), format: "json", level: "info" });
    log.info("first");
    for (let i = 0; i < 6; i++) log.info("large", { text: "x".repeat(1024 * 1024) });
    const flushed = log.flush();
    for (let i = 0; i < 4; i++) {
      release();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await flushed;
    const text = written.join("");
    expect(text.match(/"message":"large"/g)?.length).toBe(4);
    expect(text).toContain('"message":"log lines dropped","count":2');
  });

  test("does not mind a reader that went away", async () => {
    const host = memoryHost();
    host.closeStdout();
    const log = createLogger({
      output: host.stdout,
      clock: fakeClock(),
      format: "json",
      level: "info",
    });
    log.info("x");
    await log.flush();
  });
});
