/** Bodies and what Kubernetes' own decoder (apimachinery 0.36) makes of them. */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { readReview, ReviewError } from "../../lib/admission/review.ts";

interface Vector {
  readonly body: string;
  readonly error?: string;
  /** Version, or the complaint about a kind that is no review. */
  readonly type?: string;
  readonly request?: boolean;
  readonly uid?: string;
  readonly ns?: string;
  readonly op?: string;
  readonly raw?: string;
  /** Where Go prints values of its own: refused is enough. */
  readonly loose?: boolean;
}

const vectors: Vector[] = readFileSync(
  `${import.meta.dirname}/../vectors/admission/reviews.jsonl`,
  "utf8",
).trim().split("\n").map((line) => JSON.parse(line));

const bytes = (text: string) => new TextEncoder().encode(text);

/** The message of what `read` throws; `undefined` where it throws nothing. */
function refusal(read: () => unknown): string | undefined {
  try {
    read();
  } catch (error) {
    if (error instanceof ReviewError) return error.message;
    throw error;
  }
}

describe("readReview() decodes as Kubernetes does", () => {
  test.each(vectors.map((vector) => [vector.body, vector] as const))("%j", (_, vector) => {
    const read = () => readReview(bytes(vector.body), { kindRequired: true });
    const wanted = vector.error ??
      (vector.type?.startsWith("unsupported") ? vector.type : undefined);
    if (vector.loose) return expect(refusal(read)).toBeDefined();
    expect(refusal(read)).toBe(wanted);
    if (wanted !== undefined) return;
    const { apiVersion, request } = read();
    expect(apiVersion).toBe(`admission.k8s.io/${vector.type}`);
    expect(request !== undefined).toBe(vector.request!);
    if (request === undefined) return;
    const { uid = "", namespace = "", operation = "", object } = request;
    expect({ uid: uid.toWellFormed(), namespace, operation }).toEqual({
      uid: vector.uid!,
      namespace: vector.ns!,
      operation: vector.op!,
    });
    expect(object).toEqual(vector.raw ? JSON.parse(vector.raw) : undefined);
  });
});

describe("readReview() of a review that does not say what it is", () => {
  test("takes it as v1beta1 where the config is of Istio 1.6 or older", () => {
    const body = bytes('{"request":{"uid":"u-1","operation":"CREATE"}}');
    expect(readReview(body, { kindRequired: false })).toEqual({
      request: { uid: "u-1", operation: "CREATE" },
    });
  });

  test("still checks kind and version where they are given", () => {
    const body = bytes('{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v7"}');
    expect(refusal(() => readReview(body, { kindRequired: false }))).toContain("no kind");
  });
});

describe("readReview() of hostile bodies", () => {
  const REVIEW = '{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":';
  test.each([
    ["keys of every object's prototype", `${REVIEW}{"__proto__":{"uid":"x"},"constructor":5}}`],
    ["bytes that are no UTF-8", new Uint8Array([0x7b, 0xff, 0xfe])],
    ["a million brackets", `${REVIEW}${"[".repeat(1_000_000)}`],
    ["a million closed brackets", `${"[".repeat(1_000_000)}${"]".repeat(1_000_000)}`],
    ["objects in objects", `${REVIEW}${'{"a":'.repeat(200_000)}`],
    ["aliases upon aliases", "a: &a [x,x,x]\nb: &b [*a,*a,*a]\nc: [*b,*b]"],
    ["an emoji and a half", new Uint8Array([0xf0, 0x9f, 0x98, 0x80, 0xf0, 0x9f])],
  ])("%s: is read or refused, and in time", (_, body) => {
    const data = typeof body === "string" ? bytes(body) : body;
    const started = performance.now();
    const message = refusal(() => readReview(data, { kindRequired: true }));
    if (message === undefined) {
      expect(readReview(data, { kindRequired: true }).request?.uid).toBeUndefined();
    }
    expect(performance.now() - started).toBeLessThan(5000);
  });
});
