/**
 * Opens the serving certificate, from files, from a Secret, or generated for this run, and keeps the
 * caBundle of webhook configurations in sync with it.
 */

import type { Clock, Host } from "../host/mod.ts";
import type { CertificateHealth, Logger, Server } from "../server/mod.ts";
import {
  type CaBundleListener,
  type CaBundleUpkeep,
  createDevCertificate,
  keepCaBundle,
  openCaFile,
  openCertificateFiles,
  openCertificateSecret,
  type ServingCertificate,
  type ServingListener,
} from "../tls/mod.ts";
import type { ServeCluster } from "./_cluster.ts";
import type { ServeSettings } from "./_settings.ts";

export interface ServeCertificate {
  /** Returns the current certificate, or an untrusted placeholder until there is one. */
  current(): ServingCertificate;
  health(): CertificateHealth;
  /** Passes later certificates on to the server, and one that changed while it was starting. */
  attach(server: Server): void;
  close(): void;
}

export interface ServeCertificateContext {
  readonly settings: Pick<
    ServeSettings,
    "tls" | "namespace" | "devHost" | "tlsCertFile" | "tlsKeyFile" | "clientCaFile"
  >;
  readonly host: Host;
  readonly clock: Clock;
  readonly log: Logger;
  readonly cluster: ServeCluster;
}

/**
 * How long to wait for the first certificate. An existing Secret takes milliseconds to read. After this
 * time the server starts with a placeholder: it is alive, but not ready.
 */
const FIRST_MS = 3_000;

/** A source of certificates and of the caBundle that goes with them. */
interface Source {
  current(): ServingCertificate | undefined;
  failure(): string | undefined;
  bundle(): string | undefined;
  confirm?(): Promise<string>;
  /** Called when the state of the caBundle may have changed. */
  nudge(): void;
  close(): void;
}

/** Opens the certificate; throws if its source cannot be opened. */
export async function openServeCertificate(
  context: ServeCertificateContext,
): Promise<ServeCertificate> {
  const { settings: { tls }, clock, log, cluster } = context;
  let server: Server | undefined;
  let upkeep: CaBundleUpkeep | undefined;
  let isThere = () => {};
  const first = new Promise<void>((resolve) => isThere = resolve);
  const source = await openSource(context, {
    onChange({ material, facts }) {
      server?.setSecure(material);
      log.info("certificate loaded", { expires: iso(facts.notAfter) });
      server?.metrics.reloaded("certificate", true);
      isThere();
    },
    onFailure({ message }) {
      log.error("certificate rejected", { error: message });
      server?.metrics.reloaded("certificate", false);
    },
    onBundle: () => upkeep?.nudge(),
    heldMs: (authorities) => upkeep?.heldMs(authorities),
  });
  let placeholder: ServingCertificate | undefined;
  if (source.current() === undefined) {
    await Promise.race([first, new Promise<void>((resolve) => clock.after(FIRST_MS, resolve))]);
    placeholder = await createDevCertificate({ now: clock.now(), names: tls.names });
  }
  const current = () => source.current() ?? placeholder!;
  let given: ServingCertificate | undefined;
  return {
    current: () => given = current(),
    health() {
      const expires = source.current()?.facts.notAfter;
      return {
        ...(expires === undefined ? {} : { expires }),
        failure: source.failure(),
        ...(upkeep === undefined ? {} : { caBundle: upkeep.state() }),
      };
    },
    attach(started) {
      server = started;
      if (given !== current()) server.setSecure(current().material);
      if (tls.selection === undefined) return;
      if (cluster.client === undefined) {
        log.warn("caBundle not maintained without a cluster");
        return;
      }
      upkeep = keepCaBundle(cluster.client, {
        selection: tls.selection,
        clock,
        wanted() {
          const [bundle, chain] = [source.bundle(), source.current()?.material.certificates];
          return bundle === undefined || chain === undefined ? undefined : { bundle, chain };
        },
        ...(source.confirm === undefined ? {} : { confirm: source.confirm }),
        listener: tellOfCaBundle(started, { log, onChange: source.nudge }),
      });
    },
    close() {
      upkeep?.close();
      source.close();
    },
  };
}

interface SourceListener extends ServingListener {
  readonly onBundle: () => void;
  readonly heldMs: CaBundleUpkeep["heldMs"];
}

async function openSource(
  context: ServeCertificateContext,
  listener: SourceListener,
): Promise<Source> {
  const { settings, clock } = context;
  switch (settings.tls.source) {
    case "auto":
      return openSecretSource(context, listener);
    case "files":
      return await openFileSource(context, listener);
    case "dev": {
      const names = [...new Set(["localhost", "127.0.0.1", "::1", settings.devHost])];
      const certificate = await createDevCertificate({ now: clock.now(), names });
      return {
        current: () => certificate,
        failure: () => undefined,
        bundle: () => undefined,
        nudge() {},
        close() {},
      };
    }
  }
}

async function openFileSource(
  { settings, host, clock, log }: ServeCertificateContext,
  listener: SourceListener,
): Promise<Source> {
  const { tls, tlsCertFile: certFile, tlsKeyFile: keyFile, clientCaFile } = settings;
  const files = await openCertificateFiles({ certFile, keyFile, clientCaFile }, {
    host,
    clock,
    onChange(certificate) {
      listener.onChange(certificate);
      listener.onBundle();
    },
    onFailure: listener.onFailure,
  });
  const authorities = tls.selection === undefined ? undefined : await openCaFile(tls.caCertFile, {
    host,
    clock,
    onChange: listener.onBundle,
    onFailure: (message) => log.error("CA certificates not loaded", { error: message }),
  });
  return {
    current: files.current,
    failure: () => files.failure() ?? authorities?.failure(),
    bundle: () => authorities?.bundle(),
    nudge() {},
    close() {
      files.close();
      authorities?.close();
    },
  };
}

function openSecretSource(
  { settings: { tls, namespace }, host, clock, log, cluster }: ServeCertificateContext,
  listener: SourceListener,
): Source {
  const client = cluster.need("store the certificate in a Secret");
  const { names, authorityLifetimeMs, certificateLifetimeMs } = tls;
  const secret = openCertificateSecret(client, {
    ...listener,
    namespace,
    name: tls.secret,
    names,
    authorityLifetimeMs,
    certificateLifetimeMs,
    // The random suffix distinguishes this process from an earlier one in the same pod.
    identity: `${host.env("HOSTNAME") ?? "outrigger"}_${host.randomBytes(8).toHex()}`,
    clock,
    onStep(kind, { serving, authorities }) {
      log.info(STEPS[kind], {
        secret: `${namespace}/${tls.secret}`,
        expires: iso(serving.facts.notAfter),
        authorities: authorities.length,
      });
    },
    onTrouble: (message) => log.warn("certificate not maintained", { error: message }),
  });
  return { ...secret, confirm: secret.confirmBundle };
}

const STEPS = {
  create: "CA and certificate created",
  announce: "next CA published in the caBundle",
  issue: "certificate issued",
  retire: "old CA removed",
} as const;

function tellOfCaBundle(
  { metrics }: Server,
  { log, onChange }: { readonly log: Logger; readonly onChange: () => void },
): CaBundleListener {
  return {
    onAttempt: metrics.caBundle.attempted,
    onRetry: metrics.caBundle.retried,
    onPatched: (configuration) => log.info("caBundle patched", { configuration }),
    onFailure({ configuration, reason, message, isNews }) {
      metrics.caBundle.failed(configuration, reason);
      // A configuration of another revision is not a problem of ours.
      const level = reason === "wrong_revision" ? "debug" : "warn";
      if (isNews) log[level]("caBundle not patched", { configuration, reason, error: message });
    },
    onTrouble: (message) => log.warn("watch failed for webhook configurations", { error: message }),
    onChange,
  };
}

function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
