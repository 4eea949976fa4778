import { describe, expect, test } from "bun:test";
import { normalise } from "../../lib/kube/normalise.ts";
import { LOADS, reviewOfSize, reviewsOf } from "./_loads.ts";
import { fillReview, type Json, SUFFIX_MARK, UID_MARK } from "./_review.ts";

interface Pod {
  readonly metadata: Json;
  readonly spec: {
    readonly volumes: readonly Json[];
    readonly containers: readonly { readonly env: Json[]; readonly volumeMounts: Json[] }[];
  };
}

const podOf = (text: string): Pod => JSON.parse(text).request.object;

describe("reviewsOf()", () => {
  for (const load of LOADS) {
    test(`gives the same ${load} each time, no two alike`, () => {
      const reviews = reviewsOf(load);
      expect(reviewsOf(load)).toEqual(reviews);
      expect(new Set(reviews).size).toBe(reviews.length);
    });

    test(`gives ${load} that mount their own token, in fields that pods have`, () => {
      for (const text of reviewsOf(load).slice(0, 50)) {
        const pod = podOf(text);
        const name = `kube-api-access-${SUFFIX_MARK}`;
        expect(pod.spec.volumes.at(-1)?.name).toBe(name);
        for (const { volumeMounts } of pod.spec.containers) {
          expect(volumeMounts.at(-1)?.name).toBe(name);
        }
        // What a typed decode would drop or change, the API server would not have sent.
        expect<unknown>(normalise("Pod", pod)).toEqual(pod);
      }
    });
  }

  test("gives a thousand distinct workloads, and large ones of 20 containers and 200 env", () => {
    expect(reviewsOf("distinct").length).toBe(1000);
    for (const text of reviewsOf("large")) {
      const { containers } = podOf(text).spec;
      expect(containers.length).toBe(20);
      expect(containers.flatMap(({ env }) => env).length).toBe(200);
    }
  });
});

describe("fillReview()", () => {
  const [text] = reviewsOf("replicas");

  test("replaces every mark and keeps the length", () => {
    const filled = fillReview(text, 123456);
    expect(filled.length).toBe(text.length);
    expect(filled).not.toContain(SUFFIX_MARK);
    expect(filled).not.toContain(UID_MARK);
    expect(JSON.parse(filled).request.uid).toBe("00000000-0000-4000-8000-00000001e240");
  });

  test("gives each pod a volume name of its own", () => {
    const names = Array.from(
      { length: 5000 },
      (_, i) => podOf(fillReview(text, i)).spec.volumes.at(-1)?.name,
    );
    expect(new Set(names).size).toBe(names.length);
  });
});

test("reviewOfSize() is within a tenth of the size asked for", () => {
  for (const bytes of [1024, 16 * 1024, 256 * 1024, 3 * 1024 * 1024]) {
    expect(Math.abs(reviewOfSize(bytes).length / bytes - 1)).toBeLessThan(0.1);
  }
});
