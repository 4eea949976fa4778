import { describe, expect, test } from "bun:test";
import { ApiError } from "../../lib/kube/api_error.ts";
import { createEventRecorder, type NewEvent } from "../../lib/kube/event_recorder.ts";
import { fakeClock } from "../server/_fake_clock.ts";
import { FakeApi } from "./_fake_api.ts";

const event = (name: string, note = "because"): NewEvent => ({
  regarding: {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    namespace: "shop",
    name,
    uid: `u-${name}`,
  },
  reason: "Injected",
  action: "Inject",
  note,
});

function open() {
  const clock = fakeClock();
  const api = new FakeApi(clock);
  const counts = { sent: 0, dropped: 0, failed: 0 };
  const failures: string[] = [];
  let number = 0;
  const recorder = createEventRecorder(api.client(), {
    clock,
    controller: "outrigger",
    instance: "outrigger-1",
    unique: () => String(++number),
    count: (result) => counts[result]++,
    onFailure: (message) => failures.push(message),
  });
  return { clock, events: api.resource("events"), counts, failures, recorder };
}

describe("createEventRecorder()", () => {
  test("writes all required fields", async () => {
    const { clock, events, recorder, counts } = open();
    recorder.record(event("web"));
    expect(events.written).toEqual([]);
    await clock.advance(0);
    expect(events.written).toEqual([{
      metadata: { name: "web.1", namespace: "shop" },
      eventTime: "2026-01-02T00:00:00.000000Z",
      reportingController: "outrigger",
      reportingInstance: "outrigger-1",
      regarding: event("web").regarding,
      reason: "Injected",
      action: "Inject",
      note: "because",
      type: "Normal",
    }]);
    expect(counts).toEqual({ sent: 1, dropped: 0, failed: 0 });
    await clock.advance(3_600_000);
    expect(events.written).toHaveLength(1);
    expect(clock.waiting()).toBe(0);
  });

  test("combines identical events, and sends the count after a minute", async () => {
    const { clock, events, recorder } = open();
    recorder.record(event("web"));
    await clock.advance(0);
    for (let i = 0; i < 30; i++) recorder.record(event("web"));
    await clock.advance(59_999);
    expect(events.written).toHaveLength(1);
    await clock.advance(1);
    expect(events.written.slice(1)).toEqual([{
      metadata: { name: "web.1" },
      patch: { series: { count: 31, lastObservedTime: "2026-01-02T00:01:00.000000Z" } },
    }]);
  });

  test("starts with the count of simultaneous events", async () => {
    const { clock, events, recorder } = open();
    for (let i = 0; i < 3; i++) recorder.record(event("web"));
    await clock.advance(0);
    expect(events.written).toHaveLength(1);
    expect(events.written[0].series).toMatchObject({ count: 3 });
  });

  test("keeps owners and notes apart, and delays none for another's minute", async () => {
    const { clock, events, recorder } = open();
    recorder.record(event("web"));
    await clock.advance(0);
    recorder.record(event("web"));
    await clock.advance(1000);
    recorder.record(event("db"));
    recorder.record(event("web", "otherwise"));
    await clock.advance(0);
    expect(events.written.map(({ metadata }) => metadata.name)).toEqual(["web.1", "db.2", "web.3"]);
  });

  test("limits the rate of requests, and loses no count", async () => {
    const { clock, events, recorder, counts } = open();
    for (let i = 0; i < 200; i++) recorder.record(event(`w${i}`));
    await clock.advance(0);
    expect(events.written).toHaveLength(25);
    await clock.advance(10_000);
    expect(events.written.length).toBeWithin(74, 77);
    await clock.advance(30_000);
    expect(events.written).toHaveLength(200);
    expect(counts).toEqual({ sent: 200, dropped: 0, failed: 0 });
  });

  test("drops events past the limit", async () => {
    const { clock, recorder, counts } = open();
    for (let i = 0; i < 1500; i++) recorder.record(event(`w${i}`));
    expect(counts.dropped).toBe(500);
    await clock.advance(600_000);
    expect(counts.sent).toBe(1000);
    // Old events make room.
    await clock.advance(600_000);
    recorder.record(event("new"));
    await clock.advance(0);
    expect(counts).toEqual({ sent: 1001, dropped: 500, failed: 0 });
  });

  test("pauses after a refusal, reports it once, and continues", async () => {
    const { clock, events, recorder, counts, failures } = open();
    events.writeFails = new ApiError("forbidden", "you may not", { status: 403 });
    for (let i = 0; i < 100; i++) recorder.record(event(`w${i}`));
    await clock.advance(60_000);
    expect(events.written.length).toBeLessThan(10);
    expect(failures).toEqual(["you may not"]);
    events.writeFails = undefined;
    await clock.advance(60_000);
    expect(counts.sent + counts.failed).toBe(100);
    recorder.record(event("w0"));
    await clock.advance(1000);
    expect(events.written.at(-1)?.metadata.name).toStartWith("w0.");
  });

  test("creates a new Event if the first is gone", async () => {
    const { clock, events, recorder, failures } = open();
    recorder.record(event("web"));
    await clock.advance(0);
    events.writeFails = new ApiError("not_found", "gone", { status: 404 });
    recorder.record(event("web"));
    await clock.advance(60_000);
    events.writeFails = undefined;
    recorder.record(event("web"));
    await clock.advance(0);
    expect(events.written.map(({ metadata }) => metadata.name)).toEqual([
      "web.1",
      "web.1",
      "web.2",
    ]);
    expect(failures).toEqual([]);
  });

  test("does not pause for a terminating namespace", async () => {
    const { clock, events, recorder, failures } = open();
    const message = "unable to create new content in namespace shop because it is being terminated";
    events.writeFails = new ApiError("forbidden", message, { status: 403 });
    recorder.record(event("web"));
    recorder.record(event("db"));
    await clock.advance(0);
    expect(events.written).toHaveLength(2);
    expect(failures).toEqual([]);
  });

  test("keeps within the API server's limits", async () => {
    const { clock, events, recorder } = open();
    recorder.record(event("n".repeat(253), "ü".repeat(2000)));
    await clock.advance(0);
    const [{ metadata, note }] = events.written;
    expect(metadata.name).toHaveLength(253);
    expect(metadata.name).toEndWith("n.1");
    expect(new TextEncoder().encode(note as string).length).toBeLessThanOrEqual(1024);
    expect(note).toEndWith("ü…");
  });

  test("shows control characters of a note, and remembers no more of it than it sends", async () => {
    const { clock, events, recorder } = open();
    recorder.record(event("a", `x\x1b[2J\n\u202e\x9b${"y".repeat(1_000_000)}`));
    await clock.advance(0);
    expect(events.written[0].note).toStartWith("x\\u001b[2J \\u202e\\u009byyy");
  });

  test("sends nothing after close()", async () => {
    const { clock, events, recorder } = open();
    recorder.record(event("web"));
    recorder.close();
    recorder.record(event("db"));
    await clock.advance(60_000);
    expect(events.written).toEqual([]);
    expect(clock.waiting()).toBe(0);
  });
});
