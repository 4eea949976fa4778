/**
 * Judges what an injector makes of a pod with hostile values, knowing nothing of how it defends itself: harmless values
 * show which scalars of the injected pod a tenant decides; hostile ones must decide the same scalars and no more.
 */
import { answerReview, type ReviewAnswer } from "../../lib/admission/mod.ts";
import { digest, pack, unpack } from "../../lib/host/mod.ts";
import { sprigFunctions } from "../../lib/go/sprig/mod.ts";
import { createInjector } from "../../lib/inject/injector.ts";
import type { StructureGuard } from "../../lib/inject/structure_guard.ts";
import { applyPatch, type Operation } from "../../lib/patch/json_patch.ts";
import { testSprigHost } from "../go/_sprig_host.ts";
import {
  type AttackTemplate,
  type TenantPod,
  tenantPod,
  type TenantValue,
} from "./_attack_templates.ts";

export type Verdict =
  | { readonly kind: "kept" }
  | { readonly kind: "denied"; readonly code: string; readonly message: string }
  | { readonly kind: "broken"; readonly path: string; readonly found: string };

const sprig = sprigFunctions(testSprigHost());
const encoder = new TextEncoder();

export type Values = ReadonlyMap<TenantValue, string>;

/** Told apart from all else in a review, so that answers may serve replicas. */
const UID = "0b1e0000-0000-0000-0000-000000000000";
const TOKEN = "kube-api-access-aaaaa";

export function reviewOf(pod: unknown): Uint8Array {
  return encoder.encode(JSON.stringify({
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    request: {
      uid: UID,
      kind: { group: "", version: "v1", kind: "Pod" },
      namespace: "shop",
      operation: "CREATE",
      object: pod,
    },
  }));
}

export function podOf(values: Values): TenantPod {
  const pod = tenantPod();
  for (const [tenant, value] of values) tenant.put(pod, value);
  pod.spec.volumes = [{ name: TOKEN, emptyDir: {} }];
  return pod;
}

export interface Judge {
  answer(body: Uint8Array): ReviewAnswer;
  judge(values: Values): Verdict;
  /** Sends an injected pod again as other replicas of its workload, and says how one was answered differently. */
  replicas(values: Values, count: number): { reviews: number; difference?: string };
}

/** Returns `undefined` for a template that cannot inject harmless pods. */
export function createJudge(
  { lines, values: tenants }: AttackTemplate,
  { structureGuard, caches = true }: { structureGuard: StructureGuard; caches?: boolean },
): Judge | undefined {
  let injector;
  try {
    injector = createInjector({
      config: JSON.stringify({
        policy: "enabled",
        defaultTemplates: ["t"],
        templates: { t: lines.join("\n") },
      }),
      values: "{}",
      mesh: "",
    }, { sprig, structureGuard, caches });
  } catch {
    return undefined;
  }
  const { keepsNames, urlEnv, admit } = injector;
  const options = {
    injector: { kindRequired: true, keepsNames, urlEnv, admit },
    path: "/inject",
    cluster: {},
    ...(caches ? { keepAnswers: { digest, pack, unpack } } : {}),
  };
  const answer = (body: Uint8Array) => answerReview(body, options);
  const entriesOf = (values: Values): Map<string, string> | Verdict => {
    const pod = podOf(values);
    const { outcome } = answer(reviewOf(pod));
    if (outcome.decision === "denied") {
      return { kind: "denied", code: outcome.reason, message: outcome.message ?? "" };
    }
    const entries = new Map<string, string>();
    const patch = JSON.parse(outcome.patch ?? "[]") as Operation[];
    flatten(applyPatch(pod, patch), { into: entries, path: "" });
    for (const path of OWN) entries.delete(path);
    return entries;
  };
  const harmless = [..."abc"].map((letter) =>
    entriesOf(
      new Map(tenants.map((tenant, i) => [tenant, letter === "c" ? "" : `fine${letter}${i}`])),
    )
  );
  const [first, second, empty] = harmless;
  if (!(first instanceof Map && second instanceof Map)) return undefined;
  const varying = new Set<string>();
  for (const [path, scalar] of first) if (second.get(path) !== scalar) varying.add(path);
  const allowed = new Map(first);
  if (empty instanceof Map) {
    for (const [path, scalar] of empty) {
      if (first.get(path) === scalar) continue;
      varying.add(path);
      allowed.set(path, scalar);
    }
  }
  return {
    answer,
    replicas(values, count) {
      const body = new TextDecoder().decode(reviewOf(podOf(values)));
      const patchOf = (uid: string, token: string) => {
        const text = body.replace(UID, uid).replaceAll(TOKEN, token);
        const { outcome } = answer(encoder.encode(text));
        return outcome.patch ?? outcome.reason;
      };
      const expected = patchOf(UID, TOKEN);
      if (!expected.startsWith("[")) return { reviews: 1 };
      for (let i = 0; i < count; i++) {
        const token = `kube-api-access-bbbb${i}`;
        const patch = patchOf(`0b1e0000-0000-0000-0000-${String(i).padStart(12, "f")}`, token);
        if (patch !== expected.replaceAll(TOKEN, token)) {
          return { reviews: i + 2, difference: `${expected}\n  ${patch}` };
        }
      }
      return { reviews: count + 1 };
    },
    judge(values) {
      const entries = entriesOf(values);
      if (!(entries instanceof Map)) return entries;
      for (const [path, found] of entries) {
        if (varying.has(path) || allowed.get(path) === found) continue;
        return { kind: "broken", path, found };
      }
      for (const path of first.keys()) {
        if (!varying.has(path) && !entries.has(path)) {
          return { kind: "broken", path, found: "missing" };
        }
      }
      return { kind: "kept" };
    },
  };
}

/** Where the pod itself has its values. */
const OWN = new Set([
  ...["a0", "a1", "a2", "a3", "proxy.istio.io/config"].map((key) => `/metadata/annotations/${key}`),
  "/metadata/labels/l0",
  "/metadata/ownerReferences/0/name",
  "/spec/containers/0/image",
  "/spec/serviceAccountName",
]);

/** Maps in which templates print values as keys. */
const FREE_KEYS = "/spec/nodeSelector";

function flatten(
  node: unknown,
  { into, path }: { into: Map<string, string>; path: string },
): void {
  if (typeof node !== "object" || node === null) {
    into.set(path, JSON.stringify(node));
    return;
  }
  const keys = Object.keys(node);
  if (keys.length === 0) into.set(path, Array.isArray(node) ? "[]" : "{}");
  for (const key of keys) {
    const item = (node as Record<string, unknown>)[key];
    let step = key;
    // Their order is that of the keys, so they go by what they hold.
    if (path === FREE_KEYS && key !== "fixed") {
      for (let i = 0; into.has(`${path}/${step = `«key of ${item} ${i}»`}`);) i++;
    }
    flatten(item, { into, path: `${path}/${step}` });
  }
}
