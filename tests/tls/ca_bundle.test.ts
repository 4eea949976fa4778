/** One replica and its configurations: what it writes and when, and what it does not touch. */
import { describe, expect, test } from "bun:test";
import { MUTATING_WEBHOOK_CONFIGURATIONS as CONFIGURATIONS } from "../../lib/kube/resources.ts";
import { keepCaBundle, type PatchFailure } from "../../lib/tls/ca_bundle.ts";
import { createDevCertificate } from "../../lib/tls/dev_certificate.ts";
import type { WebhookSelection } from "../../lib/tls/webhook_entries.ts";
import { MemoryApi } from "../kube/_memory_api.ts";
import { fakeClock } from "../server/_fake_clock.ts";
import { NOW } from "./_pairs.ts";
import { webhookConfiguration } from "./_world.ts";

const make = (names = ["injector.mesh.svc"]) => createDevCertificate({ now: NOW, names });
const [first, second] = await Promise.all([make(), make()]);

function opened({ selection = { revision: "default" } as WebhookSelection, confirm = false } = {}) {
  const api = new MemoryApi();
  const clock = fakeClock(NOW);
  let wanted: { bundle: string; chain: string } | undefined = wantedOf(first);
  let confirmed = first.authority;
  const failures: [configuration: string, reason: PatchFailure, isNews: boolean][] = [];
  const count = { attempts: 0, retries: 0, patched: 0 };
  const upkeep = keepCaBundle(api.client(), {
    selection,
    clock,
    wanted: () => wanted,
    ...(confirm ? { confirm: () => Promise.resolve(confirmed) } : {}),
    listener: {
      onAttempt: () => count.attempts++,
      onRetry: () => count.retries++,
      onPatched: () => count.patched++,
      onFailure: ({ configuration, reason, isNews }) =>
        failures.push([configuration, reason, isNews]),
      onTrouble() {},
      onChange() {},
    },
  });
  return {
    api,
    clock,
    upkeep,
    failures,
    count,
    put: (options?: Parameters<typeof webhookConfiguration>[0]) =>
      api.put(CONFIGURATIONS, webhookConfiguration(options)),
    bundles: (name = "injector") =>
      (api.object(CONFIGURATIONS, name)?.webhooks as { clientConfig: { caBundle?: string } }[])
        .map(({ clientConfig: { caBundle = "" } }) => atob(caBundle)),
    want(next: typeof wanted, source?: string) {
      wanted = next;
      confirmed = source ?? next?.bundle ?? "";
      upkeep.nudge();
    },
    source: (text: string) => void (confirmed = text),
  };
}

function wantedOf({ authority, material }: typeof first) {
  return { bundle: authority, chain: material.certificates };
}

describe("keepCaBundle()", () => {
  test("fills in every webhook of ours, in existing and new configurations", async () => {
    const { clock, put, bundles, upkeep } = opened();
    put();
    await clock.advance(0);
    expect(bundles()).toEqual([first.authority, first.authority]);
    put({ name: "tag" });
    await clock.advance(0);
    expect(bundles("tag")).toEqual([first.authority, first.authority]);
    expect(upkeep.state()).toEqual({ holds: true, configurations: ["injector", "tag"] });
  });

  test("corrects an overwritten caBundle at once", async () => {
    const { clock, put, bundles, count } = opened();
    put();
    await clock.advance(60_000);
    put();
    await clock.advance(0);
    expect(bundles()).toEqual([first.authority, first.authority]);
    expect(count).toEqual({ attempts: 2, retries: 0, patched: 2 });
  });

  test("follows changes of the CAs", async () => {
    const { clock, put, bundles, want, upkeep } = opened();
    put();
    await clock.advance(5_000);
    const held = (pem: string) => upkeep.heldMs([{ pem }] as never);
    expect(held(first.authority)).toBe(5_000);
    want(wantedOf(second));
    await clock.advance(3_000);
    expect(bundles()).toEqual([second.authority, second.authority]);
    expect(held(second.authority)).toBe(3_000);
    expect(held(first.authority)).toBeUndefined();
  });

  test("retries until it succeeds, with increasing pauses", async () => {
    const { api, clock, put, bundles, failures, count, upkeep } = opened();
    api.refused.set("patch mutatingwebhookconfigurations", "forbidden");
    put();
    await clock.advance(10_000);
    expect(count.attempts).toBe(7);
    expect(count.retries).toBe(6);
    expect(failures.map(([, reason]) => reason)).toEqual(Array(7).fill("webhook_update_failure"));
    expect(failures.filter(([, , isNews]) => isNews)).toHaveLength(1);
    expect(upkeep.state()).toMatchObject({ holds: false, failure: expect.any(String) });
    api.refused.clear();
    await clock.advance(30_000);
    expect(bundles()).toEqual([first.authority, first.authority]);
    expect(upkeep.state()).toEqual({ holds: true, configurations: ["injector"] });
  });

  test("corrects at once after its patch failed while another's succeeded", async () => {
    const { api, clock, put, bundles, upkeep } = opened();
    put();
    await clock.advance(60_000);
    // Another replica patches first, and our patch is refused.
    const filled = api.object(CONFIGURATIONS, "injector")!;
    api.before = (request) => {
      if (!request.startsWith("patch")) return;
      api.before = undefined;
      api.refused.set(request, "forbidden");
      api.put(CONFIGURATIONS, filled);
    };
    put();
    await clock.advance(1_000);
    expect(upkeep.state()).toEqual({ holds: true, configurations: ["injector"] });
    api.refused.clear();
    await clock.advance(60_000);
    put();
    await clock.advance(0);
    expect(bundles()).toEqual([first.authority, first.authority]);
  });

  test("backs off if someone keeps reverting it", async () => {
    const { clock, put, count, bundles } = opened();
    for (let i = 0; i < 600; i++) {
      put();
      await clock.advance(100);
    }
    // Five times at once, then after 1, 2, 4, 8 and 16 seconds.
    expect(count.patched).toBeWithin(8, 12);
    // The last change is corrected after the pause, and later ones at once again.
    await clock.advance(30_000);
    expect(bundles()).toEqual([first.authority, first.authority]);
    await clock.advance(60_000);
    put();
    await clock.advance(0);
    expect(bundles()).toEqual([first.authority, first.authority]);
  });

  test("never touches another injector's", async () => {
    const { api, clock, put, failures, upkeep } = opened();
    const others = [
      put({ name: "canary", labels: { "istio.io/rev": "canary" } }),
      put({ name: "istiod", service: "istiod" }),
      put({ name: "plain", labels: {} as never }),
    ];
    await clock.advance(60_000);
    for (const other of others) {
      expect(api.object(CONFIGURATIONS, other.metadata.name!)).toBe(other);
    }
    expect(api.asked.filter((one) => one.startsWith("patch"))).toEqual([]);
    expect(failures).toEqual([
      ["canary", "wrong_revision", true],
      ["istiod", "webhook_entry_not_found", true],
    ]);
    expect(upkeep.state()).toEqual({ holds: true, configurations: [] });
  });

  test.each([
    ["nonsense", { ...wantedOf(first), bundle: "nonsense" }],
    ["nothing", { ...wantedOf(first), bundle: "" }],
    ["an authority that did not sign what is served", {
      ...wantedOf(first),
      bundle: second.authority,
    }],
    ["a certificate that broke off", {
      ...wantedOf(first),
      bundle: first.authority + second.authority.slice(0, 200),
    }],
  ])("never writes %s", async (_, bad) => {
    const { clock, put, bundles, want, failures, upkeep } = opened();
    put();
    await clock.advance(0);
    want(bad);
    put({ labels: { "istio.io/rev": "default", changed: "yes" } as never });
    await clock.advance(60_000);
    expect(bundles()).toEqual(["", ""]);
    expect(failures).toEqual([["", "load_ca_bundle_failure", true]]);
    expect(upkeep.state().holds).toBeUndefined();
    want(wantedOf(first));
    await clock.advance(0);
    expect(bundles()).toEqual([first.authority, first.authority]);
    expect(upkeep.state().failure).toBeUndefined();
  });

  test("writes nothing that is out of date at its source", async () => {
    const { clock, put, bundles, source, want, count } = opened({ confirm: true });
    source(second.authority);
    put();
    await clock.advance(5_000);
    expect(bundles()).toEqual(["", ""]);
    expect(count.patched).toBe(0);
    want(wantedOf(second));
    await clock.advance(0);
    expect(bundles()).toEqual([second.authority, second.authority]);
  });

  test("selects one by name, and reports that it does not exist", async () => {
    const only = { configuration: "mine", webhook: "object.sidecar-injector.istio.io" };
    const { api, clock, put, bundles, failures, upkeep } = opened({
      selection: { revision: "default", only },
    });
    put();
    await clock.advance(0);
    expect(failures).toEqual([["mine", "webhook_config_not_found", true]]);
    put({ name: "mine", labels: {} as never });
    await clock.advance(0);
    expect(bundles("mine")).toEqual(["", first.authority]);
    expect(bundles()).toEqual(["", ""]);
    expect(upkeep.state()).toEqual({ holds: true, configurations: ["mine"] });
    expect(api.asked).toContain("list mutatingwebhookconfigurations");
  });

  test("forgets a deleted configuration, and stops when it is closed", async () => {
    const { api, clock, put, upkeep } = opened();
    api.refused.set("patch mutatingwebhookconfigurations", "forbidden");
    put();
    await clock.advance(1_000);
    api.remove(CONFIGURATIONS, "injector");
    await clock.advance(0);
    expect(upkeep.state()).toEqual({ holds: true, configurations: [] });
    put();
    await clock.advance(1_000);
    upkeep.close();
    await clock.advance(0);
    expect(clock.waiting()).toBe(0);
  });
});
