/**
 * Sets the Kubernetes defaults of containers and volumes. The API server of that time did not set them on
 * objects added by a webhook, so 0.8 and 1.0 did.
 */
import type { Container } from "../pod.ts";

type Json = Readonly<Record<string, unknown>>;

/** The file mode 0644. */
const FILE_MODE = 420;

export function containerDefaults(container: Container): Container {
  const out: Record<string, unknown> = { ...container };
  out.terminationMessagePath ??= "/dev/termination-log";
  out.terminationMessagePolicy ??= "File";
  out.imagePullPolicy ??= hasLatestTag(container.image ?? "") ? "Always" : "IfNotPresent";
  if (container.ports) {
    out.ports = container.ports.map((port) => ({ ...port, protocol: port.protocol ?? "TCP" }));
  }
  if (container.env) {
    out.env = container.env.map((variable) => {
      const { valueFrom } = variable as { valueFrom?: Json };
      return valueFrom?.fieldRef
        ? { ...variable, valueFrom: withFieldVersion(valueFrom) }
        : variable;
    });
  }
  for (const field of ["livenessProbe", "readinessProbe", "startupProbe"]) {
    if (out[field]) out[field] = probeDefaults(out[field] as Json);
  }
  if (out.lifecycle) {
    out.lifecycle = mapValues(out.lifecycle as Json, (hook) => httpDefaults(hook as Json));
  }
  const { limits, requests } = out.resources as { limits?: Json; requests?: Json };
  if (limits) out.resources = { limits, requests: { ...limits, ...requests } };
  return out as Container;
}

function withFieldVersion(holder: Json): Json {
  return { ...holder, fieldRef: { apiVersion: "v1", ...holder.fieldRef as Json } };
}

/** Reports whether an image has the tag `latest`, explicitly or by default. */
function hasLatestTag(image: string): boolean {
  if (image.includes("@")) return false;
  const name = image.slice(image.lastIndexOf("/") + 1);
  return !name.includes(":") || name.endsWith(":latest");
}

function probeDefaults(probe: Json): Json {
  return {
    timeoutSeconds: 1,
    periodSeconds: 10,
    successThreshold: 1,
    failureThreshold: 3,
    ...httpDefaults(probe),
  };
}

function httpDefaults(handler: Json): Json {
  if (!handler.httpGet) return handler;
  return { ...handler, httpGet: { path: "/", scheme: "HTTP", ...handler.httpGet as Json } };
}

type Source = (source: Json) => Json;

const SOURCES: Readonly<Record<string, Source>> = {
  secret: withMode,
  configMap: withMode,
  downwardAPI: (source) => withMode(withItemVersions(source)),
  projected: (source) => {
    const sources = (source.sources ?? []) as readonly Json[];
    return withMode({
      ...source,
      sources: sources.map((part) =>
        part.downwardAPI
          ? { ...part, downwardAPI: withItemVersions(part.downwardAPI as Json) }
          : part
      ),
    });
  },
  hostPath: (source) => ({ type: "", ...source }),
  iscsi: (source) => ({ iscsiInterface: "default", ...source }),
  rbd: (source) => ({ pool: "rbd", user: "admin", keyring: "/etc/ceph/keyring", ...source }),
  azureDisk: (source) => ({
    cachingMode: "ReadWrite",
    fsType: "ext4",
    readOnly: false,
    kind: "Shared",
    ...source,
  }),
  scaleIO: (source) => ({ storageMode: "ThinProvisioned", fsType: "xfs", ...source }),
};

export function volumeDefaults<T extends { readonly name: string }>(volume: T): T {
  const kind = Object.keys(volume).find((key) => key !== "name");
  if (kind === undefined) return { ...volume, emptyDir: {} };
  if (!Object.hasOwn(SOURCES, kind)) return volume;
  return { ...volume, [kind]: SOURCES[kind]((volume as Json)[kind] as Json) };
}

function withMode(source: Json): Json {
  return { defaultMode: FILE_MODE, ...source };
}

function withItemVersions(source: Json): Json {
  const items = source.items as readonly Json[] | undefined;
  if (!items) return source;
  return { ...source, items: items.map((item) => item.fieldRef ? withFieldVersion(item) : item) };
}

function mapValues(map: Json, change: (value: unknown) => unknown): Json {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value)]));
}
