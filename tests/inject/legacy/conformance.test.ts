/**
 * Runs Istio's own test cases for single-template configs, version by version: kube-inject's,
 * text for text, and the webhook's, the patched pod value for value and up to 1.7 the patch
 * operation for operation. Prints a table of what passed.
 */
import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { InjectionError } from "../../../lib/inject/errors.ts";
import { parseYaml, stringifyYaml } from "../../../lib/yaml/mod.ts";
import { joinDocuments, splitDocuments } from "../../../lib/inject/documents.ts";
import { admitLegacy } from "../../../lib/inject/legacy/admit.ts";
import { kubeInjectLegacyDocuments } from "../../../lib/inject/legacy/kube_inject.ts";
import { applyPatch, type Operation } from "../../../lib/patch/json_patch.ts";
import { casesOf } from "../_conformance.ts";
import { normaliseOldYaml } from "../_old_yaml.ts";
import {
  type LegacyCase,
  legacyEngineFor,
  type LegacyWebhookCase,
  legacyWebhookCases,
  VERSIONS,
} from "./_cases.ts";
import { GAPS } from "./_gaps.ts";
import { withShared } from "../../_shared.ts";

type Door = "kube-inject" | "webhook";

/** Passed and total, by version and door; a known gap counts as not passed. */
const tally = new Map<string, Record<Door, { passed: number; total: number }>>();
const names = new Set<string>();

/** Runs a case and counts it. A known gap must fail. */
function conformanceTest(id: string, door: Door, run: () => void): void {
  const [version] = id.split("/");
  const counts = tally.get(version) ??
    { "kube-inject": { passed: 0, total: 0 }, webhook: { passed: 0, total: 0 } };
  tally.set(version, counts);
  names.add(id);
  counts[door].total++;
  const gap = Object.hasOwn(GAPS, id) ? GAPS[id] : undefined;
  test(gap === undefined ? id : `${id} is a known gap: ${gap}`, () => {
    if (gap !== undefined) {
      expect(run, "a known gap that passes").toThrow();
      return;
    }
    run();
    counts[door].passed++;
  });
}

interface Answer {
  readonly allowed: boolean;
  readonly patch?: readonly Operation[];
  readonly patched?: unknown;
  readonly message?: string;
}

/** Returns the pod after the webhook, or why it is denied. */
function answer({ pod, namespace }: LegacyWebhookCase, conformance: LegacyCase): Answer {
  const engine = legacyEngineFor(conformance);
  try {
    const { patch } = admitLegacy({ object: pod, namespace, proxyEnv: {} }, engine);
    return { allowed: true, patch, patched: patch ? applyPatch(pod, patch) : pod };
  } catch (error) {
    if (!(error instanceof InjectionError)) throw error;
    return { allowed: false, message: error.message };
  }
}

/** Removes the status version of 1.8, which is absent from this data or specific to Istio's tests. */
function withoutVersion(value: unknown): unknown {
  const text = JSON.stringify(value).replace(/\\"version\\":\\"[^"\\]*\\",/g, "");
  return JSON.parse(text);
}

/** Sorts errors, whose order is random from 1.2 on. */
function unordered(message: string): string[] {
  return message.split("\n").sort();
}

/** Checks a pod to which the original's patch did not apply: ours must apply and add one sidecar. */
function expectInjected(got: Answer): void {
  const { spec } = got.patched as {
    spec: { containers: { name: string; env?: { name: string }[] }[] };
  };
  expect(spec.containers.filter(({ name }) => name === "istio-proxy").length).toBe(1);
  for (const container of spec.containers) {
    if (container.name === "istio-proxy") continue;
    const probes = JSON.stringify(container).match(/"path":"[^"]*"/g) ?? [];
    expect(probes.filter((path) => !path.includes(`/app-health/${container.name}/`))).toEqual([]);
  }
}

function webhookTest(id: string, webhook: LegacyWebhookCase, conformance: LegacyCase): void {
  conformanceTest(id, "webhook", () => {
    const before = JSON.stringify(webhook.pod);
    const got = answer(webhook, conformance);
    expect(JSON.stringify(webhook.pod)).toBe(before);
    expect(got.allowed).toBe(webhook.allowed);
    if (!webhook.allowed) {
      expect(unordered(got.message!)).toEqual(unordered(webhook.message));
    } else if (webhook.patchError) {
      expectInjected(got);
    } else if (webhook.patch === undefined) {
      expect(withoutVersion(got.patched)).toEqual(withoutVersion(webhook.patched ?? webhook.pod));
    } else {
      expect(got.patch ?? null).toEqual(webhook.patch as Operation[]);
      expect(got.patched).toEqual(webhook.patched ?? webhook.pod);
    }
  });
}

/** Returns the same documents, written by our writer. */
function reprinted(text: string): string {
  return [...splitDocuments(text)].map(({ text }) => stringifyYaml(parseYaml(text))).join("---\n");
}

function kubeInjectTest(conformance: LegacyCase): void {
  const { version, name, directory } = conformance;
  conformanceTest(`${version}/${name}/kube-inject`, "kube-inject", () => {
    const engine = legacyEngineFor(conformance);
    const input = readFileSync(`${directory}/input.yaml`, "utf8");
    const run = () =>
      joinDocuments([...kubeInjectLegacyDocuments(input, engine)].map(({ output }) => output));
    if (conformance.expectedError) {
      let message = "";
      try {
        run();
      } catch (error) {
        message = (error as Error).message;
      }
      // Lower case in 1.8, and errors in random order from 1.2 on.
      const lines = unordered(conformance.expectedError.toLowerCase()).filter(Boolean);
      for (const line of lines) expect(message.toLowerCase()).toContain(line);
      return;
    }
    const raw = `${directory}/kube-inject.raw.yaml`;
    const path = existsSync(raw) ? raw : `${directory}/kube-inject.yaml`;
    const comparable = (text: string) => {
      // Some cases of 1.8 have no version in the status.
      const plain = normaliseOldYaml(
        version.startsWith("1.8") && path !== raw ? text.replace(/"version":"[^"]*",/g, "") : text,
      );
      // The YAML library of 1.7 and 1.8 did not fold long lines.
      return /^1\.[78]/.test(version) ? reprinted(plain) : plain;
    };
    expect(comparable(run())).toBe(comparable(readFileSync(path, "utf8")));
  });
}

withShared("conformance", "legacy conformance", () => {
  for (const version of VERSIONS) {
    describe(`conformance ${version}`, () => {
      for (const conformance of casesOf(version) as LegacyCase[]) {
        const hasText = existsSync(`${conformance.directory}/kube-inject.yaml`);
        if (conformance.kubeInject && (hasText || conformance.expectedError)) {
          kubeInjectTest(conformance);
        }
        if (!conformance.webhook) continue;
        legacyWebhookCases(conformance).forEach((webhook, i) => {
          webhookTest(`${version}/${conformance.name}/webhook-${i}`, webhook, conformance);
        });
      }
    });
  }

  test("every known gap names a case", () => {
    expect(Object.keys(GAPS).filter((id) => !names.has(id))).toEqual([]);
  });

  afterAll(() => {
    const cell = ({ passed, total }: { passed: number; total: number }) =>
      total === 0 ? "".padStart(11) : `${passed}/${total}`.padStart(11);
    const rows = [...tally].map(([version, counts]) =>
      `${version.padEnd(8)}  ${cell(counts["kube-inject"])}  ${cell(counts.webhook)}`
    );
    console.log(["", "conformance  kube-inject      webhook", ...rows, ""].join("\n"));
  });
});
