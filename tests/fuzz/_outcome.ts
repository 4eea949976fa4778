/** Results of the peer and of our injector for a pod, in a comparable form. */
import { InjectionError } from "../../lib/inject/errors.ts";
import { admit } from "../../lib/inject/admit.ts";
import { urlEnv } from "../../lib/inject/url_env.ts";
import { applyPatch, type Operation } from "../../lib/patch/json_patch.ts";
import { readFileSync } from "node:fs";
import { sprigFunctions } from "../../lib/go/sprig/mod.ts";
import { createEngine, type Engine } from "../../lib/inject/engine.ts";
import { testSprigHost } from "../go/_sprig_host.ts";
import type { PeerAnswer, Question } from "./_peer.ts";

export type Outcome =
  | { readonly kind: "skipped" }
  | { readonly kind: "refused"; readonly message: string }
  | { readonly kind: "injected"; readonly pod: unknown }
  /** The settings are refused; each says why in words of its own. */
  | { readonly kind: "unusable"; readonly reason: string }
  /** The patch doesn't apply, or the program failed otherwise. */
  | { readonly kind: "broken"; readonly message: string };

const RANGE = "1000620000/10000";
const OPENSHIFT = {
  "openshift.io/sa.scc.uid-range": RANGE,
  "openshift.io/sa.scc.supplemental-groups": RANGE,
};

const engines = new Map<string, Engine>();
const sprig = sprigFunctions(testSprigHost());

function engineFor({ settings, env }: Question): Engine {
  const key = JSON.stringify([settings, env]);
  let engine = engines.get(key);
  if (!engine) {
    const read = (file: string) => readFileSync(`${settings}/${file}`, "utf8");
    engine = createEngine(
      { config: read("config.yaml"), values: read("values.json"), mesh: read("mesh.yaml") },
      { sprig, revision: "default", env: (name) => env[name] },
    );
    engines.set(key, engine);
  }
  return engine;
}

export function ourOutcome(question: Question): Outcome {
  let engine: Engine;
  try {
    engine = engineFor(question);
  } catch (error) {
    return { kind: "unusable", reason: String(error) };
  }
  const path = decodeURIComponent(question.path);
  const proxyEnv = urlEnv(path, engine);
  // The peer knows one cluster; pods of another have no nodes and namespaces to be looked up.
  const cluster = proxyEnv.ISTIO_META_CLUSTER_ID || engine.values.typed.clusterName || "Kubernetes";
  const isKnown = cluster === "Kubernetes";
  const nodes = question.nodes.map((kubeletVersion, i) => ({
    name: `node-${i + 1}`,
    kubeletVersion,
  }));
  deepFreeze(question.pod);
  try {
    const { patch } = admit(
      { object: question.pod, namespace: question.namespace, proxyEnv },
      engine,
      {
        nodes: isKnown ? nodes : undefined,
        namespaceAnnotations: (name) => isKnown && name === "test-ns" ? OPENSHIFT : undefined,
      },
    );
    return patch ? applied(question, patch) : { kind: "skipped" };
  } catch (error) {
    if (error instanceof InjectionError) {
      return { kind: "refused", message: settled(error.message) };
    }
    return {
      kind: "broken",
      message: error instanceof Error ? error.stack ?? error.message : String(error),
    };
  }
}

export function peerOutcome(question: Question, answer: PeerAnswer): Outcome {
  if (answer.error !== undefined) return { kind: "unusable", reason: answer.error };
  if (answer.panic !== undefined) return { kind: "broken", message: `panic: ${answer.panic}` };
  if (answer.status !== 200) return { kind: "broken", message: `${answer.status} ${answer.body}` };
  const { response } = JSON.parse(answer.body ?? "");
  if (!response.allowed) return { kind: "refused", message: settled(response.status.message) };
  if (response.patch === undefined) return { kind: "skipped" };
  return applied(
    question,
    JSON.parse(new TextDecoder().decode(Uint8Array.fromBase64(response.patch))),
  );
}

function applied({ pod }: Question, patch: readonly Operation[]): Outcome {
  try {
    return { kind: "injected", pod: applyPatch(pod, patch) };
  } catch (error) {
    return { kind: "broken", message: `patch: ${error instanceof Error ? error.message : error}` };
  }
}

/** The message without what is random in the original: the order of errors and of names. */
function settled(message: string): string {
  return message.replaceAll("\u00a0", " ")
    .replace(
      /(not found; have )(.*)/,
      (_, text, names) => text + names.split(", ").sort().join(", "),
    )
    .split("\n").sort().join("\n").trim();
}

function deepFreeze(value: unknown): void {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const one of Object.values(value)) deepFreeze(one);
}

export interface Difference {
  /** Where, with places in lists and quoted parts left out: alike differences share it. */
  readonly signature: string;
  readonly where: string;
  readonly ours: unknown;
  readonly theirs: unknown;
}

/** Returns the difference, or undefined if both agree or the original failed. */
export function difference(ours: Outcome, theirs: Outcome): Difference | undefined {
  if (theirs.kind === "broken" && ours.kind !== "broken") return undefined;
  if (ours.kind === "injected" && theirs.kind === "injected") {
    const found = firstDifference(ours.pod, theirs.pod, "");
    return found && { ...found, signature: found.where.replace(/\/\d+(?=\/|$)/g, "/*") };
  }
  const text = (outcome: Outcome) => "message" in outcome ? outcome.message : "";
  if (ours.kind === theirs.kind && text(ours) === text(theirs)) return undefined;
  const brief = (outcome: Outcome) =>
    `${outcome.kind} ${text(outcome).replace(/'[^']*'|"[^"]*"|\d+/g, "…").slice(0, 160)}`;
  return {
    signature: `${brief(ours)} | ${brief(theirs)}`,
    where: "",
    ours: ours.kind === "injected" ? "injected" : ours,
    theirs: theirs.kind === "injected" ? "injected" : theirs,
  };
}

type Found = Omit<Difference, "signature">;

function firstDifference(ours: unknown, theirs: unknown, where: string): Found | undefined {
  if (Object.is(ours, theirs)) return undefined;
  const bothObjects = isObject(ours) && isObject(theirs) &&
    Array.isArray(ours) === Array.isArray(theirs);
  if (!bothObjects) return { where, ours, theirs };
  const keys = new Set([...Object.keys(ours), ...Object.keys(theirs)].sort());
  const names = (list: unknown) =>
    Array.isArray(list) && list.every((one) => isObject(one) && "name" in one)
      ? JSON.stringify(list.map((one) => one.name))
      : "";
  if (names(ours) !== names(theirs)) {
    return { where: `${where} names`, ours: names(ours), theirs: names(theirs) };
  }
  for (const key of keys) {
    const mine = Object.hasOwn(ours, key) ? ours[key] : undefined;
    const other = Object.hasOwn(theirs, key) ? theirs[key] : undefined;
    const found = firstDifference(mine, other, `${where}/${key}`);
    if (found) return found;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
