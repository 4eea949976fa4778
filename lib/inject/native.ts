/**
 * Decides whether sidecars are native: init containers that keep running, which kubelets support since
 * 1.33.
 */
import { parseGoBool } from "./_go_bool.ts";
import type { Behaviours } from "./compat.ts";

/** The first kubelet minor version that needs no feature gate. */
const MINOR = 33;

export interface Node {
  readonly name: string;
  /** The version in the node's status, such as `v1.34.1+k3s1`. */
  readonly kubeletVersion: string;
}

export interface NativeOptions {
  /** The value of `ENABLE_NATIVE_SIDECARS`: `true`, `false`, `auto`, or unset. */
  readonly setting: string | undefined;
  /** The cluster's nodes; `undefined` if there is no cluster to query. */
  readonly nodes: readonly Node[] | undefined;
  readonly behaviours: Pick<Behaviours, "nativeSidecars" | "nativeAuto">;
  readonly warn: (message: string) => void;
}

/** Returns the cluster's default for a pod that sets nothing itself. */
export function nativeSidecars(nodeName: string | undefined, options: NativeOptions): boolean {
  const { nodes, warn, behaviours } = options;
  if (!behaviours.nativeSidecars) return false;
  // Before nodes were checked, the setting was a boolean in any of Go's spellings.
  if (!behaviours.nativeAuto) return parseGoBool(options.setting ?? "") ?? false;
  const setting = options.setting || "auto";
  if (setting === "true" || setting === "false") return setting === "true";
  if (setting !== "auto") return false;
  if (nodes === undefined) {
    warn("configured to auto detect native sidecar support, but couldn't find a client");
    return false;
  }
  const own = nodeName ? nodes.find(({ name }) => name === nodeName) : undefined;
  return own ? supportsNative(own) : allSupportNative(nodes);
}

/**
 * Caches the answer by node list: a cluster has thousands of nodes, and the list is the same for many pods.
 */
const ANSWERS = new WeakMap<readonly Node[], boolean>();

function allSupportNative(nodes: readonly Node[]): boolean {
  const known = ANSWERS.get(nodes);
  if (known !== undefined) return known;
  const answer = nodes.every(supportsNative);
  ANSWERS.set(nodes, answer);
  return answer;
}

function supportsNative({ kubeletVersion }: Node): boolean {
  const minor = /^v?1\.(\d+)(?:\D|$)/.exec(kubeletVersion)?.[1];
  return minor !== undefined && Number(minor) >= MINOR;
}
