/**
 * Compares two injectors on one pod. Replay, shadow and drift all use this, so that they agree on
 * what a difference is: another resulting pod, or another decision.
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

/** The webhook method of an injector. */
export type Admit = (request: AdmitRequest, cluster: ClusterFacts) => Admission;

export interface Injection {
  readonly decision: "injected" | "skipped" | "denied";
  readonly reason: ReasonId | InjectionErrorCode;
  /** Why the pod was denied. */
  readonly message?: string;
  readonly patch?: readonly Operation[];
}

/** Injects a pod. Never throws because of the pod: a refusal is a result. */
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

/** Returns the pod after an injection. */
export function injectedPod(object: unknown, { patch }: Injection): unknown {
  return patch === undefined ? object : applyPatch(object, patch);
}

/** Returns the differences between two results for one pod; empty if the same pod would run. */
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
  // The common case; patches are much smaller than pods.
  if (equalJson(before.patch, after.patch)) return [];
  return changesBetween(injectedPod(object, before), injectedPod(object, after))
    // The version differs in any case.
    .filter(({ path }) => path !== `metadata.annotations[${STAMP}]`);
}

function verdict({ decision, reason, message }: Injection): string {
  return message === undefined
    ? `${decision} (${reason.replaceAll("_", " ")})`
    : `${decision} (${message})`;
}
