/** The objects of an Istio installation: their names, and how to read them. */

import type { KubeObject } from "./client.ts";

export const ISTIO_NAMESPACE = "istio-system";

/** The config maps of an Istio installation; those of a revision have it at their end. */
export const INJECT_MAP = "istio-sidecar-injector";
export const MESH_MAP = "istio";

/** A name of the user's own is taken as it is. */
export function mapName(
  given: string | undefined,
  { usual, revision }: { readonly usual: string; readonly revision: string },
): string {
  if (given && given !== usual) return given;
  return revision === "" ? usual : `${usual}-${revision}`;
}

/** `undefined` where the map has no such key. */
export function textOf({ data }: KubeObject, key: string): string | undefined {
  const isMap = typeof data === "object" && data !== null && Object.hasOwn(data, key);
  const text = isMap ? (data as Record<string, unknown>)[key] : undefined;
  return typeof text === "string" ? text : undefined;
}

export function nodeOf({ metadata, status }: KubeObject): { name: string; kubeletVersion: string } {
  const { nodeInfo } = (status ?? {}) as { nodeInfo?: { kubeletVersion?: unknown } };
  return { name: metadata.name ?? "", kubeletVersion: String(nodeInfo?.kubeletVersion ?? "") };
}
