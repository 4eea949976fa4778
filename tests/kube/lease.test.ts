import { describe, expect, test } from "bun:test";
import { createLease } from "../../lib/kube/lease.ts";
import { LEASES } from "../../lib/kube/resources.ts";
import { fakeClock } from "../server/_fake_clock.ts";
import { MemoryApi } from "./_memory_api.ts";

const NAME = { namespace: "mesh", name: "work" };

function replicas(count: number) {
  const api = new MemoryApi();
  const clock = fakeClock();
  const leases = Array.from(
    { length: count },
    (_, i) => createLease(api.client(), { ...NAME, identity: `replica-${i}`, clock }),
  );
  const spec = () => api.object(LEASES, "work")?.spec as Record<string, unknown> | undefined;
  return { api, clock, leases, spec };
}

/** Work that ends when it is aborted, or never. */
function unending() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { work: () => promise, end: resolve };
}

describe("hold()", () => {
  test("runs the work, records the holder, and releases the Lease", async () => {
    const { leases: [lease], spec } = replicas(1);
    let during: unknown;
    const turn = await lease.hold(() => Promise.resolve(during = spec()));
    expect(turn).toMatchObject({ isOurs: true });
    expect(during).toEqual({
      holderIdentity: "replica-0",
      leaseDurationSeconds: 15,
      acquireTime: "2026-01-02T00:00:00.000000Z",
      renewTime: "2026-01-02T00:00:00.000000Z",
      leaseTransitions: 0,
    });
    expect(spec()).toMatchObject({ holderIdentity: "", leaseTransitions: 0 });
    await lease.hold(() => Promise.resolve());
    expect(spec()).toMatchObject({ holderIdentity: "", leaseTransitions: 1 });
  });

  test("lets one of several concurrent replicas work", async () => {
    const { leases } = replicas(5);
    let inside = 0;
    let most = 0;
    const work = async () => {
      most = Math.max(most, ++inside);
      for (let i = 0; i < 5; i++) await Promise.resolve();
      inside--;
    };
    for (let round = 0; round < 20; round++) {
      const turns = await Promise.all(leases.map((lease) => lease.hold(work)));
      expect(turns.some(({ isOurs }) => isOurs)).toBe(true);
    }
    expect(most).toBe(1);
  });

  test("takes over after a dead holder's record has not changed for the lease duration", async () => {
    const { clock, leases: [dead, alive] } = replicas(2);
    void dead.hold(unending().work);
    await clock.advance(0);
    const turns: boolean[] = [];
    for (let i = 0; i < 9; i++) {
      turns.push((await alive.hold(() => Promise.resolve())).isOurs);
      await clock.advance(2_000);
    }
    // First seen at 0 s and taken at 16 s, after the 15 s have passed.
    expect(turns).toEqual([...Array(8).fill(false), true]);
  });

  test("ignores the holder's clock", async () => {
    const { api, clock, leases: [lease], spec } = replicas(1);
    const held = (renewTime: string) =>
      api.put(LEASES, {
        metadata: NAME,
        spec: { holderIdentity: "other", leaseDurationSeconds: 15, renewTime },
      });
    // Hours behind but alive: each renewal counts from when it was seen.
    for (let i = 0; i < 10; i++) {
      held(`2025-12-31T00:00:${String(i).padStart(2, "0")}.000000Z`);
      expect((await lease.hold(() => Promise.resolve())).isOurs).toBe(false);
      await clock.advance(10_000);
    }
    expect(spec()).toMatchObject({ holderIdentity: "other" });
    // Hours ahead, but dead.
    held("2026-12-31T00:00:00.000000Z");
    expect((await lease.hold(() => Promise.resolve())).isOurs).toBe(false);
    await clock.advance(15_000);
    expect((await lease.hold(() => Promise.resolve())).isOurs).toBe(true);
  });

  test("aborts work that takes too long, and does not release another's Lease", async () => {
    const { clock, leases: [slow, other], spec } = replicas(2);
    const { work, end } = unending();
    let signal: AbortSignal | undefined;
    const turn = slow.hold((given) => {
      signal = given;
      return work();
    });
    await clock.advance(9_999);
    expect(signal?.aborted).toBe(false);
    expect((await other.hold(work)).isOurs).toBe(false);
    await clock.advance(1);
    expect(signal?.aborted).toBe(true);
    await clock.advance(15_000);
    const { work: long, end: endLong } = unending();
    const theirs = other.hold(long);
    await clock.advance(0);
    end();
    await turn;
    expect(spec()).toMatchObject({ holderIdentity: "replica-1" });
    endLong();
    expect((await theirs).isOurs).toBe(true);
  });

  test("releases the Lease after failed work, and rethrows the error", async () => {
    const { leases: [lease], spec } = replicas(1);
    const failing = lease.hold(() => Promise.reject(new Error("no")));
    expect(await failing.catch((error) => error.message)).toBe("no");
    expect(spec()).toMatchObject({ holderIdentity: "" });
  });

  test("throws if the API server refuses", async () => {
    const { api, leases: [lease] } = replicas(1);
    api.refused.set("create leases", "forbidden");
    const error = await lease.hold(() => Promise.resolve()).catch((error) => error);
    expect(error.code).toBe("forbidden");
  });
});
