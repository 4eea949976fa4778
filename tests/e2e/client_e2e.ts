import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ApiError, type ApiErrorCode } from "../../lib/kube/api_error.ts";
import type { KubeObject } from "../../lib/kube/client.ts";
import { CONFIG_MAPS } from "../../lib/kube/resources.ts";
import { adminClient, clusterInfo } from "./_environment.ts";
import { DEPLOYMENTS, NAMESPACES } from "./_resources.ts";

const client = adminClient(clusterInfo());
const NAMESPACE = "client-e2e";

const map = (name: string, data: Record<string, string> = {}): KubeObject => ({
  metadata: { name, namespace: NAMESPACE },
  data,
});

async function codeOf(work: Promise<unknown>): Promise<ApiErrorCode | "no error"> {
  try {
    await work;
    return "no error";
  } catch (error) {
    if (error instanceof ApiError) return error.code;
    throw error;
  }
}

beforeAll(async () => {
  await client.create(NAMESPACES, { metadata: { name: NAMESPACE } });
});
afterAll(() => client.close());

describe("the API client", () => {
  test("gets what it created, and no more once it is deleted", async () => {
    const created = await client.create(CONFIG_MAPS, map("one", { a: "ä\u2028" }));
    const got = await client.get(CONFIG_MAPS, { namespace: NAMESPACE, name: "one" });
    expect(got).toEqual(created);
    expect(got.data).toEqual({ a: "ä\u2028" });
    await client.delete(CONFIG_MAPS, { namespace: NAMESPACE, name: "one" });
    expect(await codeOf(client.get(CONFIG_MAPS, { namespace: NAMESPACE, name: "one" }))).toBe(
      "not_found",
    );
  });

  test("lists more than one page, by label too", async () => {
    const count = 300;
    const names = Array.from({ length: count }, (_, i) => `page-${String(i).padStart(3, "0")}`);
    const create = (name: string, i: number) => {
      const labels = { many: "yes", third: i % 3 === 0 ? "yes" : "no" };
      return client.create(CONFIG_MAPS, { metadata: { name, namespace: NAMESPACE, labels } });
    };
    for (let i = 0; i < count; i += 20) {
      await Promise.all(names.slice(i, i + 20).map((name, j) => create(name, i + j)));
    }
    const list = (labelSelector: string) =>
      client.list(CONFIG_MAPS, { namespace: NAMESPACE, labelSelector });
    const { items, resourceVersion } = await list("many=yes");
    expect(items.map(({ metadata }) => metadata.name)).toEqual(names);
    expect(resourceVersion).toMatch(/^\d+$/);
    expect((await list("many,third=yes")).items).toHaveLength(100);
    const everywhere = await client.list(CONFIG_MAPS, { namespace: "*", labelSelector: "many" });
    expect(everywhere.items).toHaveLength(count);
  });

  test("applies fields of its own, and takes another's only by force", async () => {
    const name = { namespace: NAMESPACE, name: "applied" };
    await client.apply(CONFIG_MAPS, map("applied", { a: "1" }), { fieldManager: "one" });
    await client.apply(CONFIG_MAPS, map("applied", { b: "2" }), { fieldManager: "two" });
    expect((await client.get(CONFIG_MAPS, name)).data).toEqual({ a: "1", b: "2" });
    const theirs = map("applied", { a: "3", b: "2" });
    expect(await codeOf(client.apply(CONFIG_MAPS, theirs, { fieldManager: "two" }))).toBe(
      "conflict",
    );
    await client.apply(CONFIG_MAPS, theirs, { fieldManager: "two", force: true });
    await client.apply(CONFIG_MAPS, map("applied"), { fieldManager: "one" });
    expect((await client.get(CONFIG_MAPS, name)).data).toEqual({ a: "3", b: "2" });
  });

  test("changes nothing with dry-run", async () => {
    await client.create(CONFIG_MAPS, map("dry"), { dryRun: true });
    await client.apply(CONFIG_MAPS, map("dry"), { dryRun: true, fieldManager: "one" });
    expect(await codeOf(client.get(CONFIG_MAPS, { namespace: NAMESPACE, name: "dry" }))).toBe(
      "not_found",
    );
  });

  test("deletes only the object it was meant for", async () => {
    const { metadata } = await client.create(CONFIG_MAPS, map("gone"));
    const name = { namespace: NAMESPACE, name: "gone" };
    const other = { preconditions: { uid: crypto.randomUUID() } };
    expect(await codeOf(client.delete(CONFIG_MAPS, name, other))).toBe("conflict");
    await client.delete(CONFIG_MAPS, name, { preconditions: { uid: metadata.uid as string } });
    expect(await codeOf(client.delete(CONFIG_MAPS, name))).toBe("not_found");
  });

  test("tells refusals apart", async () => {
    await client.create(CONFIG_MAPS, map("twice"));
    const rows: [work: Promise<unknown>, code: ApiErrorCode][] = [
      [client.create(CONFIG_MAPS, map("twice")), "already_exists"],
      [client.create(CONFIG_MAPS, map("No Name")), "invalid"],
      [client.create(DEPLOYMENTS, map("no-spec")), "invalid"],
      [client.create(CONFIG_MAPS, { ...map("x"), data: { a: 5 } }), "refused"],
      [client.list(CONFIG_MAPS, { namespace: NAMESPACE, labelSelector: "=" }), "refused"],
      [client.get({ ...CONFIG_MAPS, plural: "nothings" }, { name: "x" }), "not_found"],
    ];
    expect(await Promise.all(rows.map(([work]) => codeOf(work)))).toEqual(
      rows.map(([, code]) => code),
    );
  });

  test("takes an object as large as there can be", async () => {
    const large = "x".repeat(1024 * 1024 - 2048);
    const name = { namespace: NAMESPACE, name: "large" };
    await client.create(CONFIG_MAPS, map("large", { large }));
    expect((await client.get(CONFIG_MAPS, name)).data).toEqual({ large });
  });
});
