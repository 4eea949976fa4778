/**
 * Attacks the injector with random templates, random values and damaged reviews, and prints what gets through, each as
 * small as it could be made. Exits with 1 where there was anything. See README.md for how to run it.
 */
import { parseArgs } from "node:util";
import { FRAGMENTS, HOSTILE_VALUES } from "../attack/_values.ts";
import { openTargets, type Target } from "../attack/_target.ts";
import { damaged } from "./_attack_bytes.ts";
import {
  createJudge,
  type Judge,
  podOf,
  reviewOf,
  type Values,
  type Verdict,
} from "./_attack_judge.ts";
import { type AttackTemplate, randomTemplate, type TenantValue } from "./_attack_templates.ts";
import { Random } from "./_random.ts";

const { values: flags } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    minutes: { type: "string", default: "1" },
    reviews: { type: "string", default: "Infinity" },
    show: { type: "string", default: "10" },
    every: { type: "string", default: "10" },
    "structure-guard": { type: "string", default: "deny" },
  },
});
const structureGuard = flags["structure-guard"] === "off" ? "off" : "deny";

/** Reviews of one template: most of what it costs to make one is spread over these. */
const REVIEWS_A_TEMPLATE = 600;
/** Reviews of one pod, past the first. */
const REPLICAS = 12;
/** How often one of the releases' templates gets its turn, and how many reviews each place of it gets. */
const TEMPLATES_A_RELEASE = 5;
const REVIEWS_A_PLACE = 50;
/** What a review may take; a machine that is busy otherwise gets more tries. */
const MAX_MILLISECONDS = 250;

const random = new Random(Number(flags.seed));
const began = performance.now();
const end = began + Number(flags.minutes) * 60_000;
const limit = Number(flags.reviews);
const tally = new Map<string, number>();
const findings = new Map<string, number>();
/** Values that led somewhere new, to be changed a little. */
const interesting: string[] = [];
const seen = new Set<string>();
let reviews = 0;
let templates = 0;
let shown = began;

const targets: Target[] = openTargets({ structureGuard });

while (reviews < limit && performance.now() < end) {
  const template = randomTemplate(random);
  const judge = createJudge(template, { structureGuard });
  count("template", judge === undefined ? "useless" : "used");
  if (judge === undefined) continue;
  templates++;
  for (let i = 0; i < REVIEWS_A_TEMPLATE && reviews < limit; i++) {
    reviews++;
    const values = randomValues(template);
    if (i % 5 === 4) attackBytes(judge, values);
    else if (i % 5 === 3) attackReplicas(template, { judge, values });
    else attackTemplate(template, { judge, values });
  }
  if (templates % TEMPLATES_A_RELEASE === 1) attackRelease();
  report();
}
report(true);
process.exit(findings.size === 0 ? 0 : 1);

function count(kind: string, what: string): void {
  const key = `${kind} ${what}`;
  tally.set(key, (tally.get(key) ?? 0) + 1);
}

function randomValue(): string {
  const chance = random.next();
  if (chance < 0.2) return random.pick(HOSTILE_VALUES);
  if (chance < 0.4) return random.pick(["fine", "", "5", "true", "a b", "x-y.z/1", "a,b"]);
  if (chance < 0.6 && interesting.length > 0) return changed(random.pick(interesting));
  return Array.from({ length: random.int(1, 8) }, () => random.pick(FRAGMENTS)).join("");
}

function changed(value: string): string {
  const at = random.int(0, value.length);
  const upTo = random.chance(0.5) ? at : at + random.int(0, 6);
  return value.slice(0, at) + random.pick(FRAGMENTS) + value.slice(upTo);
}

function randomValues({ values: tenants }: AttackTemplate): Values {
  const hostile = random.pick([1, 1, 2, tenants.length]);
  const chosen = new Set(Array.from({ length: hostile }, () => random.int(0, tenants.length - 1)));
  return new Map(tenants.map((tenant, i) => [tenant, chosen.has(i) ? randomValue() : `fine${i}`]));
}

function attackTemplate(
  template: AttackTemplate,
  { judge, values }: { judge: Judge; values: Values },
): void {
  const verdict = guarded(() => judge.judge(values), () => describe(template, values));
  if (verdict === undefined) return;
  count(verdict.kind, "code" in verdict ? verdict.code : "");
  const trace = "message" in verdict
    ? verdict.message.replace(/.*line \d+, (?:column \d+: )?/s, "").slice(0, 40)
    : verdict.kind;
  if (!seen.has(trace) && seen.size < 5000) {
    seen.add(trace);
    const longest = [...values.values()].sort((a, b) => b.length - a.length)[0];
    if (longest.length < 500) interesting.push(longest);
  }
  if (verdict.kind !== "broken") return;
  const small = smaller(template, values);
  note(
    `structure changed at ${verdict.path.replaceAll(/\d+/g, "N")}`,
    () =>
      `${describe(small.template, small.values)}\n  found ${verdict.path}: ${
        verdict.found.slice(0, 200)
      }`,
  );
}

/** The way past everything that other replicas have paid for. */
function attackReplicas(
  template: AttackTemplate,
  { judge, values }: { judge: Judge; values: Values },
): void {
  const tell = () => describe(template, values);
  const sent = guarded(() => judge.replicas(values, REPLICAS), tell);
  if (sent === undefined) return;
  reviews += sent.reviews - 1;
  tally.set("replica", (tally.get("replica") ?? 0) + sent.reviews);
  const { difference } = sent;
  if (difference !== undefined) {
    note("a replica's other answer", () => `${tell()}\n  ${difference}`);
  }
}

function attackBytes(judge: Judge, values: Values): void {
  const body = damaged(reviewOf(podOf(values)), random);
  const describeBody = () => `  body ${JSON.stringify(Buffer.from(body).toString("base64"))}`;
  guarded(() => {
    const { body: text, outcome } = judge.answer(body);
    count("bytes", outcome.decision);
    const { response } = JSON.parse(text);
    if (typeof response?.allowed !== "boolean") note("an answer that is none", describeBody);
    if (response?.allowed !== (outcome.decision !== "denied")) {
      note("an answer that is wrong", describeBody);
    }
  }, describeBody);
}

/** The templates of a release are larger: each place in them takes a tenth of a second to get to know. */
function attackRelease(): void {
  const target = random.pick(targets);
  const place = random.pick(target.places);
  for (let i = 0; i < REVIEWS_A_PLACE; i++) {
    const value = randomValue();
    const tell = () => `  ${target.name}, ${place.name} ${JSON.stringify(value)}`;
    const verdict = guarded(() => target.attack([place], [value]), tell);
    if (verdict === undefined) return;
    reviews++;
    count(`release ${verdict.kind}`, "code" in verdict ? verdict.code : "");
    if (verdict.kind !== "broken") continue;
    note(
      `${target.name}: ${place.name}`,
      () => `${tell()}\n  found ${verdict.path}: ${verdict.found.slice(0, 200)}`,
    );
  }
}

/** Runs an attack; what it throws, or that it takes too long, is a finding. */
function guarded<T>(run: () => T, tell: () => string): T | undefined {
  const start = performance.now();
  let result: T;
  try {
    result = run();
  } catch (error) {
    const { message, stack = "" } = error as Error;
    note(`thrown: ${message.slice(0, 80)}`, () => `${stack}\n${tell()}`);
    return undefined;
  }
  if (performance.now() - start > MAX_MILLISECONDS) {
    const again = Array.from({ length: 4 }, () => {
      const from = process.cpuUsage();
      run();
      const { user, system } = process.cpuUsage(from);
      return (user + system) / 1000;
    });
    const least = Math.min(...again);
    if (least > MAX_MILLISECONDS) note("too slow", () => `  ${least.toFixed()} ms\n${tell()}`);
  }
  return result;
}

function note(heading: string, tell: () => string): void {
  const times = (findings.get(heading) ?? 0) + 1;
  findings.set(heading, times);
  if (times === 1 && findings.size <= Number(flags.show)) {
    console.log(`\nFOUND ${heading} (seed ${flags.seed}, review ${reviews})\n${tell()}`);
  }
}

function describe({ lines }: AttackTemplate, values: Values): string {
  const given = [...values].filter(([, value]) => !/^fine\d$/.test(value))
    .map(([{ name }, value]) => `  ${name} ${JSON.stringify(value)}`);
  return [...given, ...lines.map((line) => `  | ${line}`)].join("\n");
}

/** Fewer lines and shorter values that still get through. */
function smaller(
  template: AttackTemplate,
  values: Values,
): { template: AttackTemplate; values: Values } {
  const isBroken = (template: AttackTemplate, values: Values): boolean => {
    try {
      return createJudge(template, { structureGuard })?.judge(values).kind === "broken";
    } catch {
      return false;
    }
  };
  for (let i = template.lines.length - 1; i > 0; i--) {
    const fewer = { ...template, lines: template.lines.toSpliced(i, 1) };
    if (isBroken(fewer, values)) template = fewer;
  }
  const without = (tenant: TenantValue, value: string) => new Map(values).set(tenant, value);
  for (const [i, tenant] of [...values.keys()].entries()) {
    const harmless = without(tenant, `fine${i}`);
    if (isBroken(template, harmless)) {
      values = harmless;
      continue;
    }
    for (let size = values.get(tenant)!.length >> 1; size > 0; size >>= 1) {
      for (let at = 0; at + size <= values.get(tenant)!.length;) {
        const value = values.get(tenant)!;
        const shorter = without(tenant, value.slice(0, at) + value.slice(at + size));
        if (isBroken(template, shorter)) values = shorter;
        else at += size;
      }
    }
  }
  return { template, values };
}

function report(isLast = false): void {
  const now = performance.now();
  if (!isLast && now - shown < Number(flags.every) * 1000) return;
  shown = now;
  const seconds = (now - began) / 1000;
  const counts = [...tally].sort(([a], [b]) => a < b ? -1 : 1).map(([key, n]) =>
    `${key.trim()} ${n}`
  );
  console.log(
    `${reviews} reviews, ${(reviews / seconds).toFixed()}/s, ${templates} templates, ` +
      `${findings.size} findings; ${counts.join(", ")}`,
  );
}

export type { Verdict };
