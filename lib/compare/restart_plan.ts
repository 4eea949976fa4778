/**
 * Plans the restarts of workloads: which ones can restart now, which ones a PodDisruptionBudget
 * blocks, and how. Rolling restarts follow the workload's own strategy and ignore budgets, so the
 * plan compares the two.
 */

import { compileLabelSelector, type LabelSelectorSpec } from "../config/label_selector.ts";
import { compareStrings } from "../data/bytes.ts";
import type { Owned, Workload } from "./owners.ts";

export interface DriftedWorkload extends Workload {
  /** The labels of one of its pods. */
  readonly labels: Readonly<Record<string, string>>;
  /** The names of the drifted pods. */
  readonly drifted: readonly string[];
  /** The number of its pods. */
  readonly pods: number;
  /** The workload itself, if it could be read. */
  readonly object?: Owned;
}

/** The fields of a PodDisruptionBudget in use. */
export interface Budget {
  readonly metadata: { readonly name?: string; readonly namespace?: string };
  readonly spec?: { readonly selector?: LabelSelectorSpec | null };
  readonly status?: {
    readonly disruptionsAllowed?: number;
    readonly currentHealthy?: number;
    readonly desiredHealthy?: number;
  };
}

export interface RestartStep {
  readonly workload: Workload;
  readonly pods: number;
  /** Absent if nothing can or must be done. */
  readonly command?: string;
  /** The maximum number of pods to restart at once; absent without a budget. */
  readonly atOnce?: number;
  /** The names of the budgets. */
  readonly budgets: readonly string[];
  /** Why the restart is blocked. */
  readonly blocked?: string;
  /** What to consider first. */
  readonly notes: readonly string[];
}

export function restartPlan(
  workloads: readonly DriftedWorkload[],
  budgets: readonly Budget[],
): RestartStep[] {
  const steps = workloads.map((workload) => stepFor(workload, budgetsOf(workload, budgets)));
  const rank = ({ workload, blocked, command }: RestartStep) =>
    (blocked !== undefined ? 4 : command === undefined ? 2 : 0) +
    // System namespaces come last, when the other workloads have shown that the restart works.
    (/^(kube-system|istio-system|outrigger-system)$/.test(workload.namespace) ? 1 : 0);
  const place = ({ workload: { namespace, kind, name } }: RestartStep) =>
    `${namespace}/${name}/${kind}`;
  return steps.toSorted((a, b) =>
    rank(a) - rank(b) || a.pods - b.pods || compareStrings(place(a), place(b))
  );
}

function budgetsOf({ namespace, labels }: DriftedWorkload, budgets: readonly Budget[]): Budget[] {
  return budgets.filter(({ metadata, spec }) => {
    // A budget without a selector selects nothing.
    if (metadata.namespace !== namespace || !spec?.selector) return false;
    try {
      return compileLabelSelector(spec.selector).matches(labels);
    } catch {
      return false;
    }
  });
}

const ROLLING = new Set(["Deployment", "StatefulSet", "DaemonSet"]);

function stepFor(workload: DriftedWorkload, budgets: readonly Budget[]): RestartStep {
  const { namespace, kind, name, drifted } = workload;
  const allowed = budgets.map(({ status }) => status?.disruptionsAllowed ?? 0);
  const step = {
    workload: { namespace, kind, name },
    pods: drifted.length,
    budgets: budgets.map(({ metadata }) => metadata.name ?? ""),
    ...(budgets.length === 0 ? {} : { atOnce: Math.min(...allowed, drifted.length) }),
    notes: [] as readonly string[],
  };
  const holding = budgets.find(({ status }) => (status?.disruptionsAllowed ?? 0) < 1);
  const kubectl = `kubectl -n ${namespace}`;
  if (kind === "Job" || kind === "CronJob") {
    return { ...step, notes: ["its pods complete by themselves; new pods will be up to date"] };
  }
  if (holding !== undefined) return { ...step, blocked: held(holding) };
  if (ROLLING.has(kind)) {
    const command = `${kubectl} rollout restart ${kind.toLowerCase()}/${name}`;
    return strategyOf(workload, { ...step, command });
  }
  const pods = drifted.join(" ");
  const command = `${kubectl} delete pod ${pods}`;
  return kind === "Pod"
    ? {
      ...step,
      command,
      notes: ["no controller recreates it: apply its manifest again afterwards"],
    }
    : { ...step, command, notes: ["delete one at a time, waiting until its replacement is ready"] };
}

function held({ metadata: { namespace, name }, status }: Budget): string {
  const { currentHealthy = 0, desiredHealthy = 0 } = status ?? {};
  return `PodDisruptionBudget ${namespace}/${name} allows no disruptions now ` +
    `(${currentHealthy} healthy, ${desiredHealthy} desired)`;
}

/** Adjusts a step to the workload's update strategy, which ignores budgets. */
function strategyOf(workload: DriftedWorkload, step: RestartStep): RestartStep {
  const { kind, pods } = workload;
  const spec = (workload.object?.spec ?? {}) as {
    strategy?: Strategy;
    updateStrategy?: Strategy;
  };
  const { type, rollingUpdate } = spec.strategy ?? spec.updateStrategy ?? {};
  const { command: _, ...rest } = step;
  if (type === "OnDelete") {
    const names = workload.drifted.join(" ");
    return {
      ...rest,
      command: `kubectl -n ${workload.namespace} delete pod ${names}`,
      notes: [
        "its strategy is OnDelete: delete one at a time, waiting until its replacement is ready",
      ],
    };
  }
  const down = type === "Recreate"
    ? pods
    : kind === "StatefulSet"
    ? amount(rollingUpdate?.maxUnavailable ?? 1, pods)
    : amount(rollingUpdate?.maxUnavailable ?? (kind === "DaemonSet" ? 1 : "25%"), pods);
  if (step.atOnce === undefined || down <= step.atOnce) return step;
  return {
    ...step,
    notes: [
      `its strategy stops ${down} pods at once, but ${
        step.budgets.join(" and ")
      } allows ${step.atOnce}`,
    ],
  };
}

interface Strategy {
  readonly type?: string;
  readonly rollingUpdate?: { readonly maxUnavailable?: number | string } | null;
}

/** Resolves a number or a percentage, rounded down as Kubernetes does for maxUnavailable. */
function amount(value: number | string, whole: number): number {
  if (typeof value === "number") return value;
  const percent = /^(\d+)%$/.exec(value)?.[1];
  return percent === undefined ? 0 : Math.floor((Number(percent) * whole) / 100);
}
