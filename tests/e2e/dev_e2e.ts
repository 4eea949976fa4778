/** `deno task dev -- --context NAME`: a webhook in a cluster, served from this machine. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ApiError } from "../../lib/kube/api_error.ts";
import { MUTATING_WEBHOOK_CONFIGURATIONS } from "../../lib/kube/resources.ts";
import { type Program, startProgram } from "../cli/_program.ts";
import { adminClient, clusterInfo, outrigger } from "./_environment.ts";
import { certificateUser, writeKubeconfig } from "./_kubeconfig.ts";
import { createNamespace, createServiceAccount, sidecarOf, tryPod } from "./_pods.ts";
import { until } from "./_until.ts";

const info = clusterInfo();
const admin = adminClient(info);
const folder = mkdtempSync(join(tmpdir(), "outrigger-e2e-dev-"));
const KUBECONFIG = writeKubeconfig(join(folder, "config"), {
  info,
  user: certificateUser(info.admin),
});
const NAME = "outrigger-dev";

beforeAll(async () => {
  await createNamespace(admin, "dev-mine", { "istio.io/rev": "dev" });
  await createNamespace(admin, "dev-others", { "istio-injection": "enabled" });
  await createServiceAccount(admin, "default");
});
afterAll(() => {
  admin.close();
  rmSync(folder, { recursive: true });
});

/** As the task starts it: no command, and the variable that means --dev. */
const start = (...flags: string[]): Promise<Program> =>
  startProgram([
    ...["--", "--context", "e2e", "--dev-host", "127.0.0.1", "--port=0", "--monitoringPort=0"],
    ...["--log-format=json", ...flags],
  ], { env: { OUTRIGGER_DEV: "true", KUBECONFIG } });

const stop = (program: Program): Promise<number | null> => {
  program.kill("SIGINT");
  return program.exited;
};

const configuration = () =>
  admin.get(MUTATING_WEBHOOK_CONFIGURATIONS, { name: NAME }).catch((error) => {
    if (error instanceof ApiError && error.code === "not_found") return undefined;
    throw error;
  });

const injected = () =>
  until("a pod injected", async () => sidecarOf(await tryPod(admin, { namespace: "dev-mine" })));

describe("deno task dev -- --context", () => {
  test("has pods of namespaces with istio.io/rev=dev injected from this machine", async () => {
    await using program = await start();
    await program.line(({ message }) => message === "webhook registered");
    await injected();
    expect(sidecarOf(await tryPod(admin, { namespace: "dev-others" }))).toBeUndefined();
    expect(program.output()).toContain(
      "kubectl --context e2e label namespace NAMESPACE istio.io/rev=dev\n",
    );
    await program.line(({ message }) => message === "API server can reach this machine");
    expect(await stop(program)).toBe(0);
  });

  test("leaves nothing in the cluster when it ends", async () => {
    expect(await configuration()).toBeUndefined();
  });

  test("killed, it holds no pod up, and its next run replaces what is left", async () => {
    {
      await using program = await start();
      await injected();
      program.kill("SIGKILL");
      await program.exited;
    }
    const left = await configuration();
    expect(left).toBeDefined();
    expect(sidecarOf(await tryPod(admin, { namespace: "dev-mine" }))).toBeUndefined();
    await using program = await start();
    await injected();
    expect((await configuration())!.metadata.uid).toBe(left!.metadata.uid!);
    await stop(program);
    expect(await configuration()).toBeUndefined();
  });

  test("goes without touching what another run has taken over", async () => {
    await using first = await start();
    await first.line(({ message }) => message === "webhook registered");
    await using second = await start();
    await second.line(({ message }) => message === "webhook registered");
    await stop(first);
    expect(await configuration()).toBeDefined();
    await stop(second);
    expect(await configuration()).toBeUndefined();
  });

  test("says that the API server cannot reach this machine", async () => {
    // A name that leads nowhere, by RFC 2606.
    await using program = await startProgram([
      ...["serve", "--dev", "--context=e2e", "--dev-host=nowhere.invalid", "--port=0"],
      ...["--address=127.0.0.1", "--monitoringPort=0", "--log-format=json"],
    ], { env: { KUBECONFIG } });
    const { url } = await program.line(({ level }) => level === "warn");
    expect(url).toStartWith("https://nowhere.invalid:");
    await stop(program);
  });

  test("names the context that is not there", async () => {
    const args = ["serve", "--dev", "--context=none", "--port=0", "--monitoringPort=0"];
    const { code, err } = await outrigger(args, { env: { KUBECONFIG } });
    expect(code).toBe(1);
    expect(err).toContain('"none"');
  });
});
