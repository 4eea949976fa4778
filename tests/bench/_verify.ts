/** Before anything is timed: both injectors must make the same pod of every review that will be sent. */
import { normalise } from "../../lib/kube/normalise.ts";
import { difference, type Outcome, peerOutcome } from "../fuzz/_outcome.ts";
import type { Json } from "../fuzz/_containers.ts";
import { fillReview } from "./_review.ts";
import type { Target } from "./_targets.ts";

const AT_ONCE = 8;

/** Throws at the first that differs; else gives our answer to the first, for the floor to give. */
export async function verify(
  reviews: readonly string[],
  { peer, ours }: { peer: Target; ours: Target },
): Promise<string> {
  let next = 0;
  let first = "";
  const work = async () => {
    for (let index = next++; index < reviews.length; index = next++) {
      const text = fillReview(reviews[index], index);
      const [theirs, mine] = await Promise.all([ask(peer, text), ask(ours, text)]);
      const pod = JSON.parse(text).request.object as Json;
      const found = difference(outcome(pod, mine), outcome(pod, theirs));
      if (found !== undefined) {
        throw new Error(
          `Cannot measure: the two disagree on review ${index} at ${
            found.where || "the decision"
          }: ` +
            `ours ${brief(found.ours)}, theirs ${brief(found.theirs)}`,
        );
      }
      if (index === 0) first = mine.body;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return first;
}

interface Answer {
  readonly status: number;
  readonly body: string;
}

async function ask({ address }: Target, body: string): Promise<Answer> {
  const response = await fetch(`https://${address}/inject`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
    tls: { rejectUnauthorized: false },
  });
  return { status: response.status, body: await response.text() };
}

function outcome(pod: Json, answer: Answer): Outcome {
  const question = { settings: "", env: {}, nodes: [], path: "/inject", namespace: "", pod };
  const found = peerOutcome(question, answer);
  if (found.kind !== "injected") {
    throw new Error(`Cannot measure: a pod is not injected but ${brief(found)}`);
  }
  return { kind: "injected", pod: normalise("Pod", found.pod) };
}

function brief(value: unknown): string {
  return JSON.stringify(value)?.slice(0, 500) ?? "nothing";
}
