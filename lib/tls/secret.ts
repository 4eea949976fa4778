/**
 * A serving certificate out of the Secret that all replicas share, made and renewed without anybody's
 * help (`keeper.ts`). Like files it is one more source of the same thing: a pair is taken when it is
 * whole, and the one before it goes on serving until then, whatever happens to Secret and API server.
 */

import type { Clock } from "../host/mod.ts";
import type { KubeClient, KubeObject } from "../kube/client.ts";
import { startInformer } from "../kube/informer.ts";
import { SECRETS } from "../kube/resources.ts";
import { type KeeperOptions, startKeeper } from "./keeper.ts";
import { bundleOf, readSecret, secretLabel, type TlsState } from "./secret_state.ts";
import {
  keepLastGood,
  type ServingCertificate,
  type ServingListener,
  TlsError,
} from "./serving.ts";

export interface SecretCertificateOptions
  extends ServingListener, Omit<KeeperOptions, "clock" | "onFailure"> {
  readonly clock: Pick<Clock, "now" | "monotonic" | "after">;
  /** The authorities that callers are to trust may be others now. */
  readonly onBundle: () => void;
  /** What cannot be watched or renewed, though what we have goes on serving. */
  readonly onTrouble: (message: string) => void;
}

export interface SecretCertificate {
  /** `undefined` before there is a first one. */
  current(): ServingCertificate | undefined;
  failure(): string | undefined;
  /** PEM of the authorities that belong into the caBundle, as we know them. */
  bundle(): string | undefined;
  /** The same as the Secret has them at this moment; throws where it cannot be had. */
  confirmBundle(): Promise<string>;
  /** What was waited for may be there. */
  nudge(): void;
  close(): void;
}

export function openCertificateSecret(
  client: KubeClient,
  options: SecretCertificateOptions,
): SecretCertificate {
  const { clock, namespace, name } = options;
  const label = secretLabel(namespace, name);
  const kept = keepLastGood(options, undefined);
  let memory: TlsState | undefined;
  let known: KubeObject | null | undefined;

  const stateOf = (secret: KubeObject | null): TlsState => {
    if (secret === null) {
      throw new TlsError("unreadable", `Cannot load certificate ${label}: it is not there`);
    }
    const { state, failure } = readSecret(secret, { label, now: clock.now() });
    if (state === undefined) throw failure;
    return state;
  };

  const take = (secret: KubeObject | null) => {
    known = secret;
    try {
      const state = stateOf(secret);
      if (state.serving.facts.fingerprint === kept.current()?.facts.fingerprint) kept.forgive();
      else kept.take(state.serving);
      memory = state;
    } catch (error) {
      kept.refuse(error);
    }
    options.onBundle();
    keeper.nudge();
  };

  const keeper = startKeeper(client, { secret: () => known, memory: () => memory }, {
    ...options,
    onFailure: options.onTrouble,
  });
  const informer = startInformer(client, SECRETS, {
    namespace,
    name,
    clock,
    onChange: ([secret = null]) => take(secret),
    onFailure: options.onTrouble,
  });

  return {
    current: kept.current,
    failure: () => kept.failure() ?? keeper.failure() ?? informer.failure(),
    bundle: () => memory === undefined ? undefined : bundleOf(memory.authorities) || undefined,
    confirmBundle: async () =>
      bundleOf(stateOf(await client.get(SECRETS, { namespace, name })).authorities),
    nudge: keeper.nudge,
    close() {
      informer.close();
      keeper.close();
    },
  };
}
