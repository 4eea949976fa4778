/** Builds the two injectors of a replay: with the recorded configuration, and with the replaced one. */

import type { RecordedConfig, RecordedReview, ReplayPair } from "../compare/mod.ts";
import { sprigFunctions } from "../go/sprig/mod.ts";
import { TemplateError } from "../go/template/mod.ts";
import { createSprigHost, type Host } from "../host/mod.ts";
import {
  createInjector,
  type EngineSources,
  type Injector,
  type StructureGuard,
} from "../inject/mod.ts";

/** The texts that replace the recorded ones, and the files they come from. */
export interface Replacement {
  readonly texts: Partial<EngineSources>;
  readonly files: readonly string[];
  /** The mode that replaces the recorded one. */
  readonly structureGuard?: StructureGuard;
}

export interface ReplaySides {
  readonly before: Replacement;
  readonly after: Replacement;
}

/** The maximum number of cached pairs. A recording has one or a few successive configurations. */
const MAX_PAIRS = 8;

/** Returns a function that builds the pair for a configuration, cached by identity; it throws if either fails. */
export function createReplayPairs(
  { before, after }: ReplaySides,
  host: Host,
): (config: RecordedConfig) => ReplayPair {
  const world = createReplayWorld(host);
  const pairs = new Map<RecordedConfig, ReplayPair>();
  const build = (config: RecordedConfig, replacement: Replacement) =>
    buildSide(config, { replacement, world });
  return (config) => {
    const known = pairs.get(config);
    if (known !== undefined) return known;
    const pair = {
      before: build(config, before),
      after: build(config, after),
      isOriginal: before.files.length === 0,
      begin: world.begin,
    };
    if (pairs.size >= MAX_PAIRS) pairs.delete(pairs.keys().next().value!);
    pairs.set(config, pair);
    return pair;
  };
}

type World = ReturnType<typeof createReplayWorld>;

function buildSide(
  { sources, settings }: RecordedConfig,
  {
    replacement: { texts, files, structureGuard = settings.structureGuard },
    world: { sprig },
  }: { replacement: Replacement; world: World },
): Injector {
  try {
    // Environment variables are not recorded, so templates see none.
    const own = { ...settings, structureGuard, sprig, tried: true };
    return createInjector({ ...sources, ...texts }, own);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const what = files.length === 0
      ? "the recorded configuration"
      : files.map((file) => JSON.stringify(file)).join(" with ");
    const excerpt = templateErrorOf(error)?.excerpt() ?? "";
    throw new Error(
      `Cannot use ${what}: ${error.message}${excerpt === "" ? "" : `\n${excerpt}`}`,
      { cause: error },
    );
  }
}

function templateErrorOf(error: unknown): TemplateError | undefined {
  let at = error;
  while (at instanceof Error && !(at instanceof TemplateError)) at = at.cause;
  return at instanceof TemplateError ? at : undefined;
}

/** Provides what templates can read besides the pod: the time of the review, and repeatable randomness. */
function createReplayWorld(host: Host) {
  let now = 0n;
  let state = 0;
  const sprig = sprigFunctions({
    ...createSprigHost(host, { env: () => undefined }),
    now: () => now,
    // A linear congruential generator (Numerical Recipes), so both sides get the same numbers.
    randomBytes: (count) =>
      Uint8Array.from({ length: count }, () => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        return state >>> 24;
      }),
  });
  return {
    sprig,
    begin({ time }: RecordedReview) {
      now = BigInt(Date.parse(time) || 0) * 1_000_000n;
      state = 1;
    },
  };
}
