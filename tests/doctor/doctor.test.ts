import { describe, expect, test } from "bun:test";
import { diagnose } from "../../lib/doctor/doctor.ts";
import type { CertificateFact, DoctorFacts, ObjectLike } from "../../lib/doctor/facts.ts";
import { mayByManifests } from "../../lib/doctor/rbac.ts";
import { generateWebhook } from "../../lib/webhook/generate.ts";

const NOW = Date.UTC(2026, 0, 2);
const DAY = 24 * 60 * 60 * 1000;
const NS = "outrigger-system";
const PEM = "-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n";

function webhook(options: Parameters<typeof generateWebhook>[0] = {}, caBundle = btoa(PEM)) {
  const configuration = generateWebhook(options);
  return {
    ...configuration,
    webhooks: configuration.webhooks!.map((entry) => ({
      ...entry,
      clientConfig: { ...entry.clientConfig, caBundle },
    })),
  } as unknown as DoctorFacts["webhooks"][number];
}

const SERVICE: ObjectLike = {
  metadata: { name: "outrigger", namespace: NS },
  spec: { selector: { app: "o" }, ports: [{ port: 443, targetPort: "https" }] },
};
const DEPLOYMENT: ObjectLike = {
  metadata: { name: "outrigger", namespace: NS },
  spec: {
    replicas: 2,
    template: {
      metadata: { labels: { app: "o" } },
      spec: {
        serviceAccountName: "o",
        containers: [{
          name: "outrigger",
          image: "outrigger:1.2.3",
          args: ["serve", "--tls=auto", "--tls-secret", "tls"],
          ports: [{ name: "https", containerPort: 15017 }],
        }],
      },
    },
  },
};

function slice(...ready: (boolean | undefined)[]): ObjectLike {
  return {
    metadata: { namespace: NS, labels: { "kubernetes.io/service-name": "outrigger" } },
    endpoints: ready.map((one) => ({ conditions: one === undefined ? {} : { ready: one } })),
  };
}

const CERTIFICATE: CertificateFact = {
  namespace: NS,
  name: "tls",
  notBefore: NOW - DAY,
  notAfter: NOW + 30 * DAY,
  names: [`outrigger.${NS}.svc`],
  isTrustedBy: (bundle) => bundle === PEM,
};

const FACTS: DoctorFacts = {
  now: NOW,
  version: "1.2.3",
  isLive: true,
  webhooks: [webhook()],
  namespaces: [
    { name: NS, labels: {} },
    { name: "kube-system", labels: {} },
    { name: "shop", labels: { "istio-injection": "enabled" } },
  ],
  services: [SERVICE],
  slices: [slice(true, true)],
  deployments: [DEPLOYMENT],
  certificates: [CERTIFICATE],
  access: [],
  configs: [],
  apiServer: "v1.35.4",
  kubelets: ["v1.34.0"],
  unseen: [],
};

test("diagnose() finds a good cluster well", () => {
  const findings = diagnose(FACTS);
  expect(findings.filter(({ level }) => level !== "ok")).toEqual([]);
  expect(new Set(findings.map(({ check }) => check))).toEqual(
    new Set([
      ...["webhook", "selectors", "failure_policy", "timeout", "leftovers"] as const,
      ...["service", "endpoints", "certificate", "ca_bundle", "versions"] as const,
    ]),
  );
});

describe("diagnose() of a cluster", () => {
  const certificate = (more: Partial<CertificateFact>) => ({
    certificates: [{ ...CERTIFICATE, ...more }],
  });
  const istiod = (labels: Record<string, string> = {}) => {
    const made = webhook({ namespace: "istio-system", service: "istiod", revision: "old" });
    return { ...made, metadata: { ...made.metadata, name: "istiod", labels } };
  };
  const both = [...FACTS.webhooks, {
    ...webhook(),
    metadata: { name: "z-second", labels: { "app.kubernetes.io/name": "outrigger" } },
  }] as DoctorFacts["webhooks"];
  const cases: [
    what: string,
    more: Partial<DoctorFacts>,
    level: string,
    text: string,
    fix: string,
  ][] = [
    ["no endpoints", { slices: [] }, "error", "it has no endpoints", "logs deployment/outrigger"],
    [
      "endpoints that are not ready",
      { slices: [slice(false, false)] },
      "error",
      "none of 2 endpoints is ready",
      `kubectl -n ${NS} describe pods`,
    ],
    [
      "one endpoint",
      { slices: [slice(undefined, false)] },
      "warn",
      "one endpoint is ready",
      "scale",
    ],
    [
      "an expired certificate",
      certificate({ notAfter: NOW - DAY }),
      "error",
      "it expired 2026-01-01",
      `kubectl -n ${NS} delete secret tls`,
    ],
    [
      "one that expires soon",
      certificate({ notAfter: NOW + 3 * DAY }),
      "warn",
      "it expires in 3 days, on 2026-01-05",
      "delete secret tls",
    ],
    [
      "one of tomorrow",
      certificate({ notBefore: NOW + DAY }),
      "error",
      "it is not valid before 2026-01-03",
      "delete secret tls",
    ],
    [
      "one for another name",
      certificate({ names: ["other.svc", "*.other.svc"] }),
      "error",
      `the API server asks for outrigger.${NS}.svc, and it is for other.svc, *.other.svc`,
      "delete secret tls",
    ],
    [
      "one that is none",
      certificate({ problem: "there is no certificate in it" }),
      "error",
      "it holds no usable certificate: there is no certificate in it",
      "delete secret tls",
    ],
    [
      "one of somebody else's",
      { ...certificate({ notAfter: 0 }), deployments: [] },
      "error",
      "it expired",
      `kubectl -n ${NS} get secret tls -o yaml`,
    ],
    [
      "an empty caBundle",
      { webhooks: [webhook({}, "")] },
      "error",
      "it is empty: it has not been filled in yet",
      `kubectl -n ${NS} rollout restart deployment/outrigger`,
    ],
    [
      "a caBundle that is no base64",
      { webhooks: [webhook({}, "%")] },
      "error",
      "it is not base64",
      "",
    ],
    [
      "a caBundle without a certificate",
      { webhooks: [webhook({}, btoa("x"))] },
      "error",
      "there is no certificate in it",
      "",
    ],
    [
      "a caBundle of another authority",
      { webhooks: [webhook({}, btoa(`${PEM}other`))] },
      "error",
      "none of its authorities signed the certificate that is served",
      "rollout restart",
    ],
    [
      "a webhook that selects nobody",
      { namespaces: FACTS.namespaces.slice(0, 2), webhooks: [webhook({ revision: "canary" })] },
      "warn",
      "it selects pods of none of the 2 namespaces",
      "kubectl label namespace NAME istio.io/rev=canary",
    ],
    [
      "two at once",
      { webhooks: both },
      "error",
      "are both called for pods of shop",
      "kubectl label namespace shop istio.io/rev- istio-injection-",
    ],
    [
      "a leftover whose injector is gone",
      { webhooks: [...FACTS.webhooks, istiod()] as DoctorFacts["webhooks"] },
      "error",
      "istiod calls istio-system/istiod, which is gone: its pods do not start",
      "kubectl delete mutatingwebhookconfiguration istiod",
    ],
    [
      "another injector beside ours",
      {
        webhooks: [...FACTS.webhooks, istiod()] as DoctorFacts["webhooks"],
        services: [
          SERVICE,
          {
            metadata: { name: "istiod", namespace: "istio-system" },
            spec: { ports: [{ port: 443 }] },
          },
        ],
      },
      "warn",
      "istiod of another injector is there beside ours",
      "kubectl get namespaces -L istio-injection,istio.io/rev",
    ],
    [
      "an old API server",
      { apiServer: "v1.27.1" },
      "warn",
      "v1.27.1 knows no matchConditions",
      "kubectl version",
    ],
    [
      "kubelets of two minds",
      { kubelets: ["v1.34.0", "v1.30.2", "v1.30.2"] },
      "warn",
      "2 of 3 are older than 1.33 (v1.30.2, v1.34.0)",
      "kubectl get nodes",
    ],
    ["another version of ours", { version: "2.0.0" }, "warn", "it runs 1.2.3", "set image"],
  ];
  test.each(cases)("tells %s", (_, more, level, text, fix) => {
    const findings = diagnose({ ...FACTS, ...more });
    const found = findings.find((one) => one.level === level && one.what.includes(text));
    expect(found ?? findings).toMatchObject({ level });
    expect(found?.fix).toContain(fix);
  });

  test("takes a webhook that leads to this program for ours, whatever its labels", () => {
    const [made] = FACTS.webhooks;
    const classic = { ...made, metadata: { name: "istio-sidecar-injector" } };
    const findings = diagnose({ ...FACTS, webhooks: [made, classic] as DoctorFacts["webhooks"] });
    expect(findings.filter(({ check }) => check === "leftovers")).toEqual([
      expect.objectContaining({ level: "ok" }),
    ]);
  });

  test("says nothing about endpoints that it could not see", () => {
    const { slices: _, ...blind } = FACTS;
    expect(diagnose(blind).some(({ check }) => check === "endpoints")).toBe(false);
  });

  test("says of rights which are known", () => {
    const need = { account: `${NS}/o`, verb: "list", group: "", resource: "nodes" };
    const facts = { why: "w", isOptional: true };
    const [finding] = diagnose({
      ...FACTS,
      access: [{ need: { ...need, ...facts }, allowed: true }, {
        need: { ...need, ...facts },
        allowed: undefined,
      }],
    }).filter(({ check }) => check === "access");
    expect(finding).toMatchObject({
      level: "ok",
      what: "has 1 of 2 rights; the API server does not say about the others",
    });
  });

  test("survives objects of any shape", () => {
    const odd = { metadata: {}, spec: null } as unknown as ObjectLike;
    const entry = {
      name: "x.sidecar-injector.istio.io",
      clientConfig: { service: { name: "outrigger" } },
    };
    const webhooks = [{
      metadata: {},
      webhooks: [entry, {}],
    }] as unknown as DoctorFacts["webhooks"];
    diagnose({ ...FACTS, webhooks, services: [odd], deployments: [odd], slices: [odd] });
  });
});

describe("mayByManifests()", () => {
  const need = {
    ...{ account: "a/o", verb: "get", group: "", resource: "secrets", namespace: "a", name: "tls" },
    ...{ why: "", isOptional: false },
  };
  const role = (kind: string, rules: object[], namespace?: string): ObjectLike => ({
    kind,
    metadata: { name: "r", namespace },
    rules,
  });
  const bind = (kind: string, of: string, namespace?: string): ObjectLike => ({
    kind,
    metadata: { name: "b", namespace },
    roleRef: { kind: of, name: "r" },
    subjects: [{ kind: "ServiceAccount", name: "o", namespace: "a" }],
  });
  const rule = { apiGroups: [""], resources: ["secrets"], verbs: ["get"] };
  const cases: [what: string, objects: ObjectLike[], allowed: boolean][] = [
    ["nothing", [], false],
    ["a role and its binding", [role("Role", [rule], "a"), bind("RoleBinding", "Role", "a")], true],
    [
      "a role of another namespace",
      [role("Role", [rule], "b"), bind("RoleBinding", "Role", "b")],
      false,
    ],
    ["a role alone", [role("Role", [rule], "a")], false],
    ["a cluster role, bound here", [
      role("ClusterRole", [rule]),
      bind("RoleBinding", "ClusterRole", "a"),
    ], true],
    ["a cluster role, bound there", [
      role("ClusterRole", [rule]),
      bind("RoleBinding", "ClusterRole", "b"),
    ], false],
    ["a cluster role for all", [
      role("ClusterRole", [rule]),
      bind("ClusterRoleBinding", "ClusterRole"),
    ], true],
    [
      "stars",
      [
        role("ClusterRole", [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }]),
        bind("ClusterRoleBinding", "ClusterRole"),
      ],
      true,
    ],
    [
      "its name",
      [role("Role", [{ ...rule, resourceNames: ["tls"] }], "a"), bind("RoleBinding", "Role", "a")],
      true,
    ],
    ["a group that every service account of the namespace is in", [
      role("Role", [rule], "a"),
      {
        ...bind("RoleBinding", "Role", "a"),
        subjects: [{ kind: "Group", name: "system:serviceaccounts:a" }],
      },
    ], true],
    ["a group of another namespace's", [
      role("Role", [rule], "a"),
      {
        ...bind("RoleBinding", "Role", "a"),
        subjects: [{ kind: "Group", name: "system:serviceaccounts:b" }],
      },
    ], false],
    [
      "another's name",
      [role("Role", [{ ...rule, resourceNames: ["x"] }], "a"), bind("RoleBinding", "Role", "a")],
      false,
    ],
  ];
  test.each(cases)("by %s", (_, objects, allowed) => {
    expect(mayByManifests(need, objects)).toBe(allowed);
  });
});
