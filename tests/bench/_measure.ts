/** One measurement each: a generator on its own core, a target on another, numbers out. */
import { spawnPinned } from "./_children.ts";
import { commandOf, freePort, GENERATOR_CORE, SERVER_CORE } from "./_targets.ts";
import type { Place, Target, TargetName } from "./_targets.ts";

/** Programs that make load. */
export interface Generators {
  readonly wrk: string;
  /** Built from `load/`. */
  readonly load: string;
}

export interface LoadResult {
  readonly requests: number;
  readonly failed: number;
  readonly error?: string;
  readonly seconds: number;
  /** Microseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
  readonly mean: number;
  /** How late the generator itself was. */
  readonly late: number;
  /** Of all answers. */
  readonly bytes: number;
}

export interface ThroughputResult {
  readonly perSecond: number;
  /** CPU-seconds that 10,000 of them take. */
  readonly cpuSeconds: number;
}

/** As many connections as a busy API server keeps to a webhook, about. */
export const CONNECTIONS = 16;
/** What `load` is given beyond the time it was told to take. */
const GRACE_MS = 90_000;

export interface ThroughputOptions {
  /** File with a review a line. */
  readonly bodies: string;
  readonly seconds: number;
  readonly connections?: number;
}

/** Closed loop: how many it answers where somebody always asks. */
export async function throughput(
  target: Target,
  { bodies, seconds, connections = CONNECTIONS }: ThroughputOptions,
  { wrk }: Pick<Generators, "wrk">,
): Promise<ThroughputResult> {
  const before = target.cpuSeconds();
  const output = await generate([
    wrk,
    ...["-t1", `-c${connections}`, `-d${seconds}s`, "--timeout", "30s"],
    ...["-s", `${import.meta.dirname}/wrk.lua`, `https://${target.address}/inject`, "--", bodies],
  ], seconds);
  const spent = target.cpuSeconds() - before;
  const found = JSON.parse(output.trim().split("\n").at(-1)!) as LoadResult;
  check(target, found);
  return { perSecond: found.requests / found.seconds, cpuSeconds: spent / found.requests * 10_000 };
}

export interface RateOptions extends ThroughputOptions {
  /** Requests a second. */
  readonly rate: number;
}

/** Open loop: how long answers take at that rate, from when each request was due. */
export function latency(
  target: Target,
  { bodies, seconds, rate, connections = CONNECTIONS }: RateOptions,
  generators: Generators,
): Promise<LoadResult> {
  const options = { bodies, seconds, connections };
  return run(target, ["-mode=rate", `-rate=${rate}`], { ...options, generators });
}

export interface CountOptions extends ThroughputOptions {
  readonly count: number;
}

/** Closed loop of so many requests, or of so many seconds at most. */
export function counted(
  target: Target,
  { bodies, seconds, count, connections = CONNECTIONS }: CountOptions,
  generators: Generators,
): Promise<LoadResult> {
  const options = { bodies, seconds, connections };
  return run(target, ["-mode=count", `-count=${count}`], { ...options, generators });
}

/** Milliseconds from the start of the program to its first answer. */
export async function startUp(
  name: TargetName,
  { place, bodies }: { place: Place; bodies: string },
  { load }: Generators,
): Promise<number> {
  const port = await freePort();
  const command = commandOf(name, place, port);
  const output = await generate([
    load,
    ...["-mode=start", `-address=127.0.0.1:${port}`, `-bodies=${bodies}`, "--"],
    // The generator is on a core of its own, which what it starts would inherit.
    ...["taskset", "-c", SERVER_CORE, ...command],
  ], 30);
  return (JSON.parse(output) as LoadResult).p50 / 1000;
}

async function run(
  target: Target,
  mode: readonly string[],
  { bodies, seconds, connections, generators }: Required<ThroughputOptions> & {
    generators: Generators;
  },
): Promise<LoadResult> {
  const output = await generate([
    generators.load,
    ...mode,
    `-address=${target.address}`,
    `-bodies=${bodies}`,
    `-seconds=${seconds}`,
    `-connections=${connections}`,
  ], seconds);
  const found = JSON.parse(output) as LoadResult;
  check(target, found);
  return found;
}

function check({ name }: Target, { requests, failed, error }: LoadResult): void {
  if (failed === 0 && requests > 0) return;
  throw new Error(
    `Cannot measure ${name}: ${failed} of ${requests} requests failed${error ? `: ${error}` : ""}`,
  );
}

async function generate(command: readonly string[], seconds: number): Promise<string> {
  const timeout = seconds * 1000 + GRACE_MS;
  const child = spawnPinned(GENERATOR_CORE, command, { stdout: "pipe", timeout });
  const output = await new Response(child.stdout).text();
  if (await child.exited !== 0) {
    throw new Error(`Cannot measure: "${command.slice(0, 2).join(" ")} …" failed`);
  }
  return output;
}
