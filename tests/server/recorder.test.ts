import { describe, expect, test } from "bun:test";
import { readRecordLine, type RecordedConfig } from "../../lib/compare/recording.ts";
import { HostError } from "../../lib/host/mod.ts";
import type { Seen } from "../../lib/server/afterwards.ts";
import { createLogger, createRecorder } from "../../lib/server/mod.ts";
import type { RecordHost } from "../../lib/server/recorder.ts";
import { type MemoryHost, memoryHost } from "../_memory_host.ts";
import { fakeClock } from "./_fake_clock.ts";
import { INERT } from "./_serving.ts";

const CONFIG: RecordedConfig = {
  version: "v1",
  sources: { config: 'templates: {s: "example.com/used"}', values: "", mesh: "" },
  settings: { revision: "", compat: "today", variables: {} },
};

interface Options {
  readonly maxBytes?: number;
  readonly memory?: MemoryHost;
  readonly host?: Partial<RecordHost>;
  readonly config?: () => RecordedConfig | undefined;
}

function recording({ maxBytes = 1024 * 1024, memory = memoryHost(), host, config }: Options = {}) {
  const clock = fakeClock();
  let serial = 0;
  const counts: Record<string, number> = {};
  const log = createLogger({ output: memory.stdout, clock, format: "json", level: "info" });
  const recorder = createRecorder({
    directory: "rec",
    maxBytes,
    configOf: config ?? (() => CONFIG),
    host: { ...memory, randomBytes: () => Uint8Array.of(0, 0, serial >> 8, serial++), ...host },
    clock,
    log,
    count: (result, reviews) => counts[result] = (counts[result] ?? 0) + reviews,
  });
  const text = (path: string) => new TextDecoder().decode(memory.files.get(path));
  return {
    ...{ recorder, counts, memory, log },
    files: () => [...memory.files.keys()].filter((path) => path.startsWith("rec/")).sort(),
    lines: (path: string) => text(path).trim().split("\n").map(readRecordLine),
    bytes: () => [...memory.files.values()].reduce((sum, { length }) => sum + length, 0),
  };
}

function seen(object: unknown, request = {}): Seen {
  return {
    outcome: {
      decision: "injected",
      reason: "policy_enabled",
      request: { namespace: "shop", object, userInfo: { username: "alice" }, ...request },
      podName: "p",
      templates: [],
      operations: 7,
      warnings: [],
    },
    injector: INERT,
    cluster: {
      nodes: [
        { name: "new", kubeletVersion: "v1.34.0" },
        { name: "old", kubeletVersion: "v1.30.1+k3s" },
      ],
      namespaceAnnotations: () => ({ "openshift.io/sa.scc.uid-range": "1/2", other: "x" }),
    },
    path: "/inject/net/n1",
    bytes: 1,
  };
}

const POD = {
  metadata: { name: "p", annotations: { "example.com/used": "1", "example.com/other": "2" } },
  spec: { containers: [{ name: "c", env: [{ name: "A", value: "secret" }] }] },
};

describe("the recorder", () => {
  test("writes the configuration once, then each review, redacted", async () => {
    const { recorder, counts, files, lines } = recording();
    recorder.see(seen(POD));
    recorder.see(seen({ ...POD, spec: { nodeName: "new" } }));
    await recorder.finish();
    expect(counts).toEqual({ written: 2 });
    expect(files()).toEqual(["rec/reviews-20260102T000000000Z-00000000.jsonl"]);
    expect(lines(files()[0])).toEqual([
      { config: CONFIG },
      {
        review: {
          config: "v1",
          time: "2026-01-02T00:00:00.000Z",
          path: "/inject/net/n1",
          namespace: "shop",
          object: {
            metadata: {
              name: "p",
              annotations: { "example.com/used": "1", "example.com/other": "redacted" },
            },
            spec: { containers: [{ name: "c", env: [{ name: "A", value: "redacted" }] }] },
          },
          cluster: {
            nodes: [{ name: "old", kubeletVersion: "v1.30.1+k3s" }],
            namespaceAnnotations: { "openshift.io/sa.scc.uid-range": "1/2" },
          },
          outcome: { decision: "injected", reason: "policy_enabled", operations: 7 },
        },
      },
      {
        review: expect.objectContaining({
          cluster: expect.objectContaining({
            nodes: [{ name: "new", kubeletVersion: "v1.34.0" }],
          }),
        }),
      },
    ]);
  });

  test("skips dry runs, objects that are not pods, and reviews that cannot be replayed", async () => {
    let config: RecordedConfig | undefined = CONFIG;
    const { recorder, counts, files } = recording({ config: () => config });
    recorder.see(seen(POD, { dryRun: true }));
    recorder.see(seen(undefined));
    const ignored = seen(POD);
    recorder.see({ ...ignored, outcome: { ...ignored.outcome, decision: "ignored" } });
    config = undefined;
    recorder.see(seen(POD));
    await recorder.finish();
    expect({ counts, files: files() }).toEqual({ counts: {}, files: [] });
  });

  test("records which configuration answered, even if it changes within a file", async () => {
    const configs = [CONFIG, { ...CONFIG, version: "v2" }, CONFIG];
    let now = 0;
    const { recorder, files, lines } = recording({ config: () => configs[now] });
    for (now = 0; now < 3; now++) recorder.see(seen(POD));
    await recorder.finish();
    const order = lines(files()[0]).map((line) =>
      "config" in line ? `config ${line.config.version}` : `review ${line.review.config}`
    );
    expect(order).toEqual([
      ...["config v1", "review v1", "config v2", "review v2", "config v1", "review v1"],
    ]);
  });

  test("deletes the oldest files to stay within its size; each file starts with its configuration", async () => {
    const { recorder, counts, files, lines, bytes, memory } = recording();
    memory.files.set("rec/notes.txt", new Uint8Array(10));
    const old = "rec/reviews-20250101T000000000Z-ffffffff.jsonl";
    memory.files.set(old, new Uint8Array(200_000));
    const padding = { ...POD, spec: { nodeName: "x".repeat(10_000) } };
    let most = 0;
    for (let i = 0; i < 300; i++) {
      recorder.see(seen(padding));
      if (i % 10 === 0) await recorder.finish();
      most = Math.max(most, bytes());
    }
    await recorder.finish();
    expect(counts).toEqual({ written: 300 });
    expect(most).toBeLessThanOrEqual(1024 * 1024 + 10);
    expect(recorder.size()).toBe(bytes() - 10);
    expect(files()).not.toContain(old);
    expect(files()).toContain("rec/notes.txt");
    const own = files().filter((path) => path.endsWith(".jsonl"));
    expect(own.length).toBeGreaterThan(5);
    for (const path of own) expect(lines(path)[0]).toHaveProperty("config");
  });

  test("a full disk drops lines and is logged once, until there is space again", async () => {
    let isFull = true;
    const memory = memoryHost();
    const appendFile: RecordHost["appendFile"] = (path, data) =>
      isFull
        ? Promise.reject(new HostError("failed", `Cannot write ${path}: no space left`))
        : memory.appendFile(path, data);
    const { recorder, counts, files, lines, log } = recording({ memory, host: { appendFile } });
    for (let i = 0; i < 3; i++) {
      recorder.see(seen(POD));
      await recorder.finish();
    }
    isFull = false;
    recorder.see(seen(POD));
    await recorder.finish();
    await log.flush();
    expect(counts).toEqual({ failed: 3, written: 1 });
    expect(lines(files()[0]).length).toBe(2);
    expect(memory.out.stdout.split("\n").filter((line) => line.includes("recording failed")).length)
      .toBe(1);
  });

  test("drops reviews that are too large, and reviews while the disk is slow", async () => {
    const memory = memoryHost();
    const { promise, resolve } = Promise.withResolvers<void>();
    const makeDirectory = (path: string) => promise.then(() => memory.makeDirectory(path));
    const { recorder, counts } = recording({ memory, maxBytes: 2 ** 30, host: { makeDirectory } });
    const large = { spec: { nodeName: "x".repeat(1024 * 1024) } };
    for (let i = 0; i < 20; i++) recorder.see(seen(large));
    recorder.see(seen({ spec: { nodeName: "x".repeat(5 * 1024 * 1024) } }));
    recorder.missed();
    expect(counts).toEqual({ dropped: 14 });
    resolve();
    await recorder.finish();
    expect(counts).toEqual({ dropped: 14, written: 8 });
  });
});
