/** What `serve` knows of the cluster: watched only where it is used, and never waited for long. */
import { describe, expect, test } from "bun:test";
import { type FactsContext, watchFacts } from "../../lib/serve/_facts.ts";
import { ApiError } from "../../lib/kube/api_error.ts";
import type { LogFields } from "../../lib/server/log.ts";
import { FakeApi } from "../kube/_fake_api.ts";
import { fakeClock } from "../server/_fake_clock.ts";

function node(name: string, kubeletVersion: string, resourceVersion = "1") {
  const status = { nodeInfo: { kubeletVersion }, images: ["large"] };
  return { metadata: { name, resourceVersion }, status };
}

function open(
  variables: Record<string, string> = {},
  settings: Partial<FactsContext["settings"]> = {},
) {
  const clock = fakeClock();
  const api = new FakeApi(clock);
  const logged: string[] = [];
  const write = (level: string) => (message: string, fields: LogFields = {}) => {
    logged.push(`${level} ${message} ${Object.values(fields).join(" | ")}`);
  };
  const log = {
    debug: write("debug"),
    info: write("info"),
    warn: write("warn"),
    error: write("error"),
  };
  const start = () =>
    watchFacts(api.client(), {
      settings: {
        variables: new Map(Object.entries(variables)),
        compat: "today",
        proxyConfigs: false,
        ...settings,
      },
      clock,
      log,
    });
  return { api, clock, logged, start };
}

describe("watchFacts()", () => {
  const rows: [
    what: string,
    variables: Record<string, string>,
    settings: Partial<FactsContext["settings"]>,
    watched: string[],
  ][] = [
    ["nodes, where they decide about native sidecars", {}, {}, ["nodes"]],
    ["nothing, where a setting does", { ENABLE_NATIVE_SIDECARS: "true" }, {}, []],
    ["nothing for a version that asked no nodes", {}, { compat: 20 }, []],
    ["namespaces, on OpenShift", { PLATFORM: "openshift", ENABLE_NATIVE_SIDECARS: "false" }, {}, [
      "namespaces",
    ]],
    [
      "ProxyConfigs, where they count",
      { ENABLE_NATIVE_SIDECARS: "false" },
      { proxyConfigs: true },
      [
        "proxyconfigs",
      ],
    ],
  ];
  test.each(rows)("watches %s", async (_, variables, settings, watched) => {
    const { api, clock, start } = open(variables, settings);
    const watch = start();
    await clock.advance(0);
    expect(api.asked()).toEqual(watched);
    expect(Object.keys(watch.watches())).toEqual(watched);
    watch.close();
  });

  test("has nothing without a cluster", async () => {
    const { clock } = open();
    const settings = { variables: new Map(), compat: "today", proxyConfigs: true } as const;
    const silent = { debug() {}, info() {}, warn() {}, error() {} };
    const watch = watchFacts(undefined, { settings, clock, log: silent });
    await watch.known(1_000_000);
    expect(watch.facts()).toEqual({});
    expect(watch.watches()).toEqual({});
  });

  test("knows no nodes before the first list, then their kubelets, then each change", async () => {
    const { api, clock, start } = open();
    const nodes = api.resource("nodes");
    nodes.objects = [node("a", "v1.32.0"), node("b", "v1.35.1")];
    const watch = start();
    expect(watch.facts()).toEqual({});
    await clock.advance(0);
    const facts = watch.facts();
    expect(facts.nodes).toEqual([
      { name: "a", kubeletVersion: "v1.32.0" },
      { name: "b", kubeletVersion: "v1.35.1" },
    ]);
    nodes.watch!.send({ type: "modified", object: node("b", "v1.35.1", "2") });
    await clock.advance(0);
    expect(watch.facts()).toBe(facts);
    nodes.watch!.send({ type: "modified", object: node("a", "v1.35.1", "3") });
    await clock.advance(0);
    expect(watch.facts().nodes?.map(({ kubeletVersion }) => kubeletVersion)).toEqual([
      "v1.35.1",
      "v1.35.1",
    ]);
    watch.close();
  });

  test("knows OpenShift's annotations of namespaces, and keeps no others", async () => {
    const { api, clock, start } = open({ PLATFORM: "openshift" });
    const range = { "openshift.io/sa.scc.uid-range": "1000/10" };
    api.resource("namespaces").objects = [
      { metadata: { name: "shop", annotations: { ...range, other: "x".repeat(1000) } } },
      { metadata: { name: "bare" } },
    ];
    const watch = start();
    await clock.advance(0);
    const { namespaceAnnotations } = watch.facts();
    expect(namespaceAnnotations!("shop")).toEqual(range);
    expect(namespaceAnnotations!("bare")).toBeUndefined();
    expect(namespaceAnnotations!("constructor")).toBeUndefined();
    watch.close();
  });

  test("knows ProxyConfigs, the oldest first, and passes over what is broken, once said", async () => {
    const { api, clock, logged, start } = open({ ENABLE_NATIVE_SIDECARS: "false" }, {
      proxyConfigs: true,
    });
    const config = (name: string, creationTimestamp: string, spec: unknown) => ({
      metadata: { name, namespace: "shop", creationTimestamp },
      spec,
    });
    const resource = api.resource("proxyconfigs");
    resource.objects = [
      config("a", "2026-01-02T00:00:00Z", { concurrency: 1 }),
      config("b", "2026-01-01T00:00:00Z", { concurrency: 2 }),
      config("c", "2026-01-01T00:00:00Z", { concurrency: "many" }),
    ];
    const watch = start();
    await clock.advance(0);
    const counts = () => watch.facts().proxyConfigs?.map(({ config }) => config.concurrency);
    expect(counts()).toEqual([2, 1]);
    resource.watch!.send({ type: "deleted", object: resource.objects[0] });
    await clock.advance(0);
    expect(counts()).toEqual([2]);
    expect(logged).toHaveLength(1);
    expect(logged[0]).toStartWith('error resource ignored Cannot read ProxyConfig "shop/c": ');
    watch.close();
  });

  test("says what is forbidden once, and what holds meanwhile", async () => {
    const { api, clock, logged, start } = open();
    const nodes = api.resource("nodes");
    nodes.listFails = new ApiError("forbidden", "no", { status: 403 });
    const watch = start();
    await clock.advance(60_000);
    expect(watch.watches()).toEqual({ nodes: "no" });
    expect(logged).toEqual([
      "warn watch failing nodes | no | sidecars are native only with --native-sidecars true",
    ]);
    nodes.listFails = undefined;
    await clock.advance(60_000);
    expect(watch.watches()).toEqual({ nodes: undefined });
    expect(logged[1]).toBe("info watch recovered nodes");
    nodes.listFails = nodes.watchFails = new ApiError("unreachable", "gone");
    nodes.watch!.fail(nodes.listFails);
    await clock.advance(1000);
    expect(logged[2]).toBe("warn watch failing nodes | gone | using the last known state");
    expect(watch.facts().nodes).toEqual([]);
    watch.close();
  });

  test("says once, and without alarm, that an optional right is not granted", async () => {
    const { api, clock, logged, start } = open({ ENABLE_NATIVE_SIDECARS: "false" }, {
      proxyConfigs: true,
    });
    const resource = api.resource("proxyconfigs");
    resource.listFails = new ApiError("forbidden", "no", { status: 403 });
    const watch = start();
    await clock.advance(600_000);
    expect(logged).toEqual([
      "info watch not permitted proxyconfigs | no | ProxyConfig resources have no effect",
    ]);
    resource.listFails = undefined;
    await clock.advance(60_000);
    expect(watch.facts()).toEqual({ proxyConfigs: [] });
    watch.close();
  });

  test("says nothing of resources that nobody installed", async () => {
    const { api, clock, logged, start } = open({ ENABLE_NATIVE_SIDECARS: "false" }, {
      proxyConfigs: true,
    });
    const resource = api.resource("proxyconfigs");
    resource.listFails = new ApiError("not_found", "no", { status: 404 });
    const watch = start();
    await clock.advance(60_000);
    resource.listFails = undefined;
    await clock.advance(600_000);
    expect(watch.facts()).toEqual({ proxyConfigs: [] });
    expect(logged.filter((line) => !line.startsWith("debug"))).toEqual([]);
    watch.close();
  });

  describe("known()", () => {
    const isOver = async (promise: Promise<void>) => {
      let over = false;
      promise.then(() => over = true);
      await Promise.resolve();
      return () => over;
    };

    test("resolves once the lists are there, or refused", async () => {
      const refused = new ApiError("forbidden", "no", { status: 403 });
      for (const listFails of [undefined, refused]) {
        const { api, clock, start } = open();
        api.resource("nodes").listFails = listFails;
        const watch = start();
        const over = await isOver(watch.known(5000));
        await clock.advance(10);
        expect(over()).toBeTrue();
        watch.close();
        await clock.advance(0);
        expect(clock.waiting()).toBe(0);
      }
    });

    test("waits no longer than it is told to where nobody answers", async () => {
      const { api, clock, start } = open();
      api.resource("nodes").listFails = new ApiError("unreachable", "gone");
      const watch = start();
      const over = await isOver(watch.known(5000));
      await clock.advance(4999);
      expect(over()).toBeFalse();
      await clock.advance(1);
      expect(over()).toBeTrue();
      // What else had to be done meanwhile is not waited for again.
      const again = await isOver(watch.known(5000));
      await clock.advance(0);
      expect(again()).toBeTrue();
      watch.close();
    });
  });
});
