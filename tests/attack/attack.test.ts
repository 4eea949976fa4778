import { readFileSync } from "node:fs";
import { describe, expect, test } from "bun:test";
import { parseInjectionConfig } from "../../lib/config/mod.ts";
import { defaultConfig } from "../../lib/inject/default_config.ts";
import { hasConformance } from "../inject/_conformance.ts";
import { allAttempts, type Attempt, countsText, runAttempts, sampledAttempts } from "./_suite.ts";
import { openTarget, openTargets, type Target } from "./_target.ts";

/** The number of values per place, or "all" for every value in every place of every template. */
const amount = process.env.OUTRIGGER_ATTACK ?? "16";

/** Attacks that succeed without the structure guard; the judge must detect each. */
const KNOWN: readonly (readonly [target: string, place: string, value: string])[] = [
  ["head gateway", "owner's name", "x\n    - {name: EVIL, value: evil}"],
];

/** The same for common templates. */
const SAMPLE = `metadata:
  labels:
    app: {{ index .ObjectMeta.Labels "app" }}
    owner: '{{ .DeploymentMeta.Name }}'
  annotations:
    path: "{{ .ProxyConfig.BinaryPath }}"
`;
const SAMPLE_ATTACKS: readonly (readonly [place: string, value: string])[] = [
  ["label app", "x\n    evil: evil"],
];

const all = (targets: readonly Target[]): Iterable<Attempt> =>
  amount === "all"
    ? allAttempts(targets)
    : sampledAttempts(targets, { valuesEach: Number(amount) });

describe("the attack suite", () => {
  test("no value changes a pod outside the scalar it stands in", () => {
    const counts = runAttempts(all(openTargets()));
    console.log(
      `attacks with the guard: ${countsText(counts)}` +
        (hasConformance ? "" : "; conformance templates skipped: no ../shared/conformance"),
    );
    expect(counts.broken).toEqual([]);
    expect(counts.kept).toBeGreaterThan(counts.attempts / 4);
  }, Infinity);

  test("finds the attacks that work without the guard, and none with it", () => {
    const attack = (structureGuard: "deny" | "off") => {
      const sample = openTarget("sample", SAMPLE, { structureGuard });
      const targets = hasConformance ? openTargets({ structureGuard }) : [];
      const attempts = [
        ...SAMPLE_ATTACKS.map(([place, value]) => attemptOf(sample, place, value)),
        ...(hasConformance ? KNOWN : []).map(([name, place, value]) =>
          attemptOf(targets.find((target) => target.name === name)!, place, value)
        ),
      ];
      return runAttempts(attempts);
    };
    const off = attack("off");
    console.log(`known attacks without the guard: ${countsText(off)}`);
    expect(off.broken).toHaveLength(off.attempts);
    const deny = attack("deny");
    expect(deny.broken).toEqual([]);
    expect(deny.denied.get("structure")).toBe(off.attempts);
  });
});

function attemptOf(target: Target, name: string, value: string): Attempt {
  const place = target.places.find((place) => place.name === name);
  if (place === undefined) throw new Error(`no place ${name} in ${target.name}`);
  return { target, place, values: [value] };
}

describe("shipped templates", () => {
  /** Returns lines with an action inside a block scalar, which a line break in a value would end. */
  const actionsInBlocks = (template: string): string[] => {
    let block: number | undefined;
    return template.split("\n").filter((line) => {
      const indent = line.search(/\S/);
      if (indent < 0) return false;
      if (block !== undefined && indent > block) return /\{\{|\[\[/.test(line);
      block = /(?:^|[:-]\s+)[|>][-+0-9]*\s*$/.test(line) ? indent : undefined;
      return false;
    });
  };

  test("print no value in a block scalar", () => {
    expect(actionsInBlocks("a: |\n  x\n  {{ .y }}\nb: {{ .z }}\n")).toEqual(["  {{ .y }}"]);
    const legacy = readFileSync(`${import.meta.dirname}/../../templates/legacy-1.1.yaml`, "utf8");
    const { legacyTemplate } = parseInjectionConfig(legacy);
    const templates = Object.values(parseInjectionConfig(defaultConfig().config).templates);
    expect(templates.length).toBeGreaterThan(1);
    for (const template of [...templates, legacyTemplate!]) {
      expect(template).toMatch(/\{\{|\[\[/);
      expect(actionsInBlocks(template)).toEqual([]);
    }
  });
});
