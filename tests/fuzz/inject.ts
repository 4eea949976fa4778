/**
 * Sends random pods to Istio's injector and to ours, and prints what they answer differently, each
 * kind of difference once and made small. See README.md for how to run it.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { parseArgs } from "node:util";
import { normalise } from "../../lib/kube/normalise.ts";
import { CONFORMANCE } from "../inject/_conformance.ts";
import { type Difference, difference, ourOutcome, type Outcome, peerOutcome } from "./_outcome.ts";
import { Peer, type Question } from "./_peer.ts";
import type { Json } from "./_containers.ts";
import { disturb } from "./_changes.ts";
import { oddPod } from "./_odd_pods.ts";
import { randomPod } from "./_pods.ts";
import { Random } from "./_random.ts";
import { randomSettings } from "./_settings.ts";
import { shrink } from "./_shrink.ts";

const SETTINGS = `${CONFORMANCE}/head/settings`;
const BATCH = 64;

const ENVIRONMENTS: readonly Readonly<Record<string, string>>[] = [
  {},
  {},
  {},
  { ENABLE_NATIVE_SIDECARS: "true" },
  { ENABLE_NATIVE_SIDECARS: "false" },
  { ENABLE_NATIVE_SIDECARS: "false" },
  { PLATFORM: "openshift" },
  { PLATFORM: "openshift", ENABLE_NATIVE_SIDECARS: "false" },
  { COMPLIANCE_POLICY: "fips-140-3" },
];
const NODES = [["v1.33.0", "v1.34.0"], ["v1.33.0", "v1.28.0"], []];

const { values: flags } = parseArgs({
  options: {
    peer: { type: "string", default: process.env.PEER ?? "peer" },
    seed: { type: "string", default: "1" },
    count: { type: "string", default: "1000" },
    seconds: { type: "string", default: "Infinity" },
    settings: { type: "string", default: "all" },
    vary: { type: "string", default: "0" },
    path: { type: "string" },
    raw: { type: "boolean", default: false },
    odd: { type: "boolean", default: false },
    ignore: { type: "string" },
    show: { type: "string", default: "20" },
    "no-shrink": { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  },
});

const random = new Random(Number(flags.seed));
const varied = mkdtempSync(`${tmpdir()}/outrigger-fuzz-`);
const peer = new Peer(flags.peer);
const ignored = flags.ignore === undefined ? undefined : new RegExp(flags.ignore);
const classes = new Map<string, { count: number; question: Question; found: Difference }>();
const tally = {
  pods: 0,
  equal: 0,
  injected: 0,
  refused: 0,
  skipped: 0,
  broken: 0,
  unusable: 0,
  random: 0,
};
const settings = await usable(settingsFolders());

const end = performance.now() + Number(flags.seconds) * 1000;
for (let done = 0; done < Number(flags.count) && performance.now() < end; done += BATCH) {
  const fresh = Array.from({ length: Math.min(BATCH, Number(flags.count) - done) }, newQuestion);
  const injected = await compare(fresh);
  // What came out goes in again, sometimes with a change, sometimes elsewhere.
  const again = injected.filter(() => random.chance(0.35)).map(({ question, pod }) => ({
    ...(random.chance(0.6) ? question : newQuestion()),
    pod: disturb(random, pod),
  }));
  await compare(again);
}
await report();
await peer.close();
if (classes.size === 0) rmSync(varied, { recursive: true });

/** The conformance data's settings, or as many varied ones as asked for. */
function settingsFolders(): string[] {
  const count = Number(flags.vary);
  if (count > 0) {
    const base = `${SETTINGS}/${readFileSync(`${SETTINGS}/../default.txt`, "utf8").trim()}`;
    return Array.from(
      { length: count },
      (_, i) => randomSettings(random, { base, directory: `${varied}/${flags.seed}-${i}` }),
    );
  }
  const names = flags.settings === "all" ? readdirSync(SETTINGS).sort() : flags.settings.split(",");
  return names.map((name) => `${SETTINGS}/${name}`);
}

/** Returns the settings that both can use; settings that only one can use are differences. */
async function usable(folders: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const folder of folders) {
    const pod = { metadata: {}, spec: { containers: [] } };
    const question = {
      settings: folder,
      env: {},
      nodes: [],
      path: "/inject",
      namespace: "default",
      pod,
    };
    const [answer] = await peer.inject([question]);
    const [ours, theirs] = [ourOutcome(question), peerOutcome(question, answer)];
    if (ours.kind !== "unusable" && theirs.kind !== "unusable") found.push(folder);
    else if (ours.kind !== theirs.kind) {
      console.log(
        `settings ${folder}: ours ${brief(ours).slice(0, 200)}, theirs ${
          brief(theirs).slice(0, 200)
        }`,
      );
    } else tally.unusable++;
  }
  return found;
}

function newQuestion(): Question {
  const folder = random.pick(settings);
  if (flags.odd) {
    const pod = oddPod(random, readFileSync(`${folder}/config.yaml`, "utf8"));
    return { settings: folder, env: {}, nodes: [], path: "/inject", namespace: "shop", pod };
  }
  return {
    settings: folder,
    env: random.pick(ENVIRONMENTS),
    nodes: random.pick(NODES),
    ...randomPod(random),
    ...(flags.path === undefined ? {} : { path: flags.path }),
  };
}

/** Asks both, notes the differences, and gives back the pods that the peer injected. */
async function compare(
  questions: readonly Question[],
): Promise<{ question: Question; pod: Json }[]> {
  const encoded = await encode(questions.map(({ pod }) => pod));
  const typed = questions.map((question, i) => ({
    ...question,
    pod: withUnknown(encoded[i], question.pod),
  }));
  const answers = await peer.inject(typed);
  const injected: { question: Question; pod: Json }[] = [];
  for (const [i, question] of typed.entries()) {
    const theirs = peerOutcome(question, answers[i]);
    tally.pods++;
    tally[theirs.kind]++;
    if (theirs.kind === "injected") injected.push({ question, pod: theirs.pod as Json });
    const found = differs(ourOutcome(question), theirs);
    if (!found) tally.equal++;
    else if (await isChance(question, found)) tally.random++;
    else note(question, found);
  }
  return injected;
}

/** Without encoding, what is left of zero values depends on where items of a list were moved. */
function differs(ours: Outcome, theirs: Outcome): Difference | undefined {
  const typed = (outcome: Outcome): Outcome =>
    flags.raw && outcome.kind === "injected"
      ? { kind: "injected", pod: normalise("Pod", outcome.pod) }
      : outcome;
  return difference(typed(ours), typed(theirs));
}

/** Returns the pods in the form to send. */
async function encode(pods: readonly Json[]): Promise<readonly Json[]> {
  return flags.raw ? pods : await peer.encode(pods);
}

/** A field that Go doesn't know, back in its place: an API server of a later version sends such. */
function withUnknown(encoded: Json, sent: Json): Json {
  const { unknownFutureField } = (sent.spec ?? {}) as Json;
  if (unknownFutureField === undefined) return encoded;
  return { ...encoded, spec: { ...encoded.spec as Json, unknownFutureField } };
}

/** Reports whether the original, which is random in places, can give our answer too. */
async function isChance(question: Question, found: Difference): Promise<boolean> {
  if (found.signature.startsWith("broken")) return false;
  const ours = ourOutcome(question);
  for (const answer of await peer.inject(Array(32).fill(question))) {
    if (!differs(ours, peerOutcome(question, answer))) return true;
  }
  return false;
}

function note(question: Question, found: Difference): void {
  if (ignored?.test(found.signature)) return;
  const known = classes.get(found.signature);
  if (known) known.count++;
  else classes.set(found.signature, { count: 1, question, found });
}

async function report(): Promise<void> {
  const sorted = [...classes].sort(([, a], [, b]) => b.count - a.count).slice(
    0,
    Number(flags.show),
  );
  for (const [signature, { count, question }] of sorted) {
    const small = flags["no-shrink"] ? question : await shrink(question, async (candidate) => {
      return (await look(candidate)).found?.signature === signature;
    });
    const { found, theirs, question: asked } = await look(small);
    console.log(
      `\n== ${count} × ${signature}${
        found ? "" : " (not seen again: the original picks at random)"
      }`,
    );
    console.log(JSON.stringify(asked));
    console.log(`at     ${found?.where}`);
    console.log(`ours   ${brief(found?.ours)}`);
    console.log(`theirs ${brief(found?.theirs)}`);
    if (flags.json) console.log(JSON.stringify({ question: asked, theirs }));
  }
  console.log(`\n${JSON.stringify(tally)}; ${classes.size} kinds of differences`);
}

async function look(
  question: Question,
): Promise<{ question: Question; found?: Difference; theirs: Outcome }> {
  const [pod] = await encode([question.pod]);
  const typed = { ...question, pod };
  const [answer] = await peer.inject([typed]);
  const theirs = peerOutcome(typed, answer);
  return { question: typed, found: differs(ourOutcome(typed), theirs), theirs };
}

function brief(value: unknown): string {
  return typeof value === "string"
    ? value.slice(0, 3000)
    : JSON.stringify(value)?.slice(0, 3000) ?? "absent";
}
