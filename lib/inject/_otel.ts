/** Builds the sidecar's service attributes in the syntax of `OTEL_RESOURCE_ATTRIBUTES`. */
import type { MessageJson } from "../config/proto_json.ts";
import { meshJson } from "./go_types.ts";

type Strings = Readonly<Record<string, string>> | null;

const ANNOTATION = "resource.opentelemetry.io/";

/**
 * Returns `service.namespace`, `service.version` and `service.instance.id` if a tracing provider of the
 * mesh uses OpenTelemetry's semantic conventions, and "" otherwise.
 */
export function otelResourceAttributes(
  mesh: unknown,
  annotations: Strings,
  labels: Strings,
  namespace: string,
  containers: readonly Readonly<Record<string, unknown>>[] | null,
): string {
  if (mesh === null || !enriches(meshJson(mesh))) return "";
  const attributes: [string, string][] = [];
  const name = own(annotations, `${ANNOTATION}service.namespace`) || namespace;
  attributes.push(["service.namespace", name]);
  const version = own(annotations, `${ANNOTATION}service.version`) ||
    own(labels, "app.kubernetes.io/version") ||
    (containers?.length === 1 ? imageVersion(String(containers[0].image ?? "")) : "");
  attributes.push(["service.version", version]);
  const first = containers?.[0];
  const instance = own(annotations, `${ANNOTATION}service.instance.id`) ||
    (first ? `${namespace}.$(POD_NAME).${first.name ?? ""}` : "");
  attributes.push(["service.instance.id", instance]);
  return attributes.filter(([, value]) => value !== "").map((pair) => pair.join("=")).join(",");
}

function own(map: Strings, key: string): string {
  return map !== null && Object.hasOwn(map, key) ? map[key] : "";
}

function enriches(mesh: MessageJson): boolean {
  const providers = (mesh.extensionProviders ?? []) as readonly MessageJson[];
  return providers.some((provider) => {
    const opentelemetry = provider.opentelemetry as MessageJson | undefined;
    return opentelemetry?.serviceAttributeEnrichment === "OTEL_SEMANTIC_CONVENTIONS";
  });
}

/** Returns an image's `tag@digest`, or the one it has. */
function imageVersion(image: string): string {
  const at = image.indexOf("@");
  const digest = at < 0 ? "" : image.slice(at + 1);
  const name = at < 0 ? image : image.slice(0, at);
  const colon = name.lastIndexOf(":");
  const tag = colon > name.lastIndexOf("/") ? name.slice(colon + 1) : "";
  return tag && digest ? `${tag}@${digest}` : tag || digest;
}
