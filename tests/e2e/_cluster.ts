/**
 * A cluster of one API server and one etcd, both on loopback, with RBAC and without anything that would run
 * pods. `run.ts` starts it and tells the test files where it is.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { createHttpsClient } from "../../lib/host/mod.ts";
import type { Binaries } from "./_binaries.ts";
import { createAuthority, createSigningKey, type KeyPair } from "./_certificates.ts";
import { openControl } from "./_control.ts";

/** Where a running cluster is; plain JSON, so that it can be handed to another process. */
export interface ClusterInfo {
  readonly server: string;
  /** PEM of the authority of the server's certificate. */
  readonly ca: string;
  /** May do everything. */
  readonly admin: KeyPair;
  /** May do what tests bind to `user:reader` by RBAC, and shows a certificate. */
  readonly reader: KeyPair;
  /** Users by their tokens, named as in `TOKENS`. */
  readonly tokens: Readonly<Record<TokenUser, string>>;
  /** What runs, as in `kube-apiserver v1.35.4, etcd 3.4.23`. */
  readonly versions: string;
  /** Where `_control.ts` stops and starts the API server. */
  readonly control: string;
}

export interface Cluster {
  readonly info: ClusterInfo;
  stop(): Promise<void>;
}

/** Users that have nothing but a token, and no rights before tests give them any. */
export const TOKENS = ["reader-token", "blind-token", "nobody-token"] as const;
export type TokenUser = typeof TOKENS[number];

/** Long enough for two cores that others use too. */
const START_MS = 180_000;
const STOP_MS = 10_000;

export async function startCluster(binaries: Binaries, folder: string): Promise<Cluster> {
  mkdirSync(folder, { recursive: true });
  const [clientPort, peerPort, port] = await freePorts(3);
  const etcd = startEtcd(binaries.etcd, { folder, clientPort, peerPort });
  const stop = async (...servers: Server[]) => {
    for (const server of servers) await server.stop();
  };
  try {
    const authority = await createAuthority("e2e");
    const info: ClusterInfo = {
      server: `https://127.0.0.1:${port}`,
      ca: authority.certificate,
      admin: await authority.issue({ subject: "O=system:masters, CN=admin" }),
      reader: await authority.issue({ subject: "CN=reader" }),
      tokens: Object.fromEntries(TOKENS.map((user) => [user, crypto.randomUUID()])) as Record<
        TokenUser,
        string
      >,
      versions: binaries.versions,
      control: "",
    };
    const serving = await authority.issue({
      subject: "CN=kube-apiserver",
      names: ["kubernetes.default.svc", "localhost"],
      addresses: ["127.0.0.1"],
    });
    const flags = await apiServerFlags({ folder, clientPort, port, info, serving });
    const startApiServer = async () => {
      const server = startServer("kube-apiserver", binaries.apiServer, { args: flags, folder });
      try {
        await ready(info, [etcd, server]);
        return server;
      } catch (error) {
        await stop(server);
        throw error;
      }
    };
    let apiServer = await startApiServer();
    const control = await openControl({
      stop: () => apiServer.stop(),
      async start() {
        await apiServer.stop();
        apiServer = await startApiServer();
      },
    });
    return {
      info: { ...info, control: control.url },
      async stop() {
        control.close();
        await stop(apiServer, etcd);
      },
    };
  } catch (error) {
    await stop(etcd);
    throw error;
  }
}

function startEtcd(
  file: string,
  { folder, clientPort, peerPort }: { folder: string; clientPort: number; peerPort: number },
): Server {
  const [client, peer] = [clientPort, peerPort].map((port) => `http://127.0.0.1:${port}`);
  return startServer("etcd", file, {
    folder,
    args: [
      `--data-dir=${join(folder, "etcd")}`,
      `--listen-client-urls=${client}`,
      `--advertise-client-urls=${client}`,
      `--listen-peer-urls=${peer}`,
      `--initial-advertise-peer-urls=${peer}`,
      `--initial-cluster=default=${peer}`,
    ],
  });
}

async function apiServerFlags({ folder, clientPort, port, info, serving }: {
  folder: string;
  clientPort: number;
  port: number;
  info: ClusterInfo;
  serving: KeyPair;
}): Promise<string[]> {
  const signing = await createSigningKey();
  const file = (name: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(path, `${text}\n`, { mode: 0o600 });
    return path;
  };
  const users = TOKENS.map((user) => `${info.tokens[user]},${user},${user}`).join("\n");
  return [
    `--etcd-servers=http://127.0.0.1:${clientPort}`,
    "--bind-address=127.0.0.1",
    "--advertise-address=127.0.0.1",
    // A Service's endpoint may not be on loopback, and nobody here needs one.
    "--endpoint-reconciler-type=none",
    `--secure-port=${port}`,
    `--cert-dir=${folder}`,
    `--tls-cert-file=${file("server.crt", serving.certificate)}`,
    `--tls-private-key-file=${file("server.key", serving.key)}`,
    `--client-ca-file=${file("ca.crt", info.ca)}`,
    `--token-auth-file=${file("tokens.csv", users)}`,
    "--authorization-mode=RBAC",
    "--service-account-issuer=https://kubernetes.default.svc",
    `--service-account-key-file=${file("sa.pub", signing.publicKey)}`,
    `--service-account-signing-key-file=${file("sa.key", signing.privateKey)}`,
    "--service-cluster-ip-range=10.0.0.0/24",
    "--allow-privileged=true",
    "--profiling=false",
  ];
}

interface Server {
  /** Why it is not running any more; `undefined` while it is. */
  failure(): string | undefined;
  stop(): Promise<void>;
}

function startServer(
  name: string,
  file: string,
  { args, folder }: { args: readonly string[]; folder: string },
): Server {
  const path = join(folder, `${name}.log`);
  const log = openSync(path, "a");
  const child: ChildProcess = spawn(file, args, { cwd: folder, stdio: ["ignore", log, log] });
  closeSync(log);
  let ended: string | undefined;
  const exited = new Promise<void>((resolve) => {
    child.on("error", (error) => resolve(void (ended = error.message)));
    child.on("exit", (code, signal) => resolve(void (ended = `ended with ${code ?? signal}`)));
  });
  return {
    failure() {
      if (ended === undefined) return undefined;
      return `${name} ${ended}:\n${readFileSync(path, "utf8").split("\n").slice(-15).join("\n")}`;
    },
    async stop() {
      if (ended !== undefined) return;
      child.kill("SIGTERM");
      const timer = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
      await exited;
      clearTimeout(timer);
    },
  };
}

/** Waits until the API server says of itself that it is ready. */
async function ready({ server, ca, admin }: ClusterInfo, servers: readonly Server[]) {
  const client = createHttpsClient({ ca, certificates: admin.certificate, key: admin.key });
  const deadline = Date.now() + START_MS;
  let said = "";
  try {
    while (Date.now() < deadline) {
      const failed = servers.map((server) => server.failure()).find(Boolean);
      if (failed !== undefined) throw new Error(failed);
      try {
        const answer = await client.send({
          method: "GET",
          url: `${server}/readyz`,
          responseMs: 5000,
        });
        said = new TextDecoder().decode(await answer.body({ bytes: 100_000, ms: 5000 }));
        if (answer.status === 200) return;
      } catch (error) {
        said = String(error);
      }
      await new Promise((resume) => setTimeout(resume, 100));
    }
  } finally {
    client.close();
  }
  throw new Error(`kube-apiserver is not ready after ${START_MS / 1000} s: ${said}`);
}

/** Ports that were free a moment ago. */
async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(Array.from({ length: count }, () => {
    const server = createServer();
    return new Promise<typeof server>((resolve) => {
      server.listen(0, "127.0.0.1", () => resolve(server));
    });
  }));
  return await Promise.all(servers.map((server) => {
    const { port } = server.address() as AddressInfo;
    return new Promise<number>((resolve) => server.close(() => resolve(port)));
  }));
}
