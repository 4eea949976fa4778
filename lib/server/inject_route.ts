/**
 * The webhook's route: handles an HTTP request for injection. Status codes and texts are those of
 * Istio's injector, except that a body that is too large gets 413.
 */

import {
  answerReview,
  type ClusterFacts,
  ORDINARY_UNITS,
  type ReviewInjector,
} from "../admission/mod.ts";
import { visible } from "../data/visible.ts";
import {
  BodyError,
  type Clock,
  digest,
  type HttpAnswer,
  type HttpRequest,
  pack,
  unpack,
} from "../host/mod.ts";
import type { Afterwards } from "./afterwards.ts";
import { logDecision } from "./decision_log.ts";
import type { Gate } from "./gate.ts";
import type { Logger } from "./log.ts";
import type { Metrics } from "./metrics.ts";
import type { Tidy } from "./tidy.ts";

/**
 * The maximum size of a request body. The API server limits a request to 3 MiB, and the review of
 * an update holds two objects, the old and the new: 6 MiB. The seventh is for everything else.
 */
export const MAX_BODY_BYTES = 7 * 1024 * 1024;

/** The maximum length of an error text; ours take one line. */
const MAX_TEXT = 1024;

/**
 * The Retry-After of refused requests, in seconds: by then the queue is empty or the process is
 * gone.
 */
const RETRY_AFTER = 1;

const KEEP_ANSWERS = { digest, pack, unpack };

export interface InjectRouteOptions {
  readonly injector: () => ReviewInjector;
  readonly cluster: () => ClusterFacts;
  readonly gate: Gate;
  readonly afterwards: Afterwards;
  readonly tidy: Tidy;
  readonly clock: Pick<Clock, "monotonic">;
  readonly log: Logger;
  readonly metrics: Metrics;
}

export type InjectRoute = (request: HttpRequest, path: string) => Promise<HttpAnswer>;

export function createInjectRoute(options: InjectRouteOptions): InjectRoute {
  const { gate, clock, log, metrics, tidy } = options;
  let lastInjector: ReviewInjector | undefined;
  return async (request, path) => {
    const started = clock.monotonic();
    metrics.requested();
    const methods = ["POST", ...(options.injector().acceptsGet ? ["GET"] : [])];
    if (!methods.includes(request.method)) {
      metrics.refused("bad_request");
      metrics.failed();
      return textAnswer(405, "Method Not Allowed", { allow: methods.join(", ") });
    }
    const visit = gate.enter(expectedBytes(request));
    if (visit === undefined) {
      metrics.refused("busy");
      return textAnswer(503, "too many requests", { "retry-after": String(RETRY_AFTER) });
    }
    try {
      const body = await request.body(MAX_BODY_BYTES);
      const refusal = checkRequest(request, body, log);
      if (refusal !== undefined) {
        metrics.refused("bad_request");
        metrics.failed();
        return refusal;
      }
      const ready = clock.monotonic();
      await visit.turn();
      // The client has disconnected: skip the work.
      if (request.isGone()) throw new BodyError("gone", "the connection was closed");
      let [injector, cluster] = [options.injector(), options.cluster()];
      const answered = (units?: number) =>
        answerReview(body, {
          injector,
          cluster,
          path,
          keepAnswers: KEEP_ANSWERS,
          now: clock.monotonic,
          units,
        });
      let answer = answered(visit.isOrdinary ? ORDINARY_UNITS : undefined);
      if (visit.isOrdinary && answer.outcome.reason === "too_large") {
        await visit.turn("demoted");
        if (request.isGone()) throw new BodyError("gone", "the connection was closed");
        [injector, cluster] = [options.injector(), options.cluster()];
        answer = answered();
      }
      const { outcome, isRepeat } = answer;
      const done = clock.monotonic();
      logDecision(log, outcome, done - ready);
      metrics.answered(outcome, { whole: (done - started) / 1000, work: (done - ready) / 1000 });
      if (injector !== lastInjector) tidy.replaced();
      lastInjector = injector;
      tidy.answered(body.length, isRepeat);
      options.afterwards.add({ outcome, injector, cluster, path, bytes: body.length });
      return { status: 200, headers: { "content-type": "application/json" }, body: answer.body };
    } catch (error) {
      if (error instanceof BodyError && error.code === "too_large") {
        metrics.refused("too_large");
        metrics.failed();
        return textAnswer(413, `Request entity too large: limit is ${MAX_BODY_BYTES}`);
      }
      metrics.failed();
      throw error;
    } finally {
      visit.leave();
    }
  };
}

function expectedBytes(request: HttpRequest): number {
  const length = request.header("content-length");
  return length === undefined ? MAX_BODY_BYTES : Math.min(Number(length), MAX_BODY_BYTES);
}

function checkRequest(
  request: HttpRequest,
  body: Uint8Array,
  log: Logger,
): HttpAnswer | undefined {
  if (body.length === 0) {
    log.error("no body found");
    return textAnswer(400, "no body found");
  }
  const contentType = request.header("content-type") ?? "";
  if (contentType !== "application/json") {
    log.error("wrong content type", { contentType, want: "application/json" });
    return textAnswer(415, "invalid Content-Type, want `application/json`");
  }
}

/** Builds an error response as Go's `http.Error` writes it. */
export function textAnswer(
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): HttpAnswer {
  return {
    status,
    headers: {
      ...headers,
      "content-type": "text/plain; charset=utf-8",
      "x-content-type-options": "nosniff",
    },
    body: `${visible(text, { limit: MAX_TEXT })}\n`,
  };
}
