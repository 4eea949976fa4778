/** Starts a minimal server on loopback, in this process. */
import type { ClusterFacts, ReviewInjector } from "../../lib/admission/mod.ts";
import { createClock, type Output } from "../../lib/host/mod.ts";
import { createLogger, type Server, type ServerLimits, startServer } from "../../lib/server/mod.ts";
import { createDevCertificate } from "../../lib/tls/dev_certificate.ts";

export const certificate = await createDevCertificate({ now: Date.now() });

export interface ServingOptions {
  injector?: ReviewInjector;
  cluster?: () => ClusterFacts;
  limits?: Partial<ServerLimits>;
  secure?: Parameters<typeof startServer>[0]["secure"];
  failure?: () => string | undefined;
  watches?: () => Record<string, string | undefined>;
  level?: "debug" | "info";
}

export interface Serving extends Server {
  /** The log lines so far. */
  log(): Record<string, unknown>[];
  readonly plainPort: number;
  [Symbol.asyncDispose](): Promise<void>;
}

/** An injector that skips every pod. */
export const INERT: ReviewInjector = {
  kindRequired: true,
  urlEnv: () => ({}),
  admit: () => ({ decision: { inject: false, reason: "policy_disabled", warnings: [] } }),
};

export async function serving(options: ServingOptions = {}): Promise<Serving> {
  const lines: string[] = [];
  const output: Output = {
    isTerminal: false,
    write(data) {
      lines.push(String(data));
      return Promise.resolve();
    },
  };
  const clock = createClock();
  const loadedAt = clock.now();
  const log = createLogger({ output, clock, format: "json", level: options.level ?? "info" });
  const server = await startServer({
    address: "127.0.0.1",
    port: 0,
    monitoringPort: 0,
    secure: options.secure ?? certificate.material,
    injector: () => options.injector ?? INERT,
    cluster: options.cluster ?? (() => ({})),
    config: () => ({ version: "v1", loadedAt, failure: options.failure?.() }),
    certificate: () => ({ expires: certificate.facts.notAfter }),
    watches: options.watches,
    build: { version: "0", commit: "0", runtime: "test" },
    clock,
    log,
    limits: options.limits,
  });
  return {
    ...server,
    plainPort: server.monitoringPort!,
    log: () => lines.join("").trim().split("\n").filter(Boolean).map((line) => JSON.parse(line)),
    [Symbol.asyncDispose]: () => server.stop(),
  };
}

/** Builds a review of a small pod; the given fields override the request's. */
export function podReview(request: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    kind: "AdmissionReview",
    apiVersion: "admission.k8s.io/v1",
    request: {
      uid: "u-1",
      kind: { group: "", version: "v1", kind: "Pod" },
      operation: "CREATE",
      namespace: "shop",
      object: { metadata: { name: "web" }, spec: { containers: [{ name: "app" }] } },
      ...request,
    },
  };
}
