import { describe, expect, test } from "bun:test";
import { DEFAULT_PROXY_CONFIG, MESH_SCHEMA, meshSchema } from "../../lib/config/mesh_schema.ts";
import { decodeProtoJson } from "../../lib/config/proto_json.ts";
import { compileTemplate } from "../../lib/go/template/mod.ts";
import { injectionFunctions } from "../../lib/inject/functions.ts";
import { kubeType, messageValue, templateData } from "../../lib/inject/go_types.ts";
import { normalise } from "../../lib/kube/normalise.ts";

interface Given {
  readonly meta?: unknown;
  readonly spec?: unknown;
  readonly proxy?: unknown;
  readonly mesh?: unknown;
  readonly minor?: number;
}

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) {
    Object.values(value).forEach(deepFreeze);
    Object.freeze(value);
  }
  return value;
}

/** Renders with a frozen pod and config; an error returns its message, starting at the position. */
function render(source: string, given: Given = {}): string {
  const { meta = {}, spec = {}, proxy = DEFAULT_PROXY_CONFIG, mesh = {}, minor } = given;
  const { proxyConfig, meshConfig } = meshSchema(minor);
  const data = deepFreeze({
    typeMeta: { kind: "Pod", apiVersion: "v1" },
    deploymentMeta: { name: "web", namespace: "shop" },
    objectMeta: normalise("ObjectMeta", meta),
    spec: normalise("PodSpec", spec),
    proxyConfig: proxy === null ? null : decodeProtoJson(proxyConfig, proxy),
    meshConfig: decodeProtoJson(meshConfig, mesh),
    values: { n: 1 },
    proxyUID: 1337,
  });
  const template = compileTemplate(source, {
    name: "inject",
    functions: injectionFunctions({ minor }),
  });
  try {
    return template.execute(templateData(data, minor));
  } catch (error) {
    return (error as Error).message.replace(/^.*? at /, "at ");
  }
}

function container(fields: object): Given {
  return { spec: { containers: [{ name: "app", ...fields }] } };
}

const EACH = "range .Spec.Containers }}{{ ";
const END = " }}{{ end";

/** A template's action, Go's output, and the data. */
type Row = [source: string, output: string, given?: Given];

const ROOT: Row[] = [
  [".TypeMeta.Kind }} {{ .TypeMeta.APIVersion", "Pod v1"],
  [
    ".DeploymentMeta.Name }} {{ .DeploymentMeta.Namespace }} {{ .DeploymentMeta",
    "web shop shop/web",
  ],
  ["structToJSON .DeploymentMeta", '{"Namespace":"shop","Name":"web"}'],
  ['.ProxyUID }} {{ printf "%T" .ProxyUID }} {{ .Revision }}{{ .Values', "1337 int64 map[n:1]"],
  [".NativeSidecars }} {{ .ProxyImage", "false "],
  [".Foo", "at <.Foo>: can't evaluate field Foo in type *inject.SidecarTemplateData"],
];

const KUBERNETES: Row[] = [
  [".ObjectMeta.Name }} {{ .ObjectMeta.GetName }} {{ .ObjectMeta.UID", "n n u", {
    meta: { name: "n", uid: "u" },
  }],
  [
    "index .ObjectMeta.Annotations `a` }}|{{ .ObjectMeta.Annotations.b }}|{{ .ObjectMeta.Labels",
    "1|<no value>|map[]",
    {
      meta: { annotations: { a: "1" } },
    },
  ],
  [
    ".ObjectMeta.Annotations.constructor }}|{{ .ObjectMeta.Annotations.__proto__",
    "<no value>|<no value>",
    {
      meta: { annotations: { a: "1" } },
    },
  ],
  [
    ".ObjectMeta.CreationTimestamp }} {{ .ObjectMeta.CreationTimestamp.Year",
    "2024-02-03 04:05:06 +0000 UTC 2024",
    {
      meta: { creationTimestamp: "2024-02-03T04:05:06Z" },
    },
  ],
  [".ObjectMeta.CreationTimestamp.IsZero }} {{ .ObjectMeta.DeletionTimestamp", "true <nil>"],
  [".ObjectMeta.Foo", "at <.ObjectMeta.Foo>: can't evaluate field Foo in type v1.ObjectMeta"],
  [".Spec.Foo", "at <.Spec.Foo>: can't evaluate field Foo in type v1.PodSpec"],
  [
    ".Spec.hostNetwork",
    "at <.Spec.hostNetwork>: can't evaluate field hostNetwork in type v1.PodSpec",
  ],
  [".Spec.HostNetwork }} {{ .Spec.ServiceAccountName }}|{{ len .Spec.Containers", "false |0"],
  [
    '.Spec.DNSPolicy }} {{ eq .Spec.DNSPolicy "Default" }} {{ printf "%T" .Spec.DNSPolicy',
    "Default true v1.DNSPolicy",
    {
      spec: { dnsPolicy: "Default" },
    },
  ],
  [
    "toLower .Spec.DNSPolicy",
    "at <.Spec.DNSPolicy>: wrong type for value; expected string; got v1.DNSPolicy",
    {
      spec: { dnsPolicy: "Default" },
    },
  ],
  [
    ".Spec.SecurityContext.FSGroup",
    "at <.Spec.SecurityContext.FSGroup>: nil pointer evaluating *v1.PodSecurityContext.FSGroup",
  ],
  [".Spec.SecurityContext.FSGroup }} {{ .Spec.SecurityContext.SupplementalGroups", "7 [1 2]", {
    spec: { securityContext: { fsGroup: 7, supplementalGroups: [1, 2] } },
  }],
  [
    'printf "%T %T %T" .ObjectMeta .Spec.Containers .Spec.SecurityContext',
    "v1.ObjectMeta []v1.Container *v1.PodSecurityContext",
  ],
  [`${EACH}.Name }} {{ .Image }}|{{ .TTY${END}`, "app |false", container({})],
  [`${EACH}.Foo${END}`, "at <.Foo>: can't evaluate field Foo in type v1.Container", container({})],
  [
    `${EACH}range .Ports }}{{ .ContainerPort }}/{{ .Protocol }} {{ end${END}`,
    "80/ 53/UDP ",
    container({
      ports: [{ containerPort: 80 }, { containerPort: 53, protocol: "UDP" }],
    }),
  ],
  [
    `${EACH}.SecurityContext.RunAsUser }}|{{ .SecurityContext.Privileged }}|{{ if .SecurityContext.RunAsUser }}set{{ end${END}`,
    "0|<nil>|set",
    container({
      securityContext: { runAsUser: 0 },
    }),
  ],
  [
    `${EACH}eq .SecurityContext.RunAsUser 0${END}`,
    "at <eq .SecurityContext.RunAsUser 0>: error calling eq: incompatible types for comparison: *int64 and int",
    container({
      securityContext: { runAsUser: 0 },
    }),
  ],
  [
    `${EACH}with .LivenessProbe.HTTPGet }}{{ .Port }} {{ .Port.IntVal }} {{ .Port.StrVal }}|{{ .Port.Type }} {{ .Port.String }}{{ end${END}`,
    "8080 8080 |0 8080",
    container({
      livenessProbe: { httpGet: { port: 8080 } },
    }),
  ],
  [
    `${EACH}with .LivenessProbe.HTTPGet }}{{ .Port }} {{ .Port.IntVal }} {{ .Port.StrVal }} {{ .Port.Type }}{{ end${END}`,
    "http 0 http 1",
    container({
      livenessProbe: { httpGet: { port: "http" } },
    }),
  ],
  [
    `${EACH}.LivenessProbe.HTTPGet.Port${END}`,
    "at <.LivenessProbe.HTTPGet.Port>: nil pointer evaluating *v1.Probe.HTTPGet",
    container({}),
  ],
  [
    `${EACH}.LivenessProbe.HTTPGet.Port${END}`,
    "at <.LivenessProbe.HTTPGet.Port>: nil pointer evaluating *v1.HTTPGetAction.Port",
    container({
      livenessProbe: {},
    }),
  ],
  [
    `${EACH}.Resources.Limits.Cpu }} {{ .Resources.Limits.Cpu.MilliValue }} {{ .Resources.Limits.Cpu.Value }} {{ .Resources.Requests.Memory }} {{ .Resources.Limits.Memory.Value${END}`,
    "1500m 1500 2 0 1073741824",
    container({
      resources: { limits: { cpu: "1500m", memory: "1Gi" } },
    }),
  ],
  [
    `${EACH}toYaml .Resources${END}`,
    "limits:\n  cpu: 1500m\n  memory: 1Gi\n",
    container({
      resources: { limits: { memory: "1024Mi", cpu: "1.5" } },
    }),
  ],
  [
    `${EACH}structToJSON .${END}`,
    '{"name":"app","image":"i","resources":{}}',
    container({ image: "i" }),
  ],
  [
    "range .Spec.Volumes }}{{ .Name }} {{ .HostPath.Path }} {{ .VolumeSource.HostPath.Type }}{{ end",
    "v /x Directory",
    {
      spec: { volumes: [{ name: "v", hostPath: { path: "/x", type: "Directory" } }] },
    },
  ],
  [
    "range .Spec.Volumes }}{{ .Ephemeral.VolumeClaimTemplate.Name }} {{ .Ephemeral.VolumeClaimTemplate.ObjectMeta.Labels }}{{ end",
    "q map[a:b]",
    {
      spec: {
        volumes: [{
          name: "v",
          ephemeral: {
            volumeClaimTemplate: { metadata: { name: "q", labels: { a: "b" } }, spec: {} },
          },
        }],
      },
    },
  ],
  [
    `${EACH}range .Env }}{{ .String }}{{ end${END}`,
    "&EnvVar{Name:A,Value:,ValueFrom:&EnvVarSource{FieldRef:&ObjectFieldSelector{APIVersion:,FieldPath:p,},ResourceFieldRef:nil,ConfigMapKeyRef:nil,SecretKeyRef:nil,FileKeyRef:nil,},}",
    container({
      env: [{ name: "A", valueFrom: { fieldRef: { fieldPath: "p" } } }],
    }),
  ],
  [
    `${EACH}.SecurityContext.String${END}`,
    "&SecurityContext{Capabilities:&Capabilities{Add:[A],Drop:[],},Privileged:*true,SELinuxOptions:nil,RunAsUser:*0,RunAsNonRoot:nil,ReadOnlyRootFilesystem:nil,AllowPrivilegeEscalation:nil,RunAsGroup:nil,ProcMount:nil,WindowsOptions:nil,SeccompProfile:nil,AppArmorProfile:nil,}",
    container({
      securityContext: { privileged: true, runAsUser: 0, capabilities: { add: ["A"] } },
    }),
  ],
];

const TRACING = {
  tracing: {
    zipkin: { address: "z:1" },
    sampling: 1.5,
    customTags: { x: { literal: { value: "v" } } },
  },
};

const MESSAGES: Row[] = [
  [
    ".ProxyConfig.StatusPort }} {{ .ProxyConfig.ConfigPath }} {{ .ProxyConfig.MeshId",
    "15020 ./etc/istio/proxy ",
  ],
  [
    ".ProxyConfig.Foo",
    "at <.ProxyConfig.Foo>: can't evaluate field Foo in type *v1alpha1.ProxyConfig",
  ],
  [
    ".ProxyConfig.GetTracing.GetTlsSettings.GetCaCertificates }}|{{ .ProxyConfig.GetTracing.GetZipkin.GetAddress }}|{{ if .ProxyConfig.GetTracing }}y{{ end",
    "||",
  ],
  [
    ".ProxyConfig.Tracing.Sampling",
    "at <.ProxyConfig.Tracing.Sampling>: nil pointer evaluating *v1alpha1.Tracing.Sampling",
  ],
  [
    ".ProxyConfig.Tracing.Zipkin",
    "at <.ProxyConfig.Tracing.Zipkin>: can't evaluate field Zipkin in type *v1alpha1.Tracing",
  ],
  [
    ".ProxyConfig.GetTracing.GetZipkin.GetAddress }} {{ .ProxyConfig.Tracing.Sampling }} {{ .ProxyConfig.GetTracing.GetLightstep",
    "z:1 1.5 <nil>",
    { proxy: TRACING },
  ],
  [
    ".ProxyConfig.Tracing.Tracer.Zipkin.Address }} {{ printf `%T` .ProxyConfig.Tracing.Tracer",
    "z:1 *v1alpha1.Tracing_Zipkin_",
    { proxy: TRACING },
  ],
  [
    "range $k, $v := .ProxyConfig.Tracing.CustomTags }}{{ $k }} {{ $v.GetLiteral.Value }}{{ end",
    "x v",
    { proxy: TRACING },
  ],
  [
    ".ProxyConfig.Tracing",
    'zipkin:{address:"z:1"} custom_tags:{key:"x" value:{literal:{value:"v"}}} sampling:1.5',
    { proxy: TRACING },
  ],
  [
    ".ProxyConfig.GetServiceCluster }} {{ .ProxyConfig.ClusterName.ServiceCluster }} {{ .ProxyConfig.GetTracingServiceName",
    "istio-proxy istio-proxy APP_LABEL_AND_NAMESPACE",
  ],
  [
    ".ProxyConfig.ServiceCluster",
    "at <.ProxyConfig.ServiceCluster>: can't evaluate field ServiceCluster in type *v1alpha1.ProxyConfig",
  ],
  ["printf `%T` .ProxyConfig.ClusterName", "*v1alpha1.ProxyConfig_TracingServiceName_", {
    proxy: { tracingServiceName: "CANONICAL_NAME_ONLY" },
  }],
  [
    ".ProxyConfig.Concurrency }}|{{ .ProxyConfig.Concurrency.GetValue }}|{{ .ProxyConfig.HoldApplicationUntilProxyStarts.GetValue",
    "<nil>|0|false",
  ],
  [
    ".ProxyConfig.Concurrency.Value",
    "at <.ProxyConfig.Concurrency.Value>: nil pointer evaluating *wrapperspb.Int32Value.Value",
  ],
  [
    '.ProxyConfig.Concurrency }} {{ .ProxyConfig.Concurrency.Value }} {{ printf "%T" .ProxyConfig.Concurrency',
    "value:3 3 *wrapperspb.Int32Value",
    { proxy: { concurrency: 3 } },
  ],
  [
    "if .ProxyConfig.Concurrency }}set{{ end }} {{ .ProxyConfig.Concurrency.Value }} {{ structToJSON .ProxyConfig.Concurrency",
    "set 0 {}",
    { proxy: { concurrency: 0 } },
  ],
  [
    ".ProxyConfig.DrainDuration }} {{ .ProxyConfig.DrainDuration.Seconds }} {{ .ProxyConfig.DrainDuration.AsDuration }} {{ .ProxyConfig.DrainDuration.AsDuration.Minutes",
    "seconds:45 45 45s 0.75",
  ],
  [
    ".ProxyConfig.FileFlushInterval }} {{ .ProxyConfig.FileFlushInterval.AsDuration }} {{ .ProxyConfig.GetFileFlushInterval.GetNanos",
    "<nil> 0s 0",
  ],
  [
    '.ProxyConfig.InterceptionMode }} {{ .ProxyConfig.InterceptionMode.String }} {{ printf "%d %T" .ProxyConfig.InterceptionMode .ProxyConfig.InterceptionMode',
    "TPROXY TPROXY 1 v1alpha1.ProxyConfig_InboundInterceptionMode",
    { proxy: { interceptionMode: "TPROXY" } },
  ],
  [".ProxyConfig.InterceptionMode }} {{ eq .ProxyConfig.InterceptionMode 0", "REDIRECT true"],
  [".ProxyConfig.InterceptionMode", "9", { proxy: { interceptionMode: 9 } }],
  [
    'eq .ProxyConfig.InterceptionMode "NONE"',
    'at <eq .ProxyConfig.InterceptionMode "NONE">: error calling eq: incompatible types for comparison: v1alpha1.ProxyConfig_InboundInterceptionMode and string',
  ],
  [
    ".ProxyConfig.ProxyMetadata }} {{ .ProxyConfig.ProxyMetadata.C }} {{ index .ProxyConfig.ProxyMetadata `C` }}|{{ range $k, $v := .ProxyConfig.ProxyMetadata }}{{ $k }}{{ $v }},{{ end",
    "map[A:2 B:1] <no value> |A2,B1,",
    { proxy: { proxyMetadata: { B: "1", A: "2" } } },
  ],
  [
    "structToJSON .ProxyConfig }}{{ toYaml .ProxyConfig",
    '{"drainDuration":"5s","concurrency":0,"proxyMetadata":{"A":"\\u003c"}}concurrency: 0\ndrainDuration: 5s\nproxyMetadata:\n  A: <\n',
    { proxy: { proxyMetadata: { A: "<" }, concurrency: 0, drainDuration: "5s" } },
  ],
  [".ProxyConfig.GetTracing.GetSampling", "0", { proxy: null }],
  [
    ".ProxyConfig.StatusPort",
    "at <.ProxyConfig.StatusPort>: nil pointer evaluating *v1alpha1.ProxyConfig.StatusPort",
    { proxy: null },
  ],
  [
    ".MeshConfig.GetDefaultConfig.GetTracing }} {{ .MeshConfig.TrustDomain }}|{{ .MeshConfig.GetEnableAutoMtls.GetValue }} {{ .MeshConfig.GetOutboundTrafficPolicy.GetMode",
    "<nil> td|true REGISTRY_ONLY",
    { mesh: { trustDomain: "td", enableAutoMtls: true } },
  ],
  [
    "range .MeshConfig.ExtensionProviders }}{{ .Name }} {{ .GetOpentelemetry.GetServiceAttributeEnrichment }};{{ end }}{{ len .MeshConfig.ExtensionProviders",
    "o OTEL_SEMANTIC_CONVENTIONS;p ISTIO_CANONICAL;2",
    {
      mesh: {
        extensionProviders: [
          { name: "o", opentelemetry: { serviceAttributeEnrichment: "OTEL_SEMANTIC_CONVENTIONS" } },
          { name: "p", prometheus: {} },
        ],
      },
    },
  ],
];

const LEGACY: Row[] = [
  ["gt .ProxyConfig.Concurrency 0 }} {{ .ProxyConfig.Concurrency", "true 2", {
    proxy: { concurrency: 2 },
    minor: 6,
  }],
  [
    ".ProxyConfig.Concurrency.GetValue }} {{ .ProxyConfig.Concurrency",
    "2 &Int32Value{Value:2,XXX_unrecognized:[],}",
    { proxy: { concurrency: 2 }, minor: 7 },
  ],
  [
    "formatDuration .ProxyConfig.ParentShutdownDuration }} {{ formatDuration .ProxyConfig.ConnectTimeout",
    "1m0s 0s",
    { proxy: { parentShutdownDuration: "60s" }, minor: 1 },
  ],
  ["formatDuration .ProxyConfig.ParentShutdownDuration", "1m0s", {
    proxy: { parentShutdownDuration: "60s" },
    minor: 16,
  }],
  [".MeshConfig.SdsUdsPath }}|{{ .MeshConfig.EnableSdsTokenMount", "|false", { minor: 1 }],
  [
    ".ProxyConfig.ServiceCluster }} {{ annotation .ObjectMeta `a` `d` }} {{ .DeploymentMeta.Name",
    "istio-proxy d web",
    { minor: 4 },
  ],
  [
    "structToJSON .ProxyConfig",
    '{"drainDuration":{"seconds":45},"controlPlaneAuthPolicy":1,"concurrency":{"value":2},"tracing":{"Tracer":{"Zipkin":{"address":"z:1"}}}}',
    {
      proxy: {
        drainDuration: "45s",
        controlPlaneAuthPolicy: 1,
        concurrency: 2,
        tracing: { zipkin: { address: "z:1" } },
      },
      minor: 7,
    },
  ],
  [".Values", "at <.Values>: can't evaluate field Values in type *inject.SidecarTemplateData", {
    minor: 1,
  }],
  [
    ".TypeMeta.Kind",
    "at <.TypeMeta.Kind>: can't evaluate field TypeMeta in type *inject.SidecarTemplateData",
    { minor: 2 },
  ],
];

function describeRows(name: string, rows: readonly Row[]) {
  describe(name, () => {
    for (const [source, output, given] of rows) {
      test(`{{ ${source} }}${given ? ` with ${JSON.stringify(given)}` : ""}`, () => {
        expect(render(`{{ ${source} }}`, given)).toBe(output);
      });
    }
  });
}

describeRows("templateData()", ROOT);
describeRows("kubeType()", KUBERNETES);
describeRows("messageValue()", MESSAGES);
describeRows("templateData() of old versions", LEGACY);

describe("messageValue()", () => {
  test("builds the shape of a JSON object once", () => {
    const json = { drainDuration: "45s" };
    const one = messageValue(MESH_SCHEMA.proxyConfig, json);
    const two = messageValue(MESH_SCHEMA.proxyConfig, json);
    expect(one.value).toBe(two.value);
    expect(one.type).toBe(two.type);
  });

  test("builds separate shapes for each schema", () => {
    const json = { concurrency: 2 };
    messageValue(MESH_SCHEMA.proxyConfig, json);
    const old = messageValue(meshSchema(1).proxyConfig, json);
    expect(old.value).toEqual({ concurrency: 2 });
  });
});

test("kubeType() builds each type once", () => {
  expect(kubeType("Container")).toBe(kubeType("Container"));
  expect(kubeType("Container").fields?.get("Env")?.type().name).toBe("[]v1.EnvVar");
});
