/** Tests when an answer is reused for other replicas of a workload, and when it must not be. */
import { describe, expect, test } from "bun:test";
import type { ReviewOutcome } from "../../lib/admission/mod.ts";
import type { EngineSources } from "../../lib/inject/engine.ts";
import { newToken, openDoors, reviewOf, withToken } from "./_doors.ts";

/** Builds a config with this template, for a pod's spec. */
function config(template: string, more = ""): EngineSources {
  const indented = template.replaceAll("\n", "\n      ");
  return {
    config:
      `policy: enabled\ndefaultTemplates: [t]\n${more}templates:\n  t: |\n    spec:\n      ${indented}\n`,
    values: "",
    mesh: "",
  };
}

const PLAIN = config(
  "nodeName: {{ index .ObjectMeta.Labels `time` | quote }}\ncontainers:\n- name: istio-proxy\n  image: proxy",
);

const POD = {
  metadata: { generateName: "web-", labels: { app: "web" } },
  spec: { containers: [{ name: "app", image: "app" }] },
};

const replica = () => withToken(POD, newToken());

/** Expects every pod to get its own answer. */
function expectOwnAnswers(sources: EngineSources, pods: readonly unknown[]) {
  const { fast, slow } = openDoors(sources);
  for (const pod of pods) {
    const body = reviewOf(pod);
    expect(fast(body).body).toBe(slow(body).body);
  }
}

/** Returns all data of a decision, including computed properties. */
function told({ request, patch, ...rest }: ReviewOutcome) {
  const { uid, kind, subResource, name, namespace, operation, userInfo, object, dryRun } = request!;
  const asked = { uid, kind, subResource, name, namespace, operation, userInfo, object, dryRun };
  return { ...rest, patch, asked };
}

describe("an answer is reused for other replicas", () => {
  test("with their own uid and decision data", () => {
    const { fast, slow } = openDoors(PLAIN);
    fast(reviewOf(replica()));
    const body = reviewOf(replica());
    const [again, anew] = [fast(body), slow(body)];
    expect(again.body).toBe(anew.body);
    expect(told(again.outcome)).toEqual(told(anew.outcome));
  });

  test("with their own token, if the patch contains it", () => {
    const doors = openDoors(config("containers:\n- name: istio-proxy\n  image: proxy"));
    const own = {
      ...POD,
      spec: { containers: [...POD.spec.containers, { name: "istio-proxy", image: "auto" }] },
    };
    for (let i = 0; i < 3; i++) {
      const token = newToken();
      const body = reviewOf(withToken(own, token));
      const { body: answer, outcome } = doors.fast(body);
      expect(outcome.patch).toContain(token);
      expect(answer).toBe(doors.slow(body).body);
    }
  });

  test("with any times of managed fields", () => {
    const { fast, slow } = openDoors(PLAIN);
    const at = (time: string) => {
      const managedFields = [{ manager: "kube-controller-manager", operation: "Update", time }];
      const pod = { ...POD, metadata: { ...POD.metadata, managedFields } };
      return reviewOf(withToken(pod, newToken()));
    };
    const first = fast(at("2026-01-31T00:00:00Z"));
    const second = fast(at("2026-11-18T23:59:59Z"));
    // The same string object, since it was built once.
    expect(second.outcome.warnings).toBe(first.outcome.warnings);
    for (
      const time of ["2026-02-28T00:00:00Z", "2026-02-30T00:00:00Z", "2026-01-01T24:00:00Z", ""]
    ) {
      const body = at(time);
      expect(fast(body).body).toBe(slow(body).body);
    }
  });

  test("and the log messages are repeated for each", () => {
    const doors = openDoors(PLAIN);
    for (let i = 0; i < 3; i++) doors.fast(reviewOf(replica()));
    expect(doors.told).toHaveLength(3);
    expect(new Set(doors.told).size).toBe(1);
  });
});

/** Templates that depend on something that differs between replicas. */
const CURIOUS: readonly (readonly [name: string, template: string])[] = [
  ["prints a volume's name", `nodeName: {{ (index .Spec.Volumes 0).Name }}`],
  [
    "ranges over mounts",
    `{{ range (index .Spec.Containers 0).VolumeMounts }}nodeName: {{ .Name }}{{ end }}`,
  ],
  ["writes the spec as JSON", "nodeName: {{ toJson .Spec | sha256sum }}"],
  [
    "looks at the spec's length",
    "nodeName: {{ len (structToJSON .Spec) | add 0 }}x{{ .Spec | toString | sha1sum }}",
  ],
  [
    "compares names",
    `{{ if lt (index .Spec.Volumes 0).Name "kube-api-access-h" }}nodeName: a{{ end }}`,
  ],
  ["has a volume of such a name", `volumes: [{ name: kube-api-access-bbbbb }]`],
  ["asks for chance", "nodeName: {{ randAlpha 5 | trunc 0 }}x"],
  ["asks the clock", `nodeName: {{ now | date "2006" }}`],
];

describe("an answer is not reused if the template", () => {
  for (const [name, template] of CURIOUS) {
    test(name, () => {
      const containers = "\ncontainers:\n- name: istio-proxy\n  image: proxy";
      expectOwnAnswers(config(template + containers), Array.from({ length: 12 }, replica));
    });
  }
});

test("an answer with long strings is not kept beyond the cache's limit", () => {
  const { fast } = openDoors(PLAIN);
  const named = (length: number) => {
    const metadata = { ...POD.metadata, generateName: "x".repeat(length) };
    return reviewOf(withToken({ ...POD, metadata }, newToken()));
  };
  for (const [length, isKept] of [[100, true], [10_000, true], [1_000_000, false]] as const) {
    fast(named(length));
    expect([length, fast(named(length)).isRepeat]).toEqual([length, isKept]);
  }
});

test("an answer is not reused if the token's name occurs outside volumes", () => {
  const template = "nodeName: {{ index .ObjectMeta.Annotations `a` | upper }}";
  const pods = Array.from({ length: 3 }, () => {
    const token = newToken();
    return withToken({ ...POD, metadata: { annotations: { a: token } } }, token);
  });
  expectOwnAnswers(config(`${template}\ncontainers:\n- name: istio-proxy`), pods);
});

/** Reviews that look alike but differ; each list is sent in this order. */
const ALIKE: readonly (readonly [name: string, bodies: () => (string | Uint8Array)[]])[] = [
  ["a pod with its token's name in an annotation", () => {
    return Array.from({ length: 3 }, () => {
      const token = newToken();
      const metadata = { ...POD.metadata, annotations: { "sidecar.istio.io/proxyImage": token } };
      return reviewOf(withToken({ ...POD, metadata }, token));
    });
  }],
  ["a pod with its token's name in a label's key", () => {
    return Array.from({ length: 3 }, () => {
      const token = newToken();
      return reviewOf(withToken({ ...POD, metadata: { labels: { [token]: "a", m: "b" } } }, token));
    });
  }],
  ["pods with two tokens", () => {
    const two = () => reviewOf(withToken(replica(), newToken()));
    return [two(), two(), two()];
  }],
  ["a request given twice", () => {
    const text = (first: string, second: string) =>
      `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"${first}",` +
      `"object":${JSON.stringify(replica())}},"request":{"uid":"${second}",` +
      `"object":${JSON.stringify(POD)}}}`;
    return [text("aa", "aa"), text("bb", "aa"), text("aa", "bb")];
  }],
  ["control characters in a token's place", () => {
    const text = new TextDecoder().decode(reviewOf(replica()));
    const hole = text.replaceAll(/kube-api-access-\w{5}/g, "kube-api-access-\u0001");
    return [text, hole, text.replace(/(?<="uid":")[^"]*/, ""), text];
  }],
  ["a pod with a time for a label", () => {
    const at = (time: string) =>
      reviewOf(withToken({ ...POD, metadata: { ...POD.metadata, labels: { time } } }, newToken()));
    return [at("2026-01-02T03:04:05Z"), at("2026-01-02T03:04:06Z"), at("2026-01-02T03:04:07Z")];
  }],
  [
    "another namespace",
    () => ["a", "b", "kube-system"].map((namespace) => reviewOf(replica(), { namespace })),
  ],
  ["a pod that is left alone", () => {
    const off = { ...POD, metadata: { labels: { "sidecar.istio.io/inject": "false" } } };
    return [reviewOf(replica()), reviewOf(withToken(off, newToken())), reviewOf(replica())];
  }],
  ["a pod that is refused", () => {
    const metadata = { annotations: { "status.sidecar.istio.io/port": "x" } };
    return Array.from({ length: 3 }, () => reviewOf(withToken({ ...POD, metadata }, newToken())));
  }],
];

describe("no answer is reused for", () => {
  for (const [name, bodies] of ALIKE) {
    test(name, () => {
      const { fast, slow } = openDoors(PLAIN);
      for (const text of bodies()) {
        const body = typeof text === "string" ? new TextEncoder().encode(text) : text;
        expect(fast(body).body).toBe(slow(body).body);
      }
    });
  }

  test("a replica after the cluster facts changed", () => {
    const sources = config(
      "nodeName: {{ .NativeSidecars }}x{{ .ProxyUID }}\ncontainers:\n- name: istio-proxy",
    );
    const { fast, slow } = openDoors(sources, { PLATFORM: "openshift" });
    const node = (kubeletVersion: string) => ({ name: "n", kubeletVersion });
    const range = (value: string) => () => ({ "openshift.io/sa.scc.uid-range": value });
    const clusters = [
      {},
      { nodes: [node("v1.34.0")] },
      { nodes: [node("v1.34.0")] },
      { nodes: [node("v1.30.0")] },
      { namespaceAnnotations: range("1000/10") },
      { namespaceAnnotations: range("2000/10") },
      {},
    ];
    const answers = clusters.map((cluster) => {
      const body = reviewOf(replica());
      const { body: answer, outcome } = fast(body, { cluster });
      expect(answer).toBe(slow(body, { cluster }).body);
      return outcome.patch;
    });
    expect(new Set(answers).size).toBe(4);
  });

  test("the same pod with another URL", () => {
    const { fast, slow } = openDoors(PLAIN);
    for (const path of ["/inject", "/inject/net/a", "/inject/net/b", "/inject"]) {
      const body = reviewOf(replica());
      expect(fast(body, { path }).body).toBe(slow(body, { path }).body);
    }
  });
});
