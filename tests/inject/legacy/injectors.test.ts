/**
 * Compares with the original injectors, 0.8 to 1.8, on our pods and templates; their answers are in
 * tests/vectors/legacy.
 */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { createInjector, type Injector } from "../../../lib/inject/injector.ts";
import { applyPatch, type Operation } from "../../../lib/patch/json_patch.ts";
import { normaliseOldYaml } from "../_old_yaml.ts";
import { deepFreeze } from "../../_freeze.ts";
import { legacyVersionOf, sprig } from "./_cases.ts";

const VECTORS = `${import.meta.dirname}/../../vectors/legacy/injectors.jsonl`;

interface Inputs {
  readonly pods: Readonly<Record<string, { pod: object; namespace?: string }>>;
  readonly streams: Readonly<Record<string, string>>;
}

interface Settings {
  readonly version: string;
  readonly config: string;
  readonly values: string;
  readonly mesh: string;
}

interface Answer {
  readonly version: string;
  readonly name: string;
  readonly door: "webhook" | "kube-inject";
  readonly patch?: readonly Operation[] | null;
  readonly output?: string;
  readonly message?: string;
}

const [inputs, ...lines] = readFileSync(VECTORS, "utf8").trim().split("\n")
  .map((line) => JSON.parse(line)) as [Inputs, ...(Settings | Answer)[]];
const injectors = new Map<string, Injector>();

for (const line of lines) {
  if ("config" in line) {
    const { version, ...sources } = line;
    injectors.set(version, createInjector(sources, { sprig, compat: legacyVersionOf(version) }));
  }
}

/** Returns our injector's result for a row; a denial is its message. */
function answerOf({ version, name, door }: Answer): Pick<Answer, "patch" | "output" | "message"> {
  const injector = injectors.get(version)!;
  try {
    if (door === "kube-inject") return { output: injector.kubeInject(inputs.streams[name]).output };
    const { pod, namespace = "" } = inputs.pods[name];
    const { patch } = injector.admit({ object: deepFreeze(pod), namespace, proxyEnv: {} });
    if (patch) applyPatch(pod, patch);
    return { patch: patch ?? null };
  } catch (error) {
    return { message: (error as Error).message };
  }
}

for (const version of injectors.keys()) {
  describe(`Istio ${version}`, () => {
    for (const row of lines) {
      if (!("name" in row) || row.version !== version) continue;
      const { name, door, message, output, patch } = row;
      test(`${door}: ${name}`, () => {
        const got = answerOf(row);
        if (message !== undefined) expect(got.message).toContain(message);
        else if (output !== undefined) {
          expect(normaliseOldYaml(got.output ?? got.message!)).toBe(normaliseOldYaml(output));
        } else expect(got).toEqual({ patch });
      });
    }
  });
}
