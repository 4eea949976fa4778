import { describe, expect, test } from "bun:test";
import {
  describeWorkload,
  holdsPods,
  metaOf,
  podOf,
  withPod,
  type WorkloadObject,
} from "../../lib/inject/workloads.ts";
import { normalise } from "../../lib/kube/normalise.ts";

const KINDS = [
  "Pod",
  "ReplicationController",
  "Deployment",
  "DaemonSet",
  "ReplicaSet",
  "StatefulSet",
  "Job",
  "CronJob",
  "DeploymentConfig",
];

const POD = { metadata: { labels: { of: "pod" } }, spec: { containers: [{ name: "c" }] } };

/** Returns a frozen typed object with the given pod. */
function workload(kind: string, metadata: object = { name: "w", namespace: "n" }): WorkloadObject {
  const object = { kind, apiVersion: "any/v1", metadata };
  switch (kind) {
    case "Pod":
      return typed({ ...object, metadata: { ...metadata, ...POD.metadata }, spec: POD.spec });
    case "CronJob": {
      const template = { metadata: { labels: { of: "template" } }, spec: POD.spec };
      return typed({ ...object, spec: { jobTemplate: { ...POD, spec: { template } } } });
    }
    default:
      return typed({ ...object, spec: { template: POD } });
  }
}

function typed(object: { kind: string; [field: string]: unknown }): WorkloadObject {
  return deepFreeze(normalise(object.kind, object));
}

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) {
    Object.values(value).forEach(deepFreeze);
    Object.freeze(value);
  }
  return value;
}

describe("holdsPods()", () => {
  test.each([...KINDS, "List"])("%s does", (kind) => {
    expect(holdsPods(kind)).toBe(true);
  });
  test.each(["", "Service", "PodList", "deployment", "PodTemplate", "constructor", "__proto__"])(
    "%j does not",
    (kind) => {
      expect(holdsPods(kind)).toBe(false);
    },
  );
});

describe.each(KINDS)("%s", (kind) => {
  const object = workload(kind);

  test("has its pod where podOf() finds it", () => {
    const { metadata, spec } = podOf(object);
    expect(metadata.labels).toEqual({ of: "pod" });
    expect(spec.containers?.map(({ name }) => name)).toEqual(["c"]);
  });

  test("accepts another pod in that place, and keeps the rest", () => {
    const spec = { containers: [{ name: "other" }] };
    const changed = withPod(object, { metadata: { labels: { new: "yes" } }, spec });
    expect(podOf(changed)).toMatchObject({ metadata: { labels: { new: "yes" } }, spec });
    expect(withPod(changed, podOf(object))).toEqual(object);
    expect(Object.keys(changed)).toEqual(Object.keys(object));
  });
});

describe("podOf()", () => {
  test.each(["ReplicationController", "DeploymentConfig"])(
    "misses the template of a %s",
    (kind) => {
      expect(() => podOf(typed({ kind }))).toThrow("spec.template is required value");
    },
  );

  test.each(KINDS.filter((kind) => !/Controller|Config/.test(kind)))(
    "finds an empty pod in an empty %s",
    (kind) => {
      expect(podOf(typed({ kind }))).toEqual({
        metadata: {},
        spec: { containers: null },
        status: {},
      });
    },
  );

  test("ignores the metadata of a CronJob's pod", () => {
    const changed = withPod(workload("CronJob"), { metadata: {}, spec: { containers: [] } });
    expect(changed.spec).toMatchObject({
      jobTemplate: {
        metadata: {},
        spec: { template: { metadata: { labels: { of: "template" } } } },
      },
    });
  });
});

describe("metaOf()", () => {
  test("is the object's own", () => {
    expect(metaOf(workload("Deployment"))).toEqual({
      name: "w",
      namespace: "n",
      kind: "Deployment",
      apiVersion: "any/v1",
    });
    expect(metaOf(typed({ kind: "Job" }))).toEqual({
      name: "",
      namespace: "",
      kind: "Job",
      apiVersion: "",
    });
  });

  test("is the owner's for a pod", () => {
    const owner = {
      apiVersion: "apps/v1",
      kind: "DaemonSet",
      name: "d",
      uid: "u",
      controller: true,
    };
    const pod = workload("Pod", { generateName: "d-", ownerReferences: [owner] });
    expect(metaOf(pod)).toMatchObject({ name: "d", kind: "DaemonSet" });
    expect(metaOf(workload("Pod"))).toMatchObject({ name: "w", kind: "Pod", apiVersion: "v1" });
  });
});

describe("describeWorkload()", () => {
  const template = (metadata: object) =>
    typed({
      kind: "Deployment",
      metadata: { name: "w", namespace: "n" },
      spec: { template: { metadata } },
    });
  const owned = (kind: string) =>
    workload("Pod", {
      generateName: "p-",
      ownerReferences: [{ apiVersion: "v1", kind, name: "o", uid: "u", controller: true }],
    });
  const cases: [what: string, object: WorkloadObject, words: string][] = [
    ["kind, namespace and name", workload("Job"), 'Job "n/w"'],
    ["no namespace", workload("Job", { name: "w" }), 'Job "w"'],
    ["no name", workload("Job", {}), 'Job ""'],
    ["the template's name", template({ name: "t" }), 'Deployment "n/t"'],
    ["not the template's namespace", template({ namespace: "t" }), 'Deployment "n/w"'],
    ["the owner of a pod", owned("Rollout"), 'Rollout "o"'],
    ["an owner without a kind", owned(""), '"o"'],
    ["a missing template", typed({ kind: "DeploymentConfig" }), 'DeploymentConfig ""'],
    [
      "quotes as Go has them",
      workload("Job", { name: '"\u001b\n\u200b' }),
      'Job "\\"\\x1b\\n\\u200b"',
    ],
  ];
  test.each(cases)("%s", (_, object, words) => {
    expect(describeWorkload(object)).toBe(words);
  });
});
