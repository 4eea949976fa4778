/**
 * Small random templates that print values of a pod in all kinds of places, quoted well, badly, or not at all. Each
 * knows which values it prints; what it makes of harmless ones shows what of a pod they may decide.
 */
import type { Random } from "./_random.ts";

export type Json = Record<string, unknown>;

/** Something that a tenant may choose. */
export interface TenantValue {
  readonly name: string;
  /** How templates name it. */
  readonly field: string;
  put(pod: TenantPod, value: string): void;
}

export interface TenantPod {
  apiVersion: string;
  kind: string;
  metadata: {
    generateName: string;
    namespace: string;
    labels: Record<string, string>;
    annotations: Record<string, string>;
    ownerReferences: Record<string, unknown>[];
  };
  spec: { containers: Json[]; serviceAccountName: string } & Json;
}

const proxyConfig = (pod: TenantPod, change: (config: Record<string, Json>) => void) => {
  const { annotations } = pod.metadata;
  const config = JSON.parse(annotations["proxy.istio.io/config"] ?? "{}");
  change(config);
  annotations["proxy.istio.io/config"] = JSON.stringify(config);
};

const annotation = (key: string): TenantValue => ({
  name: `annotation ${key}`,
  field: `.ObjectMeta.Annotations.${key}`,
  put: (pod, value) => pod.metadata.annotations[key] = value,
});

export const TENANT_VALUES: readonly TenantValue[] = [
  ...["a0", "a1", "a2", "a3"].map(annotation),
  {
    name: "label l0",
    field: ".ObjectMeta.Labels.l0",
    put: (pod, value) => pod.metadata.labels.l0 = value,
  },
  {
    name: "owner",
    field: ".DeploymentMeta.Name",
    put: (pod, value) => pod.metadata.ownerReferences[0].name = value,
  },
  {
    name: "image",
    field: "(index .Spec.Containers 0).Image",
    put: (pod, value) => pod.spec.containers[0].image = value,
  },
  {
    name: "account",
    field: ".Spec.ServiceAccountName",
    put: (pod, value) => pod.spec.serviceAccountName = value,
  },
  {
    name: "binary",
    field: ".ProxyConfig.BinaryPath",
    put: (pod, value) => proxyConfig(pod, (config) => config.binaryPath = value as unknown as Json),
  },
  {
    name: "proxy metadata",
    field: ".ProxyConfig.ProxyMetadata.K",
    put: (pod, value) => proxyConfig(pod, (config) => config.proxyMetadata = { K: value }),
  },
];

export function tenantPod(): TenantPod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      generateName: "web-",
      namespace: "shop",
      labels: { app: "web", l0: "" },
      annotations: { a0: "", a1: "", a2: "", a3: "" },
      ownerReferences: [
        { apiVersion: "apps/v1", kind: "StatefulSet", name: "web", uid: "1", controller: true },
      ],
    },
    spec: { containers: [{ name: "app", image: "i" }], serviceAccountName: "" },
  };
}

export interface AttackTemplate {
  readonly lines: readonly string[];
  /** The values that it prints. */
  readonly values: readonly TenantValue[];
}

/** Ways to get at a value, as a statement before and an expression. */
const WAYS: readonly ((field: string, random: Random) => readonly [string, string])[] = [
  (field) => ["", field],
  (field) => ["", field],
  (field) => {
    const map = /^(.*)\.(\w+)$/.exec(field);
    return map === null || /^\.(?:Spec|ProxyConfig|DeploymentMeta)\.\w+$/.test(field)
      ? ["", field]
      : ["", `(index ${map[1]} "${map[2]}")`];
  },
  (field, random) => {
    const name = `$v${random.int(0, 99)}`;
    return [`{{ ${name} := ${field} }}`, name];
  },
  (field, random) => {
    const name = `$w${random.int(0, 99)}`;
    return [`{{ ${name} := "" }}{{ if true }}{{ ${name} = ${field} }}{{ end }}`, name];
  },
  (field, random) => {
    const name = `$r${random.int(0, 99)}`;
    return [`{{ ${name} := "" }}{{ range ${name} = list ${field} }}{{ end }}`, name];
  },
  (_field, random) => {
    const name = `$d${random.int(0, 99)}`;
    const key = random.pick(["a0", "a1"]);
    return [
      `{{ ${name} := dict "Values" . }}`,
      `(index (index ${name} "Values").ObjectMeta.Annotations "${key}")`,
    ];
  },
  (field) => ["", `(first (list ${field} "x"))`],
  (field) => ["", `(get (dict "Values" ${field}) "Values")`],
  (field) => ["", `(or ${field} "other")`],
  (field) => ["", `(${field} | default "other")`],
  (field) => ["", `(printf "%s" ${field})`],
  (field) => ["", `(print ${field})`],
  (field) => ["", `(trim ${field})`],
  (field) => ["", `(lower ${field})`],
  (field) => ["", `(trunc 200 ${field})`],
  (field) => ["", `(cat ${field} "end")`],
  (field) => ["", `(join "" (splitList "x" ${field}))`],
];

const RAW: readonly ((expression: string) => string)[] = [
  (e) => `{{ ${e} }}`,
  (e) => `{{ ${e} }}`,
  (e) => `{{ with ${e} }}{{ . }}{{ end }}`,
  (e) => `{{ range list ${e} }}{{ . }}{{ end }}`,
  (e) => `{{ template "show" ${e} }}`,
];

const ENCODED: readonly ((expression: string) => string)[] = [
  (e) => `{{ quote ${e} }}`,
  (e) => `{{ ${e} | quote }}`,
  (e) => `{{ printf "%q" ${e} }}`,
  (e) => `{{ toJson ${e} }}`,
  (e) => `{{ structToJSON ${e} }}`,
  (e) => `{{ toRawJson ${e} }}`,
  (e) => `{{ squote ${e} }}`,
];

/** A scalar of a template that holds a value. */
function scalar(random: Random, expression: string): string {
  const raw = random.pick(RAW)(expression);
  switch (random.int(0, 9)) {
    case 0:
    case 1:
      return raw;
    case 2:
      return `"${raw}"`;
    case 3:
      return `'${raw}'`;
    case 4:
      return `"pre ${raw} post"`;
    case 5:
      return `pre-${raw}-post`;
    case 6:
      return `'pre ${raw}${raw} post'`;
    default:
      return random.pick(ENCODED)(expression);
  }
}

type Section = "labels" | "annotations" | "spec" | "nodeSelector" | "containers" | "volumes";

/** Lines for a value, and the part of the pod where they stand. */
function place(random: Random, expression: string, i: number): readonly [Section, string[]] {
  const text = scalar(random, expression);
  const raw = random.pick(RAW)(expression);
  switch (random.int(0, 17)) {
    case 0:
      return ["labels", [`    t${i}: ${text}`]];
    case 1:
      return ["annotations", [`    t${i}: ${text} # why ${raw}`]];
    case 2:
      return ["spec", [`  hostname: ${text}`]];
    case 3:
      return ["nodeSelector", [
        `    ${random.pick([raw, `"${raw}"`, `'${raw}'`, `k${raw}`])}: ${
          random.pick(["x", "x", "delete", "replace", "[x]"])
        }`,
      ]];
    case 4:
      return ["containers", [`  - { name: c${i}, image: ${text}, command: [a, b] }`]];
    case 5:
      return ["containers", [`  - name: c${i}`, `    args: [a, ${text}, b]`]];
    case 6:
      return ["containers", [
        `  - name: c${i}`,
        `    args:`,
        `    - ${text}`,
        `    - b`,
        `    image: i`,
      ]];
    case 7:
      return ["containers", [
        `  - name: c${i}`,
        `    env:`,
        `    - name: E`,
        `      value: ${text}`,
        `    image: i`,
      ]];
    case 8:
      return ["containers", [
        `  - name: c${i}`,
        `    env: [{name: E, value: ${text}}, {name: F, value: f}]`,
      ]];
    case 9:
      return ["annotations", [
        `    t${i}: ${random.pick(["|", ">", "|-", ">-", "|+"])}`,
        `      ${raw}`,
      ]];
    case 10:
      return ["annotations", [`    t${i}: |`, `      first`, `      ${text} last`]];
    case 11:
      return ["annotations", [`    t${i}: first`, `      ${raw} last`]];
    case 12:
      return ["annotations", [`    t${i}: "first`, `      ${raw} last"`]];
    case 13:
      return ["spec", [`  # ${raw}`]];
    case 14:
      return ["annotations", [`    t${i}: &x${i} ${text}`, `    u${i}: *x${i}`]];
    case 15:
      return ["volumes", [`  - name: v${i}`, `    hostPath: { path: ${text}, type: "" }`]];
    case 16:
      return ["annotations", [`    t${i}: !!str ${text}`]];
    default:
      return ["annotations", [`    t${i}: ${raw}${raw}`, `    z${i}: after`]];
  }
}

/** Places for whole maps, which the tenant chooses the values of. */
function structure(random: Random, i: number): readonly [Section, string[]] {
  const map = random.pick([
    '(dict "s" .ObjectMeta.Annotations.a0 "t" .ObjectMeta.Annotations.a1)',
    ".ObjectMeta.Annotations",
    ".ObjectMeta.Labels",
  ]);
  switch (random.int(0, 4)) {
    case 0:
      return ["annotations", [`    t${i}: {{ toJson ${map} | quote }}`]];
    case 1:
      return ["annotations", [`    t${i}: |`, `      {{ toJson ${map} }}`]];
    case 2:
      return ["annotations", [`    t${i}: '{{ toJson ${map} }}'`]];
    case 3:
      return ["spec", [`  affinity: { nodeAffinity: {{ toJson ${map} }} }`]];
    default:
      return ["annotations", [`    t${i}: |`, `      {{ toYaml ${map} | indent 6 }}`]];
  }
}

export function randomTemplate(random: Random): AttackTemplate {
  const values = random.some(TENANT_VALUES, 3);
  if (values.length === 0) values.push(random.pick(TENANT_VALUES));
  const head: string[] = ['{{ define "show" }}{{ . }}{{ end }}'];
  const sections: Record<Section, string[]> = {
    labels: ["    fixed: x"],
    annotations: ["    fixed: x"],
    spec: [],
    nodeSelector: ["    fixed: x"],
    containers: ["  - { name: istio-proxy, image: proxy }"],
    volumes: ["  - { name: fixed, emptyDir: {} }"],
  };
  values.forEach((value, i) => {
    for (let times = random.int(1, 2); times > 0; times--) {
      const [before, expression] = random.pick(WAYS)(value.field, random);
      if (before !== "") head.push(before);
      const [section, lines] = place(random, expression, i * 2 + times);
      sections[section].push(...lines);
    }
  });
  if (random.chance(0.2)) {
    const [section, lines] = structure(random, 9);
    sections[section].push(...lines);
  }
  const lines = [
    head.join(""),
    "metadata:",
    "  labels:",
    ...sections.labels,
    "  annotations:",
    ...sections.annotations,
    "spec:",
    ...sections.spec,
    "  nodeSelector:",
    ...sections.nodeSelector,
    "  containers:",
    ...sections.containers,
    "  volumes:",
    ...sections.volumes,
    "  dnsPolicy: Default",
  ];
  return { lines, values: [...new Set([...values, ...TENANT_VALUES.slice(0, 2)])] };
}
