/** `outrigger drift`: finds running pods with an outdated sidecar, and plans how to restart them. */

import {
  type Between,
  between,
  type Change,
  ChangeGroups,
  type Drift,
  type DriftedWorkload,
  driftOf,
  type DriftOptions,
  keyOf,
  restartPlan,
  type RestartStep,
  type Workload,
  workloadOf,
} from "../compare/mod.ts";
import { ConfigError, readProxyConfigResources } from "../config/mod.ts";
import { compareStrings } from "../data/bytes.ts";
import { visible } from "../data/visible.ts";
import type { Host } from "../host/mod.ts";
import { CLUSTER_VARIABLE, createInjector, type Node } from "../inject/mod.ts";
import type { KubeObject } from "../kube/client.ts";
import { NODES, PODS, PROXY_CONFIGS } from "../kube/resources.ts";
import { changeLines } from "./_change_text.ts";
import { nodeOf } from "../kube/installation.ts";
import {
  BETWEEN,
  clusterObjects,
  type DriftObjects,
  fileObjects,
  listBudgets,
  webhookPath,
  WORKLOADS,
} from "./_drift_cluster.ts";
import { ENGINE_FLAGS } from "./_engine_flags.ts";
import { openClient } from "./_inject_cluster.ts";
import { type InjectorFlags, loadSources } from "./_inject_engine.ts";
import { OUTPUT_FLAG, printResult } from "./_output.ts";
import { Progress } from "./_progress.ts";
import { type Paint, painter, table } from "./_terminal.ts";
import { defineCommand, UsageError } from "./command.ts";

/** The exit code if pods drifted, as distinct from a failure. */
const DRIFTED = 3;

export const drift = defineCommand({
  name: "drift",
  summary: "find running pods whose sidecar is out of date",
  usage: "[-n NAMESPACE | -A | -f FILE] [flags]",
  description:
    "Compares each injected pod with what would be injected now, using the config maps of the " +
    "cluster or the given files. Prints the differences by workload, and a restart plan that " +
    "respects PodDisruptionBudgets. Changes nothing. Skips pods that are stamped with the current " +
    "version of the configuration (outrigger serve --stamp), unless --deep is set.\n\n" +
    "Exit codes: 0 no pod drifted, 3 some pods drifted, 1 failed, 2 wrong usage.",
  flags: [
    {
      name: "namespace",
      short: "n",
      type: "string",
      value: "NAME",
      description: "namespace to check; if not set, the namespace of the context",
    },
    {
      name: "all-namespaces",
      short: "A",
      type: "boolean",
      description: "check all namespaces",
    },
    {
      name: "filename",
      short: "f",
      type: "string",
      value: "FILE",
      description:
        "read pods, their owners and PodDisruptionBudgets from a file or - instead of a cluster",
    },
    {
      name: "deep",
      type: "boolean",
      description: "also compare pods that are stamped as up to date",
    },
    OUTPUT_FLAG,
    ...ENGINE_FLAGS,
  ],
  positionals: [],
  examples: [
    { line: "outrigger drift -A", note: "check the whole cluster against its own config maps" },
    {
      line: "outrigger drift -n shop --injectConfigFile new.yaml",
      note: "find pods that a new config would leave out of date",
    },
    {
      line: "kubectl get pods,rs,deploy,sts,ds,pdb -A -o yaml | outrigger drift -f - " +
        "--injectConfigFile config.yaml --valuesFile values.json --meshConfigFile mesh.yaml",
      note: "check without access to the cluster",
    },
  ],
  async run({ flags }, host) {
    if (flags.namespace !== undefined && flags["all-namespaces"]) {
      throw new UsageError(
        'Flags "--namespace" and "--all-namespaces" are mutually exclusive. Run "outrigger help drift"',
      );
    }
    const notes: string[] = [];
    const warn = (message: string) => void notes.push(message);
    const isOffline = flags.filename !== undefined;
    const opened = isOffline ? undefined : await openClient(flags, host);
    try {
      const namespace = flags["all-namespaces"]
        ? "*"
        : flags.namespace ?? opened?.access.namespace ?? "*";
      const objects = opened === undefined
        ? await fileObjects(flags.filename!, host)
        : clusterObjects(opened.client, { namespace, warn });
      const options = await driftOptions(flags, { host, warn, objects, isOffline });
      const pods = (await objects.list(PODS)).filter((pod) =>
        isRunning(pod) && (namespace === "*" || pod.metadata.namespace === namespace)
      );
      const found = await lookAt(pods, { ...options, isDeep: flags.deep }, host);
      const result = await gather(found, { objects, version: options.version });
      const paint = painter(host);
      await printResult(
        { text: () => reportText(result, paint), value: result },
        { host, format: flags.output },
      );
      for (const note of new Set(notes)) await host.stderr.write(visible(`warning: ${note}\n`));
      return result.drifted === 0 ? 0 : DRIFTED;
    } finally {
      opened?.client.close();
    }
  },
});

interface DriftContext {
  readonly host: Host;
  readonly warn: (message: string) => void;
  readonly objects: DriftObjects;
  readonly isOffline: boolean;
}

async function driftOptions(
  flags: InjectorFlags & { readonly filename?: string },
  { host, warn, objects, isOffline }: DriftContext,
): Promise<DriftOptions> {
  // With files for all three texts, only the nodes are read from the cluster.
  const loaded = await loadSources(flags, {
    ...{ host, warn, command: "drift", usesCluster: !isOffline },
  });
  const build = (clusterId?: string) =>
    loaded.blamed(() => createInjector(loaded.sources, { ...loaded.settings, clusterId }));
  const injector = build();
  const proxyEnv = injector.urlEnv(await webhookPath(objects, flags.revision ?? ""));
  // Use the cluster name that the cluster's own webhook sets.
  const name = proxyEnv[CLUSTER_VARIABLE];
  return {
    admit: (name ? build(name) : injector).admit,
    cluster: {
      nodes: isOffline ? await fileNodes(flags, { objects, warn }) : loaded.cluster?.nodes,
      proxyConfigs: await proxyConfigs(objects, warn),
    },
    proxyEnv,
    version: injector.version,
  };
}

/** Reads nodes from the file; without any, assumes an old node and warns if that matters. */
async function fileNodes(
  flags: InjectorFlags & { readonly filename?: string },
  { objects, warn }: Pick<DriftContext, "objects" | "warn">,
): Promise<readonly Node[]> {
  const nodes = (await objects.list(NODES)).map(nodeOf);
  if (nodes.length > 0) return nodes;
  if (!flags["native-sidecars"] || flags["native-sidecars"] === "auto") {
    warn(
      `${JSON.stringify(flags.filename)} contains no nodes: assuming ordinary sidecars; ` +
        "set --native-sidecars to change that",
    );
  }
  return [{ name: "", kubeletVersion: "" }];
}

async function proxyConfigs(objects: DriftObjects, warn: (message: string) => void) {
  const readable = (await objects.list(PROXY_CONFIGS)).filter((object) => {
    try {
      readProxyConfigResources([object]);
      return true;
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      warn(error.message);
      return false;
    }
  });
  return readProxyConfigResources(readable);
}

function isRunning({ metadata, status }: KubeObject): boolean {
  const { phase } = (status ?? {}) as { phase?: unknown };
  return metadata.deletionTimestamp === undefined && phase !== "Succeeded" && phase !== "Failed";
}

interface LookedAt {
  readonly pod: KubeObject;
  readonly drift: Drift;
}

async function lookAt(
  pods: readonly KubeObject[],
  options: DriftOptions,
  host: Host,
): Promise<LookedAt[]> {
  const progress = new Progress(host, { total: pods.length, what: "pods" });
  const found: LookedAt[] = [];
  for (const pod of pods) {
    found.push({ pod, drift: driftOf(pod, options) });
    await progress.add();
  }
  await progress.finish();
  return found;
}

interface DriftResult {
  /** The version of the current configuration. */
  readonly version: string;
  readonly pods: number;
  readonly injected: number;
  readonly drifted: number;
  readonly workloads: readonly WorkloadDrift[];
  readonly plan: readonly RestartStep[];
}

interface WorkloadDrift extends Workload {
  readonly pods: number;
  readonly groups: readonly { members: readonly string[]; changes: readonly Change[] }[];
}

async function gather(
  found: readonly LookedAt[],
  { objects, version }: { objects: DriftObjects; version: string },
): Promise<DriftResult> {
  const drifted = found.flatMap(({ pod, drift }) =>
    drift.state === "drifted" ? [{ pod, changes: drift.changes }] : []
  );
  const counts = {
    version,
    pods: found.length,
    injected: found.filter(({ drift }) => drift.state !== "not_injected").length,
    drifted: drifted.length,
  };
  if (drifted.length === 0) return { ...counts, workloads: [], plan: [] };
  const known: Between = new Map(
    (await Promise.all(
      BETWEEN.map(async (resource) => between(await objects.list(resource), resource.kind)),
    )).flat(),
  );
  const own = new Map(
    (await Promise.all(
      WORKLOADS.map(async (resource) => between(await objects.list(resource), resource.kind)),
    )).flat(),
  );
  const siblings = Map.groupBy(found, ({ pod }) => keyOf(workloadOf(pod, known)));
  const byWorkload = Map.groupBy(drifted, ({ pod }) => keyOf(workloadOf(pod, known)));
  const workloads: WorkloadDrift[] = [];
  const restarts: DriftedWorkload[] = [];
  for (const [key, members] of byWorkload) {
    const workload = workloadOf(members[0].pod, known);
    const pods = siblings.get(key)?.length ?? members.length;
    const groups = new ChangeGroups<string>();
    for (const { pod, changes } of members) groups.add(pod.metadata.name ?? "", changes);
    workloads.push({ ...workload, pods, groups: groups.list() });
    restarts.push({
      ...workload,
      pods,
      labels: (members[0].pod.metadata.labels ?? {}) as Readonly<Record<string, string>>,
      drifted: members.map(({ pod }) => pod.metadata.name ?? ""),
      object: own.get(key),
    });
  }
  const place = (one: Workload) => `${one.namespace}/${one.name}/${one.kind}`;
  return {
    ...counts,
    workloads: workloads.toSorted((a, b) => compareStrings(place(a), place(b))),
    plan: restartPlan(restarts, await listBudgets(objects)),
  };
}

function reportText(result: DriftResult, paint: Paint): string {
  const { version, injected, drifted, workloads, plan } = result;
  const verdict = drifted === 0
    ? `${injected} injected pods, none drifted`
    : `${drifted} of ${injected} injected pods drifted`;
  const title = paint("bold", `${verdict} (configuration ${version})`);
  const parts = workloads.map((workload) => {
    const count = workload.groups.reduce((sum, { members }) => sum + members.length, 0);
    const head = `\n${visible(nameOf(workload))}: ${count} of ${workload.pods} pods\n`;
    return head + workload.groups.map(({ members, changes }, index) => {
      const who = workload.groups.length > 1 || index > 0
        ? `  ${visible(members.join(", "))}\n`
        : "";
      return who + changeLines(changes, paint);
    }).join("");
  });
  return `${title}\n${parts.join("")}${plan.length === 0 ? "" : planText(plan, paint)}`;
}

function nameOf({ namespace, kind, name }: Workload): string {
  return `${namespace}/${kind.toLowerCase()}/${name}`;
}

function planText(plan: readonly RestartStep[], paint: Paint): string {
  const rows = plan.map((step, index) => {
    const { command, blocked, pods, atOnce, budgets, notes } = step;
    const budget = atOnce === undefined || blocked !== undefined
      ? []
      : [`${atOnce} at once (${budgets.join(", ")})`];
    const facts = [`${pods} ${pods === 1 ? "pod" : "pods"}`, ...budget, ...notes].join("; ");
    if (blocked !== undefined) {
      return [
        { text: "blocked", colour: "red" as const },
        nameOf(step.workload),
        `${facts}; ${blocked}`,
      ];
    }
    return command === undefined
      ? [{ text: "wait", colour: "yellow" as const }, nameOf(step.workload), facts]
      : [{ text: `${index + 1}`, colour: "green" as const }, command, facts];
  });
  return `\n${paint("bold", "Restart plan")}\n${table(rows, { indent: 2, paint })}`;
}
