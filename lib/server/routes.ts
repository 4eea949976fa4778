/** Routes requests by path. */

import type { HttpAnswer, HttpHandler } from "../host/mod.ts";
import { type HealthFacts, liveness, readiness } from "./health.ts";
import { type InjectRoute, textAnswer } from "./inject_route.ts";
import type { Metrics } from "./metrics.ts";
import { readTarget } from "./path.ts";

export interface Routes {
  /** For the webhook's port: injection, health and metrics. */
  readonly webhook: HttpHandler;
  /** For the plain HTTP port: health and metrics only. */
  readonly monitoring: HttpHandler;
}

export interface RoutesOptions {
  readonly inject: InjectRoute;
  readonly health: HealthFacts;
  readonly metrics: Metrics;
}

export function createRoutes({ inject, health, metrics }: RoutesOptions): Routes {
  const monitor = async (path: string): Promise<HttpAnswer> => {
    switch (path) {
      case "/healthz":
        return liveness();
      case "/readyz":
      case "/ready":
        return readiness(health);
      case "/metrics":
        return {
          status: 200,
          headers: { "content-type": metrics.contentType },
          body: await metrics.text(),
        };
      default:
        return textAnswer(404, "404 page not found");
    }
  };
  const handler = (isWebhook: boolean): HttpHandler => (request) => {
    const target = readTarget(request.target);
    switch (target.kind) {
      case "bad":
        return textAnswer(400, "400 Bad Request");
      case "redirect":
        return { status: 307, headers: { location: target.location } };
      case "path":
        return isWebhook && target.first === "inject"
          ? inject(request, target.path)
          : monitor(target.path);
    }
  };
  return { webhook: handler(true), monitoring: handler(false) };
}
