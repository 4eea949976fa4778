/** Names of the objects of an Istio installation, and helpers to read them. */

import { isMap } from "../data/map.ts";
import type { KubeObject } from "./client.ts";

export const ISTIO_NAMESPACE = "istio-system";

/** The config maps of an Istio installation; a revision is appended to these names. */
export const INJECT_MAP = "istio-sidecar-injector";
export const MESH_MAP = "istio";

/** Returns the name of a revision's config map; a name other than the usual one is used as given. */
export function mapName(
  given: string | undefined,
  { usual, revision }: { readonly usual: string; readonly revision: string },
): string {
  if (given && given !== usual) return given;
  return revision === "" ? usual : `${usual}-${revision}`;
}

/** Returns the text under a key of a config map, or undefined if there is none. */
export function textOf({ data }: KubeObject, key: string): string | undefined {
  const text = isMap(data) && Object.hasOwn(data, key) ? data[key] : undefined;
  return typeof text === "string" ? text : undefined;
}

export function nodeOf({ metadata, status }: KubeObject): { name: string; kubeletVersion: string } {
  const { nodeInfo } = (status ?? {}) as { nodeInfo?: { kubeletVersion?: unknown } };
  return { name: metadata.name ?? "", kubeletVersion: String(nodeInfo?.kubeletVersion ?? "") };
}
