import { describe, expect, test } from "bun:test";
import { between, workloadOf } from "../../lib/compare/owners.ts";
import { type Budget, type DriftedWorkload, restartPlan } from "../../lib/compare/restart_plan.ts";

function owned(name: string, kind?: string, owner?: string) {
  const ownerReferences = kind === undefined ? [] : [
    { kind: "Node", name: "n" },
    { kind, name: owner, controller: true },
  ];
  return { metadata: { name, namespace: "shop", ownerReferences } };
}

describe("workloadOf()", () => {
  const known = new Map([
    ...between([owned("web-5d4", "Deployment", "web"), owned("lone")], "ReplicaSet"),
    ...between([owned("night-1", "CronJob", "night")], "Job"),
    ...between([owned("loop", "ReplicaSet", "loop")], "ReplicaSet"),
  ]);
  const cases: [pod: ReturnType<typeof owned>, workload: string][] = [
    [owned("bare"), "Pod bare"],
    [owned("web-5d4-x", "ReplicaSet", "web-5d4"), "Deployment web"],
    [owned("lone-x", "ReplicaSet", "lone"), "ReplicaSet lone"],
    [owned("gone-x", "ReplicaSet", "gone"), "ReplicaSet gone"],
    [owned("db-0", "StatefulSet", "db"), "StatefulSet db"],
    [owned("night-1-x", "Job", "night-1"), "CronJob night"],
    [owned("loop-x", "ReplicaSet", "loop"), "ReplicaSet loop"],
  ];
  test.each(cases)("%j is of %s", (pod, expected) => {
    const { kind, name, namespace } = workloadOf(pod, known);
    expect(`${kind} ${name}`).toBe(expected);
    expect(namespace).toBe("shop");
  });
});

function workload(
  kind: string,
  name: string,
  more: Partial<DriftedWorkload> = {},
): DriftedWorkload {
  return {
    namespace: "shop",
    kind,
    name,
    labels: { app: name },
    drifted: [`${name}-1`, `${name}-2`],
    pods: 4,
    ...more,
  };
}

function budget(app: string, disruptionsAllowed: number, namespace = "shop"): Budget {
  return {
    metadata: { name: `${app}-budget`, namespace },
    spec: { selector: { matchLabels: { app } } },
    status: { disruptionsAllowed, currentHealthy: 2, desiredHealthy: 2 },
  };
}

describe("restartPlan()", () => {
  const strategy = (spec: unknown) => ({ object: { metadata: {}, spec } });
  const cases: [what: string, one: DriftedWorkload, budgets: Budget[], expected: object][] = [
    [
      "a Deployment without a budget",
      workload("Deployment", "web"),
      [budget("api", 0), budget("web", 0, "other")],
      { command: "kubectl -n shop rollout restart deployment/web", budgets: [], notes: [] },
    ],
    [
      "one with room in its budget",
      workload("Deployment", "web"),
      [budget("web", 1)],
      {
        command: "kubectl -n shop rollout restart deployment/web",
        atOnce: 1,
        budgets: ["web-budget"],
        notes: [],
      },
    ],
    [
      "one whose strategy takes more than its budget gives",
      workload("Deployment", "web", {
        pods: 10,
        ...strategy({
          strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: "40%" } },
        }),
      }),
      [budget("web", 1)],
      { atOnce: 1, notes: ["its strategy stops 4 pods at once, but web-budget allows 1"] },
    ],
    [
      "one that is taken down whole",
      workload("Deployment", "web", strategy({ strategy: { type: "Recreate" } })),
      [budget("web", 1)],
      { notes: ["its strategy stops 4 pods at once, but web-budget allows 1"] },
    ],
    [
      "one that its budget holds up",
      workload("StatefulSet", "db"),
      [budget("db", 0)],
      {
        command: undefined,
        blocked:
          "PodDisruptionBudget shop/db-budget allows no disruptions now (2 healthy, 2 desired)",
        atOnce: 0,
      },
    ],
    [
      "one that changes on delete",
      workload("DaemonSet", "log", strategy({ updateStrategy: { type: "OnDelete" } })),
      [],
      {
        command: "kubectl -n shop delete pod log-1 log-2",
        notes: [
          "its strategy is OnDelete: delete one at a time, waiting until its replacement is ready",
        ],
      },
    ],
    [
      "a Job",
      workload("Job", "sum"),
      [],
      {
        command: undefined,
        notes: ["its pods complete by themselves; new pods will be up to date"],
      },
    ],
    [
      "a pod of nobody's",
      workload("Pod", "bare", { drifted: ["bare"] }),
      [],
      {
        command: "kubectl -n shop delete pod bare",
        notes: ["no controller recreates it: apply its manifest again afterwards"],
      },
    ],
    [
      "a ReplicaSet of nobody's",
      workload("ReplicaSet", "rs"),
      [],
      {
        command: "kubectl -n shop delete pod rs-1 rs-2",
        notes: ["delete one at a time, waiting until its replacement is ready"],
      },
    ],
  ];
  test.each(cases)("plans %s", (_, one, budgets, expected) => {
    const [step] = restartPlan([one], budgets);
    expect({ command: undefined, ...step }).toMatchObject(expected);
  });

  test("sorts small workloads first and blocked ones last", () => {
    const plan = restartPlan([
      workload("StatefulSet", "held"),
      workload("Job", "sum"),
      workload("Deployment", "big", { drifted: ["a", "b", "c"] }),
      workload("Deployment", "dns", { namespace: "kube-system", drifted: ["a"] }),
      workload("Deployment", "b"),
      workload("Deployment", "a"),
    ], [budget("held", 0)]);
    expect(plan.map(({ workload }) => workload.name)).toEqual([
      ...["a", "b", "big", "dns", "sum", "held"],
    ]);
  });

  test("ignores a budget with an invalid or missing selector", () => {
    const broken: Budget[] = [
      { metadata: { name: "x", namespace: "shop" } },
      {
        metadata: { name: "y", namespace: "shop" },
        spec: { selector: { matchExpressions: [{ key: "a", operator: "Odd" }] } },
      },
    ];
    expect(restartPlan([workload("Deployment", "web")], broken)[0].budgets).toEqual([]);
  });
});
