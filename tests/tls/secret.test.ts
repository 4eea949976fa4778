/** Replicas and their Secret, through rotations, failures and races. */
import { afterEach, describe, expect, test } from "bun:test";
import { readCertificates } from "../../lib/host/mod.ts";
import { MUTATING_WEBHOOK_CONFIGURATIONS, SECRETS } from "../../lib/kube/resources.ts";
import { createWorld, SECRET, webhookConfiguration } from "./_world.ts";
import { pair } from "./_pairs.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

/** How late other API servers may see a new caBundle. */
const LAG = { lagMs: 8 * SECOND_MS };

let world: ReturnType<typeof createWorld>;
afterEach(() => world.close());

/** Starts replicas and waits until they serve. */
async function running(count = 2) {
  world = createWorld();
  world.api.put(MUTATING_WEBHOOK_CONFIGURATIONS, webhookConfiguration());
  const replicas = Array.from({ length: count }, () => world.start());
  await world.pass(5 * SECOND_MS);
  // Nothing is trusted during the start.
  world.forget();
  return replicas;
}

const served = ({ source }: { source: { current(): unknown } }) =>
  (source.current() as { facts: { fingerprint: string } } | undefined)?.facts.fingerprint;
const logs = (replicas: readonly { log: string[] }[]) => replicas.flatMap(({ log }) => log);
const times = (words: readonly string[], word: string) =>
  words.filter((one) => one === word).length;

describe("openCertificateSecret()", () => {
  test("starts from nothing: one replica creates a CA, all serve the same certificate, clients trust it", async () => {
    const replicas = await running(3);
    expect(times(logs(replicas), "create")).toBe(1);
    expect(new Set(replicas.map(served)).size).toBe(1);
    expect(served(replicas[0])).toBeDefined();
    expect(readCertificates(world.caBundle())).toHaveLength(1);
    expect(world.secret()).toMatchObject({
      type: "kubernetes.io/tls",
      metadata: { labels: { "app.kubernetes.io/managed-by": "outrigger" } },
    });
    expect(replicas.map(({ source }) => source.failure())).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(replicas.map(({ upkeep }) => upkeep.state().holds)).toEqual([true, true, true]);
  });

  test("takes no Lease and writes nothing if there is a valid Secret", async () => {
    await running(1);
    world.api.asked.length = 0;
    const late = world.start();
    await world.pass(5 * SECOND_MS);
    expect(served(late)).toBeDefined();
    expect(world.api.asked.filter((one) => !/^(list|watch) /.test(one))).toEqual([]);
  });

  test("rotates for half an hour, while clients trust every replica at every moment", async () => {
    const replicas = await running(2);
    for (const { log } of replicas) log.length = 0;
    await world.pass(30 * MINUTE_MS, LAG);
    const words = logs(replicas);
    expect(world.complaints).toEqual([]);
    expect(words.filter((one) => /refused|trouble|failure/.test(one))).toEqual([]);
    // A CA lives eight minutes, a certificate two.
    expect(times(words, "announce")).toBe(3);
    expect(times(words, "retire")).toBe(3);
    expect(times(words, "issue")).toBeWithin(11, 16);
    expect(readCertificates(world.caBundle()).length).toBeLessThanOrEqual(2);
  });

  test("a replica that is cut off while the CA changes stays trusted", async () => {
    const [first, deaf] = await running(2);
    world.api.remove(SECRETS, SECRET);
    // From now on it does not see what the other does.
    deaf.source.close();
    await world.pass(60 * SECOND_MS, LAG);
    expect(first.log).toContain("issue");
    expect(served(first)).not.toBe(served(deaf));
    expect(world.complaints).toEqual([]);
  });

  test.each<[string, () => void]>([
    ["is deleted", () => world.api.remove(SECRETS, SECRET)],
    ["has its data taken", () => {
      const { data: _, ...rest } = world.secret()!;
      world.api.put(SECRETS, rest as Parameters<typeof world.api.put>[1]);
    }],
    ["has its certificate garbled", () => change({ "tls.crt": btoa("nonsense") })],
    ["has another's key", async () => {
      change({ "tls.key": btoa((await pair("other")).material.key) });
    }],
  ])("mends a Secret that %s, and nobody notices", async (_, harm) => {
    const replicas = await running(2);
    const before = served(replicas[0]);
    await harm();
    await world.pass(60 * SECOND_MS, LAG);
    expect(world.complaints).toEqual([]);
    expect(new Set(replicas.map(served)).size).toBe(1);
    expect(served(replicas[0])).not.toBe(before);
    const words = logs(replicas);
    expect([times(words, "announce"), times(words, "issue")]).toEqual([1, 1]);
    expect(words.some((one) => /^refused: .*; still serving the one that expires on/.test(one)))
      .toBe(
        true,
      );
    expect(replicas.map(({ source }) => source.failure())).toEqual([undefined, undefined]);
    // The old CA is removed when its last certificate has expired.
    expect(readCertificates(world.caBundle())).toHaveLength(2);
    await world.pass(200 * SECOND_MS, LAG);
    expect(readCertificates(world.caBundle())).toHaveLength(1);
    expect(world.complaints).toEqual([]);
  });

  test("does not issue the new certificate before every caBundle has its CA", async () => {
    const [replica] = await running(1);
    world.api.refused.set("patch mutatingwebhookconfigurations", "forbidden");
    world.api.remove(SECRETS, SECRET);
    await world.pass(60 * SECOND_MS);
    expect(replica.log).toContain("announce");
    expect(replica.log).not.toContain("issue");
    expect(replica.upkeep.state()).toMatchObject({
      holds: false,
      failure: "Cannot patch mutatingwebhookconfigurations: forbidden",
    });
    world.api.refused.clear();
    await world.pass(60 * SECOND_MS, LAG);
    expect(replica.log).toContain("issue");
    expect(world.complaints).toEqual([]);
  });

  test("keeps serving while the API server is down, and catches up", async () => {
    const replicas = await running(2);
    const before = served(replicas[0]);
    world.api.isDown = true;
    world.api.breakWatches();
    await world.pass(140 * SECOND_MS);
    expect(replicas.map(served)).toEqual([before, before]);
    expect(replicas[0].source.failure()).toContain("connection refused");
    world.api.isDown = false;
    await world.pass(70 * SECOND_MS);
    expect(replicas.map(({ source }) => source.failure())).toEqual([undefined, undefined]);
    expect(times(logs(replicas), "issue")).toBe(1);
    expect(served(replicas[0])).not.toBe(before);
    expect(served(replicas[1])).toBe(served(replicas[0]));
    expect(world.complaints).toEqual([]);
  });

  test("serves another tool's Secret, and never changes it", async () => {
    world = createWorld();
    const { material, authority } = await pair("theirs", { now: world.clock.now(), days: 30 });
    const theirs = world.api.put(SECRETS, {
      metadata: { name: SECRET },
      data: {
        "tls.crt": btoa(material.certificates),
        "tls.key": btoa(material.key),
        "ca.crt": btoa(authority),
      },
    });
    const replica = world.start({ names: ["injector.mesh.svc"] });
    await world.pass(5 * SECOND_MS);
    expect(replica.source.current()?.material).toEqual(material);
    expect(replica.source.bundle()).toBe(authority);
    await world.pass(10 * MINUTE_MS);
    expect(world.secret()).toEqual(theirs);
    world.api.put(SECRETS, { metadata: { name: SECRET }, data: { "tls.crt": btoa("x") } });
    await world.pass(60 * SECOND_MS);
    expect(replica.source.current()?.material).toEqual(material);
    expect(replica.source.failure()).toBe(
      'Cannot reload certificate of Secret "mesh/tls": it contains no certificate; ' +
        "still serving the one that expires on 2026-02-01",
    );
    expect(world.api.asked.some((one) => /^(create|update) /.test(one))).toBe(false);
  });

  test("reports why there is nothing to serve, and starts when it can", async () => {
    world = createWorld();
    world.api.refused.set("create secrets", "forbidden");
    const replica = world.start();
    await world.pass(30 * SECOND_MS);
    expect(replica.source.current()).toBeUndefined();
    expect(replica.source.failure()).toBe(
      'Cannot load certificate of Secret "mesh/tls": the Secret does not exist; not serving yet',
    );
    expect(replica.log).toContain("trouble: Cannot create secrets: forbidden");
    world.api.refused.clear();
    await world.pass(60 * SECOND_MS);
    expect(replica.source.current()).toBeDefined();
    expect(replica.source.failure()).toBeUndefined();
  });

  test("replicas that need different names get them all, without a conflict", async () => {
    await running(1);
    const other = world.start({ names: ["injector.example.com"] });
    await world.pass(60 * SECOND_MS);
    expect(other.source.current()?.facts.names.toSorted()).toEqual([
      "injector.example.com",
      "injector.mesh.svc",
    ]);
    expect(times(other.log, "issue")).toBe(1);
    expect(world.complaints).toEqual([]);
  });
});

function change(data: Record<string, string>): void {
  const secret = world.secret()!;
  world.api.put(SECRETS, { ...secret, data: { ...(secret.data as object), ...data } });
}
