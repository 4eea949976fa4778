/** Shrinks a question that shows a difference. */
import type { Json } from "./_containers.ts";
import type { Question } from "./_peer.ts";

/** Reports whether a smaller question still shows the difference. */
export type Persists = (question: Question) => Promise<boolean>;

/** Shrinking stops after so many attempts: each asks the peer twice. */
const MAX_ATTEMPTS = 1500;

export async function shrink(question: Question, persists: Persists): Promise<Question> {
  let best = question;
  let attempts = 0;
  const attempt = async (candidate: Question) => {
    if (attempts++ >= MAX_ATTEMPTS || !await persists(candidate)) return false;
    best = candidate;
    return true;
  };
  for (const plain of [{ env: {} }, { path: "/inject" }, { namespace: "default" }, { nodes: [] }]) {
    await attempt({ ...best, ...plain });
  }
  let changed = true;
  while (changed && attempts < MAX_ATTEMPTS) {
    changed = false;
    // Big parts first: what goes with them needs no attempt of its own.
    const paths = pathsOf(best.pod, []).sort((a, b) => a.length - b.length || 0);
    for (const path of paths) {
      const pod = without(best.pod, path);
      if (pod && await attempt({ ...best, pod })) changed = true;
    }
  }
  return best;
}

type Path = readonly (string | number)[];

function pathsOf(value: unknown, path: Path): Path[] {
  if (Array.isArray(value)) {
    // From the end, so that removing one leaves the places of the others.
    return value.flatMap((item, i) => [[...path, i], ...pathsOf(item, [...path, i])]).reverse();
  }
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap((
    [key, one],
  ) => [[...path, key], ...pathsOf(one, [...path, key])]);
}

/** A copy without what is at the path; undefined if nothing is there any more. */
function without(pod: Json, path: Path): Json | undefined {
  const copy = structuredClone(pod);
  let at: unknown = copy;
  for (const key of path.slice(0, -1)) {
    at = typeof at === "object" && at !== null ? (at as Json)[key] : undefined;
  }
  const last = path.at(-1)!;
  if (typeof at !== "object" || at === null || !Object.hasOwn(at, last)) return undefined;
  if (Array.isArray(at)) at.splice(Number(last), 1);
  else delete (at as Json)[last];
  return copy;
}
