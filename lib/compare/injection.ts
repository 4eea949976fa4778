/**
 * One pod through two injectors: what each makes of it, and what is different. Replay, shadow and drift
 * all ask here, so that they mean the same by "different": the pod that would run, or whether one would.
 */

import { equalJson } from "../data/json.ts";
import {
  type Admission,
  type AdmitRequest,
  type ClusterFacts,
  InjectionError,
  type InjectionErrorCode,
  type ReasonId,
  STAMP,
} from "../inject/mod.ts";
import { applyPatch, type Operation } from "../patch/mod.ts";
import { type Change, changesBetween } from "./changes.ts";

/** The webhook's door of an injector. */
export type Admit = (request: AdmitRequest, cluster: ClusterFacts) => Admission;

export interface Injection {
  readonly decision: "injected" | "skipped" | "denied";
  readonly reason: ReasonId | InjectionErrorCode;
  /** Why it was denied. */
  readonly message?: string;
  readonly patch?: readonly Operation[];
}

/** Never throws for a pod: a refusal is an outcome too. */
export function tryInjection(
  request: AdmitRequest,
  { admit, cluster }: { admit: Admit; cluster: ClusterFacts },
): Injection {
  try {
    const { decision, patch } = admit(request, cluster);
    return patch === undefined
      ? { decision: "skipped", reason: decision.reason }
      : { decision: "injected", reason: decision.reason, patch };
  } catch (error) {
    if (!(error instanceof InjectionError)) throw error;
    return { decision: "denied", reason: error.code, message: error.message };
  }
}

/** The pod itself, as it would be after an injection. */
export function injectedPod(object: unknown, { patch }: Injection): unknown {
  return patch === undefined ? object : applyPatch(object, patch);
}

/** What differs between two outcomes for one pod; none where the same pod would run. */
export function injectionChanges(
  object: unknown,
  { before, after }: { before: Injection; after: Injection },
): Change[] {
  if (before.decision !== after.decision) {
    return [{ path: "(decision)", from: verdict(before), to: verdict(after) }];
  }
  if (before.decision === "denied") {
    const { message: from } = before;
    const { message: to } = after;
    return from === to ? [] : [{ path: "(refusal)", from, to }];
  }
  // Nearly always; and patches are much smaller than what they make.
  if (equalJson(before.patch, after.patch)) return [];
  return changesBetween(injectedPod(object, before), injectedPod(object, after))
    // That the configuration is another is known.
    .filter(({ path }) => path !== `metadata.annotations[${STAMP}]`);
}

function verdict({ decision, reason, message }: Injection): string {
  return message === undefined
    ? `${decision} (${reason.replaceAll("_", " ")})`
    : `${decision} (${message})`;
}
