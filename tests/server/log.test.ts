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

  test("writes text, quoted if necessary", async () => {
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

  test("drops lines of a slow reader, and reports their number", async () => {
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
    const large = "x".repeat(2048);
    for (let i = 0; i < 2100; i++) log.info("large", { text: large });
    const flushed = log.flush();
    for (let i = 0; i < 4; i++) {
      release();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await flushed;
    const text = written.join("");
    const taken = text.match(/"message":"large"/g)!.length;
    expect(taken * large.length).toBeLessThanOrEqual(4 * 1024 * 1024);
    expect(taken).toBeGreaterThan(1900);
    expect(text).toContain(`"message":"log lines dropped","count":${2100 - taken}`);
  });

  test("ignores a closed output", async () => {
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

  describe.each(["json", "text"] as const)("as %s", (format) => {
    const HOSTILE =
      "\x00\x07\x1b[2J\x7f\x85\x9b31m\u061c\u2028\u2029\u202a\u202e\u2066\u2069\ufeff\ud800\r\n";
    const UNSAFE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\ufeff]/u;

    test("escapes untrusted text everywhere", async () => {
      const text = await logged({ format }, (log) => {
        log.info(`message ${HOSTILE}`, {
          value: HOSTILE,
          list: [HOSTILE],
          map: { [HOSTILE]: [HOSTILE] },
          forged: `x\n2026-01-02T00:00:00.000Z  error  forged`,
        });
      });
      expect(text.endsWith("\n")).toBe(true);
      expect(text.slice(0, -1)).not.toMatch(UNSAFE);
      if (format === "json") {
        const { message, list, map } = JSON.parse(text);
        expect([message, list, map]).toEqual([
          `message ${HOSTILE}`,
          [HOSTILE],
          { [HOSTILE]: [HOSTILE] },
        ]);
      }
    });

    const MB = 1024 * 1024;
    const long: [what: string, message: string, fields: Record<string, unknown>][] = [
      ["a value", "m", { pod: "p".repeat(2 * MB) }],
      ["a value that grows when it is escaped", "m", { pod: "\x1b".repeat(2 * MB) }],
      ["a value of three bytes a character", "m", { pod: "漢".repeat(MB) }],
      ["many values", "m", Object.fromEntries([..."abcdefgh"].map((key) => [key, "x".repeat(MB)]))],
      ["a list", "m", { templates: Array.from({ length: 100_000 }, () => "sidecar") }],
      ["a list of long values", "m", {
        templates: Array.from({ length: 50 }, () => "\x1b".repeat(9999)),
      }],
      ["a map", "m", {
        map: Object.fromEntries(Array.from({ length: 9999 }, (_, i) => [`k${i}`, i])),
      }],
      ["deep lists", "m", { deep: JSON.parse("[".repeat(900) + "]".repeat(900)) }],
      ["a message", "\x9b".repeat(MB), {}],
    ];
    test.each(long)("bounds %s", async (_, message, fields) => {
      const text = await logged({ format }, (log) => log.error(message, fields));
      expect(new TextEncoder().encode(text).length).toBeLessThanOrEqual(16 * 1024);
      expect(text.indexOf("\n")).toBe(text.length - 1);
      if (format === "json") expect(JSON.parse(text)).toMatchObject({ level: "error" });
    });

    test("keeps an ordinary pod's patch, and marks shortened values", async () => {
      const text = await logged({ format, level: "debug" }, (log) => {
        log.debug("p".repeat(9_000));
        log.debug("m", { value: `begin${"x".repeat(9_000)}end` });
      });
      expect(text).toContain("p".repeat(9_000));
      expect(text).toMatch(/begin.* … \(\d+ characters in all\) … .*end/);
    });
  });
});
