/**
 * Does for a Deployment of manifests/ what a cluster would: runs its container's arguments and variables with
 * the token of its ServiceAccount, mounts its config maps, and leads its Service there. Only addresses, and
 * where files lie, are this machine's.
 */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ApiError } from "../../lib/kube/api_error.ts";
import type { KubeClient } from "../../lib/kube/client.ts";
import {
  MUTATING_WEBHOOK_CONFIGURATIONS,
  SERVICE_ACCOUNTS,
  SERVICES,
} from "../../lib/kube/resources.ts";
import { type Program, startProgram } from "../cli/_program.ts";
import { type ManifestObject, only } from "../manifests/_objects.ts";
import type { ClusterInfo } from "./_cluster.ts";
import { writeKubeconfig } from "./_kubeconfig.ts";
import { createService } from "./_service.ts";
import { until } from "./_until.ts";

// deno-lint-ignore no-explicit-any
type Any = any;

export interface RunningDeployment extends AsyncDisposable {
  readonly program: Program;
  /** Where files that the container would have at a path are. */
  path(inContainer: string): string;
}

/** The token that a pod of this account would have. */
export async function tokenOf(
  client: KubeClient,
  { name, namespace }: { readonly name: string; readonly namespace: string },
): Promise<string> {
  const { status } = await client.create(SERVICE_ACCOUNTS, {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    metadata: { name, namespace },
    spec: { expirationSeconds: 3600 },
  }, { subresource: "token" }) as Any;
  return status.token;
}

/** Once it is ready and the caBundle holds; the objects have been applied. */
export async function runDeployment(
  objects: readonly ManifestObject[],
  { info, client }: { readonly info: ClusterInfo; readonly client: KubeClient },
): Promise<RunningDeployment> {
  const deployment = only(objects, "Deployment") as Any;
  const { namespace } = deployment.metadata as { namespace: string };
  const { containers: [container], serviceAccountName, volumes = [] } =
    deployment.spec.template.spec;
  const folder = mkdtempSync(join(tmpdir(), "outrigger-e2e-deployment-"));
  const path = (inContainer: string) => join(folder, "root", inContainer);
  for (const { name, mountPath } of container.volumeMounts ?? []) {
    mkdirSync(path(mountPath), { recursive: true });
    const { configMap } = volumes.find((one: Any) => one.name === name);
    if (configMap === undefined) continue;
    const { data } = objects.find(({ kind, metadata }) =>
      kind === "ConfigMap" && metadata.name === configMap.name
    ) as Any;
    for (const [key, text] of Object.entries(data)) {
      writeFileSync(path(join(mountPath, key)), text as string);
    }
  }
  const token = await tokenOf(client, { name: serviceAccountName, namespace });
  const kubeconfig = writeKubeconfig(join(folder, "kubeconfig"), { info, user: { token } });
  const mounts: string[] = (container.volumeMounts ?? []).map(({ mountPath }: Any) => mountPath);
  const args = (container.args as string[]).map((arg) => {
    const [flag, value = ""] = arg.split("=", 2);
    return mounts.some((mount) => dirname(value) === mount) ? `${flag}=${path(value)}` : arg;
  });
  const env = Object.fromEntries(
    (container.env ?? []).map(({ name, value, valueFrom }: Any) => [
      name,
      valueFrom?.fieldRef.fieldPath === "metadata.namespace" ? namespace : value,
    ]),
  );
  const here = ["--port=0", "--monitoringPort=0", "--address=127.0.0.1", "--drain=0s"];
  const program = await startProgram([...args, ...here, `--kubeconfig=${kubeconfig}`], { env });
  const service = await leadService(objects, { client, program });
  await until("ready, with the caBundle in step", async () => {
    const answer = await fetch(`http://127.0.0.1:${program.plainPort}/readyz`);
    const { ready, caBundle } = await answer.json() as Any;
    return ready && caBundle?.holds ? true : undefined;
  }, 30_000);
  return {
    program,
    path,
    async [Symbol.asyncDispose]() {
      program.kill("SIGTERM");
      await program.exited;
      await service[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** In place of the manifests' own Service, which would need a cluster network. */
async function leadService(
  objects: readonly ManifestObject[],
  { client, program }: { readonly client: KubeClient; readonly program: Program },
) {
  const { name, namespace } = only(objects, "Service").metadata as Any;
  await client.delete(SERVICES, { name, namespace }).catch((error) => {
    if (!(error instanceof ApiError && error.code === "not_found")) throw error;
  });
  const service = await createService(client, { name, namespace });
  service.leadTo([program.port]);
  const configuration = only(objects, "MutatingWebhookConfiguration") as Any;
  await client.patch(MUTATING_WEBHOOK_CONFIGURATIONS, { name: configuration.metadata.name }, {
    type: "json",
    patch: configuration.webhooks.map((_: unknown, i: number) => ({
      op: "replace",
      path: `/webhooks/${i}/clientConfig/service/port`,
      value: service.port,
    })),
  });
  return service;
}
