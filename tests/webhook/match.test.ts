import { describe, expect, test } from "bun:test";
import {
  type ConfigurationLike,
  type EntryLike,
  type MatchSubject,
  matchWebhooks,
} from "../../lib/webhook/match.ts";

const RULES = [{
  operations: ["CREATE"],
  apiGroups: [""],
  apiVersions: ["v1"],
  resources: ["pods"],
}];
const SUFFIX = "sidecar-injector.istio.io";
const REV = "istio.io/rev";
const INJECTION = "istio-injection";
const INJECT = "sidecar.istio.io/inject";

const is = (key: string, ...values: string[]) => ({ key, operator: "In", values });
const isNot = (key: string, ...values: string[]) => ({ key, operator: "NotIn", values });
const none = (key: string) => ({ key, operator: "DoesNotExist" });
const entry = (prefix: string, namespace: object[], pod: object[]): EntryLike =>
  ({
    name: `${prefix}.${SUFFIX}`,
    rules: RULES,
    namespaceSelector: { matchExpressions: namespace },
    objectSelector: { matchExpressions: pod },
  }) as EntryLike;

/** The webhooks of Istio's own installation of a revision. */
function istio(revision: string, { auto = false } = {}): ConfigurationLike {
  const named = revision || "default";
  const notFalse = isNot(INJECT, "false");
  const system = ["kube-system", "kube-public", "kube-node-lease", "local-path-storage"];
  return {
    metadata: {
      name: `istio-sidecar-injector${revision && `-${revision}`}`,
      labels: { [REV]: named, app: "sidecar-injector" },
    },
    webhooks: [
      entry("rev.namespace", [is(REV, named), none(INJECTION)], [notFalse]),
      entry("rev.object", [none(REV), none(INJECTION)], [notFalse, is(REV, named)]),
      ...(revision === ""
        ? [
          entry("namespace", [is(INJECTION, "enabled")], [notFalse]),
          entry("object", [none(INJECTION), none(REV)], [is(INJECT, "true"), none(REV)]),
          ...(auto
            ? [entry("auto", [
              none(INJECTION),
              none(REV),
              isNot("kubernetes.io/metadata.name", ...system),
            ], [none(INJECT), none(REV)])]
            : []),
        ]
        : []),
    ],
  };
}

function subject(
  namespace: Record<string, string>,
  pod: Record<string, string>,
  name = "shop",
): MatchSubject {
  return { namespace: { name, labels: namespace }, pod: { labels: pod, annotations: {} } };
}

function called(configurations: ConfigurationLike[], about: MatchSubject): string[] {
  return matchWebhooks(configurations, about).filter(({ calls }) => calls)
    .map(({ entry, revision }) => `${revision} ${entry.slice(0, -SUFFIX.length)}`);
}

describe("matchWebhooks() with the webhooks of Istio's installations", () => {
  const values = [undefined, "enabled", "disabled"];
  const revisions = [undefined, "x", "default"];
  const injects = [undefined, "true", "false", "maybe"];
  for (const auto of [false, true]) {
    for (const injection of values) {
      for (const namespaceRev of revisions) {
        for (const inject of injects) {
          for (const podRev of revisions) {
            const row = { auto, injection, namespaceRev, inject, podRev };
            test(JSON.stringify(row), () => {
              const labels = (pairs: Record<string, string | undefined>) =>
                JSON.parse(JSON.stringify(pairs)) as Record<string, string>;
              const about = subject(
                labels({ [INJECTION]: injection, [REV]: namespaceRev }),
                labels({ [INJECT]: inject, [REV]: podRev }),
              );
              expect(called([istio("", { auto }), istio("x")], about)).toEqual(matrix(row));
            });
          }
        }
      }
    }
  }
});

/** The decision table of the specification; the first matching row counts. */
function matrix({ auto, injection, namespaceRev, inject, podRev }: {
  auto: boolean;
  injection?: string;
  namespaceRev?: string;
  inject?: string;
  podRev?: string;
}): string[] {
  if (inject === "false") return [];
  if (injection === "enabled") return ["default namespace."];
  if (injection !== undefined) return [];
  if (namespaceRev !== undefined) return [`${namespaceRev} rev.namespace.`];
  if (podRev !== undefined) return [`${podRev} rev.object.`];
  if (inject === "true") return ["default object."];
  return inject === undefined && auto ? ["default auto."] : [];
}

describe("matchWebhooks()", () => {
  test("reports which requirement failed, and the actual state", () => {
    const [match] = matchWebhooks([istio("canary")], subject({ [REV]: "old" }, {}));
    expect(match).toEqual({
      configuration: "istio-sidecar-injector-canary",
      entry: `rev.namespace.${SUFFIX}`,
      revision: "canary",
      tag: "",
      calls: false,
      failures: [{
        part: "namespaceSelector",
        wanted: "istio.io/rev In [canary]",
        found: "the namespace has istio.io/rev=old",
        key: REV,
      }],
      unevaluated: [],
      isInjector: true,
    });
  });

  test("adds the name label that every namespace has", () => {
    const configuration = {
      webhooks: [{
        rules: RULES,
        namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "a" } },
      }],
    };
    const asked = (name: string) => matchWebhooks([configuration], subject({}, {}, name))[0].calls;
    expect([asked("a"), asked("b")]).toEqual([true, false]);
  });

  const rules: [string, object, boolean][] = [
    [
      "wildcards",
      { operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*"] },
      true,
    ],
    ["everything including subresources", { ...RULES[0], resources: ["*/*"] }, true],
    ["a subresource only", { ...RULES[0], resources: ["pods/exec"] }, false],
    ["updates only", { ...RULES[0], operations: ["UPDATE"] }, false],
    ["another group", { ...RULES[0], apiGroups: ["apps"] }, false],
    ["cluster-scoped objects", { ...RULES[0], scope: "Cluster" }, false],
    ["namespaced objects", { ...RULES[0], scope: "Namespaced" }, true],
  ];
  for (const [name, rule, calls] of rules) {
    test(`reads rules: ${name}`, () => {
      const [match] = matchWebhooks([{ webhooks: [{ rules: [rule] }] }], subject({}, {}));
      expect(match.calls).toBe(calls);
      if (!calls) {
        expect(match.failures[0]).toMatchObject({ part: "rules", found: "CREATE of pods" });
      }
    });
  }

  test("reports match conditions that it does not evaluate, and recognizes our own", () => {
    const ours =
      "!has(object.metadata.annotations) || !('kubernetes.io/config.mirror' in object.metadata.annotations)";
    const configuration = {
      webhooks: [{
        rules: RULES,
        matchConditions: [{ name: "theirs", expression: "true" }, {
          name: "ours",
          expression: ours,
        }],
      }],
    };
    const asked = (annotations: Record<string, string>) =>
      matchWebhooks([configuration], { ...subject({}, {}), pod: { labels: {}, annotations } })[0];
    expect(asked({})).toMatchObject({ calls: true, unevaluated: ["theirs"] });
    expect(asked({ "kubernetes.io/config.mirror": "" }).failures)
      .toMatchObject([{ part: "matchConditions", wanted: "ours" }]);
  });

  test("an invalid selector selects no pods", () => {
    const [match] = matchWebhooks([{
      webhooks: [{ rules: RULES, objectSelector: { matchExpressions: [is("a b", "c")] } }],
    }], subject({}, {}));
    expect(match.calls).toBe(false);
    expect(match.failures[0].wanted).toBe("a valid selector");
  });
});
