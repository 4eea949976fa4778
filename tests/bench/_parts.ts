/** The parts of a run, each giving rows of the table. Those measured against each other take turns. */
import { writeFileSync } from "node:fs";
import { imageMegabytes } from "./_image.ts";
import { type LoadName, reviewOfSize, reviewsOf, TITLES } from "./_loads.ts";
import { CONNECTIONS, counted, type Generators, latency, startUp, throughput } from "./_measure.ts";
import { exponentOf, median, type Row } from "./_report.ts";
import {
  megabytesOf,
  type Place,
  startTarget,
  type Target,
  type TargetName,
  TARGETS,
} from "./_targets.ts";
import { verify } from "./_verify.ts";

/** How long and how often. */
export interface Scale {
  readonly rounds: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
  readonly latencySeconds: number;
  /** Injections of a fresh process. */
  readonly count: number;
  readonly growthSeconds: number;
  readonly starts: number;
}

/** Everything that a part needs. */
export interface Stand {
  readonly place: Place;
  readonly generators: Generators;
  readonly scale: Scale;
  /** For files that come and go. */
  readonly folder: string;
  readonly say: (line: string) => void;
}

export type PartName = LoadName | "connections" | "growth" | "start";
type Part = (stand: Stand, name: PartName) => Promise<Row[]>;

const load: Part = (stand, name) => loadPart(stand, name as LoadName);

export const PARTS: Readonly<Record<PartName, Part>> = {
  replicas: load,
  distinct: load,
  unseen: load,
  large: load,
  connections: connectionsPart,
  growth: growthPart,
  start: startPart,
};

/** How many times better than the peer we want to be, by load. */
const GOALS: Readonly<Record<LoadName, { throughput?: number; cpu?: number; p99?: number }>> = {
  replicas: { throughput: 20, cpu: 20, p99: 10 },
  distinct: { throughput: 10, cpu: 10, p99: 10 },
  // No goal was set: each pays for all that caches save the others.
  unseen: {},
  large: {},
};
/** Large pods take ten times as long, and a tenth of the count says as much. */
const LARGE_SHARE = 10;
const RSS_AIM = "aim 64";

type Of<T> = Partial<Record<TargetName, T>>;

async function loadPart(stand: Stand, name: LoadName): Promise<Row[]> {
  const { scale, say, generators } = stand;
  const reviews = reviewsOf(name);
  const bodies = bodiesFile(stand, name, reviews);
  say(`${name}: comparing ${reviews.length} answers`);
  const speeds: Of<number[]> = {};
  const costs: Of<number[]> = {};
  const times: Of<Record<"p50" | "p99" | "p999", number[]>> = {};
  let rate = 0;
  {
    await using peer = await startTarget("peer", stand.place);
    await using ours = await startTarget("ours", stand.place);
    writeFileSync(stand.place.answer, await verify(reviews, { peer, ours }));
    await using floor = await startTarget("floor", stand.place);
    const all = [peer, ours, floor];

    say(`${name}: throughput`);
    for (const target of all) {
      await throughput(target, { bodies, seconds: scale.warmUpSeconds }, generators);
    }
    for (let round = 0; round < scale.rounds; round++) {
      for (const target of all) {
        const found = await throughput(target, { bodies, seconds: scale.seconds }, generators);
        (speeds[target.name] ??= []).push(found.perSecond);
        (costs[target.name] ??= []).push(found.cpuSeconds);
      }
    }

    rate = Math.max(1, Math.round(median(speeds.peer!) / 2));
    say(`${name}: latency at ${rate}/s`);
    for (let round = 0; round < scale.rounds; round++) {
      for (const target of all) {
        const options = { bodies, seconds: scale.latencySeconds, rate };
        const found = await latency(target, options, generators);
        const seen = times[target.name] ??= { p50: [], p99: [], p999: [] };
        for (const key of ["p50", "p99", "p999"] as const) seen[key].push(found[key] / 1000);
      }
    }
  }
  const group = TITLES[name];
  const { throughput: faster, cpu, p99 } = GOALS[name];
  const at = `at ${rate}/s, half of what Istio's can`;
  const medians = (of: Of<number[]>) =>
    Object.fromEntries(Object.entries(of).map(([target, list]) => [target, median(list)]));
  const timesOf = (key: "p50" | "p99" | "p999") =>
    medians(Object.fromEntries(Object.entries(times).map(([name, all]) => [name, all[key]])));
  return [
    {
      group,
      what: `throughput, ${CONNECTIONS} connections`,
      unit: "1/s",
      better: "more",
      ...medians(speeds),
      goal: faster,
    },
    {
      group,
      what: "processor time of 10,000",
      unit: "s",
      better: "less",
      ...medians(costs),
      goal: cpu,
    },
    { group, what: `p50 ${at}`, unit: "ms", better: "less", ...timesOf("p50") },
    { group, what: "p99", unit: "ms", better: "less", ...timesOf("p99"), goal: p99 },
    { group, what: "p99.9", unit: "ms", better: "less", ...timesOf("p999") },
    ...await freshRows(stand, name, bodies),
  ];
}

/** Of a process that has done nothing yet: the memory and time of its first so many. */
async function freshRows(stand: Stand, name: LoadName, bodies: string): Promise<Row[]> {
  const { scale, say, generators } = stand;
  const count = name === "large" ? Math.ceil(scale.count / LARGE_SHARE) : scale.count;
  say(`${name}: the first ${count} of a fresh process`);
  const peaks: Of<number> = {};
  const costs: Of<number> = {};
  for (const target of TARGETS) {
    await using started = await startTarget(target, stand.place);
    const before = started.cpuSeconds();
    await counted(started, { bodies, seconds: 600, count }, generators);
    costs[target] = started.cpuSeconds() - before;
    peaks[target] = started.peakMegabytes();
  }
  const group = TITLES[name];
  const first = `first ${count.toLocaleString("en")} of a fresh process`;
  return [
    { group, what: `processor time, ${first}`, unit: "s", better: "less", ...costs },
    {
      group,
      what: `peak RSS, ${first}`,
      unit: "MB",
      better: "less",
      ...peaks,
      goal: 1,
      aim: RSS_AIM,
    },
  ];
}

const CONNECTION_COUNTS = [1, 4, 16, 64];

async function connectionsPart(stand: Stand): Promise<Row[]> {
  const { scale, generators } = stand;
  const bodies = bodiesFile(stand, "connections", reviewsOf("replicas"));
  return await withBoth(stand, reviewsOf("replicas"), async (both) => {
    for (const target of both) {
      await throughput(target, { bodies, seconds: scale.warmUpSeconds }, generators);
    }
    const rows: Row[] = [];
    for (const connections of CONNECTION_COUNTS) {
      stand.say(`connections: ${connections}`);
      const speeds: Of<number> = {};
      for (const target of both) {
        const options = { bodies, seconds: scale.seconds, connections };
        speeds[target.name] = (await throughput(target, options, generators)).perSecond;
      }
      const what = connections === 1 ? "1 connection" : `${connections} connections`;
      rows.push({ group: "replicas, connections", what, unit: "1/s", better: "more", ...speeds });
    }
    return rows;
  });
}

const KB = 1024;
const SIZES = [1, 4, 16, 64, 256, 1024, 3072];
/** From here on the pod is most of the work, so that growth shows. */
const GROWTH_FROM = 64;

async function growthPart(stand: Stand): Promise<Row[]> {
  const { scale, generators } = stand;
  const sizes = SIZES.map((kilobytes) => ({ kilobytes, review: reviewOfSize(kilobytes * KB) }));
  return await withBoth(stand, sizes.map(({ review }) => review), async (both) => {
    const rows: Row[] = [];
    for (const { kilobytes, review } of sizes) {
      const what = kilobytes < KB ? `${kilobytes} KB` : `${kilobytes / KB} MB`;
      stand.say(`growth: a review of ${what}`);
      const bodies = bodiesFile(stand, "growth", [review]);
      const costs: Of<number> = {};
      for (const target of both) {
        const options = { bodies, connections: 1, count: 1_000_000, seconds: scale.growthSeconds };
        await counted(target, { ...options, seconds: scale.growthSeconds / 2 }, generators);
        costs[target.name] = (await counted(target, options, generators)).p50 / 1000;
      }
      rows.push({
        group: "reviews by size, one at a time",
        what,
        unit: "ms",
        better: "less",
        ...costs,
      });
    }
    const exponent = (target: "peer" | "ours") =>
      exponentOf(sizes.flatMap(({ kilobytes, review }, i) => {
        const cost = rows[i][target];
        return kilobytes < GROWTH_FROM || cost === undefined
          ? []
          : [[review.length, cost] as const];
      }));
    rows.push({
      group: "reviews by size, one at a time",
      what: `growth from ${GROWTH_FROM} KB on (1 is linear)`,
      unit: "exponent",
      better: "less",
      peer: exponent("peer"),
      ours: exponent("ours"),
    });
    return rows;
  });
}

async function startPart(stand: Stand): Promise<Row[]> {
  const { scale, say, place, generators } = stand;
  const bodies = bodiesFile(stand, "start", reviewsOf("replicas"));
  say(`start-up, ${scale.starts} times`);
  writeFileSync(place.answer, "{}");
  const times: Record<TargetName, number[]> = { peer: [], ours: [], floor: [] };
  for (let round = 0; round < scale.starts; round++) {
    for (const target of TARGETS) {
      times[target].push(await startUp(target, { place, bodies }, generators));
    }
  }
  const group = "the program";
  const { programs } = place;
  const [peer, ours, floor] = TARGETS.map((target) => median(times[target]));
  const rows: Row[] = [
    {
      group,
      what: "start to first answer",
      unit: "ms",
      better: "less",
      peer,
      ours,
      floor,
      goal: 1,
    },
    {
      group,
      what: "executable",
      unit: "MB",
      better: "less",
      peer: megabytesOf(programs.peer),
      ours: megabytesOf(programs.ours),
    },
  ];
  const image = await imageMegabytes(programs.ours, say);
  if (image !== undefined) {
    rows.push({ group, what: "image, without its base", unit: "MB", better: "less", ours: image });
  }
  return rows;
}

/** Peer and ours, found to agree. */
async function withBoth<T>(
  { place }: Stand,
  reviews: readonly string[],
  work: (both: readonly Target[]) => Promise<T>,
): Promise<T> {
  await using peer = await startTarget("peer", place);
  await using ours = await startTarget("ours", place);
  await verify(reviews, { peer, ours });
  return await work([peer, ours]);
}

function bodiesFile({ folder }: Stand, name: string, reviews: readonly string[]): string {
  const file = `${folder}/${name}.txt`;
  writeFileSync(file, reviews.map((review) => `${review}\n`).join(""));
  return file;
}
