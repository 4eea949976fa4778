/**
 * A serving certificate from the Secret that all replicas share, created and renewed automatically
 * (`keeper.ts`). As with files, a new pair takes effect once it is valid. Until then the previous pair
 * stays in use, whatever happens to the Secret and the API server.
 */

import type { Clock } from "../host/mod.ts";
import { unlessNotFound } from "../kube/api_error.ts";
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
  /** Called when the CAs for the caBundle may have changed. */
  readonly onBundle: () => void;
  /** Called when the Secret cannot be watched or renewed. The current certificate stays in use. */
  readonly onTrouble: (message: string) => void;
}

export interface SecretCertificate {
  /** Returns undefined before there is a first certificate. */
  current(): ServingCertificate | undefined;
  failure(): string | undefined;
  /** Returns the last known CAs for the caBundle, in PEM. */
  bundle(): string | undefined;
  /** Reads the CAs for the caBundle from the Secret; throws if that fails. */
  confirmBundle(): Promise<string>;
  /** Checks soon whether a step is due. */
  nudge(): void;
  close(): void;
}

/** Starts to serve from the Secret and to maintain it. */
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
      throw new TlsError(
        "unreadable",
        `Cannot load certificate ${label}: the Secret does not exist`,
      );
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
    async confirmBundle() {
      const secret = await client.get(SECRETS, { namespace, name }).catch(unlessNotFound);
      // A Secret that is gone will be restored, perhaps with other CAs, so nothing confirms ours.
      return secret === undefined ? "" : bundleOf(stateOf(secret).authorities);
    },
    nudge: keeper.nudge,
    close() {
      informer.close();
      keeper.close();
    },
  };
}
