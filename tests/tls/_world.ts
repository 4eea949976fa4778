/**
 * Replicas that share only a Secret and a webhook configuration, with a fake clock, and a client that
 * trusts the caBundle and must never see an untrusted certificate.
 */
import { LEASES, MUTATING_WEBHOOK_CONFIGURATIONS, SECRETS } from "../../lib/kube/resources.ts";
import type { KubeObject } from "../../lib/kube/client.ts";
import { type CaBundleUpkeep, keepCaBundle } from "../../lib/tls/ca_bundle.ts";
import { checkBundle } from "../../lib/tls/check_bundle.ts";
import { openCertificateSecret, type SecretCertificate } from "../../lib/tls/secret.ts";
import { MemoryApi } from "../kube/_memory_api.ts";
import { fakeClock } from "../server/_fake_clock.ts";
import { NOW } from "./_pairs.ts";

export const NAMESPACE = "mesh";
export const SECRET = "tls";
export const CONFIGURATION = "injector";

/** Minutes instead of months, because watches renew every two minutes and simulating years is slow. */
export const LIVES = { authorityLifetimeMs: 720_000, certificateLifetimeMs: 180_000 };

export interface Replica {
  readonly source: SecretCertificate;
  readonly upkeep: CaBundleUpkeep;
  /** The events in order: `create`, `refused: …`, `patched injector`. */
  readonly log: string[];
  close(): void;
}

const STEP_MS = 1_000;

export function webhookConfiguration(
  { name = CONFIGURATION, labels = { "istio.io/rev": "default" }, service = "injector" } = {},
): KubeObject {
  const webhook = (kind: string) => ({
    name: `${kind}.sidecar-injector.istio.io`,
    clientConfig: { service: { name: service, namespace: NAMESPACE, path: "/inject" } },
    sideEffects: "None",
  });
  return { metadata: { name, labels }, webhooks: [webhook("namespace"), webhook("object")] };
}

export function createWorld() {
  const api = new MemoryApi();
  const clock = fakeClock(NOW);
  const replicas: Replica[] = [];
  /** The bundles that clients trusted, and since when. */
  const trusted: { readonly bundle: string; readonly since: number }[] = [];
  const complaints: string[] = [];

  const caBundle = (name = CONFIGURATION): string => {
    const { webhooks = [] } = (api.object(MUTATING_WEBHOOK_CONFIGURATIONS, name) ?? {}) as {
      webhooks?: readonly { clientConfig: { caBundle?: string } }[];
    };
    const bundles = new Set(webhooks.map(({ clientConfig }) => atob(clientConfig.caBundle ?? "")));
    return [...bundles].join(" and ");
  };

  /** API servers that have not seen the newest caBundle yet must also trust every replica. */
  const look = (lagMs: number) => {
    const bundle = caBundle();
    const now = clock.monotonic();
    if (trusted.at(-1)?.bundle !== bundle) trusted.push({ bundle, since: now });
    const inUse = trusted.filter((_, i) => (trusted[i + 1]?.since ?? now) >= now - lagMs);
    for (const [i, { source }] of replicas.entries()) {
      const chain = source.current()?.material.certificates;
      if (chain === undefined) continue;
      for (const { bundle } of inUse) {
        try {
          checkBundle(bundle, { chain, now: clock.now() });
        } catch (error) {
          complaints.push(`${new Date(clock.now()).toISOString()} replica ${i}: ${error}`);
        }
      }
    }
  };

  /** Waits in real time for key generation, which runs on other threads under the Lease. */
  const isWorking = () => {
    const { holderIdentity } = (api.object(LEASES, SECRET)?.spec ?? {}) as Record<string, unknown>;
    return Boolean(holderIdentity);
  };
  const settle = async () => {
    do {
      await new Promise((resolve) => setTimeout(resolve, 1));
      await clock.advance(0);
    } while (isWorking());
  };

  return {
    api,
    clock,
    complaints,
    caBundle,
    settle,
    /** Forgets earlier events. */
    forget() {
      complaints.length = trusted.length = 0;
    },
    secret: () => api.object(SECRETS, SECRET),
    start({ names = ["injector.mesh.svc"] }: { names?: readonly string[] } = {}): Replica {
      const client = api.client();
      const log: string[] = [];
      const identity = `replica-${replicas.length}`;
      const source = openCertificateSecret(client, {
        namespace: NAMESPACE,
        name: SECRET,
        names,
        ...LIVES,
        identity,
        clock,
        heldMs: (authorities) => upkeep.heldMs(authorities),
        onChange: () => log.push("served"),
        onFailure: ({ message }) => log.push(`refused: ${message}`),
        onBundle: () => upkeep.nudge(),
        onStep: (kind) => log.push(kind),
        onTrouble: (message) => log.push(`trouble: ${message}`),
      });
      const upkeep: CaBundleUpkeep = keepCaBundle(client, {
        selection: { revision: "default" },
        clock,
        wanted() {
          const [bundle, chain] = [source.bundle(), source.current()?.material.certificates];
          return bundle === undefined || chain === undefined ? undefined : { bundle, chain };
        },
        confirm: () => source.confirmBundle(),
        listener: {
          onAttempt: () => {},
          onRetry: (name) => log.push(`retry ${name}`),
          onPatched: (name) => log.push(`patched ${name}`),
          onFailure: ({ reason, isNews }) => isNews && log.push(`failure: ${reason}`),
          onTrouble: (message) => log.push(`trouble: ${message}`),
          onChange: () => source.nudge(),
        },
      });
      const replica = {
        source,
        upkeep,
        log,
        close() {
          upkeep.close();
          source.close();
          replicas.splice(replicas.indexOf(replica), 1);
        },
      };
      replicas.push(replica);
      return replica;
    },
    /** Advances the clock and checks after every change. */
    async pass(milliseconds: number, { lagMs = 0 } = {}): Promise<void> {
      for (let passed = 0; passed < milliseconds; passed += STEP_MS) {
        const before = api.asked.length;
        await clock.advance(STEP_MS);
        if (api.asked.length !== before) await settle();
        look(lagMs);
      }
    },
    close() {
      for (const replica of [...replicas]) replica.close();
    },
  };
}
