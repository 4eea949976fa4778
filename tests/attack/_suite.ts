/** The attack suite: sets hostile values in a pod's fields for each template, and collects the results. */
import type { Place } from "./_places.ts";
import type { Target } from "./_target.ts";
import { HOSTILE_VALUES } from "./_values.ts";

export interface AttackCounts {
  attempts: number;
  kept: number;
  skipped: number;
  readonly denied: Map<string, number>;
  /** Descriptions of successful attacks. */
  readonly broken: string[];
}

export interface Attempt {
  readonly target: Target;
  readonly place: Place;
  readonly values: readonly string[];
}

/** Yields every value in every place for every template, which takes hours. */
export function* allAttempts(targets: readonly Target[]): Generator<Attempt> {
  for (const target of targets) {
    for (const place of target.places) yield { target, place, values: HOSTILE_VALUES };
  }
}

/**
 * A sample, the same each time: every place once, in the templates in turn, with so many values in turn. Of proxy
 * config, which has more places than all else, every third one.
 */
export function* sampledAttempts(
  targets: readonly Target[],
  { valuesEach }: { valuesEach: number },
): Generator<Attempt> {
  const names = [...new Set(targets.flatMap(({ places }) => places.map(({ name }) => name)))];
  let turn = 0;
  for (const [i, name] of names.entries()) {
    if (name.startsWith("proxy config") && i % 3 !== 0) continue;
    const having = targets.flatMap((target) => {
      const place = target.places.find((place) => place.name === name);
      return place === undefined ? [] : [{ target, place }];
    });
    // A step coprime to the number of values reaches all of them.
    const values = Array.from(
      { length: valuesEach },
      () => HOSTILE_VALUES[turn++ * STEP % HOSTILE_VALUES.length],
    );
    yield { ...having[i % having.length], values };
  }
}

const STEP = 101;

export function runAttempts(attempts: Iterable<Attempt>): AttackCounts {
  const counts: AttackCounts = {
    attempts: 0,
    kept: 0,
    skipped: 0,
    denied: new Map(),
    broken: [],
  };
  for (const { target, place, values } of attempts) {
    for (const value of values) {
      counts.attempts++;
      const verdict = target.attack([place], [value]);
      switch (verdict.kind) {
        case "denied":
          counts.denied.set(verdict.code, (counts.denied.get(verdict.code) ?? 0) + 1);
          break;
        case "broken":
          counts.broken.push(
            `${target.name}, ${place.name} ${
              JSON.stringify(value)
            }: ${verdict.path} ${verdict.found}`,
          );
          break;
        default:
          counts[verdict.kind]++;
      }
    }
  }
  return counts;
}

export function countsText({ attempts, kept, skipped, denied, broken }: AttackCounts): string {
  const codes = [...denied].sort(([a], [b]) => a < b ? -1 : 1).map(([code, n]) => `${code} ${n}`);
  return `${attempts} attempts: kept ${kept}, denied ${
    codes.join(" ") || 0
  }, skipped ${skipped}, ` +
    `broken=${broken.length}`;
}
