/** Bodies, and the results of Kubernetes' own decoder (apimachinery 0.36). */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { Budget } from "../../lib/data/budget.ts";
import { readReview, ReviewError } from "../../lib/admission/review.ts";

interface Vector {
  readonly body: string;
  readonly error?: string;
  /** The version, or the error for another kind. */
  readonly type?: string;
  readonly request?: boolean;
  readonly uid?: string;
  readonly ns?: string;
  readonly op?: string;
  readonly raw?: string;
  /** Whether Go's message contains Go values: only the refusal is compared. */
  readonly loose?: boolean;
}

const vectors: Vector[] = readFileSync(
  `${import.meta.dirname}/../vectors/admission/reviews.jsonl`,
  "utf8",
).trim().split("\n").map((line) => JSON.parse(line));

const bytes = (text: string) => new TextEncoder().encode(text);

/** Returns the message of the error that `read` throws, if any. */
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
    const read = () => readReview(bytes(vector.body), { kindRequired: true, acceptsYaml: true });
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

describe("readReview() of a review without a kind", () => {
  test("decodes it as v1beta1 for Istio 1.6 or earlier", () => {
    const body = bytes('{"request":{"uid":"u-1","operation":"CREATE"}}');
    expect(readReview(body, { kindRequired: false })).toEqual({
      request: { uid: "u-1", operation: "CREATE" },
    });
  });

  test("still checks kind and version if present", () => {
    const body = bytes('{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v7"}');
    expect(refusal(() => readReview(body, { kindRequired: false }))).toContain("no kind");
  });
});

describe("readReview() of other bodies than JSON", () => {
  const yaml = "kind: AdmissionReview\napiVersion: admission.k8s.io/v1\nrequest: {uid: u-1}\n";

  test.each([yaml, "[]", "null", "5", '"x"', "", " ", "\0\x01", '\ufeff{"kind":"x"}'])(
    "refuses %j",
    (text) => {
      expect(refusal(() => readReview(bytes(text), { kindRequired: true }))).toBe(
        "the body is not a JSON object; to accept YAML reviews, set --accept-yaml-reviews",
      );
    },
  );

  test("accepts YAML if enabled, up to a limit", () => {
    const options = { kindRequired: true, acceptsYaml: true };
    expect(readReview(bytes(yaml), options).request).toEqual({ uid: "u-1" });
    const padded = (length: number) => yaml + "#".repeat(length - yaml.length);
    expect(readReview(bytes(padded(8 * 1024)), options).request).toEqual({ uid: "u-1" });
    expect(refusal(() => readReview(bytes(padded(8 * 1024 + 1)), options))).toBe(
      "the review in YAML has 8193 characters: the limit is 8192",
    );
  });
});

describe("readReview() of JSON beyond a limit", () => {
  const review = (object: string) =>
    bytes(
      `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"object":${object}}}`,
    );
  const read = (object: string) =>
    refusal(() => readReview(review(object), { kindRequired: true }));
  const broken = "couldn't get version/kind; json parse error: ";

  test("counts values", () => {
    const list = (length: number) => `[${"0,".repeat(length - 1)}0]`;
    // Four brackets and commas belong to the review, and one bracket to the list.
    expect(read(list(99_996))).toBeUndefined();
    expect(read(list(99_997))).toBe("the review is too large: it has more than 100000 values");
  });

  test("counts levels", () => {
    const deep = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
    expect(read(deep(998))).toBeUndefined();
    expect(read(deep(999))).toBe("the review is too large: it nests deeper than 1000 levels");
  });

  test("counts different keys", () => {
    const map = (keys: number) =>
      JSON.stringify(Object.fromEntries(Array.from({ length: keys }, (_, i) => [`k${i}`, 0])));
    expect(read(map(9_900))).toBeUndefined();
    expect(read(map(12_000))).toBe(
      "the review is too large: it has more than 10000 different keys",
    );
  });

  test("spends the budget", () => {
    const read = (units: number) => () =>
      readReview(review(`[${"0,".repeat(999)}0]`), {
        kindRequired: true,
        budget: new Budget({ units }),
      });
    expect(refusal(read(2_000))).toBeUndefined();
    expect(refusal(read(500))).toBe(
      "the review is too large: the work exceeds 500 units at reading the review",
    );
  });

  test("ignores the contents of strings", () => {
    expect(read(JSON.stringify(`${'[{,"\\'.repeat(200_000)}`))).toBeUndefined();
  });

  test("explains invalid JSON only if that is cheap", () => {
    expect(read('"')).toBe(`${broken}unexpected end of JSON input`);
    const text = "x".repeat(64 * 1024);
    expect(read(`"${text}`)).toMatch(/json parse error: the \d+ characters are not JSON$/);
  });
});

describe("readReview() of hostile bodies", () => {
  const REVIEW = '{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":';
  /** Repeats a text up to the size of the largest body. */
  const filled = (part: string, length = 7 * 1024 * 1024) =>
    part.repeat(Math.floor(length / part.length));
  test.each([
    ["keys of every object's prototype", `${REVIEW}{"__proto__":{"uid":"x"},"constructor":5}}`],
    ["bytes that are no UTF-8", new Uint8Array([0x7b, 0xff, 0xfe])],
    ["brackets", `${REVIEW}${filled("[")}`],
    ["closed brackets", `${filled("[", 3_000_000)}${filled("]", 3_000_000)}`],
    ["objects in objects", `${REVIEW}${filled('{"a":')}`],
    ["lists in a list", `${REVIEW}{"object":[${filled("[],")}[]]}}`],
    ["half a list", `${REVIEW}{"object":[${filled("[],")}`],
    ["half a string of escapes", `${REVIEW}{"object":"${filled("\\n")}`],
    ["members", `{${filled('"a":"",')}"kind":"AdmissionReview"}`],
    ["spaces", filled(" ")],
    ["a list in YAML", `x: [${filled("a,")}`],
    ["aliases upon aliases", "a: &a [x,x,x]\nb: &b [*a,*a,*a]\nc: [*b,*b]"],
    ["an emoji and a half", new Uint8Array([0xf0, 0x9f, 0x98, 0x80, 0xf0, 0x9f])],
  ])("%s: is read or refused, and in time", (_, body) => {
    const data = typeof body === "string" ? bytes(body) : body;
    for (const acceptsYaml of [false, true]) {
      const options = { kindRequired: true, acceptsYaml };
      const started = performance.now();
      const message = refusal(() => readReview(data, options));
      // A hundredth of the time without limits, with a margin for other processes.
      expect(performance.now() - started).toBeLessThan(1000);
      if (message === undefined) expect(readReview(data, options).request?.uid).toBeUndefined();
    }
  });

  const worst = (unit: string) => unit.repeat(Math.floor((8 * 1024) / unit.length));
  test.each([
    ["an open list", `x: [${worst("a,")}`],
    ["keys with an error at the end", `${worst("a:\n")}]`],
    [
      "aliases",
      `a: &a [${worst("[],").slice(0, 2_500)}[]]\nb: [${worst("*a,").slice(0, 5_000)}*a]`,
    ],
    [
      "merge keys",
      `a: &a {${worst("x: 1,").slice(0, 2_500)}}\nb:\n${worst("  <<: *a\n").slice(0, 5_000)}`,
    ],
    ["wrong tags", worst("- !!int x\n")],
  ])("YAML as far as it is taken: %s", (_, text) => {
    const started = performance.now();
    refusal(() =>
      readReview(bytes(text.slice(0, 8 * 1024)), { kindRequired: true, acceptsYaml: true })
    );
    expect(performance.now() - started).toBeLessThan(1000);
  });
});
