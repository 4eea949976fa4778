/** Configuration from config maps: taken whole or not at all, and kept while they are gone. */
import { describe, expect, test } from "bun:test";
import { watchConfigMaps } from "../../lib/serve/_config_maps.ts";
import { type ConfigTexts, openConfig } from "../../lib/config/reload.ts";
import { parseInjectionConfig, parseMeshConfig, parseValues } from "../../lib/config/mod.ts";
import { ApiError } from "../../lib/kube/api_error.ts";
import type { KubeObject } from "../../lib/kube/client.ts";
import { FakeApi } from "../kube/_fake_api.ts";
import { fakeClock } from "../server/_fake_clock.ts";

const NEVER = new Promise<void>(() => {});
const CONFIG = "templates: {sidecar: one}\n";

const map = (name: string, data: Record<string, string>): KubeObject => ({
  metadata: { name, namespace: "mesh", managedFields: ["large"] },
  data: { ...data, other: "of no use" },
});

/** One map's worth of fake API: both maps would be one resource to it. */
function cluster(objects: KubeObject[]) {
  const clock = fakeClock();
  const api = new FakeApi(clock);
  const maps = api.resource("configmaps");
  maps.objects = objects;
  const client = api.client();
  return { clock, maps, cluster: { client, need: () => client, close() {} } };
}

function watched(
  { clock, cluster: serveCluster }: ReturnType<typeof cluster>,
  names: { inject?: string; mesh?: string } = { inject: "inject" },
) {
  const logged: string[] = [];
  const log = {
    debug() {},
    info: (message: string) => logged.push(message),
    warn: (message: string) => logged.push(message),
  };
  const { inject = "", mesh = "" } = names;
  const settings = { namespace: "mesh", injectConfigMap: inject, meshConfigMap: mesh };
  return { logged, maps: watchConfigMaps(serveCluster, { settings, clock, log }) };
}

async function opened(objects: KubeObject[], names?: { inject?: string; mesh?: string }) {
  const parts = cluster(objects);
  const { logged, maps } = watched(parts, names);
  expect(await maps.there(NEVER)).toBeTrue();
  const failures: Record<string, unknown>[] = [];
  const reload = await openConfig<ConfigTexts>({
    sources: maps.sources,
    build(texts) {
      parseInjectionConfig(texts.config);
      parseValues(texts.values);
      parseMeshConfig(texts.mesh, undefined);
      return texts;
    },
    version: (texts) => Bun.hash(JSON.stringify(texts)).toString(16),
    clock: parts.clock,
    onChange() {},
    onFailure: ({ message, place }) => failures.push({ message, ...place }),
  });
  const send = async (type: "added" | "modified" | "deleted", object: KubeObject) => {
    parts.maps.watch!.send({ type, object });
    await parts.clock.advance(1000);
  };
  return { ...parts, logged, watch: maps, reload, failures, send };
}

describe("watchConfigMaps()", () => {
  test("gives config and values of one map", async () => {
    const { reload, maps, watch } = await opened([
      map("inject", { config: CONFIG, values: "a: 1" }),
    ]);
    expect(reload.current().value).toEqual({ config: CONFIG, values: "a: 1", mesh: "" });
    expect([...watch.names]).toEqual(["config", "values"]);
    expect(watch.watches()).toEqual({ "configmap mesh/inject": undefined });
    expect(maps.asked[0]).toBe("list metadata.name=inject");
    reload.close();
    watch.close();
  });

  test("gives mesh of another", async () => {
    const mesh = "trustDomain: x.test";
    const { reload, watch } = await opened([map("istio", { mesh })], { mesh: "istio" });
    expect(reload.current().value.mesh).toBe(mesh);
    expect([...watch.names]).toEqual(["mesh"]);
    reload.close();
    watch.close();
  });

  test("takes a map of another namespace by NAMESPACE/NAME", async () => {
    const { maps, watch, reload } = await opened([map("inject", { config: CONFIG })], {
      inject: "elsewhere/inject",
    });
    expect(watch.watches()).toEqual({ "configmap elsewhere/inject": undefined });
    expect(maps.asked[0]).toBe("list metadata.name=inject");
    reload.close();
    watch.close();
  });

  test("watches nothing where no flag names one", async () => {
    const parts = cluster([]);
    const { maps } = watched(parts, {});
    expect(await maps.there(NEVER)).toBeTrue();
    expect(maps.sources).toEqual([]);
    expect(parts.maps.asked).toEqual([]);
  });

  test("takes a change within a tenth of a second", async () => {
    const { reload, clock, maps, watch } = await opened([map("inject", { config: CONFIG })]);
    const { version } = reload.current();
    const object = map("inject", { config: CONFIG, values: "late: 1" });
    maps.watch!.send({ type: "modified", object });
    await clock.advance(100);
    expect(reload.current().value.values).toBe("late: 1");
    expect(reload.current().version).not.toBe(version);
    reload.close();
    watch.close();
  });

  const GOOD = { config: CONFIG, values: "a: 1" };
  const rows: [what: string, data: Record<string, string>, expected: Record<string, unknown>][] = [
    ["broken YAML", { ...GOOD, values: "a: b\nc: [" }, {
      configMap: "mesh/inject",
      key: "values",
      line: 2,
      column: 5,
      message: expect.stringMatching(
        /^Cannot load key "values" of ConfigMap "mesh\/inject" at 2:5: .*; still serving version /,
      ),
    }],
    ["a key of another type", { ...GOOD, config: "templates: 5" }, {
      configMap: "mesh/inject",
      key: "config",
    }],
    ["no config", { values: "a: 1" }, {
      configMap: "mesh/inject",
      message: expect.stringContaining(
        '"mesh/inject": missing ConfigMap config key "config"; still',
      ),
    }],
    ["values that are gone", { config: CONFIG }, {
      message: expect.stringContaining('key "values" was deleted; still serving version '),
    }],
  ];
  test.each(rows)("keeps serving over %s, and says where and why", async (_, data, expected) => {
    const { reload, failures, send, watch } = await opened([map("inject", GOOD)]);
    const before = reload.current();
    await send("modified", map("inject", data));
    expect(reload.current()).toBe(before);
    expect(failures).toHaveLength(1);
    expect(failures[0]).toMatchObject(expected);
    await send("modified", map("inject", GOOD));
    expect(reload.failure()).toBeUndefined();
    reload.close();
    watch.close();
  });

  test("keeps serving while the map is gone, and takes it when it is back", async () => {
    const object = map("inject", GOOD);
    const { reload, failures, send, watch } = await opened([object]);
    await send("deleted", object);
    expect(reload.current().value).toMatchObject(GOOD);
    expect(failures.map(({ message }) => message)).toEqual([
      'Cannot load ConfigMap "mesh/inject": it was deleted; ' +
      `still serving version ${reload.current().version}`,
    ]);
    await send("added", map("inject", { ...GOOD, values: "a: 2" }));
    expect(reload.current().value.values).toBe("a: 2");
    expect(reload.failure()).toBeUndefined();
    reload.close();
    watch.close();
  });

  test("keeps serving while nobody answers, and says so", async () => {
    const { reload, clock, maps, watch, failures, logged } = await opened([map("inject", GOOD)]);
    maps.listFails = maps.watchFails = new ApiError("unreachable", "gone");
    maps.watch!.fail(maps.listFails);
    await clock.advance(600_000);
    expect(reload.current().value).toMatchObject(GOOD);
    expect(failures).toEqual([]);
    expect(watch.watches()).toEqual({ "configmap mesh/inject": "gone" });
    expect(logged).toEqual(["watch failing"]);
    reload.close();
    watch.close();
  });
});

describe("there()", () => {
  const outcome = async (work: Promise<unknown>) => {
    let said: unknown = "waiting";
    work.then((value) => said = value, (error: Error) => said = error.message);
    await Promise.resolve();
    return () => said;
  };

  test("waits for a map that comes late", async () => {
    const parts = cluster([]);
    const { maps, logged } = watched(parts);
    const said = await outcome(maps.there(NEVER));
    await parts.clock.advance(30_000);
    expect(said()).toBe("waiting");
    expect(logged).toEqual(["waiting for config map"]);
    parts.maps.watch!.send({ type: "added", object: map("inject", { config: CONFIG }) });
    await parts.clock.advance(0);
    expect(said()).toBe(true);
    maps.close();
  });

  const FAILS: [what: string, error: Error | undefined, message: string][] = [
    [
      "that is not there",
      undefined,
      "not found; check --inject-configmap, --namespace and --revision",
    ],
    [
      "that nobody answers for",
      new ApiError("unreachable", "connection refused"),
      "connection refused",
    ],
    ["that is forbidden", new ApiError("forbidden", "you may not", { status: 403 }), "you may not"],
  ];
  test.each(FAILS)("gives up a map %s after a minute", async (_, error, message) => {
    const parts = cluster([]);
    parts.maps.listFails = error;
    const { maps } = watched(parts);
    const said = await outcome(maps.there(NEVER));
    await parts.clock.advance(59_999);
    expect(said()).toBe("waiting");
    await parts.clock.advance(1);
    expect(said()).toBe(`Cannot read ConfigMap "mesh/inject" within 60 s: ${message}`);
    maps.close();
  });

  test("ends at once when told to stop, and leaves nothing behind", async () => {
    const parts = cluster([]);
    const { maps } = watched(parts);
    const stop = Promise.withResolvers<void>();
    const said = await outcome(maps.there(stop.promise));
    stop.resolve();
    await parts.clock.advance(0);
    expect(said()).toBe(false);
    maps.close();
    await parts.clock.advance(0);
    expect(parts.clock.waiting()).toBe(0);
  });
});
