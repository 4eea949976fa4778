/**
 * What survives redaction, string by string: a pod with a canary in every string that the schema of pods
 * has, and in every place of the annotations with a structure. Which canaries come through is compared
 * with the list below, and the list with the table of the README.
 */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { annotationsOf, redactPod, redactProxyConfig } from "../../lib/compare/redact.ts";
import { reviewLine } from "../../lib/compare/recording.ts";
import { MESH_SCHEMA, type MeshMessage, type MeshType } from "../../lib/config/mesh_schema.ts";
import { type SchemaType, type StructType, structType } from "../../lib/kube/schema.ts";
import { deepFreeze } from "../_freeze.ts";

/** Makes canaries, and tells which are in a text; a place may have several, of which one is enough. */
class Aviary {
  readonly #places = new Map<string, string>();

  /** Short enough for the name of a port. */
  canary(place: string): string {
    const canary = `cnry${this.#places.size.toString(36).padStart(4, "0")}`;
    this.#places.set(canary, place);
    return canary;
  }

  get size(): number {
    return this.#places.size;
  }

  survivors(value: unknown): string[] {
    const found = JSON.stringify(value).match(/cnry[0-9a-z]{4}/g) ?? [];
    return [...new Set(found.map((canary) => this.#places.get(canary)!))].sort();
  }
}

/** A value of a type with a canary in each string. */
function filled(type: SchemaType, place: string, aviary: Aviary): unknown {
  switch (type.kind) {
    case "pointer":
      return filled(type.elem!, place, aviary);
    case "struct":
      return filledStruct(type.struct!, place, aviary);
    case "list":
      return [filled(type.elem!, `${place}[]`, aviary), filled(type.elem!, `${place}[]`, aviary)];
    case "map":
      return { [aviary.canary(`${place} (key)`)]: filled(type.elem!, `${place}.*`, aviary) };
    case "bool":
      return true;
    case "int32":
    case "int64":
      return 7;
    case "raw":
      return { [aviary.canary(`${place} (key)`)]: aviary.canary(place) };
    default:
      return aviary.canary(place);
  }
}

function filledStruct(type: StructType, place: string, aviary: Aviary): Record<string, unknown> {
  return Object.fromEntries(type.encoded.map((field) => {
    const inner = place === "" ? field.json : `${place}.${field.json}`;
    return [field.json, filled(field.type, inner, aviary)];
  }));
}

/** By path; the lists of containers are alike. */
const KEPT = `
  apiVersion
  kind
  metadata.generateName
  metadata.labels.*
  metadata.name
  metadata.namespace
  metadata.ownerReferences[].apiVersion
  metadata.ownerReferences[].kind
  metadata.ownerReferences[].name
  spec.dnsPolicy
  spec.imagePullSecrets[].name
  spec.nodeName
  spec.serviceAccountName
  spec.volumes[].name
`.trim().split(/\s+/);

const KEPT_OF_CONTAINERS = `
  env[].name
  image
  lifecycle.postStart.httpGet.port
  lifecycle.postStart.httpGet.scheme
  lifecycle.postStart.tcpSocket.port
  lifecycle.preStop.httpGet.port
  lifecycle.preStop.httpGet.scheme
  lifecycle.preStop.tcpSocket.port
  livenessProbe.httpGet.port
  livenessProbe.httpGet.scheme
  livenessProbe.tcpSocket.port
  name
  ports[].name
  ports[].protocol
  readinessProbe.httpGet.port
  readinessProbe.httpGet.scheme
  readinessProbe.tcpSocket.port
  restartPolicy
  startupProbe.httpGet.port
  startupProbe.httpGet.scheme
  startupProbe.tcpSocket.port
  volumeMounts[].mountPath
  volumeMounts[].name
`.trim().split(/\s+/);

/** Ports of probes stay wherever there are probes: a name of at most 15 characters. */
const KEPT_OF_EPHEMERAL = KEPT_OF_CONTAINERS.filter((path) =>
  /\.(?:port|scheme)$|^env|^ports|^volumeMounts/.test(path)
);

const keptOfPod = [
  ...KEPT,
  ...["containers", "initContainers"].flatMap((list) =>
    KEPT_OF_CONTAINERS.map((path) => `spec.${list}[].${path}`)
  ),
  ...KEPT_OF_EPHEMERAL.map((path) => `spec.ephemeralContainers[].${path}`),
].sort();

const README = readFileSync(`${import.meta.dirname}/../../README.md`, "utf8");

describe("of a pod with a canary in every string", () => {
  const aviary = new Aviary();
  const { metadata, ...pod } = filledStruct(structType("Pod")!, "", aviary) as {
    metadata: Record<string, unknown>;
  };
  const { annotations: _, ...rest } = metadata;
  const object = deepFreeze({ ...pod, metadata: rest });
  const survivors = aviary.survivors(redactPod(object));

  test("strings that injection reads come through, and no others", () => {
    expect(aviary.size).toBeGreaterThan(1000);
    expect(survivors.filter((place) => !place.endsWith("(key)"))).toEqual(keptOfPod);
  });

  test("so do names of keys, except in parts that are left out", () => {
    const keys = survivors.filter((place) => place.endsWith("(key)"));
    expect(keys).toContain("metadata.labels (key)");
    expect(keys).toContain("spec.volumes[].csi.volumeAttributes (key)");
    expect(keys.filter((place) => /^(?:status|metadata\.managedFields)/.test(place))).toEqual([]);
  });

  test("everything else keeps its shape", () => {
    const shape = (value: unknown): unknown =>
      Array.isArray(value)
        ? value.map(shape)
        : typeof value === "object" && value !== null
        ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shape(item)]))
        : typeof value;
    const { status: __, ...withoutStatus } = object as typeof object & { status: unknown };
    const { managedFields: ___, ...kept } = withoutStatus.metadata;
    expect(shape(redactPod(object))).toEqual(shape({ ...withoutStatus, metadata: kept }));
  });

  test("the README names what stays", () => {
    for (const path of [...KEPT, ...KEPT_OF_CONTAINERS]) {
      const field = path.replace(/^.*(?:Probe|preStop|postStart)\./, "").replace(/\.\*$/, "");
      expect([field, README.includes(`\`${field}\``)]).toEqual([field, true]);
    }
  });
});

/** Annotations that stay whole; the README has the same list. */
const WHOLE = `
  inject.istio.io/templates istio.io/rev istio.io/reroute-virtual-interfaces
  k8s.v1.cni.cncf.io/networks kubectl.kubernetes.io/default-container
  kubectl.kubernetes.io/default-logs-container prometheus.io/path prometheus.io/port
  prometheus.io/scrape prometheus.istio.io/merge-metrics prometheus.istio.io/scrape-targets
  prometheus.istio.io/secure-port readiness.status.sidecar.istio.io/applicationPorts
  readiness.status.sidecar.istio.io/failureThreshold
  readiness.status.sidecar.istio.io/initialDelaySeconds
  readiness.status.sidecar.istio.io/periodSeconds resource.opentelemetry.io/service.instance.id
  resource.opentelemetry.io/service.namespace resource.opentelemetry.io/service.version
  sidecar.istio.io/agentLogLevel sidecar.istio.io/bootstrapOverride
  sidecar.istio.io/capNetBindService sidecar.istio.io/componentLogLevel
  sidecar.istio.io/controlPlaneAuthPolicy sidecar.istio.io/discoveryAddress
  sidecar.istio.io/enableCoreDump sidecar.istio.io/inject sidecar.istio.io/interceptionMode
  sidecar.istio.io/logLevel sidecar.istio.io/nativeSidecar sidecar.istio.io/proxyCPU
  sidecar.istio.io/proxyCPULimit sidecar.istio.io/proxyImage sidecar.istio.io/proxyImageType
  sidecar.istio.io/proxyMemory sidecar.istio.io/proxyMemoryLimit
  sidecar.istio.io/rewriteAppHTTPProbers status.sidecar.istio.io/port
  traffic.sidecar.istio.io/excludeInboundPorts traffic.sidecar.istio.io/excludeInterfaces
  traffic.sidecar.istio.io/excludeOutboundIPRanges traffic.sidecar.istio.io/excludeOutboundPorts
  traffic.sidecar.istio.io/includeInboundPorts traffic.sidecar.istio.io/includeOutboundIPRanges
  traffic.sidecar.istio.io/includeOutboundPorts traffic.sidecar.istio.io/kubevirtInterfaces
`.trim().split(/\s+/);

/** Of Istio's and others' annotations, what injection does not read. */
const OTHERS = `
  sidecar.istio.io/token sidecar.istio.io/extraStatTags sidecar.istio.io/statsInclusionRegexps
  evil.istio.io/x istio.io/x proxy.istio.io/x networking.istio.io/exportTo prometheus.io/password
  token.prometheus.io/x openshift.io/scc example.com/token token password
  kubectl.kubernetes.io/last-applied-configuration security.istio.io/tlsMode
`.trim().split(/\s+/);

describe("of annotations", () => {
  const named = "example.com/read-by-template";

  test("those that injection reads come through, and no others", () => {
    const aviary = new Aviary();
    const all = [...WHOLE, ...OTHERS, named];
    const annotations = Object.fromEntries(all.map((name) => [name, aviary.canary(name)]));
    const pod = redactPod({ metadata: { annotations } }, {
      keepsAnnotation: (name) => name === named,
    }) as { metadata: { annotations: Record<string, string> } };
    expect(aviary.survivors(pod)).toEqual([...WHOLE, named].sort());
    expect(Object.keys(pod.metadata.annotations)).toEqual(all);
    for (const name of WHOLE) {
      const [domain, rest] = name.split("/");
      for (const word of [domain, rest]) {
        expect([word, README.includes(`\`${word}\``)]).toEqual([word, true]);
      }
    }
  });

  test("a query of Prometheus' path is cut, in any spelling", () => {
    const annotations = {
      "prometheus.io/path": "/metrics?token=cnry",
      "prometheus_io_path": "/metrics?token=cnry",
      "prometheus.istio.io/scrape-targets": "80:/a?t=cnry,81:/b?t=cnry",
    };
    expect(redactPod({ metadata: { annotations } })).toEqual({
      metadata: {
        annotations: {
          "prometheus.io/path": "/metrics?redacted",
          "prometheus_io_path": "/metrics?redacted",
          "prometheus.istio.io/scrape-targets": "80:/a?redacted,81:/b?redacted",
        },
      },
    });
  });

  test("in structures, what stays is what stays in a pod", () => {
    const aviary = new Aviary();
    const json = (type: string, place: string) => filledStruct(structType(type)!, place, aviary);
    const annotations = {
      "proxy.istio.io/overrides": JSON.stringify({
        containers: [json("Container", "container")],
        initContainers: [json("Container", "container")],
        [aviary.canary("overrides (key)")]: aviary.canary("overrides.other"),
      }),
      "sidecar.istio.io/userVolume": JSON.stringify({
        [aviary.canary("volume (key)")]: json("Volume", "volume"),
      }),
      "sidecar.istio.io/userVolumeMount": JSON.stringify({
        [aviary.canary("mount (key)")]: json("VolumeMount", "mount"),
      }),
      "sidecar.istio.io/status": JSON.stringify({
        containers: [aviary.canary("status.containers[]")],
        volumes: [aviary.canary("status.volumes[]")],
        revision: aviary.canary("status.revision"),
        other: aviary.canary("status.other"),
      }),
    };
    const survivors = aviary.survivors(redactPod({ metadata: { annotations } }));
    expect(survivors.filter((place) => !place.endsWith("(key)"))).toEqual([
      ...KEPT_OF_CONTAINERS.map((path) => `container.${path}`),
      ...["mount.mountPath", "mount.name", "volume.name"],
      ...["status.containers[]", "status.revision", "status.volumes[]"],
    ].sort());
    expect(survivors).not.toContain("overrides (key)");
  });

  test.each(["proxy.istio.io/overrides", "sidecar.istio.io/userVolume", "sidecar.istio.io/status"])(
    "%s that is not JSON does not come through",
    (name) => {
      const aviary = new Aviary();
      const annotations = { [name]: `{${aviary.canary("x")}` };
      expect(aviary.survivors(redactPod({ metadata: { annotations } }))).toEqual([]);
    },
  );
});

/** A proxy config with a canary in every text. */
function filledMessage(
  message: MeshMessage,
  place: string,
  aviary: Aviary,
): Record<string, unknown> {
  return Object.fromEntries(message.fields.map(({ json, type }) => {
    const inner = place === "" ? json : `${place}.${json}`;
    return [json, filledMesh(type, inner, aviary)];
  }));
}

function filledMesh(type: MeshType, place: string, aviary: Aviary): unknown {
  switch (type.kind) {
    case "message":
      return filledMessage(type.message, place, aviary);
    case "list":
      return [filledMesh(type.elem, `${place}[]`, aviary)];
    case "map":
      return { [aviary.canary(`${place} (key)`)]: filledMesh(type.elem, `${place}.*`, aviary) };
    case "struct":
      return { [aviary.canary(`${place} (key)`)]: aviary.canary(place) };
    default:
      return aviary.canary(place);
  }
}

describe("of a proxy config", () => {
  test.each(["annotation", "resource"])("as %s, only the image's type comes through", (as) => {
    const aviary = new Aviary();
    const config = {
      ...filledMessage(MESH_SCHEMA.proxyConfig, "", aviary),
      unknown: { [aviary.canary("unknown (key)")]: [aviary.canary("unknown")] },
    };
    const annotations = { "proxy.istio.io/config": JSON.stringify(config) };
    const redacted = as === "annotation"
      ? redactPod({ metadata: { annotations } })
      : redactProxyConfig(config);
    const survivors = aviary.survivors(redacted);
    expect(survivors.filter((place) => !place.endsWith("(key)"))).toEqual(["image.imageType"]);
    expect(survivors).toContain("proxyMetadata (key)");
  });

  const rows: [given: string, expected: unknown][] = [
    ["", ""],
    ["{}", "{}"],
    ["concurrency: 3\nproxyMetadata: {A: s3cret, B: '', C: 'true'}", {
      concurrency: 3,
      proxyMetadata: { A: "redacted", B: "", C: "true" },
    }],
    ["interceptionMode: TPROXY\ndrainDuration: 45s", {
      interceptionMode: "TPROXY",
      drainDuration: "45s",
    }],
    ["discoveryAddress: secret.host:15012", { discoveryAddress: "redacted:15012" }],
    ["tracing: {lightstep: {accessToken: s3cret, secure: true}}", {
      tracing: { lightstep: { accessToken: "redacted", secure: true } },
    }],
    ["parentShutdownDuration: 60s", { parentShutdownDuration: "60s" }],
    ["interceptionMode: s3cret", { interceptionMode: "redacted" }],
    ["[s3cret]", "redacted"],
    ["a: [s3cret", "{redacted"],
  ];
  test.each(rows)("%j keeps its structure", (given, expected) => {
    const annotations = { "proxy.istio.io/config": given };
    const pod = redactPod({ metadata: { annotations } }) as {
      metadata: { annotations: Record<string, string> };
    };
    const text = pod.metadata.annotations["proxy.istio.io/config"];
    expect(typeof expected === "string" ? text : JSON.parse(text)).toEqual(expected);
  });
});

test("variables that an earlier injection wrote stay as far as injection reads them", () => {
  const prober = {
    httpGet: { path: "/health?t=cnry", port: 80, httpHeaders: [{ name: "a", value: "cnry" }] },
  };
  const env = [
    { name: "ISTIO_KUBE_APP_PROBERS", value: JSON.stringify({ "/app-health/web/livez": prober }) },
    { name: "ENVOY_SECURE_MERGED_METRICS_PORT", value: "15091" },
    { name: "ENVOY_SECURE_MERGED_METRICS_PORT", value: "cnry" },
  ];
  const redacted = JSON.stringify(
    redactPod({ spec: { containers: [{ name: "istio-proxy", env }] } }),
  );
  expect(redacted).not.toContain("cnry");
  expect(redacted).toContain('"15091"');
  expect(redacted).toContain("/app-health/web/livez");
});

test("keys by which lists are merged stay apart", () => {
  const hostAliases = [{ ip: "10.0.0.1" }, { ip: "10.0.0.2" }, { ip: "10.0.0.1" }];
  expect(redactPod({ spec: { hostAliases } })).toEqual({
    spec: { hostAliases: [{ ip: "redacted-1" }, { ip: "redacted-2" }, { ip: "redacted-1" }] },
  });
});

test("annotationsOf() are names in quotes that have a prefix", () => {
  const config =
    'a: {{ index .Annotations `example.com/a` }} "example.com/b" \'c.io/c\' \\"d.io/d\\" ' +
    'token "password" plain.io/x "/etc/x"';
  expect([...annotationsOf(config)]).toEqual([
    "example.com/a",
    "example.com/b",
    "c.io/c",
    "d.io/d",
  ]);
});

test("a recorded review has nothing more of the cluster than injection reads", () => {
  const line = reviewLine({
    time: 0,
    path: "/inject",
    namespace: "shop",
    object: {},
    cluster: {
      namespaceAnnotations: () => ({
        "openshift.io/description": "cnry",
        "openshift.io/sa.scc.uid-range": "1/2",
      }),
      proxyConfigs: [{ namespace: "shop", config: { proxyMetadata: { TOKEN: "cnry" } } }],
    },
    outcome: { decision: "skipped", reason: "x", operations: 0 },
  }, { config: "v" });
  expect(line).not.toContain("cnry");
  expect(line).toContain('"1/2"');
});
