/**
 * The webhook that `serve --dev --context NAME` has in that cluster while it serves: by URL, to this
 * machine, for namespaces and pods that name its revision, so that nobody else's pods come here. Pods do
 * without it where this machine does not answer.
 */

import type { Clock } from "../host/mod.ts";
import { ApiError } from "../kube/api_error.ts";
import type { KubeClient } from "../kube/client.ts";
import { MUTATING_WEBHOOK_CONFIGURATIONS, NAMESPACES, PODS } from "../kube/resources.ts";
import type { Logger } from "../server/mod.ts";
import {
  INJECTION_LABEL,
  REVISION_LABEL,
  type WebhookConfiguration,
} from "../webhook/configuration.ts";
import { generateWebhook } from "../webhook/generate.ts";

const DEV_REVISION = "dev";
const FIELD_MANAGER = "outrigger-dev";

export interface DevWebhookOptions {
  readonly client: KubeClient;
  readonly context: string;
  /** By which the API server reaches this machine. */
  readonly devHost: string;
  readonly port: number;
  /** PEM of what the API server is to trust. */
  readonly ca: string;
  /** "" for one of its own. */
  readonly revision: string;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface DevWebhook {
  /** What to tell whoever started it. */
  readonly greeting: string;
  /** Takes it out of the cluster again; never throws. */
  remove(): Promise<void>;
}

/** Throws an ApiError where the cluster does not take it. What an earlier run left is replaced. */
export async function registerDevWebhook(options: DevWebhookOptions): Promise<DevWebhook> {
  const { client, context, log } = options;
  const configuration = devConfiguration(options);
  const { name } = configuration.metadata;
  const write = { fieldManager: FIELD_MANAGER, force: true };
  await client.apply(MUTATING_WEBHOOK_CONFIGURATIONS, configuration, write);
  log.info("webhook registered", { context, name, url: urlOf(options) });
  let isOpen = true;
  const looked = lookWhetherItCalls(options, () => isOpen);
  return {
    greeting: greeting(options, name),
    async remove() {
      isOpen = false;
      try {
        await removeOurs(client, configuration);
        log.info("webhook removed", { context, name });
      } catch (error) {
        log.warn("webhook not removed; the next run replaces it", {
          error: error instanceof Error ? error.message : String(error),
          command: `kubectl --context ${context} delete mutatingwebhookconfiguration ${name}`,
        });
      }
      await looked;
    },
  };
}

function devConfiguration(options: DevWebhookOptions): WebhookConfiguration {
  const revision = options.revision || DEV_REVISION;
  const made = generateWebhook({
    revision,
    namespace: "",
    url: urlOf(options),
    ca: options.ca,
    // A machine on a desk is switched off; that must not keep pods from starting.
    failurePolicy: "Ignore",
  });
  const name = revision === DEV_REVISION ? "outrigger-dev" : `outrigger-dev-${revision}`;
  return { ...made, metadata: { ...made.metadata, name } };
}

function urlOf({ devHost, port }: DevWebhookOptions): string {
  return `https://${devHost.includes(":") ? `[${devHost}]` : devHost}:${port}/inject`;
}

/** Somebody else may have taken the name over since: then it is theirs. */
async function removeOurs(client: KubeClient, ours: WebhookConfiguration): Promise<void> {
  const { name } = ours.metadata;
  try {
    const found = await client.get(MUTATING_WEBHOOK_CONFIGURATIONS, { name });
    const bundle = (one: unknown) =>
      (one as WebhookConfiguration).webhooks?.[0]?.clientConfig.caBundle;
    if (bundle(found) !== bundle(ours)) return;
    const { resourceVersion = "" } = found.metadata;
    await client.delete(MUTATING_WEBHOOK_CONFIGURATIONS, { name }, {
      preconditions: { resourceVersion },
    });
  } catch (error) {
    if (!(error instanceof ApiError && error.code === "not_found")) throw error;
  }
}

function greeting(options: DevWebhookOptions, name: string): string {
  const { context, revision } = options;
  return `Registered in context "${context}" as MutatingWebhookConfiguration "${name}", until this ends.
Pods of namespaces that name its revision come here:

kubectl --context ${context} label namespace NAMESPACE istio.io/rev=${revision || DEV_REVISION}

`;
}

const TRIES = 10;
const PAUSE_MS = 500;

/**
 * Whether the API server gets here, by a pod that is never created. A wrong address shows nowhere else
 * than in the API server's own log, since pods go on without us.
 */
async function lookWhetherItCalls(
  options: DevWebhookOptions,
  isOpen: () => boolean,
): Promise<void> {
  const { client, clock, log, revision } = options;
  const namespace = "default";
  try {
    const { labels = {} } = (await client.get(NAMESPACES, { name: namespace })).metadata;
    const isBare = !Object.keys(labels as object)
      .some((key) => key === INJECTION_LABEL || key === REVISION_LABEL);
    for (let i = 0; isBare && isOpen() && i < TRIES; i++) {
      const pod = await client.create(PODS, {
        metadata: {
          name: "outrigger-dev",
          namespace,
          labels: { [REVISION_LABEL]: revision || DEV_REVISION },
        },
        spec: { containers: [{ name: "app", image: "app" }] },
      }, { dryRun: true });
      const { annotations = {} } = pod.metadata;
      if (Object.hasOwn(annotations as object, "sidecar.istio.io/status")) {
        log.info("the API server gets here");
        return;
      }
      await new Promise<void>((resolve) => clock.after(PAUSE_MS, resolve));
    }
    if (isBare && isOpen()) {
      log.warn("the API server does not get here; --dev-host names another address", {
        url: urlOf(options),
      });
    }
  } catch (error) {
    // It was only a try; whoever may not create pods can still serve.
    log.debug(`the webhook was not tried: ${error instanceof Error ? error.message : error}`);
  }
}
