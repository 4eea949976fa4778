import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createClock } from "../../lib/host/mod.ts";
import { ApiError } from "../../lib/kube/api_error.ts";
import type { KubeObject } from "../../lib/kube/client.ts";
import { CONFIG_MAPS } from "../../lib/kube/resources.ts";
import { type Informer, startInformer } from "../../lib/kube/informer.ts";
import { NAMESPACES } from "../../lib/kube/resources.ts";
import { adminClient, apiServer, clusterInfo, tokenClient } from "./_environment.ts";
import { ROLE_BINDINGS, ROLES } from "./_resources.ts";
import { until } from "./_until.ts";

const info = clusterInfo();
const client = adminClient(info);
const NAMESPACE = "watch-e2e";
const open: Informer[] = [];

const map = (name: string, text: string): KubeObject => ({
  metadata: { name, namespace: NAMESPACE },
  data: { text },
});
const textOf = (objects: readonly KubeObject[] | undefined, name: string) =>
  (objects?.find(({ metadata }) => metadata.name === name)?.data as { text: string } | undefined)
    ?.text;
const save = (name: string, text: string) =>
  client.apply(CONFIG_MAPS, map(name, text), { fieldManager: "e2e" });

function watchMaps(options: { name?: string } = {}, by = client) {
  const said: string[] = [];
  const informer = startInformer(by, CONFIG_MAPS, {
    namespace: NAMESPACE,
    ...options,
    clock: createClock(),
    onChange: () => {},
    onFailure: (message) => said.push(message),
    onRecovery: () => said.push("recovered"),
  });
  open.push(informer);
  const has = (name: string, text: string | undefined, ms?: number) =>
    until(
      `${name} is ${text}`,
      () =>
        informer.current() !== undefined && textOf(informer.current(), name) === text
          ? true
          : undefined,
      ms,
    );
  return { informer, said, has };
}

beforeAll(async () => {
  await client.create(NAMESPACES, { metadata: { name: NAMESPACE } });
});
afterAll(() => {
  for (const informer of open) informer.close();
  client.close();
});

describe("an informer", () => {
  test("sees objects that were there, come, change and go", async () => {
    await save("one", "1");
    const { has, informer, said } = watchMaps();
    await has("one", "1");
    await save("two", "1");
    await has("two", "1", 1000);
    await save("one", "2");
    await has("one", "2", 1000);
    await client.delete(CONFIG_MAPS, { namespace: NAMESPACE, name: "one" });
    await has("one", undefined, 1000);
    expect(said).toEqual([]);
    expect(informer.failure()).toBeUndefined();
  });

  test("sees one object alone", async () => {
    const { has, informer } = watchMaps({ name: "mine" });
    await save("mine", "1");
    await save("other", "1");
    await has("mine", "1", 1000);
    await save("mine", "2");
    await has("mine", "2", 1000);
    expect(informer.current()).toHaveLength(1);
  });

  test("takes an object as large as there can be", async () => {
    const { has } = watchMaps({ name: "large" });
    const text = "\u2028é".repeat(200_000);
    await save("large", text);
    await has("large", text, 5000);
  });

  test(
    "keeps what it knows while the API server is away, says why, and sees what happens after",
    async () => {
      await save("steady", "1");
      const { has, informer, said } = watchMaps();
      await has("steady", "1");
      await apiServer("stop", info);
      await until("it notices", informer.failure);
      expect(textOf(informer.current(), "steady")).toBe("1");
      await apiServer("start", info);
      await save("steady", "2");
      await has("steady", "2", 35_000);
      await until("it is in step", () => informer.failure() === undefined || undefined);
      expect(said.at(-1)).toBe("recovered");
      expect(said.some((line) => line.startsWith('Cannot watch ConfigMaps "watch-e2e"')))
        .toBeTrue();
      await save("steady", "3");
      await has("steady", "3", 1000);
    },
    300_000,
  );

  test("learns from its watch that the server has forgotten what was seen last", async () => {
    const events = client.watch(CONFIG_MAPS, {
      namespace: NAMESPACE,
      resourceVersion: "1",
      seconds: 5,
    });
    const error = await Array.fromAsync(events).catch((error) => error);
    // After a restart the watch cache begins anew, so that the first moments are not in it.
    expect(error).toBeInstanceOf(ApiError);
    expect(error.code).toBe("expired");
  });

  test("says once what RBAC forbids, and goes on asking until it is allowed", async () => {
    const nobody = tokenClient(info, "nobody-token");
    const { informer, said } = watchMaps({}, nobody);
    await until("it was refused", informer.failure);
    expect(informer.current()).toBeUndefined();
    const own = { metadata: { name: "watch-maps", namespace: NAMESPACE } };
    const apiGroup = "rbac.authorization.k8s.io";
    await client.create(ROLES, {
      ...own,
      rules: [{ apiGroups: [""], resources: ["configmaps"], verbs: ["list", "watch"] }],
    });
    await client.create(ROLE_BINDINGS, {
      ...own,
      roleRef: { apiGroup, kind: "Role", name: "watch-maps" },
      subjects: [{ kind: "User", apiGroup, name: "nobody-token" }],
    });
    await until("it was allowed", informer.current);
    await until("it is in step", () => informer.failure() === undefined || undefined);
    expect(said).toEqual([
      'Cannot list ConfigMaps "watch-e2e" of nobody-token: configmaps is forbidden: User ' +
      '"nobody-token" cannot list resource "configmaps" in API group "" in the namespace "watch-e2e"',
      "recovered",
    ]);
    await client.delete(ROLE_BINDINGS, own.metadata);
    nobody.close();
  });
});
