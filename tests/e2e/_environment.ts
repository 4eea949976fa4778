/** What `run.ts` hands to the test files: the cluster, and the program as it is shipped. */

import { spawn } from "node:child_process";
import { join } from "node:path";
import process from "node:process";
import { createClock } from "../../lib/host/mod.ts";
import { createKubeClient, type KubeClient } from "../../lib/kube/client.ts";
import type { Credentials } from "../../lib/kube/kubeconfig.ts";
import type { ClusterInfo, TokenUser } from "./_cluster.ts";

/** The variable that holds the cluster, as JSON. */
export const VARIABLE = "OUTRIGGER_E2E";

/** Where `deno task test:e2e` builds the program. */
export const PROGRAM = "dist/e2e/outrigger";

export function clusterInfo(): ClusterInfo {
  const text = process.env[VARIABLE];
  if (text === undefined) throw new Error("There is no cluster: run deno task test:e2e");
  return JSON.parse(text);
}

/** A client that may do everything. */
export function adminClient(info: ClusterInfo): KubeClient {
  const { admin } = info;
  return clientOf("the admin", info, {
    certificates: admin.certificate,
    key: admin.key,
    headers: {},
  });
}

/** A client that may do what RBAC lets this user do. */
export function tokenClient(info: ClusterInfo, user: TokenUser): KubeClient {
  return clientOf(user, info, { headers: { Authorization: `Bearer ${info.tokens[user]}` } });
}

function clientOf(
  name: string,
  { server, ca }: ClusterInfo,
  credentials: Credentials,
): KubeClient {
  return createKubeClient({
    name,
    server,
    insecure: false,
    namespace: "default",
    credentials: () => Promise.resolve({ ca, ...credentials }),
  }, { clock: createClock() });
}

/** Takes the API server away, or brings it back: the same objects at the same address. */
export async function apiServer(order: "stop" | "start", { control }: ClusterInfo): Promise<void> {
  const answer = await fetch(`${control}/${order}`, { method: "POST" });
  if (!answer.ok) throw new Error(`Cannot ${order} the API server: ${await answer.text()}`);
}

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs the compiled program, with no variables but those given. */
export function outrigger(
  args: readonly string[],
  { stdin = "", env = {} }: { readonly stdin?: string; readonly env?: Record<string, string> } = {},
): Promise<Ran> {
  const child = spawn(join(import.meta.dirname!, "../..", PROGRAM), args, {
    env,
    stdio: ["pipe", "pipe", "pipe"],
  });
  let [out, err] = ["", ""];
  child.stdout.on("data", (chunk) => out += chunk);
  child.stderr.on("data", (chunk) => err += chunk);
  child.stdin.on("error", () => {});
  child.stdin.end(stdin);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, out, err }));
  });
}
