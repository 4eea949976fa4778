/** The server over the wire: statuses, texts and headers of each kind of request. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { ReviewInjector } from "../../lib/admission/mod.ts";
import { InjectionError } from "../../lib/inject/errors.ts";
import { ORDINARY_UNITS, REVIEW_UNITS, withinBudget } from "../../lib/inject/limits.ts";
import { MAX_BODY_BYTES } from "../../lib/server/inject_route.ts";
import { Client } from "./_client.ts";
import { certificate, INERT, podReview, type Serving, serving } from "./_serving.ts";

const injector: ReviewInjector = {
  ...INERT,
  admit({ object }) {
    const { name } = (object as { metadata: { name: string } }).metadata;
    if (name === "crash") throw new TypeError("a bug");
    if (name === "refused") throw new InjectionError("template", "no");
    if (name !== "web") return INERT.admit({ object, namespace: "", proxyEnv: {} }, {});
    return {
      decision: { inject: true, reason: "label_true", warnings: ["mind the gap"] },
      patch: [{ op: "add", path: "/metadata/labels", value: { a: "ü" } }],
      templates: ["sidecar"],
    };
  },
};

const JSON_TYPE = { "content-type": "application/json" };
const TEXT = "text/plain; charset=utf-8";

let server: Serving;
let client: Client;
beforeAll(async () => {
  server = await serving({ injector, level: "debug" });
  client = await Client.tls(server.port, { ca: certificate.authority });
});
afterAll(async () => {
  client.close();
  await server.stop();
});

describe("/inject", () => {
  test("answers with JSON and keeps the connection open", async () => {
    const { status, headers, body } = await client.review(podReview());
    expect(status).toBe(200);
    expect(headers["content-type"]).toBe("application/json");
    const { response } = JSON.parse(body);
    expect(response).toMatchObject({ uid: "u-1", allowed: true, warnings: ["mind the gap"] });
    const patch = new TextDecoder().decode(Uint8Array.fromBase64(response.patch));
    expect(JSON.parse(patch)[0].value).toEqual({ a: "ü" });
    expect(client.isClosed).toBe(false);
  });

  test.each([
    ["no body", { method: "POST" }, 400, "no body found\n"],
    [
      "no content type",
      { body: "{}" },
      415,
      "invalid Content-Type, want `application/json`\n",
    ],
    [
      "a content type with parameters",
      { body: "{}", headers: { "content-type": "application/json; charset=utf-8" } },
      415,
      "invalid Content-Type, want `application/json`\n",
    ],
  ])("%s", async (_, options, status, text) => {
    const answer = await client.request("/inject", options);
    expect(answer).toMatchObject({ status, body: text });
    expect(answer.headers["content-type"]).toBe(TEXT);
    expect(answer.headers["x-content-type-options"]).toBe("nosniff");
  });

  test.each([
    ["garbage", "\0\x01\x02", "the body is not a JSON object"],
    ["YAML", "kind: AdmissionReview", "to accept YAML reviews, set --accept-yaml-reviews"],
    ["half of JSON", '{"kind":', "unexpected end of JSON input"],
    ["a list", "[]", "the body is not a JSON object"],
    ["another kind", '{"kind":"Pod","apiVersion":"v1"}', "unsupported type :&TypeMeta{Kind:Pod,"],
  ])("%s is a denial, not an error of HTTP", async (_, body, message) => {
    const answer = await client.request("/inject", { headers: JSON_TYPE, body });
    expect(answer.status).toBe(200);
    const { response } = JSON.parse(answer.body);
    expect(response.allowed).toBe(false);
    expect(response.status.message).toContain(message);
  });

  test("accepts POST below the path, with any query", async () => {
    const body = JSON.stringify(podReview());
    const answer = await client.request("/inject/a/b?timeout=5s", { headers: JSON_TYPE, body });
    expect(answer.status).toBe(200);
  });

  test.each(["GET", "PUT", "DELETE", "PATCH", "OPTIONS"])("refuses %s", async (method) => {
    const connection = await Client.tls(server.port);
    const body = JSON.stringify(podReview());
    const answer = await connection.request("/inject", { method, headers: JSON_TYPE, body });
    expect(answer).toMatchObject({ status: 405, body: "Method Not Allowed\n" });
    expect(answer.headers.allow).toBe("POST");
    connection.close();
  });

  test("accepts GET only for versions of Istio that did", async () => {
    await using old = await serving({ injector: { ...injector, acceptsGet: true } });
    const connection = await Client.tls(old.port);
    const body = JSON.stringify(podReview());
    const ask = (method: string) =>
      connection.request("/inject", { method, headers: JSON_TYPE, body });
    expect((await ask("GET")).status).toBe(200);
    const { status, headers } = await ask("DELETE");
    expect({ status, allow: headers.allow }).toEqual({ status: 405, allow: "POST, GET" });
    connection.close();
  });

  test("answers 500 for a crash, and serves the next request on the connection", async () => {
    const review = podReview({ object: { metadata: { name: "crash" } } });
    const answer = await client.review(review);
    expect(answer).toMatchObject({ status: 500, body: "internal error\n" });
    expect(
      server.log().some(({ message, error }) =>
        message === "request failed" && String(error).includes("a bug")
      ),
    ).toBe(true);
    expect((await client.review(podReview())).status).toBe(200);
  });

  test("answers a dry run like any request, and marks it in the log", async () => {
    await client.review(podReview({ uid: "dry", dryRun: true }));
    expect(server.log().find(({ uid }) => uid === "dry")).toMatchObject({
      message: "pod injected",
      namespace: "shop",
      pod: "web",
      decision: "injected",
      reason: "label_true",
      templates: ["sidecar"],
      operations: 1,
      dryRun: true,
    });
  });

  test("logs a refusal as an error", async () => {
    await client.review(podReview({ uid: "no", object: { metadata: { name: "refused" } } }));
    expect(server.log().find(({ uid }) => uid === "no")).toMatchObject({
      level: "error",
      message: "pod denied",
      reason: "template",
      error: "no",
    });
  });

  test("logs Istio's two lines at debug level", async () => {
    const object = { metadata: { generateName: "web-", name: "" } };
    const userInfo = {
      username: "system:serviceaccount:kube-system:replicaset-controller",
      uid: "9b35",
      groups: ["system:serviceaccounts", "system:authenticated"],
      extra: { b: ["2"], a: ["1", "x"] },
    };
    await client.review(podReview({ uid: "seed", object, userInfo }));
    await client.review(podReview());
    const lines = server.log().map(({ message }) => String(message));
    expect(lines).toContain(
      "AdmissionReview for Kind=/v1, Kind=Pod Namespace=shop Name= " +
        "(web-***** (actual name not yet known)) UID=seed Rfc6902PatchOperation=CREATE " +
        "UserInfo={system:serviceaccount:kube-system:replicaset-controller 9b35 " +
        "[system:serviceaccounts system:authenticated] map[a:[1 x] b:[2]]}",
    );
    expect(lines).toContain(
      'AdmissionResponse: patch=[{"op":"add","path":"/metadata/labels","value":{"a":"ü"}}]',
    );
  });
});

describe("other paths", () => {
  test.each([
    ["/", 404],
    ["/injectx", 404],
    ["/inject%2Fx", 404],
    ["/inject/%zz", 400],
  ])("%s is %d", async (path, status) => {
    const answer = await client.request(path, { headers: JSON_TYPE, body: "{}" });
    expect(answer.status).toBe(status);
    expect(answer.headers["content-type"]).toBe(TEXT);
  });

  test("redirects unclean paths", async () => {
    const { status, headers } = await client.request("/inject//x?a=b", { body: "{}" });
    expect({ status, location: headers.location }).toEqual({
      status: 307,
      location: "/inject/x?a=b",
    });
  });
});

test("reports failing watches in /readyz and metrics, and stays ready", async () => {
  const watches = () => ({ nodes: undefined, namespaces: "connection refused" });
  await using server = await serving({ watches });
  const connection = await Client.plain(server.plainPort);
  const { status, body } = await connection.request("/readyz");
  expect(status).toBe(200);
  expect(JSON.parse(body)).toMatchObject({
    ready: true,
    watches: { nodes: "in sync", namespaces: { failure: "connection refused" } },
  });
  const metrics = (await connection.request("/metrics")).body;
  connection.close();
  expect(metrics).toContain('outrigger_watch_failing{watch="nodes"} 0\n');
  expect(metrics).toContain('outrigger_watch_failing{watch="namespaces"} 1\n');
});

describe.each(["tls", "plain"] as const)("health and metrics on the %s port", (kind) => {
  const get = async (path: string) => {
    const connection = kind === "tls" ? client : await Client.plain(server.plainPort);
    const answer = await connection.request(path);
    if (kind === "plain") connection.close();
    return answer;
  };

  test("/healthz says ok", async () => {
    expect(await get("/healthz")).toMatchObject({ status: 200, body: "ok\n" });
  });

  test.each(["/readyz", "/ready"])("%s reports details as JSON", async (path) => {
    const { status, headers, body } = await get(path);
    expect({ status, type: headers["content-type"] }).toEqual({
      status: 200,
      type: "application/json",
    });
    expect(JSON.parse(body)).toMatchObject({
      ready: true,
      config: { version: "v1" },
      certificate: { expires: new Date(certificate.facts.notAfter).toISOString() },
    });
  });

  test("/metrics has Istio's metrics and ours", async () => {
    await client.review(podReview());
    const { status, body } = await get("/metrics");
    expect(status).toBe(200);
    for (
      const line of [
        /^sidecar_injection_requests_total [1-9]/m,
        /^sidecar_injection_success_total [1-9]/m,
        /^sidecar_injection_failure_total \d/m,
        /^sidecar_injection_skip_total \d/m,
        /^sidecar_injection_time_seconds_bucket\{le="0\.1"\} [1-9]/m,
        /^outrigger_admission_decisions_total\{decision="injected",reason="label_true"\} [1-9]/m,
        /^outrigger_admission_duration_seconds_bucket\{le="0\.0005"\} \d/m,
        /^outrigger_config_info\{version="v1"\} 1$/m,
        /^outrigger_config_age_seconds \d/m,
        /^outrigger_certificate_expiry_seconds 25\d{5}/m,
        /^outrigger_build_info\{version="0",commit="0",runtime="test"\} 1$/m,
        /^process_resident_memory_bytes [1-9]/m,
      ]
    ) expect(body).toMatch(line);
  });

  if (kind === "plain") {
    test("does not serve the webhook", async () => {
      expect((await get("/inject")).status).toBe(404);
    });
  }
});

test("MAX_BODY_BYTES holds two objects of 3 MiB and 1 MiB for the rest", () => {
  expect(MAX_BODY_BYTES).toBe((2 * 3 + 1) * 1024 * 1024);
});

test("a small review that takes much work is tried again with the budget of a large one", async () => {
  const tries: number[] = [];
  const costly = (units: number): ReviewInjector => ({
    ...INERT,
    admit(request) {
      tries.push(units);
      const pod = { metadata: {}, spec: { containers: [] } };
      return withinBudget(pod, () => {
        request.budget!.spend(units, "work");
        return INERT.admit(request, {});
      });
    },
  });
  const cases: [units: number, tries: number, allowed: boolean][] = [
    [ORDINARY_UNITS / 2, 1, true],
    [ORDINARY_UNITS * 2, 2, true],
    [REVIEW_UNITS * 2, 2, false],
  ];
  for (const [units, count, allowed] of cases) {
    tries.length = 0;
    await using server = await serving({ injector: costly(units) });
    const client = await Client.tls(server.port);
    const { response } = JSON.parse((await client.review(podReview())).body);
    client.close();
    expect(response).toMatchObject({ uid: "u-1", allowed });
    expect(tries).toHaveLength(count);
    expect(server.log().filter(({ decision }) => decision !== undefined)).toHaveLength(1);
  }
});
