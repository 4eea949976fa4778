/** The life cycle of the server: load configuration and certificate, listen, drain, stop. */

import { type ConfigReload, fileSource, openConfig, type SourceName } from "../config/reload.ts";
import { type Clock, compileEagerly, createClock, type Host, onStrayError } from "../host/mod.ts";
import type { OpenPage } from "../playground/serve/open_page.ts";
import {
  createLogger,
  DEFAULT_LIMITS,
  type Logger,
  type Server,
  startServer,
} from "../server/mod.ts";
import { openServeCertificate, type ServeCertificate } from "./_certificate.ts";
import { devGreeting } from "./_dev_greeting.ts";
import { type DevWebhook, registerDevWebhook } from "./_dev_webhook.ts";
import { writeHealthFile } from "./_health_file.ts";
import { openServeCluster, type ServeCluster } from "./_cluster.ts";
import { type ConfigMaps, watchConfigMaps } from "./_config_maps.ts";
import { openEvents, type ServeEvents } from "./_events.ts";
import { type FactsWatch, watchFacts } from "./_facts.ts";
import { createServeObservers, type ServeObservers } from "./_observers.ts";
import type { Injector } from "../inject/mod.ts";
import { type InjectorBuilder, injectorBuilder } from "./_injector.ts";
import { openServerPage } from "./_page.ts";
import type { ServeSettings } from "./_settings.ts";

/**
 * How long startup waits for facts about the cluster. An API server that does not answer sends no pods
 * either. After this time, unknown facts are absent.
 */
const FACTS_MS = 5_000;

/** The build, as shown in the log, the metrics and the page. */
export interface Build {
  readonly version: string;
  readonly commit: string;
}

interface Context {
  readonly program: Build;
  readonly settings: ServeSettings;
  readonly host: Host;
  readonly clock: Clock;
  readonly log: Logger;
  readonly observers: ServeObservers;
  readonly injectors: InjectorBuilder;
}

/** Serves until a signal arrives; throws if the server cannot start. */
export async function runServer(
  settings: ServeSettings,
  { host, program }: { readonly host: Host; readonly program: Build },
): Promise<number> {
  const clock = createClock();
  const { logFormat: format, logLevel: level } = settings;
  const log = createLogger({ output: host.stdout, clock, format, level });
  const injectors = injectorBuilder({ settings, host, log });
  const observers = createServeObservers({
    ...{ settings, host, clock, log },
    build: injectors.complete,
  });
  const context = { settings, host, program, clock, log, observers, injectors };
  const signals = listenForSignals(host);
  const forgetStray = onStrayError((error) => {
    log.error("uncaught error", { error: error instanceof Error ? error.stack : error });
  });
  let server: Server | undefined;
  let cluster: ServeCluster | undefined;
  let maps: ConfigMaps | undefined;
  let facts: FactsWatch | undefined;
  let events: ServeEvents | undefined;
  let config: ConfigReload<Injector> | undefined;
  let certificate: ServeCertificate | undefined;
  let page: OpenPage | undefined;
  try {
    cluster = await openServeCluster(context);
    maps = watchConfigMaps(cluster, context);
    facts = watchFacts(cluster.client, context);
    events = openEvents(cluster, context);
    if (!await maps.there(signals.first)) return 0;
    config = await openInjector(context, maps, () => server);
    certificate = await openServeCertificate({ ...context, cluster });
    await facts.known(FACTS_MS);
    const { current } = config;
    page = await openServerPage({
      ...{ settings, host, log, version: program.version },
      sources: () => current().value.sources,
    });
    server = await start(context, { config, certificate, facts, maps, events, page });
    const webhook = await registerWebhook(context, { server, certificate, cluster });
    const told = signals.first.then(() => webhook?.remove());
    await untilToldToStop(server, context, { ...signals, first: told });
    return 0;
  } finally {
    // Anything left open would keep the process alive.
    config?.close();
    certificate?.close();
    events?.close();
    facts?.close();
    maps?.close();
    cluster?.close();
    await page?.stop(0);
    signals.close();
    forgetStray();
    await observers.finish();
    await log.flush();
  }
}

function openInjector(
  { settings, host, clock, log, observers, injectors }: Context,
  maps: ConfigMaps,
  server: () => Server | undefined,
): Promise<ConfigReload<Injector>> {
  const isEmbedded = settings.configSource === "embedded";
  // Do not read files for texts that come from config maps.
  const files = Object.fromEntries(
    Object.entries({
      ...(isEmbedded ? {} : { config: settings.injectConfig }),
      values: settings.injectValues,
      mesh: settings.meshConfig,
    }).filter(([name]) => !maps.names.has(name as SourceName)),
  );
  const optional = ([["values", "injectValues"], ["mesh", "meshConfig"]] as const)
    .filter(([, flag]) => settings.isOptional(flag)).map(([name]) => name);
  return openConfig({
    sources: [fileSource({ ...files, optional }, { host, clock }), ...maps.sources],
    build(texts) {
      const injector = injectors.read(texts);
      observers.built(injector);
      return injector;
    },
    version: (injector) => injector.version,
    clock,
    onChange({ version }) {
      log.info("configuration loaded", { version });
      server()?.metrics.reloaded("config", true);
    },
    onFailure({ message, place }) {
      log.error("configuration rejected", { error: message, ...place });
      server()?.metrics.reloaded("config", false);
    },
  });
}

interface Served {
  readonly config: ConfigReload<Injector>;
  readonly certificate: ServeCertificate;
  readonly facts: FactsWatch;
  readonly maps: ConfigMaps;
  readonly events: ServeEvents;
  readonly page: OpenPage | undefined;
}

async function start(
  { settings, host, program, clock, log, observers }: Context,
  { config, certificate, facts, maps, events, page }: Served,
): Promise<Server> {
  const { idleMs, requestMs, maxRequests, maxConnections } = settings;
  const headersMs = Math.min(DEFAULT_LIMITS.headersMs, requestMs);
  const { name, version } = host.runtime;
  const server = await startServer({
    address: settings.address,
    port: settings.port,
    monitoringPort: settings.monitoringPort,
    secure: certificate.current().material,
    injector: () => config.current().value,
    cluster: facts.facts,
    watches: () => ({ ...maps.watches(), ...facts.watches() }),
    observers: (metrics) => [...observers.list(metrics), ...events.list(metrics)],
    config: () => ({ ...config.current(), failure: config.failure()?.message }),
    certificate: certificate.health,
    build: { ...program, runtime: `${name} ${version}` },
    clock,
    log,
    limits: { idleMs, requestMs, headersMs, maxRequests, maxConnections },
  });
  certificate.attach(server);
  const { expires } = certificate.health();
  log.info("serving", {
    address: settings.address || "all",
    port: server.port,
    monitoringPort: server.monitoringPort,
    ...(page === undefined ? {} : { page: page.url }),
    config: config.current().version,
    certificateExpires: expires === undefined ? "none yet" : new Date(expires).toISOString(),
    version: program.version,
  });
  if (settings.isDev) {
    await log.flush();
    await host.stdout.write(devGreeting({ ...server, page: page?.url }));
  }
  return server;
}

/** Registers the development webhook if --context is set. */
async function registerWebhook(
  { settings, host, clock, log }: Context,
  { server, certificate, cluster }: {
    readonly server: Server;
    readonly certificate: Pick<ServeCertificate, "current">;
    readonly cluster: ServeCluster;
  },
): Promise<DevWebhook | undefined> {
  const { context, devHost, revision } = settings;
  if (context === "") return undefined;
  const webhook = await registerDevWebhook({
    ...{ context, devHost, revision, clock, log },
    client: cluster.need("register a webhook"),
    port: server.port,
    // Trust only this certificate, not its CA.
    ca: certificate.current().material.certificates,
  });
  await log.flush();
  await host.stdout.write(webhook.greeting);
  return webhook;
}

async function untilToldToStop(
  server: Server,
  { settings, host, clock, log }: Context,
  signals: Signals,
): Promise<void> {
  const healthFile = writeHealthFile(settings, { host, clock, log });
  const callOff = clock.after(SETTLED_MS, compileEagerly);
  await signals.first;
  callOff();
  healthFile.close();
  log.info("draining", { milliseconds: settings.drainMs });
  await server.drain(settings.drainMs, signals.second);
  log.info("stopping");
  await server.stop();
  log.info("stopped");
}

/** How long after the start to wait before compiling eagerly. */
const SETTLED_MS = 200;

interface Signals {
  readonly first: Promise<void>;
  /** Resolves on the second signal, which ends draining at once. */
  readonly second: Promise<void>;
  close(): void;
}

function listenForSignals(host: Host): Signals {
  const { promise: first, resolve: tellFirst } = Promise.withResolvers<void>();
  const { promise: second, resolve: tellSecond } = Promise.withResolvers<void>();
  let count = 0;
  const onSignal = () => count++ === 0 ? tellFirst() : tellSecond();
  const ends = [host.onSignal("SIGTERM", onSignal), host.onSignal("SIGINT", onSignal)];
  return { first, second, close: () => ends.forEach((end) => end()) };
}
