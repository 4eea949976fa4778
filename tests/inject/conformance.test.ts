/**
 * Runs Istio's own test cases, version by version: kube-inject's, text for text,
 * and the webhook's, the patched pod value for value. Prints a table of what passed.
 */
import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { admit } from "../../lib/inject/admit.ts";
import { InjectionError } from "../../lib/inject/errors.ts";
import { kubeInject } from "../../lib/inject/kube_inject.ts";
import { urlEnv } from "../../lib/inject/url_env.ts";
import { applyPatch } from "../../lib/patch/json_patch.ts";
import {
  type Case,
  casesOf,
  clusterFor,
  engineFor,
  SHARED,
  type WebhookCase,
  webhookCases,
} from "./_conformance.ts";
import { GAPS } from "./_conformance_gaps.ts";
import { normaliseOldYaml } from "./_old_yaml.ts";
import { withShared } from "../_shared.ts";

const VERSIONS = ["1.10.6", "1.14.3", "1.18.7", "1.22.8", "1.24.6", "1.26.8", "1.29.6", "head"];

type Door = "kube-inject" | "webhook";

/** Passed and total, by version and door; a known gap counts as not passed. */
const tally = new Map<string, Record<Door, { passed: number; total: number }>>();

/** Runs a case and counts it. A known gap must fail. */
function conformanceTest(id: string, door: Door, run: () => void): void {
  const [version] = id.split("/");
  const counts = tally.get(version) ??
    { "kube-inject": { passed: 0, total: 0 }, webhook: { passed: 0, total: 0 } };
  tally.set(version, counts);
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

/** Returns the pod after the webhook, or why it is denied. */
function answer(
  { pod, namespace }: Pick<WebhookCase, "pod" | "namespace">,
  { engine, cluster, proxyEnv = {} }: {
    engine: ReturnType<typeof engineFor>;
    cluster: ReturnType<typeof clusterFor>;
    proxyEnv?: Record<string, string>;
  },
): { allowed: boolean; patched?: unknown; message?: string } {
  try {
    const { patch } = admit({ object: pod, namespace, proxyEnv }, engine, cluster);
    return { allowed: true, patched: patch ? applyPatch(pod, patch) : pod };
  } catch (error) {
    if (!(error instanceof InjectionError)) throw error;
    return { allowed: false, message: error.message };
  }
}

/** Sorts a multi-error's entries and lists of template names, whose order is random in the original. */
function unordered(message: string): string[] {
  return message.replace(/; have (.*)$/m, (_, names) => `; have ${names.split(", ").sort()}`)
    .split("\n").sort();
}

function webhookTest(id: string, webhook: WebhookCase, conformance: Case): void {
  conformanceTest(id, "webhook", () => {
    const engine = engineFor(conformance, { revision: "default" });
    const got = answer(webhook, { engine, cluster: clusterFor(conformance) });
    expect(got.allowed).toBe(webhook.allowed);
    if (webhook.allowed) expect(got.patched).toEqual(webhook.patched ?? webhook.pod);
    else expect(unordered(got.message!)).toEqual(unordered(webhook.message));
  });
}

function kubeInjectTest(conformance: Case): void {
  const { version, name, directory } = conformance;
  conformanceTest(`${version}/${name}/kube-inject`, "kube-inject", () => {
    const engine = engineFor(conformance, { revision: "" });
    const input = readFileSync(`${directory}/input.yaml`, "utf8");
    const run = () => kubeInject(input, engine, { cluster: clusterFor(conformance) });
    if (conformance.expectedError) {
      expect(() => run()).toThrow();
      try {
        run();
      } catch (error) {
        expect((error as Error).message.toLowerCase()).toContain(conformance.expectedError);
      }
      return;
    }
    const comparable = version === "head" ? (text: string) => text : normaliseOldYaml;
    const want = readFileSync(`${directory}/kube-inject.yaml`, "utf8");
    expect(comparable(run().output)).toBe(comparable(want));
  });
}

withShared("conformance", "conformance", () => {
  for (const version of VERSIONS) {
    describe(`conformance ${version}`, () => {
      for (const conformance of casesOf(version)) {
        const hasText = existsSync(`${conformance.directory}/kube-inject.yaml`);
        if (conformance.kubeInject && (hasText || conformance.expectedError)) {
          kubeInjectTest(conformance);
        }
        if (!conformance.webhook) continue;
        webhookCases(conformance).forEach((webhook, i) => {
          webhookTest(`${version}/${conformance.name}/webhook-${i}`, webhook, conformance);
        });
      }
    });
  }

  // Random pods, and pods with odd characters wherever templates read them.
  describe.each(["fuzz", "odd"])("pods that Istio answered: %s", (kind) => {
    const folder = `${SHARED}/${kind}`;
    for (const file of readdirSync(folder).filter((name) => name.endsWith(".jsonl")).sort()) {
      const [settings, native] = file.replace(".jsonl", "").split("-");
      const env = { ENABLE_NATIVE_SIDECARS: native ? "true" : "false" };
      const conformance = { version: "head", settings, env };
      readFileSync(`${folder}/${file}`, "utf8").trim().split("\n").forEach((line, i) => {
        const row = JSON.parse(line) as WebhookCase & { path: string };
        conformanceTest(`${kind}/${file}/${i}`, "webhook", () => {
          const engine = engineFor(conformance, { revision: "default" });
          const proxyEnv = urlEnv(row.path, engine);
          const got = answer(row, { engine, cluster: clusterFor({}), proxyEnv });
          expect(got.allowed).toBe(row.allowed);
          if (row.allowed) expect(got.patched).toEqual(row.patched ?? row.pod);
          else expect(unordered(got.message!)).toEqual(unordered(row.message));
        });
      });
    }
  });

  test("every known gap names a case", () => {
    const versions = new Set(Object.keys(GAPS).map((id) => id.split("/")[0]));
    expect([...versions].filter((version) => !tally.has(version))).toEqual([]);
  });

  afterAll(() => {
    const cell = ({ passed, total }: { passed: number; total: number }) =>
      total === 0 ? "".padStart(11) : `${passed}/${total}`.padStart(11);
    const rows = [...tally].map(([version, counts]) =>
      `${version.padEnd(8)}  ${cell(counts["kube-inject"])}  ${cell(counts.webhook)}`
    );
    console.log(
      ["", "conformance  kube-inject      webhook", ...rows.map((row) => row), ""].join("\n"),
    );
  });
});
