import { describe, expect, test } from "bun:test";
import { ApiError } from "../../lib/kube/api_error.ts";
import type { KubeObject } from "../../lib/kube/client.ts";
import { NODES } from "../../lib/kube/resources.ts";
import { type Informer, type InformerOptions, startInformer } from "../../lib/kube/informer.ts";
import { type FakeClock, fakeClock } from "../server/_fake_clock.ts";
import { FakeApi, type FakeResource } from "./_fake_api.ts";

const node = (name: string, resourceVersion: string, spec: unknown = 0): KubeObject => ({
  metadata: { name, resourceVersion },
  spec,
});
const GONE = new ApiError("expired", "too old", { status: 410 });
const DOWN = new ApiError("unreachable", "connection refused");
const FORBIDDEN = new ApiError("forbidden", "you may not", { status: 403 });

interface Run {
  readonly server: FakeResource;
  readonly clock: FakeClock;
  readonly informer: Informer;
  /** The names of all objects at each change. */
  readonly changes: string[];
  readonly said: string[];
}

async function run(
  prepare: (server: FakeResource) => void = () => {},
  options: Partial<InformerOptions> = {},
): Promise<Run> {
  const clock = fakeClock();
  const api = new FakeApi(clock);
  const server = api.resource("nodes");
  prepare(server);
  const changes: string[] = [];
  const said: string[] = [];
  const informer = startInformer(api.client(), NODES, {
    clock,
    random: () => 0.5,
    onChange: (objects) => changes.push(objects.map(({ metadata }) => metadata.name).join(" ")),
    onFailure: (message) => said.push(message),
    onRecovery: () => said.push("recovered"),
    ...options,
  });
  await clock.advance(0);
  return { server, clock, informer, changes, said };
}

describe("startInformer()", () => {
  test("is empty before the first list, then reports it and each change", async () => {
    const { server, clock, informer, changes } = await run((server) => {
      server.listFails = DOWN;
    });
    expect(informer.current()).toBeUndefined();
    server.listFails = undefined;
    server.objects = [node("a", "1"), node("b", "1")];
    await clock.advance(200);
    expect(informer.current()).toEqual(server.objects);
    server.watch!.send(
      { type: "added", object: node("c", "2") },
      { type: "modified", object: node("a", "3", 1) },
      { type: "deleted", object: node("b", "4") },
    );
    await clock.advance(0);
    expect(informer.current()).toEqual([node("a", "3", 1), node("c", "2")]);
    expect(changes).toEqual(["a b", "a b c", "a b c", "a c"]);
    informer.close();
  });

  test("reports an empty list, and no list without changes", async () => {
    const { server, clock, informer, changes } = await run();
    expect(changes).toEqual([""]);
    server.watch!.fail(GONE);
    await clock.advance(1000);
    expect(server.lists).toBe(2);
    expect(changes).toEqual([""]);
    informer.close();
  });

  test("resumes at once when the server ends a watch", async () => {
    const { server, clock, informer, said } = await run();
    server.watch!.send({ type: "added", object: node("a", "5") });
    await clock.advance(100_000);
    server.watch!.send({ type: "bookmark", resourceVersion: "9" });
    await clock.advance(50_000);
    server.watch!.end();
    await clock.advance(0);
    expect(server.asked).toEqual(["list", "watch 1 for 150", "watch 9 for 150"]);
    expect(said).toEqual([]);
    informer.close();
  });

  test("lists again after a watch without any event", async () => {
    const { server, clock, informer } = await run();
    await clock.advance(150_000);
    server.watch!.end();
    await clock.advance(0);
    expect(server.asked.slice(2)).toEqual(["list", "watch 1 for 150"]);
    informer.close();
  });

  test("drops a connection that is silent past the watch's end", async () => {
    const { server, clock, informer, said } = await run();
    server.watch!.send({ type: "added", object: node("a", "5") });
    await clock.advance(154_999);
    expect(server.asked).toHaveLength(2);
    await clock.advance(1);
    expect(server.asked.slice(2)).toEqual(["watch 5 for 150"]);
    expect(said).toEqual([]);
    informer.close();
  });

  test("lists again without a report if the resource version expired", async () => {
    const { server, clock, informer, changes, said } = await run((server) => {
      server.objects = [node("a", "1"), node("b", "1")];
    });
    server.objects = [node("b", "1"), node("c", "7")];
    server.resourceVersion = "8";
    server.watch!.fail(GONE);
    await clock.advance(1000);
    expect(server.asked.slice(2)).toEqual(["list", "watch 8 for 150"]);
    expect(changes).toEqual(["a b", "b c"]);
    expect(said).toEqual([]);
    expect(informer.failure()).toBeUndefined();
    informer.close();
  });

  test("keeps its objects while the server is down, and reports each reason once", async () => {
    const { server, clock, informer, changes, said } = await run((server) => {
      server.objects = [node("a", "1")];
    });
    await clock.advance(60_000);
    server.listFails = server.watchFails = DOWN;
    server.watch!.fail(new ApiError("cut", "the server closed the connection"));
    await clock.advance(30_000);
    expect(informer.current()).toEqual([node("a", "1")]);
    expect(informer.failure()).toBe("connection refused");
    expect(said).toEqual(["the server closed the connection", "connection refused"]);
    server.listFails = server.watchFails = undefined;
    server.objects = [node("a", "1"), node("b", "3")];
    await clock.advance(30_000);
    expect(said.slice(2)).toEqual(["recovered"]);
    expect(informer.failure()).toBeUndefined();
    expect(changes).toEqual(["a", "a b"]);
    informer.close();
  });

  test("backs off up to half a minute, and starts over after a success", async () => {
    const { server, clock, informer } = await run((server) => server.listFails = DOWN);
    await clock.advance(120_000);
    const pauses = server.times.slice(1).map((time, i) => time - server.times[i]);
    // With the random number 0.5, three quarters of the full pause.
    expect(pauses.slice(0, 10)).toEqual(
      [200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000].map((ms) => ms * 0.75),
    );
    server.listFails = undefined;
    await clock.advance(60_000);
    const before = server.asked.length;
    server.watch!.fail(DOWN);
    await clock.advance(200);
    expect(server.asked).toHaveLength(before + 1);
    informer.close();
  });

  test("resumes a few times before it lists again", async () => {
    const { server, clock, informer } = await run();
    server.watch!.send({ type: "added", object: node("a", "5") });
    server.watchFails = DOWN;
    await clock.advance(60_000);
    server.watch!.fail(DOWN);
    await clock.advance(2000);
    expect(server.asked.slice(2)).toEqual([
      "watch 5 for 150",
      "watch 5 for 150",
      "list",
      "watch 1 for 150",
    ]);
    informer.close();
  });

  test("backs off if watches end at once", async () => {
    const { server, clock, informer } = await run();
    for (let i = 0; i < 50; i++) {
      server.watch!.end();
      await clock.advance(1000);
    }
    expect(server.asked.length).toBeLessThan(20);
    informer.close();
  });

  test("keeps trying if forbidden, and polls if only watching is forbidden", async () => {
    const { server, clock, informer, said } = await run((server) => server.listFails = FORBIDDEN);
    await clock.advance(600_000);
    expect(said).toEqual(["you may not"]);
    expect(server.asked.length).toBeLessThan(50);
    server.listFails = undefined;
    server.watchFails = FORBIDDEN;
    server.objects = [node("a", "1")];
    await clock.advance(60_000);
    expect(informer.current()).toEqual([node("a", "1")]);
    server.objects = [node("b", "2")];
    await clock.advance(60_000);
    expect(informer.current()).toEqual([node("b", "2")]);
    expect(said).toEqual(["you may not"]);
    expect(informer.failure()).toBe("you may not");
    informer.close();
  });

  test("backs off further if the resource does not exist", async () => {
    const { server, clock, informer } = await run((server) => {
      server.listFails = new ApiError("not_found", "no such resource", { status: 404 });
    });
    await clock.advance(3_600_000);
    expect(server.asked.length).toBeLessThan(30);
    server.listFails = undefined;
    await clock.advance(300_000);
    expect(informer.current()).toEqual([]);
    expect(informer.failure()).toBeUndefined();
    informer.close();
  });

  test("keeps the projected fields and ignores other changes", async () => {
    const project = ({ spec }: KubeObject) => ({ metadata: {}, spec });
    const { server, clock, informer, changes } = await run((server) => {
      server.objects = [{ ...node("a", "1", "x"), status: "large" }];
    }, { project });
    const kept = [{ metadata: { name: "a" }, spec: "x" }];
    expect(informer.current()).toEqual(kept);
    server.watch!.send({ type: "modified", object: { ...node("a", "2", "x"), status: "other" } });
    await clock.advance(0);
    expect(informer.current()).toEqual(kept);
    expect(changes).toEqual(["a"]);
    server.watch!.send({ type: "modified", object: node("a", "3", "y") });
    await clock.advance(0);
    expect(changes).toEqual(["a", "a"]);
    informer.close();
  });

  test("distinguishes objects of the same name in two namespaces", async () => {
    const { server, clock, informer, changes } = await run();
    const object = (namespace: string) => ({ metadata: { name: "a", namespace } });
    server.watch!.send({ type: "added", object: object("x") });
    server.watch!.send({ type: "added", object: object("y") });
    server.watch!.send({ type: "deleted", object: object("x") });
    await clock.advance(0);
    expect(changes).toEqual(["", "a", "a a", "a"]);
    expect(informer.current()).toEqual([object("y")]);
    informer.close();
  });

  test("selects one object by name", async () => {
    const { server, informer } = await run(undefined, { name: "n", fieldSelector: "a=b" });
    expect(server.asked[0]).toBe("list metadata.name=n,a=b");
    informer.close();
  });

  test("survives a listener that throws", async () => {
    let calls = 0;
    const { server, clock, informer, said } = await run(undefined, {
      onChange() {
        if (++calls === 2) throw new Error("listener");
      },
    });
    server.watch!.send({ type: "added", object: node("a", "2") });
    await clock.advance(1000);
    expect(said).toEqual(["listener", "recovered"]);
    server.watch!.send({ type: "added", object: node("b", "3") });
    await clock.advance(0);
    expect(calls).toBe(3);
    informer.close();
  });

  test("sends and reports nothing once closed, and leaves no timer", async () => {
    const rows: ((server: FakeResource) => void)[] = [
      () => {},
      (server) => server.listFails = DOWN,
    ];
    for (const prepare of rows) {
      const { server, clock, informer, changes } = await run(prepare);
      const before = [server.asked.length, changes.length];
      informer.close();
      await clock.advance(0);
      expect(clock.waiting()).toBe(0);
      await clock.advance(600_000);
      expect([server.asked.length, changes.length]).toEqual(before);
    }
  });
});
