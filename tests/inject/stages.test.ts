/** Tests the small stages of an injection separately. */
import { describe, expect, test } from "bun:test";
import { behavioursOf } from "../../lib/inject/compat.ts";
import { deploymentMeta } from "../../lib/inject/deployment_meta.ts";
import { imageUrl } from "../../lib/inject/images.ts";
import { nativeSidecars } from "../../lib/inject/native.ts";
import { dropApplicationUser, proxyIds } from "../../lib/inject/openshift.ts";
import type { Container, ObjectMeta, Pod } from "../../lib/inject/pod.ts";
import { orderContainers } from "../../lib/inject/post/order.ts";
import { urlEnv } from "../../lib/inject/url_env.ts";

const today = behavioursOf("today");
const silent = () => {};

describe("deploymentMeta()", () => {
  const owned = (kind: string, name: string, labels = {}): ObjectMeta => ({
    generateName: "x-",
    namespace: "n",
    labels,
    ownerReferences: [{ apiVersion: "apps/v1", kind, name, controller: true }],
  });
  const cases: [
    what: string,
    metadata: ObjectMeta,
    kind: string,
    name: string,
    apiVersion: string,
  ][] = [
    ["a bare pod", { name: "p" }, "Pod", "p", "v1"],
    [
      "an owner without a generated name",
      { ...owned("ReplicaSet", "a-1"), generateName: "", name: "p" },
      "Pod",
      "p",
      "v1",
    ],
    [
      "a Deployment by its hash",
      owned("ReplicaSet", "a-b-7d8", { "pod-template-hash": "7d8" }),
      "Deployment",
      "a-b",
      "apps/v1",
    ],
    [
      "a ReplicaSet without the hash",
      owned("ReplicaSet", "a-7d8"),
      "ReplicaSet",
      "a-7d8",
      "apps/v1",
    ],
    [
      "a ReplicaSet with an empty hash",
      owned("ReplicaSet", "a", { "pod-template-hash": "" }),
      "ReplicaSet",
      "a",
      "apps/v1",
    ],
    [
      "a Rollout",
      owned("ReplicaSet", "a-7d8", { "rollouts-pod-template-hash": "7d8" }),
      "Rollout",
      "a",
      "v1alpha1",
    ],
    [
      "a DeploymentConfig",
      owned("ReplicationController", "a-1", { deploymentconfig: "a" }),
      "DeploymentConfig",
      "a",
      "apps/v1",
    ],
    ["a CronJob by minutes", owned("Job", "tick-28123456"), "CronJob", "tick", "batch/v1"],
    ["a CronJob by seconds", owned("Job", "tick-1700000000"), "CronJob", "tick", "batch/v1"],
    ["a Job with few digits", owned("Job", "tick-1234567"), "Job", "tick-1234567", "apps/v1"],
    ["a StatefulSet", owned("StatefulSet", "db"), "StatefulSet", "db", "apps/v1"],
  ];
  for (const [what, metadata, kind, name, apiVersion] of cases) {
    test(`finds ${what}`, () => {
      expect(deploymentMeta(metadata)).toMatchObject({ kind, name, apiVersion });
    });
  }
});

describe("imageUrl()", () => {
  const cases: [tag: unknown, variant: string, type: string | undefined, want: string][] = [
    ["1.2.3", "", undefined, "1.2.3"],
    [1.1, "", undefined, "1.1"],
    [1000000, "", undefined, "1e+06"],
    [null, "", undefined, "<nil>"],
    ["1.2.3", "distroless", undefined, "1.2.3-distroless"],
    ["1.2.3-debug", "distroless", undefined, "1.2.3-distroless"],
    ["1.2.3-distroless", "default", undefined, "1.2.3"],
    ["1.2.3", "distroless", "", "1.2.3"],
    ["1.2.3", "", "debug", "1.2.3-debug"],
    ["1.2.3-custom", "default", undefined, "1.2.3-custom"],
  ];
  for (const [tag, variant, type, want] of cases) {
    test(`of tag ${tag}, variant "${variant}", annotation ${type} ends in ${want}`, () => {
      const annotations = type === undefined
        ? undefined
        : { "sidecar.istio.io/proxyImageType": type };
      expect(imageUrl({ hub: "h", tag, name: "", variant, annotations })).toBe(`h/proxyv2:${want}`);
    });
  }
  test("uses another name", () => {
    expect(imageUrl({ hub: "h", tag: "t", name: "mine", variant: "", annotations: {} })).toBe(
      "h/mine:t",
    );
  });
});

describe("nativeSidecars()", () => {
  const nodes = (...versions: string[]) =>
    versions.map((kubeletVersion, i) => ({ name: `n${i}`, kubeletVersion }));
  const cases: [
    setting: string | undefined,
    nodes: string[] | undefined,
    node: string | undefined,
    want: boolean,
  ][] = [
    ["true", undefined, undefined, true],
    ["false", ["v1.34.0"], undefined, false],
    [undefined, ["v1.33.0", "v1.34.1+k3s1"], undefined, true],
    ["auto", ["v1.33.0", "v1.32.9"], undefined, false],
    ["auto", ["v1.33.0", "v1.32.9"], "n0", true],
    ["auto", ["v1.33.0", "v1.32.9"], "n1", false],
    ["auto", ["v1.33.0", "v1.32.9"], "gone", false],
    ["auto", [], undefined, true],
    ["auto", ["unknown"], undefined, false],
    ["auto", undefined, undefined, false],
    ["maybe", ["v1.34.0"], undefined, false],
  ];
  for (const [setting, versions, node, want] of cases) {
    test(`${setting} on ${versions?.join(" ") ?? "no cluster"}, pod on ${node}: ${want}`, () => {
      const options = {
        setting,
        nodes: versions && nodes(...versions),
        behaviours: today,
        warn: silent,
      };
      expect(nativeSidecars(node, options)).toBe(want);
    });
  }
  test("were off by default before 1.27", () => {
    const options = {
      setting: undefined,
      nodes: nodes("v1.34.0"),
      behaviours: behavioursOf(24),
      warn: silent,
    };
    expect(nativeSidecars(undefined, options)).toBe(false);
  });
});

describe("proxyIds()", () => {
  const UID = "openshift.io/sa.scc.uid-range";
  const GROUPS = "openshift.io/sa.scc.supplemental-groups";
  const cases: [annotations: Record<string, string> | undefined, uid: number, gid: number][] = [
    [undefined, 1337, 1337],
    [{ [UID]: "1000620000/10000" }, 1000629999, 1000629999],
    [{ [UID]: "1000620000/10000", [GROUPS]: "5/10,20/30" }, 1000629999, 14],
    [{ [UID]: "100-200", [GROUPS]: "300-400" }, 200, 400],
    [{ [UID]: "100/10 and more" }, 109, 109],
    [{ [UID]: "nonsense", [GROUPS]: "" }, 1337, 1337],
    [{ [UID]: "1/10", [GROUPS]: "1/10,bad" }, 10, 1337],
    [{ [UID]: "4294967296/1" }, 1337, 1337],
  ];
  for (const [annotations, uid, gid] of cases) {
    test(`of ${JSON.stringify(annotations)} are ${uid} and ${gid}`, () => {
      expect(proxyIds(annotations)).toEqual({ uid, gid });
    });
  }
});

/** Returns a pod with containers given as a name, or a name and a user. */
function pod(containers: (string | [string, number])[], init?: (string | [string, number])[]): Pod {
  const make = (entry: string | [string, number]): Container =>
    typeof entry === "string"
      ? { name: entry }
      : { name: entry[0], securityContext: { runAsUser: entry[1], runAsGroup: 7 } };
  return {
    metadata: {},
    spec: {
      containers: containers.map(make),
      ...(init ? { initContainers: init.map(make) } : {}),
    },
  };
}

describe("dropApplicationUser()", () => {
  const users = (result: Pod) => result.spec.containers!.map((c) => c.securityContext?.runAsUser);
  test("drops a sidecar user equal to the application's", () => {
    expect(users(dropApplicationUser(pod([["app", 5], ["istio-proxy", 5]]), today))).toEqual([
      5,
      undefined,
    ]);
  });
  test("keeps another one", () => {
    expect(users(dropApplicationUser(pod([["app", 5], ["istio-proxy", 6]]), today))).toEqual([
      5,
      6,
    ]);
  });
  test("considers init containers too, but not Istio's own", () => {
    const given = pod([["app", 5], ["istio-proxy", 6]], [["setup", 6], ["istio-init", 0]]);
    expect(users(dropApplicationUser(given, today))).toEqual([5, undefined]);
    expect(users(dropApplicationUser(given, behavioursOf(24)))).toEqual([5, 6]);
  });
});

describe("orderContainers()", () => {
  const names = (list: readonly Container[] | null | undefined) =>
    list?.map(({ name }) => name).join(" ");
  const options = { hold: false, nativeOrder: true };
  test("puts the sidecar last, or first if the application waits", () => {
    const given = pod(["istio-proxy", "a", "b"]);
    expect(names(orderContainers(given, options).spec.containers)).toBe("a b istio-proxy");
    expect(
      names(orderContainers(pod(["a", "istio-proxy"]), { ...options, hold: true }).spec.containers),
    )
      .toBe("istio-proxy a");
  });
  const cases: [init: string[], want: string][] = [
    [["a", "istio-init", "b"], "a b istio-init"],
    [["a", "enable-core-dump", "istio-init", "b"], "a b istio-init enable-core-dump"],
    [["a", "istio-validation", "b"], "istio-validation a b"],
    [
      ["a", "enable-core-dump", "istio-proxy", "istio-init"],
      "istio-init istio-proxy enable-core-dump a",
    ],
    [["a", "istio-proxy", "istio-validation"], "istio-validation istio-proxy a"],
    [["istio-init", "a", "istio-init"], "a istio-init"],
  ];
  for (const [init, want] of cases) {
    test(`orders init containers ${init.join(" ")}`, () => {
      expect(names(orderContainers(pod(["app"], init), options).spec.initContainers)).toBe(want);
    });
  }
  test("replaces an absent list of containers with an empty one", () => {
    const given: Pod = { metadata: {}, spec: { containers: null } };
    expect(orderContainers(given, options).spec).toEqual({ containers: [] });
  });
});

describe("urlEnv()", () => {
  const cases: [path: string, want: Record<string, string>][] = [
    ["/inject", {}],
    ["/inject/", {}],
    ["/inject/cluster/c1/net/n1", { ISTIO_META_CLUSTER_ID: "c1", ISTIO_META_NETWORK: "n1" }],
    ["/inject/foo/bar--slash--baz/", { FOO: "bar/baz" }],
    ["/inject/a/1/odd", { A: "1" }],
    ["/inject//x/b/2", { B: "2" }],
    ["/inject/:ENV:cluster=c:ENV:net=a=b:ENV:none:ENV:=x", {
      ISTIO_META_CLUSTER_ID: "c",
      ISTIO_META_NETWORK: "a=b",
    }],
    ["/inject/__proto__/x", { __PROTO__: "x" }],
  ];
  for (const [path, want] of cases) {
    test(`reads ${path}`, () => {
      expect(urlEnv(path, { behaviours: today, warn: silent })).toEqual(want);
    });
  }
  test("reports a key without a value", () => {
    const warnings: string[] = [];
    urlEnv("/inject/a/1/odd", { behaviours: today, warn: (message) => warnings.push(message) });
    expect(warnings).toEqual(["Odd number of inject env entries, ignore the last key odd\n"]);
  });
});
