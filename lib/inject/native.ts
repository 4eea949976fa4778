/** Whether sidecars are native: init containers that go on running, as kubelets since 1.33 have them. */
import { parseGoBool } from "./_go_bool.ts";
import type { Behaviours } from "./compat.ts";

/** A kubelet of this minor version or later runs them without a feature gate. */
const MINOR = 33;

export interface Node {
  readonly name: string;
  /** As the node's status has it: `v1.34.1+k3s1`. */
  readonly kubeletVersion: string;
}

export interface NativeOptions {
  /** `ENABLE_NATIVE_SIDECARS`: `true`, `false`, `auto`, or unset. */
  readonly setting: string | undefined;
  /** The cluster's nodes; `undefined` where there is no cluster to ask. */
  readonly nodes: readonly Node[] | undefined;
  readonly behaviours: Pick<Behaviours, "nativeSidecars" | "nativeAuto">;
  readonly warn: (message: string) => void;
}

/** The cluster's answer for a pod that says nothing itself. */
export function nativeSidecars(nodeName: string | undefined, options: NativeOptions): boolean {
  const { nodes, warn, behaviours } = options;
  if (!behaviours.nativeSidecars) return false;
  // Before nodes were asked it was a plain switch, in any of Go's spellings.
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

/** Of lists seen before: a cluster has thousands of nodes, and the same ones for many pods. */
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
