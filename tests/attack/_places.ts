/** Lists every field of a pod that a template may read, with a function that sets it. */
import { CHECKED_ANNOTATIONS } from "../../lib/inject/annotations.ts";
import { parseInjectionConfig } from "../../lib/config/mod.ts";
import { MESH_SCHEMA, type MeshType } from "../../lib/config/mesh_schema.ts";
import type { EngineSources } from "../../lib/inject/engine.ts";

type Json = Record<string, unknown>;

export interface Place {
  readonly name: string;
  /** Sets the field in a pod, in which other fields may be set already. */
  put(pod: Json, value: string): void;
}

/** An ordinary pod of a Deployment, as the API server encodes it. */
export function plainPod(): Json {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      generateName: "web-abc-",
      namespace: "shop",
      labels: { app: "web", "pod-template-hash": "abc" },
      annotations: {},
      ownerReferences: [
        { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web-abc", uid: "1", controller: true },
      ],
    },
    spec: {
      containers: [
        {
          name: "app",
          image: "app:1",
          resources: {},
          ports: [{ name: "http", containerPort: 80 }],
          env: [{ name: "A", value: "b" }],
          readinessProbe: { httpGet: { path: "/ready", port: "http" } },
        },
        { name: "two", resources: {} },
      ],
      initContainers: [{ name: "init", resources: {} }],
    },
  };
}

/** Returns the keys of labels and annotations in a config's templates, however they read them. */
function keysIn(config: string): string[] {
  const named = config.matchAll(
    /[`"\\]([a-z][a-z0-9.-]*\.[a-z]+\/[A-Za-z0-9._-]+|app|version)[`"\\]/g,
  );
  return [...new Set([...[...named].map(([, key]) => key), ...CHECKED_ANNOTATIONS])];
}

type PodSpec = { containers: Json[]; initContainers: Json[] } & Json;

export function placesOf({ config }: Pick<EngineSources, "config">): Place[] {
  const meta = (pod: Json) => pod.metadata as Json & Record<string, Json>;
  const spec = (pod: Json) => pod.spec as PodSpec;
  const owner = (pod: Json) => (meta(pod).ownerReferences as unknown as Json[])[0];
  const app = (pod: Json) => spec(pod).containers[0];
  const port = (pod: Json) => (app(pod).ports as Json[])[0];
  const sidecar = (pod: Json) => {
    const { containers } = spec(pod);
    const known = containers.find(({ name }) => name === "istio-proxy");
    if (known === undefined) containers.push({ name: "istio-proxy", resources: {} });
    return containers.at(-1)!;
  };
  const place = (name: string, put: Place["put"]): Place => ({ name, put });
  return [
    ...keysIn(config).flatMap((key) => [
      place(`annotation ${key}`, (pod, value) => meta(pod).annotations[key] = value),
      place(`label ${key}`, (pod, value) => meta(pod).labels[key] = value),
    ]),
    ...proxyConfigPlaces(),
    place("a label's key", (pod, value) => meta(pod).labels[value] = "x"),
    place("an annotation's key", (pod, value) => meta(pod).annotations[value] = "x"),
    place("name", (pod, value) => (meta(pod) as Json).name = value),
    place("generateName", (pod, value) => (meta(pod) as Json).generateName = value),
    place("namespace", (pod, value) => (meta(pod) as Json).namespace = value),
    place("owner's name", (pod, value) => owner(pod).name = value),
    place("owner's name with hash", (pod, value) => owner(pod).name = `${value}-abc`),
    place("owner's kind", (pod, value) => owner(pod).kind = value),
    place("owner's API", (pod, value) => owner(pod).apiVersion = value),
    place("container's name", (pod, value) => app(pod).name = value),
    place("image", (pod, value) => app(pod).image = value),
    place("port's name", (pod, value) => port(pod).name = value),
    place("port's protocol", (pod, value) => port(pod).protocol = value),
    place("probe's path", (pod, path) => app(pod).readinessProbe = { httpGet: { path, port: 80 } }),
    place("probe's port", (pod, port) => app(pod).livenessProbe = { tcpSocket: { port } }),
    place("variable's name", (pod, name) => app(pod).env = [{ name, value: "own" }]),
    place("variable's value", (pod, value) => app(pod).env = [{ name: "A", value }]),
    place("service account", (pod, value) => spec(pod).serviceAccountName = value),
    place("node", (pod, value) => spec(pod).nodeName = value),
    place("host", (pod, value) => spec(pod).hostname = value),
    place("pull secret", (pod, name) => spec(pod).imagePullSecrets = [{ name }]),
    place("volume", (pod, name) => spec(pod).volumes = [{ name, emptyDir: {} }]),
    place("init container's name", (pod, name) => spec(pod).initContainers[0].name = name),
    place("sidecar's image", (pod, value) => sidecar(pod).image = value),
    place("sidecar's variable", (pod, value) => {
      sidecar(pod).env = [{ name: "PILOT_CERT_PROVIDER", value }];
    }),
    place("sidecar's argument", (pod, value) => sidecar(pod).args = [value]),
  ];
}

/** Returns every string field of a proxy config, set as JSON and, for YAML's own escapes, verbatim. */
function proxyConfigPlaces(): Place[] {
  const annotate = (pod: Json, text: string) => {
    const { annotations } = pod.metadata as { annotations: Json };
    annotations["proxy.istio.io/config"] = text;
  };
  return stringPaths({ kind: "message", message: MESH_SCHEMA.proxyConfig }).flatMap((wrap) => {
    const name = JSON.stringify(wrap("…"));
    return [
      {
        name: `proxy config ${name}`,
        put: (pod, value) => annotate(pod, JSON.stringify(wrap(value))),
      },
      {
        name: `proxy config ${name}, as YAML`,
        put: (pod, value) => {
          const quoted = JSON.stringify(wrap("\ue123"));
          annotate(pod, quoted.replace("\ue123", () => value.replaceAll('"', '\\"')));
        },
      },
    ] satisfies Place[];
  });
}

type Wrap = (value: string) => unknown;

/** Messages may be recursive; no template reads deeper than this. */
const MAX_DEPTH = 3;

function stringPaths(type: MeshType, depth = 0): Wrap[] {
  switch (type.kind) {
    case "string":
      return [(value) => value];
    case "list":
      return stringPaths(type.elem, depth).map((wrap) => (value) => [wrap(value)]);
    case "map":
      return [
        ...stringPaths(type.elem, depth).map((wrap): Wrap => (value) => ({ KEY: wrap(value) })),
        (value) => ({ [value]: "x" }),
      ];
    case "message":
      if (depth >= MAX_DEPTH) return [];
      return type.message.fields.flatMap((field) =>
        stringPaths(field.type, depth + 1).map((wrap): Wrap => (value) => ({
          [field.json]: wrap(value),
        }))
      );
    default:
      return [];
  }
}

/** Returns the names of a config's templates, for pods that request them; `undefined` requests none. */
export function templatesOf({ config }: Pick<EngineSources, "config">): (string | undefined)[] {
  const names = Object.keys(parseInjectionConfig(config).templates);
  return names.length === 0 ? [undefined] : names;
}
