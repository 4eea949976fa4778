/** Tests which reviews are injected, ignored or refused, and the messages. */
import { describe, expect, test } from "bun:test";
import { answerReview, type ReviewInjector } from "../../lib/admission/mod.ts";
import { InjectionError } from "../../lib/inject/errors.ts";
import type { Decision } from "../../lib/inject/reasons.ts";

const POD = { metadata: { name: "web" }, spec: { containers: [{ name: "app" }] } };
const REQUEST = {
  uid: "u-1",
  kind: { group: "", version: "v1", kind: "Pod" },
  operation: "CREATE",
  namespace: "shop",
  object: POD,
};

const DECISION: Decision = { inject: true, reason: "policy_enabled", warnings: [] };

interface Asked {
  injector?: Partial<ReviewInjector>;
  apiVersion?: string;
  path?: string;
}

/** Answers a request, and returns the injector's arguments as well. */
function ask(request: unknown, { injector, apiVersion = "v1", path = "/inject" }: Asked = {}) {
  const asked: unknown[] = [];
  const review = {
    kind: "AdmissionReview",
    apiVersion: `admission.k8s.io/${apiVersion}`,
    ...(request === undefined ? {} : { request }),
  };
  const { body, outcome } = answerReview(new TextEncoder().encode(JSON.stringify(review)), {
    injector: {
      kindRequired: true,
      urlEnv: (path) => ({ PATH: path }),
      admit(given) {
        const { budget: _, privateName: __, ...request } = given;
        asked.push(request);
        return { decision: DECISION, patch: [{ op: "add", path: "/a", value: 1 }] };
      },
      ...injector,
    },
    path,
    cluster: {},
  });
  return { answer: JSON.parse(body), outcome, asked };
}

const denying = (error: Error) => ({
  admit() {
    throw error;
  },
});

describe("answerReview()", () => {
  test.each(["v1", "v1beta1"])("answers %s in the same version, with a base64 patch", (version) => {
    const { answer, asked, outcome } = ask(REQUEST, { apiVersion: version, path: "/inject/a/b" });
    expect(answer).toEqual({
      kind: "AdmissionReview",
      apiVersion: `admission.k8s.io/${version}`,
      response: {
        uid: "u-1",
        allowed: true,
        patch: btoa('[{"op":"add","path":"/a","value":1}]'),
        patchType: "JSONPatch",
        auditAnnotations: { reason: "policy_enabled" },
      },
    });
    expect(asked).toEqual([{
      object: POD,
      namespace: "shop",
      proxyEnv: { PATH: "/inject/a/b" },
    }]);
    expect(outcome).toMatchObject({ decision: "injected", podName: "web", operations: 1 });
  });

  test("sends an empty patch if injection changes nothing", () => {
    const { answer } = ask(REQUEST, {
      injector: { admit: () => ({ decision: DECISION, patch: [] }) },
    });
    expect(answer.response).toMatchObject({ patch: "W10=", patchType: "JSONPatch" });
  });

  test("sends no patch for a skipped pod, and the reason as an audit annotation", () => {
    const decision: Decision = { inject: false, reason: "host_network", warnings: [] };
    const { answer, outcome } = ask(REQUEST, { injector: { admit: () => ({ decision }) } });
    expect(answer.response).toEqual({
      uid: "u-1",
      allowed: true,
      auditAnnotations: { reason: "host_network" },
    });
    expect(outcome.decision).toBe("skipped");
  });

  test.each([
    ["another kind", { kind: { kind: "Service", version: "v1", group: "" } }, "not_a_pod"],
    ["another group's Pod", { kind: { kind: "Pod", version: "v1", group: "x.io" } }, "not_a_pod"],
    ["a subresource", { subResource: "ephemeralcontainers" }, "not_a_pod"],
    ["an update", { operation: "UPDATE" }, "not_created"],
    ["a deletion", { operation: "DELETE", object: null }, "not_created"],
    ["a connection", { operation: "CONNECT" }, "not_created"],
  ])("allows %s untouched", (_, change, reason) => {
    const { answer, asked } = ask({ ...REQUEST, ...change });
    expect(answer.response).toEqual({ uid: "u-1", allowed: true, auditAnnotations: { reason } });
    expect(asked).toEqual([]);
  });

  test.each([
    ["no kind", { kind: undefined }],
    ["an empty kind", { kind: { group: "", version: "", kind: "" } }],
    ["no operation", { operation: undefined }],
  ])("looks at a request with %s", (_, change) => {
    expect(ask({ ...REQUEST, ...change }).asked).toHaveLength(1);
  });

  test.each([
    ["no request", undefined, "no_request", "the AdmissionReview has no request", ""],
    ["a null request", null, "no_request", "the AdmissionReview has no request", ""],
    ["no object", { ...REQUEST, object: null }, "no_object", "unexpected end of JSON input", "u-1"],
  ])("denies a review with %s", (_, request, reason, message, uid) => {
    expect(ask(request).answer.response).toEqual({
      uid,
      allowed: false,
      status: { metadata: {}, message },
      auditAnnotations: { reason },
    });
  });

  test("denies with the injector's message", () => {
    const error = new InjectionError("invalid_annotation", "1 error occurred:\n\t* x\n\n");
    expect(ask(REQUEST, { injector: denying(error) }).answer.response).toEqual({
      uid: "u-1",
      allowed: false,
      status: { metadata: {}, message: "1 error occurred:\n\t* x\n\n" },
      auditAnnotations: { reason: "invalid_annotation" },
    });
  });

  test.each([
    ["a long name", { kind: "x".repeat(6_900_000) }, "bad_review"],
    ["a long uid", { request: { uid: "u".repeat(6_900_000) } }, "bad_review"],
    ["no kind in a long text", { a: "\x1b".repeat(1_000_000) }, "bad_review"],
  ])("answers a review with %s in few words", (_, part, reason) => {
    const review = { kind: "AdmissionReview", apiVersion: "admission.k8s.io/v1", ...part };
    const text = JSON.stringify("a" in part ? part : review);
    const { body, outcome } = answerReview(new TextEncoder().encode(text), {
      injector: { kindRequired: true, urlEnv: () => ({}), ...denying(new Error()) },
      path: "/inject",
      cluster: {},
    });
    expect(outcome.reason as string).toBe(reason);
    expect(body.length).toBeLessThan(3 * 4096);
    expect(body).not.toMatch(/\p{Cc}/u);
  });

  test("escapes a pod's text in a message, and keeps Istio's line breaks", () => {
    const error = new InjectionError("template", "1 error:\n\t* \x1b[2J\u202e\u2028\x9b\ufeff end");
    const { message } = ask(REQUEST, { injector: denying(error) }).answer.response.status;
    expect(message).toBe("1 error:\n\t* \\u001b[2J\\u202e\\u2028\\u009b\\ufeff end");
  });

  test("removes the middle of a long message", () => {
    const error = new InjectionError("template", `begin${"x".repeat(1_000_000)}end`);
    const { message } = ask(REQUEST, { injector: denying(error) }).answer.response.status;
    expect(message).toHaveLength(4096);
    expect(message).toMatch(/^beginx+ … \(1000008 characters in all\) … x+end$/);
  });

  test("throws unexpected errors, so that the failure policy decides", () => {
    expect(() => ask(REQUEST, { injector: denying(new TypeError("bug")) })).toThrow("bug");
  });

  test("denies a body that is not a review, without kind and uid", () => {
    const { body, outcome } = answerReview(new TextEncoder().encode("{}"), {
      injector: { kindRequired: true, urlEnv: () => ({}), ...denying(new Error()) },
      path: "/inject",
      cluster: {},
    });
    expect(JSON.parse(body)).toEqual({
      response: {
        uid: "",
        allowed: false,
        status: { metadata: {}, message: "Object 'Kind' is missing in '{}'" },
        auditAnnotations: { reason: "bad_review" },
      },
    });
    expect(outcome.reason).toBe("bad_review");
  });

  test.each([
    ["values", Array(100_001).fill(0), "values"],
    ["keys", Object.fromEntries(Array.from({ length: 12_000 }, (_, i) => [`k${i}`, 0])), "keys"],
    ["levels", JSON.parse("[".repeat(1_001) + "]".repeat(1_001)), "levels"],
  ])("denies a review with too many %s, and repeats its uid and version", (_, value, what) => {
    const { answer, outcome, asked } = ask({ ...REQUEST, object: value }, {
      apiVersion: "v1beta1",
    });
    expect(answer.apiVersion).toBe("admission.k8s.io/v1beta1");
    expect(answer.response).toMatchObject({
      uid: "u-1",
      allowed: false,
      auditAnnotations: { reason: "too_large" },
    });
    expect(answer.response.status.message).toStartWith("the review is too large: it ");
    expect(answer.response.status.message).toContain(what);
    expect([outcome.reason, asked]).toEqual(["too_large", []]);
  });

  test("survives names that are no names", () => {
    const metadata = { name: 5, generateName: {}, annotations: "x" };
    expect(ask({ ...REQUEST, object: { metadata } }).outcome.podName).toBe("");
    expect(ask({ ...REQUEST, object: "text" }).outcome.podName).toBe("");
  });
});

describe("warnings", () => {
  const warned = (warnings: readonly string[], annotations = {}) => {
    const injector = { admit: () => ({ decision: { ...DECISION, warnings }, patch: [] }) };
    const object = { ...POD, metadata: { name: "web", annotations } };
    return ask({ ...REQUEST, object }, { injector }).answer.response.warnings;
  };

  test("are escaped and short", () => {
    expect(warned(["a\x1b[2J\u202eb\x9b"])).toEqual(["a\\u001b[2J\\u202eb\\u009b"]);
    const [long] = warned(["\x1b".repeat(1_000_000)]);
    expect(long).toHaveLength(120);
  });

  test("are absent if there are none", () => {
    expect(warned([])).toBeUndefined();
  });

  test("are at most 120 whole characters long", () => {
    const [short, long] = warned(["ignored", `${"x".repeat(118)}😀${"y".repeat(100)}`]);
    expect(short).toBe("ignored");
    expect(long).toBe(`${"x".repeat(118)}…`);
  });

  test("have no line breaks or duplicates, and are bounded", () => {
    const many = Array.from({ length: 100 }, (_, i) => `warning ${i % 50}\n\tof many`);
    expect(warned(many)).toEqual(many.slice(0, 8).map((text) => text.replace("\n\t", " ")));
  });

  test.each([
    ["sidecar.istio.io/inject", "use the label of that name"],
    ["traffic.sidecar.istio.io/kubevirtInterfaces", "use istio.io/reroute-virtual-interfaces"],
    ["sidecar.istio.io/statsCompression", "deprecated"],
  ])("tell of the deprecated annotation %s", (name, text) => {
    const warnings = warned([], { [name]: "true", "example.com/other": "x" });
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain(name);
    expect(warnings[0]).toContain(text);
    expect(warnings[0].length).toBeLessThanOrEqual(120);
  });
});
