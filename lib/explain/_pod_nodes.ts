/**
 * Splits a pod into nodes with stable names: an item of a merged list is named by its merge key
 * (`containers[istio-proxy]`), any other item by its index. The names allow two versions of a pod,
 * or a pod and an overlay, to be compared.
 */
import { isMap } from "../data/map.ts";
import { jsonField, type SchemaType, structType } from "../kube/schema.ts";

export type Path = readonly (string | number)[];

export interface PodNode {
  /** The stable name. */
  readonly id: string;
  readonly path: Path;
  readonly value: unknown;
  /** Whether the value is a scalar or empty. */
  readonly isLeaf: boolean;
  /** The kind of its Go type, if the schema has one. */
  readonly kind?: SchemaType["kind"];
}

const POD: SchemaType = { kind: "struct", name: "v1.Pod", struct: structType("Pod")! };
const SPEC: SchemaType = { kind: "struct", name: "v1.PodSpec", struct: structType("PodSpec")! };

/** Deeper values are not part of any valid pod. */
const MAX_DEPTH = 100;

/** Returns all nodes of a pod, parents first, without the pod itself. */
export function podNodes(pod: unknown): Map<string, PodNode> {
  return nodesOf(pod, POD);
}

/** Returns the nodes of a pod's spec, with the ids that they have in a whole pod. */
export function specNodes(spec: unknown): Map<string, PodNode> {
  return nodesOf(spec, SPEC, "spec");
}

function nodesOf(value: unknown, type: SchemaType, id = ""): Map<string, PodNode> {
  const nodes = new Map<string, PodNode>();
  visit(value, { type, id, path: [], depth: 0 }, nodes);
  return nodes;
}

interface At {
  /** Absent if the schema does not know the type. */
  readonly type?: SchemaType;
  readonly id: string;
  readonly path: Path;
  readonly depth: number;
  /** The merge key of a list. */
  readonly mergeKey?: string;
}

function visit(value: unknown, at: At, nodes: Map<string, PodNode>): void {
  if (at.path.length > 0) {
    const isLeaf = typeof value !== "object" || value === null || Object.keys(value).length === 0;
    const kind = at.type?.kind === "pointer" ? at.type.elem?.kind : at.type?.kind;
    nodes.set(at.id, { id: at.id, path: at.path, value, isLeaf, kind });
  }
  if (typeof value !== "object" || value === null || at.depth > MAX_DEPTH) return;
  const type = at.type?.kind === "pointer" ? at.type.elem : at.type;
  if (Array.isArray(value)) {
    const seen = new Map<string, number>();
    for (const [i, item] of value.entries()) {
      const name = itemName(item, i, at.mergeKey);
      const count = (seen.get(name) ?? 0) + 1;
      seen.set(name, count);
      const id = `${at.id}[${count === 1 ? name : `${name} ${count}`}]`;
      visit(item, { type: type?.elem, id, path: [...at.path, i], depth: at.depth + 1 }, nodes);
    }
    return;
  }
  for (const [key, member] of Object.entries(value)) {
    const field = type?.struct && jsonField(type.struct, key);
    const path = [...at.path, key];
    visit(member, {
      type: field?.type ?? (type?.kind === "map" ? type.elem : undefined),
      id: at.id === "" ? key : `${at.id}\0${key}`,
      path,
      depth: at.depth + 1,
      ...(field?.merge && field.mergeKey ? { mergeKey: field.mergeKey } : {}),
    }, nodes);
  }
}

function itemName(item: unknown, i: number, mergeKey: string | undefined): string {
  if (mergeKey === undefined || !isMap(item) || !Object.hasOwn(item, mergeKey)) return String(i);
  return String(item[mergeKey]);
}

/** Returns the id of a node's parent; "" for the pod. */
export function parentId(id: string): string {
  const dot = id.lastIndexOf("\0");
  const bracket = id.endsWith("]") ? id.lastIndexOf("[") : -1;
  return id.slice(0, Math.max(dot, bracket, 0));
}

/** Formats a path as a JSON pointer (RFC 6901). */
export function pointerOf(path: Path): string {
  return path.map((key) => `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}
