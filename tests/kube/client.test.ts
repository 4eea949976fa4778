import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { ApiError } from "../../lib/kube/api_error.ts";
import { createKubeClient, type KubeClient, type WatchEvent } from "../../lib/kube/client.ts";
import { CONFIG_MAPS, NODES } from "../../lib/kube/resources.ts";
import { DEPLOYMENTS, SERVICE_ACCOUNTS } from "../../lib/kube/resources.ts";
import {
  type ClusterAccess,
  type Credentials,
  KubeconfigError,
} from "../../lib/kube/kubeconfig.ts";
import { createAuthority } from "../e2e/_certificates.ts";

interface Asked {
  readonly line: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

type Answer = (response: ServerResponse) => void;

/** A server that records requests and gives each answer in turn, then repeats the last one. */
const asked: Asked[] = [];
let answers: Answer[] = [];
const pauses: number[] = [];
let server: string;

const http = createServer((request, response) => {
  let body = "";
  request.on("data", (chunk) => body += chunk);
  request.on("end", () => {
    const { method, url, headers } = request;
    asked.push({ line: `${method} ${url}`, headers, body });
    (answers.length > 1 ? answers.shift()! : answers[0])(response);
  });
});
beforeAll(async () => {
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  server = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
});
afterAll(() => {
  http.closeAllConnections();
  http.close();
});
beforeEach(() => {
  asked.length = pauses.length = 0;
});

const json = (value: unknown, status = 200, headers = {}): Answer => (response) => {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(value));
};
const status = (code: number, reason: string, message = reason, headers = {}): Answer =>
  json({ kind: "Status", status: "Failure", reason, message, code }, code, headers);
const page = (text: string, code: number): Answer => (response) => {
  response.writeHead(code, { "content-type": "text/html" });
  response.end(text);
};
const hangUp: Answer = (response) => void response.socket?.destroy();
const half: Answer = (response) => {
  response.writeHead(200, { "content-length": "1000" });
  response.write('{"metadata":', () => response.socket?.destroy());
};

function open(given: Answer[], access: Partial<ClusterAccess> = {}): KubeClient {
  answers = given;
  return createKubeClient({
    name: 'context "test"',
    server,
    insecure: false,
    namespace: "mine",
    credentials: () => Promise.resolve({ headers: {} }),
    ...access,
  }, {
    clock: {
      after(milliseconds, run) {
        pauses.push(milliseconds);
        queueMicrotask(run);
        return () => {};
      },
    },
  });
}

async function failure(work: Promise<unknown>): Promise<ApiError> {
  try {
    await work;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error("it did not fail");
}

const MAP = { metadata: { name: "istio", namespace: "istio-system" }, data: { mesh: "" } };
const NAME = { namespace: "istio-system", name: "istio" };

describe("createKubeClient() sends a request", () => {
  const rows: [what: string, ask: (client: KubeClient) => Promise<unknown>, line: string][] = [
    [
      "for an object",
      (client) => client.get(CONFIG_MAPS, NAME),
      "GET /api/v1/namespaces/istio-system/configmaps/istio",
    ],
    [
      "for an object in the default namespace",
      (client) => client.get(DEPLOYMENTS, { name: "web" }),
      "GET /apis/apps/v1/namespaces/mine/deployments/web",
    ],
    [
      "for a cluster-scoped object",
      (client) => client.get(NODES, { name: "a:b c", namespace: "x" }),
      "GET /api/v1/nodes/a%3Ab%20c",
    ],
    [
      "to create",
      (client) => client.create(CONFIG_MAPS, MAP, { dryRun: true, fieldManager: "me" }),
      "POST /api/v1/namespaces/istio-system/configmaps?dryRun=All&fieldManager=me",
    ],
    [
      "to apply",
      (client) => client.apply(CONFIG_MAPS, MAP, { fieldManager: "me", force: true }),
      "PATCH /api/v1/namespaces/istio-system/configmaps/istio?fieldManager=me&force=true",
    ],
    [
      "to update",
      (client) => client.update(CONFIG_MAPS, MAP, { fieldManager: "me" }),
      "PUT /api/v1/namespaces/istio-system/configmaps/istio?fieldManager=me",
    ],
    [
      "to patch",
      (client) => client.patch(CONFIG_MAPS, NAME, { type: "merge", patch: {}, dryRun: true }),
      "PATCH /api/v1/namespaces/istio-system/configmaps/istio?dryRun=All",
    ],
    [
      "to update a subresource",
      (client) => client.update(NODES, { metadata: { name: "n" } }, { subresource: "status" }),
      "PUT /api/v1/nodes/n/status",
    ],
    [
      "to create a subresource",
      (client) => client.create(SERVICE_ACCOUNTS, MAP, { subresource: "token" }),
      "POST /api/v1/namespaces/istio-system/serviceaccounts/istio/token",
    ],
    [
      "to delete",
      (client) => client.delete(CONFIG_MAPS, NAME),
      "DELETE /api/v1/namespaces/istio-system/configmaps/istio",
    ],
  ];
  test.each(rows)("%s", async (_, ask, line) => {
    const client = open([json(MAP)]);
    await ask(client);
    client.close();
    expect(asked.map(({ line }) => line)).toEqual([line]);
    expect(asked[0].headers).toMatchObject({
      accept: "application/json",
      "user-agent": "outrigger",
    });
  });

  test("under the path of the server URL", async () => {
    const client = open([json(MAP)], { server: `${server}/k8s/clusters/c-1` });
    await client.get(NODES, { name: "n" });
    expect(asked[0].line).toBe("GET /k8s/clusters/c-1/api/v1/nodes/n");
  });

  test("with bodies that have apiVersion and kind", async () => {
    const client = open([json(MAP)]);
    await client.create(DEPLOYMENTS, { metadata: { name: "web" }, spec: { x: 1 } });
    expect(asked[0].headers["content-type"]).toBe("application/json");
    expect(JSON.parse(asked[0].body)).toEqual({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "web" },
      spec: { x: 1 },
    });
    await client.apply(CONFIG_MAPS, MAP, { fieldManager: "me" });
    expect(asked[1].headers["content-type"]).toBe("application/apply-patch+yaml");
    await client.delete(CONFIG_MAPS, NAME, { preconditions: { uid: "7" } });
    expect(JSON.parse(asked[2].body)).toEqual({
      apiVersion: "v1",
      kind: "DeleteOptions",
      preconditions: { uid: "7" },
    });
    for (const type of ["merge", "json"] as const) {
      await client.patch(CONFIG_MAPS, NAME, { type, patch: [] });
      expect(asked.at(-1)?.headers["content-type"]).toBe(`application/${type}-patch+json`);
    }
    const token = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} };
    await client.create(SERVICE_ACCOUNTS, { ...token, ...MAP }, { subresource: "token" });
    expect(JSON.parse(asked.at(-1)!.body)).toEqual({ ...token, ...MAP });
  });

  test("with the current credentials", async () => {
    let count = 0;
    const credentials = () =>
      Promise.resolve({ headers: { Authorization: `Bearer ${++count}`, "Impersonate-User": "j" } });
    const client = open([json(MAP)], { credentials });
    await client.get(CONFIG_MAPS, NAME);
    await client.get(CONFIG_MAPS, NAME);
    expect(asked.map(({ headers }) => headers.authorization)).toEqual(["Bearer 1", "Bearer 2"]);
    expect(asked[0].headers["impersonate-user"]).toBe("j");
  });

  test("for no name that would change the path", async () => {
    const client = open([json(MAP)]);
    for (const name of ["", ".", "..", "a/b", "..%2f"]) {
      expect((await failure(client.get(CONFIG_MAPS, { name }))).code).toBe("bad_request");
      expect((await failure(client.get(CONFIG_MAPS, { name: "x", namespace: name }))).code).toBe(
        "bad_request",
      );
    }
    expect(asked).toEqual([]);
  });
});

describe("list()", () => {
  const items = (...names: string[]) => names.map((name) => ({ metadata: { name } }));
  const list = (names: string[], metadata: object) => json({ metadata, items: items(...names) });

  test("merges all pages", async () => {
    const client = open([
      list(["a", "b"], { continue: "t/1 +", resourceVersion: "1" }),
      list(["c"], { resourceVersion: "1" }),
    ]);
    expect(await client.list(NODES)).toEqual({
      items: items("a", "b", "c"),
      resourceVersion: "1",
    });
    expect(asked.map(({ line }) => line)).toEqual([
      "GET /api/v1/nodes?limit=250",
      "GET /api/v1/nodes?limit=250&continue=t%2F1+%2B",
    ]);
  });

  test("accepts selectors, and one namespace or all", async () => {
    const client = open([list([], {})]);
    await client.list(CONFIG_MAPS, { labelSelector: "a in (b,c)", fieldSelector: "x=y" });
    await client.list(CONFIG_MAPS, { namespace: "*" });
    expect(asked.map(({ line }) => line)).toEqual([
      "GET /api/v1/namespaces/mine/configmaps?limit=250&labelSelector=a+in+%28b%2Cc%29" +
      "&fieldSelector=x%3Dy",
      "GET /api/v1/configmaps?limit=250",
    ]);
  });

  test("starts again if the continue token has expired", async () => {
    const client = open([
      list(["a"], { continue: "t" }),
      status(410, "Expired"),
      list(["a", "b"], {}),
    ]);
    expect((await client.list(NODES)).items).toEqual(items("a", "b"));
  });

  test("gives up if the token expires again", async () => {
    const client = open([status(410, "Expired", "too old")]);
    expect(await failure(client.list(NODES))).toMatchObject({
      code: "expired",
      message: 'Cannot list Nodes of context "test": too old',
    });
    expect(asked).toHaveLength(2);
  });
});

describe("list() with project", () => {
  test("keeps the projected part of each object", async () => {
    const client = open([json({ metadata: {}, items: [{ metadata: { name: "a" }, spec: 1 }] })]);
    const { items } = await client.list(NODES, { project: ({ metadata }) => ({ metadata }) });
    expect(items).toEqual([{ metadata: { name: "a" } }]);
  });
});

describe("watch()", () => {
  const event = (type: string, object: object) => `${JSON.stringify({ type, object })}\n`;
  const node = (name: string, resourceVersion: string) => ({ metadata: { name, resourceVersion } });
  /** Sends a body in pieces, each flushed before the next. */
  const body = (pieces: (string | Uint8Array)[], end = (response: ServerResponse) => {
    response.end();
  }): Answer =>
  async (response) => {
    response.writeHead(200);
    response.flushHeaders();
    for (const piece of pieces) {
      await new Promise<void>((resolve) => response.write(piece, () => setImmediate(resolve)));
    }
    end(response);
  };
  const OPTIONS = { resourceVersion: "7", seconds: 120 };

  async function watched(answer: Answer, options = {}): Promise<(WatchEvent | ApiError)[]> {
    const events: (WatchEvent | ApiError)[] = [];
    try {
      const client = open([answer]);
      for await (const event of client.watch(NODES, { ...OPTIONS, ...options })) events.push(event);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      events.push(error);
    }
    return events;
  }

  test("starts at a resource version, with bookmarks and a timeout", async () => {
    await watched(body([]), { labelSelector: "a=b", fieldSelector: "metadata.name=c" });
    expect(asked.map(({ line }) => line)).toEqual([
      "GET /api/v1/nodes?watch=true&allowWatchBookmarks=true&resourceVersion=7&timeoutSeconds=120" +
      "&labelSelector=a%3Db&fieldSelector=metadata.name%3Dc",
    ]);
  });

  test("yields events as they arrive, however the bytes are split", async () => {
    const text = event("ADDED", node("ä\u{1f600}", "8")) +
      event("MODIFIED", node("b", "9")) +
      event("DELETED", node("b", "10")) + "\n" +
      event("BOOKMARK", { metadata: { resourceVersion: "12" } });
    const bytes = new TextEncoder().encode(text);
    const expected: WatchEvent[] = [
      { type: "added", object: node("ä\u{1f600}", "8") },
      { type: "modified", object: node("b", "9") },
      { type: "deleted", object: node("b", "10") },
      { type: "bookmark", resourceVersion: "12" },
    ];
    for (const size of [1000, 64, 7]) {
      const pieces = Array.from(
        { length: Math.ceil(bytes.length / size) },
        (_, i) => bytes.subarray(i * size, (i + 1) * size),
      );
      expect(await watched(body(pieces))).toEqual(expected);
    }
  });

  test("reports that the server accepted it, before any event", async () => {
    const { promise, resolve } = Promise.withResolvers<ServerResponse>();
    const client = open([body([], resolve)]);
    const opened = Promise.withResolvers<void>();
    const events = client.watch(NODES, { ...OPTIONS, onOpen: opened.resolve });
    const reading = Array.fromAsync(events);
    await opened.promise;
    (await promise).end();
    expect(await reading).toEqual([]);
  });

  const WATCH = 'Cannot watch Nodes of context "test": ';
  const rows: [what: string, answer: Answer, code: string, message: string | RegExp][] = [
    ["a refusal", status(403, "Forbidden", "no"), "forbidden", `${WATCH}no`],
    ["an expired resource version", status(410, "Gone", "too old"), "expired", `${WATCH}too old`],
    [
      "an expired resource version as an event",
      body([event("ERROR", { kind: "Status", code: 410, reason: "Expired", message: "too old" })]),
      "expired",
      `${WATCH}too old`,
    ],
    [
      "another error event",
      body([event("ERROR", { kind: "Status", code: 500, message: "etcd" })]),
      "refused",
      `${WATCH}etcd`,
    ],
    ["an HTML page", body(["<html>\n"]), "bad_response", /bad response: not JSON$/],
    ["a value that is not an event", body(["[]\n"]), "bad_response", /not a watch event$/],
    [
      "an unknown event type",
      body([event("X", node("a", "1"))]),
      "bad_response",
      /"X"$/,
    ],
    [
      "an object without metadata",
      body([event("ADDED", {})]),
      "bad_response",
      /an object has no metadata$/,
    ],
    ["invalid UTF-8", body([new Uint8Array([0xff, 10])]), "bad_response", /not UTF-8$/],
    [
      "a line that never ends",
      body(Array.from({ length: 11 }, () => " ".repeat(1024 * 1024))),
      "bad_response",
      /a line exceeds 10485760 bytes$/,
    ],
    [
      "a dropped connection",
      body([event("ADDED", node("a", "8")).slice(0, 9)], (response) => response.socket?.destroy()),
      "cut",
      /^Cannot watch Nodes of context "test" at http:/,
    ],
  ];
  test.each(rows)("throws for %s", async (_, answer, code, message) => {
    const [error, ...more] = await watched(answer);
    expect(more).toEqual([]);
    expect(error).toBeInstanceOf(ApiError);
    expect((error as ApiError).code).toBe(code as ApiError["code"]);
    if (typeof message === "string") expect((error as ApiError).message).toBe(message);
    else expect((error as ApiError).message).toMatch(message);
  });

  test("ends when it is aborted", async () => {
    const off = new AbortController();
    const client = open([body([event("ADDED", node("a", "8"))], () => {})]);
    const reading = async () => {
      for await (const _ of client.watch(NODES, { ...OPTIONS, signal: off.signal })) off.abort();
    };
    expect((await failure(reading())).code).toBe("aborted");
  });
});

describe("ApiError", () => {
  const get = (client: KubeClient) => client.get(CONFIG_MAPS, NAME);
  const GET = 'Cannot get ConfigMap "istio-system/istio" of context "test": ';
  const rows: [answer: Answer, expected: Partial<ApiError>][] = [
    [status(404, "NotFound", 'configmaps "istio" not found'), {
      code: "not_found",
      status: 404,
      reason: "NotFound",
      message: `${GET}configmaps "istio" not found`,
    }],
    [status(401, "Unauthorized"), { code: "unauthorized" }],
    [status(403, "Forbidden"), { code: "forbidden" }],
    [status(409, "AlreadyExists"), { code: "already_exists" }],
    [status(409, "Conflict"), { code: "conflict" }],
    [status(410, "Gone"), { code: "expired" }],
    [status(422, "Invalid"), { code: "invalid" }],
    [status(500, "InternalError", "etcd is\n\x1b[1mgone"), {
      code: "refused",
      status: 500,
      reason: "InternalError",
      message: `${GET}etcd is \\u001b[1mgone`,
    }],
    [status(418, "toString"), { code: "refused", reason: "toString" }],
    [page("<h1>403</h1>", 403), {
      code: "forbidden",
      message: `${GET}the server returned status 403`,
    }],
    [json({ kind: "Pod", message: "hello" }, 400), {
      code: "refused",
      message: `${GET}the server returned status 400`,
    }],
    [json([], 400), { code: "refused" }],
    [(response) => response.writeHead(302, { location: "/x" }).end(), {
      code: "refused",
      status: 302,
    }],
  ];
  test.each(rows)("for refusal %#", async (answer, expected) => {
    expect(await failure(get(open([answer])))).toMatchObject(expected);
  });

  const CUT = `${GET}bad response: `;
  const unusable: [answer: Answer, message: string][] = [
    [page("<h1>Welcome</h1>", 200), `${CUT}not JSON`],
    [json([]), `${CUT}not an object with metadata`],
    [json({ metadata: [] }), `${CUT}not an object with metadata`],
    [(response) => response.end(new Uint8Array([0x22, 0xff, 0x22])), `${CUT}not JSON`],
    [(response) => response.end("[".repeat(1_000_000)), `${CUT}not JSON`],
  ];
  test.each(unusable)("for bad response %#", async (answer, message) => {
    const error = await failure(get(open([answer])));
    expect(error).toMatchObject({ code: "bad_response", status: 0, message });
    expect(asked).toHaveLength(1);
  });

  test("for a bad list", async () => {
    for (const value of [MAP, { metadata: {}, items: [1] }, { items: [] }]) {
      expect((await failure(open([json(value)]).list(NODES))).code).toBe("bad_response");
    }
  });

  test("for an endless response", async () => {
    const endless: Answer = (response) => {
      const chunk = " ".repeat(1024 * 1024);
      const more = () => {
        while (!response.destroyed && response.write(chunk));
        response.once("drain", more);
      };
      more();
    };
    const error = await failure(get(open([endless])));
    expect(error.code).toBe("too_large");
    expect(error.message).toBe(
      `Cannot get ConfigMap "istio-system/istio" of context "test" at ${server}: ` +
        "the response exceeds 33554432 bytes",
    );
  });

  test("for no response", async () => {
    const client = open([], { server: "http://127.0.0.1:1" });
    expect(await failure(get(client))).toMatchObject({
      code: "unreachable",
      status: 0,
      message: 'Cannot get ConfigMap "istio-system/istio" of context "test" ' +
        "at http://127.0.0.1:1: connection refused",
    });
    expect(pauses).toEqual([]);
  });
});

describe("createKubeClient() retries", () => {
  const get = (client: KubeClient) => client.get(CONFIG_MAPS, NAME);
  const apply = (client: KubeClient) => client.apply(CONFIG_MAPS, MAP, { fieldManager: "me" });
  const create = (client: KubeClient) => client.create(CONFIG_MAPS, MAP);
  const remove = (client: KubeClient) => client.delete(CONFIG_MAPS, NAME);
  const BUSY = { "retry-after": "2" };

  const rows: [
    what: string,
    ask: (client: KubeClient) => Promise<unknown>,
    first: Answer[],
    pauses: number[],
  ][] = [
    ["a read cut short", get, [hangUp], [200]],
    ["a read cut half way", get, [half], [200]],
    ["a read cut three times", get, [hangUp, half, hangUp], [200, 400, 800]],
    ["a read that failed at a gateway", get, [page("", 502), page("", 504)], [200, 400]],
    ["a read from a busy server", get, [status(503, "ServiceUnavailable")], [200]],
    ["an apply cut short", apply, [hangUp], [200]],
    ["a create with Retry-After", create, [status(429, "TooManyRequests", "", BUSY)], [
      2000,
    ]],
    ["a delete with Retry-After", remove, [status(503, "", "", BUSY)], [2000]],
    ["Retry-After: 0, after the minimal pause", create, [
      status(429, "", "", { "retry-after": "0" }),
    ], [200]],
  ];
  test.each(rows)("%s", async (_, ask, first, expected) => {
    await ask(open([...first, json(MAP)]));
    expect(pauses).toEqual(expected);
    expect(asked).toHaveLength(first.length + 1);
  });

  const not: [
    what: string,
    ask: (client: KubeClient) => Promise<unknown>,
    answer: Answer,
    code: string,
  ][] = [
    ["a create cut short, as it may have succeeded", create, hangUp, "cut"],
    ["a delete cut short, as it may have succeeded", remove, hangUp, "cut"],
    ["a create that failed at a gateway", create, page("", 502), "refused"],
    ["a create without Retry-After", create, status(503, ""), "refused"],
    [
      "a Retry-After that is too long",
      get,
      status(429, "", "", { "retry-after": "60" }),
      "too_many_requests",
    ],
    ["an internal error", get, status(500, "InternalError"), "refused"],
    ["a missing object", get, status(404, "NotFound"), "not_found"],
  ];
  test.each(not)("not %s", async (_, ask, answer, code) => {
    expect((await failure(ask(open([answer])))).code).toBe(code as ApiError["code"]);
    expect(asked).toHaveLength(1);
  });

  test("a limited number of times", async () => {
    expect(await failure(get(open([hangUp])))).toMatchObject({
      code: "cut",
      message: 'Cannot get ConfigMap "istio-system/istio" of context "test" ' +
        `at ${server}: the server closed the connection`,
    });
    expect(asked).toHaveLength(4);
  });

  test("once with new credentials after a 401", async () => {
    const credentials: ClusterAccess["credentials"] = ({ renew = false } = {}) =>
      Promise.resolve({ headers: { Authorization: renew ? "new" : "old" } });
    const refused = status(401, "Unauthorized");
    await create(open([refused, json(MAP)], { credentials }));
    expect(asked.map(({ headers }) => headers.authorization)).toEqual(["old", "new"]);
    asked.length = 0;
    expect((await failure(create(open([refused], { credentials })))).code).toBe("unauthorized");
    expect(asked).toHaveLength(2);
  });
});

describe("createKubeClient() reuses a connection", () => {
  test("while the CA and client certificate stay the same", async () => {
    const authority = await createAuthority("a");
    const [one, two] = await Promise.all([1, 2].map(() => authority.issue({ subject: "CN=x" })));
    const made: unknown[] = [];
    let closed = 0;
    let credentials: Credentials = { headers: {}, ca: authority.certificate };
    const client = createKubeClient({
      name: "x",
      server: "https://127.0.0.1:1",
      insecure: false,
      serverName: "api",
      namespace: "",
      credentials: () => Promise.resolve(credentials),
    }, {
      clock: { after: () => () => {} },
      createClient(options) {
        made.push(options);
        return {
          send: () =>
            Promise.resolve({
              status: 200,
              header: () => undefined,
              body: () => Promise.resolve(new TextEncoder().encode('{"metadata":{}}')),
              chunks: () => (async function* () {})(),
              close() {},
            }),
          close: () => void closed++,
        };
      },
    });
    const ask = async (next: Credentials) => {
      credentials = next;
      await client.get(NODES, { name: "n" });
    };
    const base = { ca: authority.certificate };
    await ask({ ...base, headers: { Authorization: "1" } });
    await ask({ ...base, headers: { Authorization: "2" } });
    await ask({ ...base, headers: {}, certificates: one.certificate, key: one.key });
    await ask({ ...base, headers: {}, certificates: two.certificate, key: two.key });
    client.close();
    const settings = { ...base, insecure: false, serverName: "api" };
    expect(made).toEqual([
      settings,
      { ...settings, certificates: one.certificate, key: one.key },
      { ...settings, certificates: two.certificate, key: two.key },
    ]);
    expect(closed).toBe(3);
  });

  test("never with an invalid certificate", async () => {
    const authority = await createAuthority("a");
    const [one, two] = await Promise.all([1, 2].map(() => authority.issue({ subject: "CN=x" })));
    const rows: [Partial<Credentials>, string][] = [
      [{ ca: "x" }, 'Cannot use the certificate authority of context "test": '],
      [
        { certificates: one.certificate, key: two.key },
        'Cannot use the client certificate of context "test": the key does not match',
      ],
      [
        { certificates: "x", key: two.key },
        'Cannot use the client certificate of context "test": ',
      ],
    ];
    for (const [credentials, message] of rows) {
      const access = { credentials: () => Promise.resolve({ headers: {}, ...credentials }) };
      const error = await open([json(MAP)], access).get(NODES, { name: "n" }).catch((e) => e);
      expect(error).toBeInstanceOf(KubeconfigError);
      expect(error.message).toStartWith(message);
    }
    expect(asked).toEqual([]);
  });
});
