/** What `run.ts` hands to the test files: the cluster, and the program as it is shipped. */

import { spawn } from "node:child_process";
import { join } from "node:path";
import process from "node:process";
import { createClock } from "../../lib/host/mod.ts";
import { createKubeClient, type KubeClient } from "../../lib/kube/client.ts";
import type { ClusterInfo } from "./_cluster.ts";

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
export function adminClient({ server, ca, admin }: ClusterInfo): KubeClient {
  const credentials = { ca, certificates: admin.certificate, key: admin.key, headers: {} };
  return createKubeClient({
    name: "the admin",
    server,
    insecure: false,
    namespace: "default",
    credentials: () => Promise.resolve(credentials),
  }, { clock: createClock() });
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
