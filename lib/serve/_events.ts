/**
 * Records the Events of `serve --events`: `Injected` or `InjectionSkipped`, with the reason, on the
 * controller that creates the pod, because the pod itself does not exist yet. Pods without a controller get
 * no Events. Nor do dry runs, or denied pods, for which the controller itself records an Event.
 */

import type { ReviewOutcome } from "../admission/mod.ts";
import type { Clock, Host } from "../host/mod.ts";
import { REASONS } from "../inject/mod.ts";
import {
  createEventRecorder,
  type EventOwner,
  type EventRecorder,
  type NewEvent,
} from "../kube/event_recorder.ts";
import type { Logger, Metrics, Observer } from "../server/mod.ts";
import type { ServeCluster } from "./_cluster.ts";
import type { ServeSettings } from "./_settings.ts";

export interface ServeEvents {
  list(metrics: Pick<Metrics, "event">): readonly Observer[];
  close(): void;
}

export interface EventsContext {
  readonly settings: Pick<ServeSettings, "events">;
  readonly host: Pick<Host, "env" | "randomBytes">;
  readonly clock: Clock;
  readonly log: Pick<Logger, "warn">;
}

/** Opens the recorder; throws if events are enabled and there is no cluster. */
export function openEvents(cluster: ServeCluster, context: EventsContext): ServeEvents {
  const { settings, host, clock, log } = context;
  if (!settings.events) return { list: () => [], close() {} };
  const client = cluster.need("record events");
  let recorder: EventRecorder | undefined;
  return {
    list({ event: count }) {
      const opened = createEventRecorder(client, {
        clock,
        controller: "outrigger",
        // The host name is the name of the pod.
        instance: host.env("POD_NAME") || host.env("HOSTNAME") || "outrigger",
        unique: () => host.randomBytes(8).toHex(),
        count,
        onFailure: (error) => log.warn("events not recorded", { error }),
      });
      recorder = opened;
      return [{
        see({ outcome }) {
          const event = eventOf(outcome);
          if (event !== undefined) opened.record(event);
        },
        missed: () => count("dropped"),
      }];
    },
    close: () => recorder?.close(),
  };
}

/** Returns the event for a review; `undefined` if it gets none. */
export function eventOf(outcome: ReviewOutcome): NewEvent | undefined {
  const { decision, reason, request, templates } = outcome;
  if (request === undefined || request.dryRun) return undefined;
  if (decision !== "injected" && decision !== "skipped") return undefined;
  const regarding = controllerOf(request.object, request.namespace ?? "");
  if (regarding === undefined) return undefined;
  const why = Object.hasOwn(REASONS, reason) ? REASONS[reason as keyof typeof REASONS] : reason;
  if (decision === "skipped") {
    return {
      regarding,
      reason: "InjectionSkipped",
      action: "Skip",
      note: `No sidecar was injected: ${why} (${reason})`,
    };
  }
  const by = templates.length === 0 ? "" : ` by ${templates.join(", ")}`;
  return {
    regarding,
    reason: "Injected",
    action: "Inject",
    note: `A sidecar was injected${by}: ${why} (${reason})`,
  };
}

/** The longest name in Kubernetes. A longer field was not set by the API server. */
const MAX_LENGTH = 253;

/** Returns the controller of the pod. The fields come from the request and are not trusted. */
function controllerOf(object: unknown, namespace: string): EventOwner | undefined {
  const { metadata } = (object ?? {}) as { metadata?: { ownerReferences?: unknown } | null };
  const references = metadata?.ownerReferences;
  if (!Array.isArray(references)) return undefined;
  const owner = references.find((reference) => reference?.controller === true);
  const { apiVersion, kind, name, uid } = owner ?? {};
  const isText = (value: unknown): value is string =>
    typeof value === "string" && value !== "" && value.length <= MAX_LENGTH;
  if (!isText(namespace) || ![apiVersion, kind, name, uid].every(isText)) return undefined;
  return { apiVersion, kind, namespace, name, uid };
}
