/**
 * What `serve` serves with: a certificate of files, of a Secret of ours, or made for this run; and the
 * caBundle of those who call, kept in step with it.
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
  /** What to begin with: before there is a certificate, one that nobody trusts. */
  current(): ServingCertificate;
  health(): CertificateHealth;
  /** The server gets what changes from now on, and what changed while it began. */
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
 * How long serving may wait for the first certificate: where the Secret is there, some milliseconds do.
 * Past it the server begins, is alive, and says that it is not ready.
 */
const FIRST_MS = 3_000;

/** A source, with what the caBundle is to be. */
interface Source {
  current(): ServingCertificate | undefined;
  failure(): string | undefined;
  bundle(): string | undefined;
  confirm?(): Promise<string>;
  /** Whether the caBundle holds may have changed. */
  nudge(): void;
  close(): void;
}

/** Throws where there is nothing to begin with, and nobody to make it. */
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
      log.error("certificate refused", { error: message });
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
        log.warn("caBundle not kept, there is no cluster");
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
    onFailure: (message) => log.error("authorities not read", { error: message }),
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
  const client = cluster.need("keep a certificate in a Secret");
  const { names, authorityLifetimeMs, certificateLifetimeMs } = tls;
  const secret = openCertificateSecret(client, {
    ...listener,
    namespace,
    name: tls.secret,
    names,
    authorityLifetimeMs,
    certificateLifetimeMs,
    // The name is for people; what follows it tells this process from the one before it.
    identity: `${host.env("HOSTNAME") ?? "outrigger"}_${host.randomBytes(8).toHex()}`,
    clock,
    onStep(kind, { serving, authorities }) {
      log.info(STEPS[kind], {
        secret: `${namespace}/${tls.secret}`,
        expires: iso(serving.facts.notAfter),
        authorities: authorities.length,
      });
    },
    onTrouble: (message) => log.warn("certificate not kept up", { error: message }),
  });
  return { ...secret, confirm: secret.confirmBundle };
}

const STEPS = {
  create: "authority and certificate created",
  announce: "next authority announced",
  issue: "certificate issued",
  retire: "old authority retired",
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
      // Others' configurations are none of our trouble.
      const level = reason === "wrong_revision" ? "debug" : "warn";
      if (isNews) log[level]("caBundle not patched", { configuration, reason, error: message });
    },
    onTrouble: (message) => log.warn("webhook configurations not watched", { error: message }),
    onChange,
  };
}

function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
