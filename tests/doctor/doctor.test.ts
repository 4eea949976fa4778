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
  workloads: [{ kind: "Deployment", namespace: "shop", name: "web", labels: { app: "web" } }],
  sources: [],
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

test("diagnose() finds no problems in a healthy cluster", () => {
  const findings = diagnose(FACTS);
  expect(findings.filter(({ level }) => level !== "ok")).toEqual([]);
  expect(new Set(findings.map(({ check }) => check))).toEqual(
    new Set([
      ...["webhook", "selectors", "failure_policy", "timeout", "leftovers"] as const,
      "labels",
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
    [
      "no endpoints",
      { slices: [] },
      "error",
      "the Service has no endpoints",
      "logs deployment/outrigger",
    ],
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
      "it expired on 2026-01-01",
      `kubectl -n ${NS} delete secret tls`,
    ],
    [
      "a certificate that expires soon",
      certificate({ notAfter: NOW + 3 * DAY }),
      "warn",
      "it expires in 3 days, on 2026-01-05",
      "delete secret tls",
    ],
    [
      "a certificate that is not valid yet",
      certificate({ notBefore: NOW + DAY }),
      "error",
      "it is not valid before 2026-01-03",
      "delete secret tls",
    ],
    [
      "a certificate for another name",
      certificate({ names: ["other.svc", "*.other.svc"] }),
      "error",
      `it is not valid for outrigger.${NS}.svc, which the API server verifies, only for other.svc, *.other.svc`,
      "delete secret tls",
    ],
    [
      "an unusable certificate",
      certificate({ problem: "it contains no certificate" }),
      "error",
      "it contains no usable certificate: it contains no certificate",
      "delete secret tls",
    ],
    [
      "a certificate of another tool",
      { ...certificate({ notAfter: 0 }), deployments: [] },
      "error",
      "it expired",
      `kubectl -n ${NS} get secret tls -o yaml`,
    ],
    [
      "an empty caBundle",
      { webhooks: [webhook({}, "")] },
      "error",
      "the caBundle is empty: it has not been filled in yet",
      `kubectl -n ${NS} rollout restart deployment/outrigger`,
    ],
    [
      "a caBundle that is not base64",
      { webhooks: [webhook({}, "%")] },
      "error",
      "the caBundle is not base64",
      "",
    ],
    [
      "a caBundle without a certificate",
      { webhooks: [webhook({}, btoa("x"))] },
      "error",
      "the caBundle contains no certificate",
      "",
    ],
    [
      "a caBundle with another CA",
      { webhooks: [webhook({}, btoa(`${PEM}other`))] },
      "error",
      "no CA in the caBundle signed the serving certificate",
      "rollout restart",
    ],
    [
      "a webhook that selects no pods",
      { namespaces: FACTS.namespaces.slice(0, 2), webhooks: [webhook({ revision: "canary" })] },
      "warn",
      "it selects no pods in any of the 2 namespaces",
      "kubectl label namespace NAME istio.io/rev=canary",
    ],
    [
      "overlapping configurations",
      { webhooks: both },
      "error",
      "are both called for pods in shop",
      "kubectl label namespace shop istio.io/rev- istio-injection-",
    ],
    [
      "a configuration whose injector does not exist",
      { webhooks: [...FACTS.webhooks, istiod()] as DoctorFacts["webhooks"] },
      "error",
      "istiod calls Service istio-system/istiod, which does not exist: the pods that it selects cannot start",
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
      "istiod belongs to another injector",
      "kubectl get namespaces -L istio-injection,istio.io/rev",
    ],
    [
      "an object that was applied in a removed version",
      { sources: [{ about: "Deployment a/b", kind: "Deployment", apiVersion: "apps/v1beta2" }] },
      "warn",
      "it was applied as apps/v1beta2, which Kubernetes 1.16 removed",
      "kubectl explain deployment --api-version=apps/v1",
    ],
    [
      "an old API server",
      { apiServer: "v1.27.1" },
      "warn",
      "v1.27.1 does not support matchConditions",
      "kubectl version",
    ],
    [
      "kubelets of different versions",
      { kubelets: ["v1.34.0", "v1.30.2", "v1.30.2"] },
      "warn",
      "2 of 3 are older than 1.33 (v1.30.2, v1.34.0)",
      "kubectl get nodes",
    ],
    ["another version of Outrigger", { version: "2.0.0" }, "warn", "it runs 1.2.3", "set image"],
  ];
  test.each(cases)("reports %s", (_, more, level, text, fix) => {
    const findings = diagnose({ ...FACTS, ...more });
    const found = findings.find((one) => one.level === level && one.what.includes(text));
    expect(found ?? findings).toMatchObject({ level });
    expect(found?.fix).toContain(fix);
  });

  test("treats a webhook that calls this program as ours, whatever its labels", () => {
    const [made] = FACTS.webhooks;
    const classic = { ...made, metadata: { name: "istio-sidecar-injector" } };
    const findings = diagnose({ ...FACTS, webhooks: [made, classic] as DoctorFacts["webhooks"] });
    expect(findings.filter(({ check }) => check === "leftovers")).toEqual([
      expect.objectContaining({ level: "ok" }),
    ]);
  });

  test("does not report on endpoints that it could not list", () => {
    const { slices: _, ...blind } = FACTS;
    expect(diagnose(blind).some(({ check }) => check === "endpoints")).toBe(false);
  });

  test("counts the permissions that could be checked", () => {
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
      what: "has 1 of 2 permissions; the others could not be checked",
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

describe("diagnose() of labels", () => {
  const SHOP = "kubectl label --overwrite namespace shop";
  const WEB = (labels: object) =>
    "kubectl -n shop patch deployment web --type=merge " +
    `-p '${JSON.stringify({ spec: { template: { metadata: { labels } } } })}'`;
  const namespaces: [label: string, fix: string | undefined][] = [
    ["istio-injection=enabled", undefined],
    ["istio-injection=disabled", undefined],
    ["istio.io/rev=canary", undefined],
    ["istio.io/tag=prod", undefined],
    ["istio.io/dataplane-mode=ambient", undefined],
    ["istio.io/use-waypoint=w", undefined],
    ["istio=ingressgateway", undefined],
    ["app.kubernetes.io/name=istio", undefined],
    ["istio-injecton=enabled", `${SHOP} istio-injecton- istio-injection=enabled`],
    ["Istio_Injectoin=enabled", `${SHOP} Istio_Injectoin- istio-injection=enabled`],
    ["istio-inject=true", `${SHOP} istio-inject- istio-injection=enabled`],
    ["istio-injection-enabled=no", `${SHOP} istio-injection-enabled- istio-injection=disabled`],
    ["istio.io/revision=canary", `${SHOP} istio.io/revision- istio.io/rev=canary`],
    ["istio-io/rev=canary", `${SHOP} istio-io/rev- istio.io/rev=canary`],
    ["sidecar.istio.io/inject=true", `${SHOP} sidecar.istio.io/inject- istio-injection=enabled`],
    ["istio-injection=true", `${SHOP} istio-injection=enabled`],
    ["istio-injection=Disabled", `${SHOP} istio-injection=disabled`],
    ["istio-injection=", `${SHOP} istio-injection=enabled`],
  ];
  const pods: [label: string, fix: string | undefined][] = [
    ["sidecar.istio.io/inject=true", undefined],
    ["sidecar.istio.io/inject=false", undefined],
    ["istio.io/rev=canary", undefined],
    ["sidecar.istio.io/statsInclusion=x", undefined],
    ["service.istio.io/canonical-name=x", undefined],
    [
      "sidecar.istio.io/injct=true",
      WEB({ "sidecar.istio.io/injct": null, "sidecar.istio.io/inject": "true" }),
    ],
    [
      "sidecars.istio.io/inject=false",
      WEB({ "sidecars.istio.io/inject": null, "sidecar.istio.io/inject": "false" }),
    ],
    [
      "istio-injection=disabled",
      WEB({ "istio-injection": null, "sidecar.istio.io/inject": "false" }),
    ],
    ["sidecar.istio.io/inject=yes", WEB({ "sidecar.istio.io/inject": "true" })],
    ["sidecar.istio.io/inject=off", WEB({ "sidecar.istio.io/inject": "false" })],
  ];
  const fixes = (more: Partial<DoctorFacts>) =>
    diagnose({ ...FACTS, ...more }).filter(({ check }) => check === "labels")
      .map(({ level, fix }) => level === "ok" ? undefined : fix);
  const labelsOf = (label: string) => Object.fromEntries([label.split("=", 2)]);

  test.each(namespaces)("of a namespace: %s", (label, fix) => {
    expect(fixes({ namespaces: [{ name: "shop", labels: labelsOf(label) }] })).toEqual([fix]);
  });

  test.each(pods)("of a pod template: %s", (label, fix) => {
    expect(fixes({ workloads: [{ ...FACTS.workloads[0], labels: labelsOf(label) }] })).toEqual([
      fix,
    ]);
  });

  test("a misspelt label is only removed if the right one exists", () => {
    const labels = { "istio-injecton": "disabled", "istio-injection": "enabled" };
    expect(fixes({ namespaces: [{ name: "shop", labels }] })).toEqual([`${SHOP} istio-injecton-`]);
  });
});

describe("diagnose() of API versions", () => {
  const cases: [apiVersion: string, kind: string, server: string, since: string][] = [
    ["admissionregistration.k8s.io/v1beta1", "MutatingWebhookConfiguration", "", "1.22"],
    ["admissionregistration.k8s.io/v1beta1", "MutatingWebhookConfiguration", "v1.22.0", "1.22"],
    ["admissionregistration.k8s.io/v1beta1", "MutatingWebhookConfiguration", "v1.21.9", ""],
    ["admissionregistration.k8s.io/v1beta1", "MutatingAdmissionPolicy", "v1.35.0", ""],
    ["admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", "", ""],
    ["extensions/v1beta1", "Deployment", "", "1.16"],
    ["extensions/v1beta1", "Ingress", "", "1.22"],
    ["apps/v1beta1", "StatefulSet", "", "1.16"],
    ["apps/v1", "Deployment", "", ""],
    ["policy/v1beta1", "PodDisruptionBudget", "", "1.25"],
    ["autoscaling/v2beta2", "HorizontalPodAutoscaler", "", "1.26"],
    ["rbac.authorization.k8s.io/v1beta1", "ClusterRole", "", "1.22"],
    ["networking.istio.io/v1beta1", "ProxyConfig", "", ""],
  ];
  test.each(cases)("%s %s on %s", (apiVersion, kind, apiServer, since) => {
    const sources = [{ about: `${kind} x`, kind, apiVersion }];
    const { apiServer: _, ...rest } = FACTS;
    const facts = { ...rest, isLive: false, sources, ...(apiServer ? { apiServer } : {}) };
    const found = diagnose(facts).filter(({ level, about }) =>
      level === "error" && about === `${kind} x`
    );
    expect(found.map(({ what }) => /Kubernetes (1\.\d+) removed/.exec(what)?.[1])).toEqual(
      since === "" ? [] : [since],
    );
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
    ["a cluster role, bound in the namespace", [
      role("ClusterRole", [rule]),
      bind("RoleBinding", "ClusterRole", "a"),
    ], true],
    ["a cluster role, bound in another namespace", [
      role("ClusterRole", [rule]),
      bind("RoleBinding", "ClusterRole", "b"),
    ], false],
    ["a cluster role, bound cluster-wide", [
      role("ClusterRole", [rule]),
      bind("ClusterRoleBinding", "ClusterRole"),
    ], true],
    [
      "wildcards",
      [
        role("ClusterRole", [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }]),
        bind("ClusterRoleBinding", "ClusterRole"),
      ],
      true,
    ],
    [
      "the object's name",
      [role("Role", [{ ...rule, resourceNames: ["tls"] }], "a"), bind("RoleBinding", "Role", "a")],
      true,
    ],
    ["the group of the namespace's service accounts", [
      role("Role", [rule], "a"),
      {
        ...bind("RoleBinding", "Role", "a"),
        subjects: [{ kind: "Group", name: "system:serviceaccounts:a" }],
      },
    ], true],
    ["the group of another namespace's service accounts", [
      role("Role", [rule], "a"),
      {
        ...bind("RoleBinding", "Role", "a"),
        subjects: [{ kind: "Group", name: "system:serviceaccounts:b" }],
      },
    ], false],
    [
      "another object's name",
      [role("Role", [{ ...rule, resourceNames: ["x"] }], "a"), bind("RoleBinding", "Role", "a")],
      false,
    ],
  ];
  test.each(cases)("by %s", (_, objects, allowed) => {
    expect(mayByManifests(need, objects)).toBe(allowed);
  });
});
