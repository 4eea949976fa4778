/**
 * The webhook that `serve --dev --context NAME` registers in that cluster while it runs. It points to this
 * machine by URL and matches only namespaces and pods labeled with its revision. Pods are created without a
 * sidecar if this machine does not answer.
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
  /** The host at which the API server can reach this machine. */
  readonly devHost: string;
  readonly port: number;
  /** The caBundle in PEM format. */
  readonly ca: string;
  /** The revision; "" for DEV_REVISION. */
  readonly revision: string;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface DevWebhook {
  /** The message for the user. */
  readonly greeting: string;
  /** Removes the webhook from the cluster. Never throws. */
  remove(): Promise<void>;
}

/** Registers the webhook, and replaces that of an earlier run. Throws an ApiError if the cluster rejects it. */
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
        log.warn("webhook not removed; the next run will replace it", {
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
    // Switching off a developer's machine must not prevent pods from starting.
    failurePolicy: "Ignore",
  });
  const name = revision === DEV_REVISION ? "outrigger-dev" : `outrigger-dev-${revision}`;
  return { ...made, metadata: { ...made.metadata, name } };
}

function urlOf({ devHost, port }: DevWebhookOptions): string {
  return `https://${devHost.includes(":") ? `[${devHost}]` : devHost}:${port}/inject`;
}

/** Deletes the configuration, unless another process has replaced it since. */
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
  return `Registered MutatingWebhookConfiguration "${name}" in context "${context}" until you stop this server.
To inject the pods of a namespace from here, label it:

kubectl --context ${context} label namespace NAMESPACE istio.io/rev=${revision || DEV_REVISION}

`;
}

const TRIES = 10;
const PAUSE_MS = 500;

/**
 * Checks with a dry-run pod that the API server can reach this machine. A wrong address would otherwise
 * only show in the log of the API server, since pods are created without a sidecar.
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
        log.info("API server can reach this machine");
        return;
      }
      await new Promise<void>((resolve) => clock.after(PAUSE_MS, resolve));
    }
    if (isBare && isOpen()) {
      log.warn("API server cannot reach this machine; set --dev-host to another address", {
        url: urlOf(options),
      });
    }
  } catch (error) {
    // The check is optional: a user who may not create pods can still serve.
    log.debug("webhook not checked", {
      error: error instanceof Error ? error.message : String(error),
    });
  }
}
