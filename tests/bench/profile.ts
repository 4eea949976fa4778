/**
 * Where the time of an injection goes: answers the loads of the benchmark in this process, over and over,
 * and prints microseconds an injection, then where a sampling profiler found them.
 *
 *     node_modules/.bin/bun tests/bench/profile.ts                   # all loads
 *     node_modules/.bin/bun tests/bench/profile.ts --only replicas --seconds 5 --top 30
 *     node_modules/.bin/bun tests/bench/profile.ts --save replicas.cpuprofile --only replicas
 *
 * Samples count for the innermost file of `lib/` on the stack, so what a runtime or a package does
 * counts for whoever called it. All is processor time, helper threads of the runtime (collector,
 * compilers) included, so that a busy machine changes little. `--save` writes the last profile for a browser's tools.
 */
import { writeFileSync } from "node:fs";
import { type Profiler, Session } from "node:inspector";
import { parseArgs } from "node:util";
import { answerReview, type ReviewInjector } from "../../lib/admission/mod.ts";
import { digest, pack, unpack } from "../../lib/host/mod.ts";
import { sprigFunctions } from "../../lib/go/sprig/mod.ts";
import { createInjector } from "../../lib/inject/injector.ts";
import { testSprigHost } from "../go/_sprig_host.ts";
import { LOADS, reviewsOf, TITLES } from "./_loads.ts";
import { type Costs, costsOf } from "./_profile_costs.ts";
import { fillReview } from "./_review.ts";
import { measuredSettings } from "./_settings.ts";

const { values: flags } = parseArgs({
  options: {
    only: { type: "string", default: LOADS.join(",") },
    seconds: { type: "string", default: "2" },
    top: { type: "string", default: "15" },
    save: { type: "string" },
  },
});

/** Enough that the compilers of the runtime have done what they will. */
const WARM_UP_MS = 1500;
const ROUNDS = 5;

const settings = measuredSettings();
const env: Readonly<Record<string, string>> = { ENABLE_NATIVE_SIDECARS: "true" };
const engine = createInjector(settings, {
  sprig: sprigFunctions(testSprigHost()),
  env: (name) => env[name],
});
const injector: ReviewInjector = {
  kindRequired: true,
  keepsNames: engine.keepsNames,
  urlEnv: engine.urlEnv,
  admit: engine.admit,
};
console.log(`settings: ${settings.title}`);

for (const load of LOADS.filter((load) => flags.only.split(",").includes(load))) {
  const reviews = reviewsOf(load);
  // Each request is another pod, and never comes again while this runs; making them isn't measured.
  let count = 0;
  const batch = () =>
    Array.from(
      { length: load === "large" ? 50 : 200 },
      () => new TextEncoder().encode(fillReview(reviews[count % reviews.length], count++)),
    );
  answerAll(batch, WARM_UP_MS);
  const seconds = Number(flags.seconds);
  const share = seconds * 1000 / ROUNDS;
  const rounds = Array.from({ length: ROUNDS }, () => answerAll(batch, share));
  const session = new Session();
  session.connect();
  await post(session, "Profiler.enable");
  await post(session, "Profiler.setSamplingInterval", { interval: 200 });
  await post(session, "Profiler.start");
  answerAll(batch, seconds * 1000);
  const { profile } = await post(session, "Profiler.stop") as { profile: Profiler.Profile };
  session.disconnect();
  if (flags.save !== undefined) writeFileSync(flags.save, JSON.stringify(profile));

  const [low, middle, high] = spread(rounds.map(({ microseconds }) => microseconds));
  console.log(
    `\n== ${TITLES[load]}: ${middle.toFixed(1)} µs an injection ` +
      `(${low.toFixed(1)} to ${high.toFixed(1)}), ${(1e6 / middle).toFixed(0)}/s, ` +
      `${rounds[0].kilobytes.toFixed(1)} KB in, ${rounds[0].answered.toFixed(1)} KB out`,
  );
  print(costsOf(profile, { inside: ["answerReview"] }), middle);
}

interface Round {
  readonly microseconds: number;
  readonly kilobytes: number;
  readonly answered: number;
}

/** Answers for so long; only the answering is measured, in processor time. */
function answerAll(batch: () => Uint8Array[], milliseconds: number): Round {
  let spent = 0;
  let answers = 0;
  let bytes = 0;
  let answered = 0;
  const deadline = performance.now() + milliseconds;
  do {
    const bodies = batch();
    const start = process.cpuUsage();
    for (const body of bodies) {
      const { body: text, outcome } = answerReview(body, {
        injector,
        path: "/inject",
        cluster: {},
        keepAnswers: { digest, pack, unpack },
      });
      if (outcome.decision !== "injected") throw new Error(`not injected: ${text.slice(0, 500)}`);
      bytes += body.length;
      answered += text.length;
    }
    const { user, system } = process.cpuUsage(start);
    spent += user + system;
    answers += bodies.length;
  } while (performance.now() < deadline);
  return {
    microseconds: spent / answers,
    kilobytes: bytes / answers / 1024,
    answered: answered / answers / 1024,
  };
}

function post(session: Session, method: string, params: object = {}): Promise<unknown> {
  return new Promise((resolve, reject) => {
    session.post(method, params, (error: Error | null, found: unknown) => {
      if (error) reject(error);
      else resolve(found);
    });
  });
}

function spread(numbers: readonly number[]): [number, number, number] {
  const sorted = numbers.toSorted((a, b) => a - b);
  return [sorted[0], sorted[sorted.length >> 1], sorted.at(-1)!];
}

function print({ stages, functions, inclusive }: Costs, microseconds: number): void {
  const top = Number(flags.top);
  const rows = (title: string, shares: ReadonlyMap<string, number>) => {
    console.log(`  ${title}`);
    const sorted = [...shares].sort(([, a], [, b]) => b - a).slice(0, top);
    for (const [name, share] of sorted) {
      const cost = (share * microseconds).toFixed(1).padStart(8);
      console.log(`  ${cost} µs ${(share * 100).toFixed(1).padStart(5)} %  ${name}`);
    }
  };
  rows("by file of lib/, what it calls in packages and the runtime included", stages);
  rows("by function, all that it calls included", inclusive);
  rows("by function, itself alone", functions);
}
