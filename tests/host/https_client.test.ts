import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { createServer as createTlsServer, type TLSSocket } from "node:tls";
import {
  type ClientRequest,
  createHttpsClient,
  HttpClientError,
  type HttpsClientOptions,
} from "../../lib/host/mod.ts";
import { type Authority, createAuthority, type KeyPair } from "../e2e/_certificates.ts";

let authority: Authority;
let other: Authority;
let caller: KeyPair;
let url: string;
let expiredUrl: string;
let clearUrl: string;
const connections = new Set<unknown>();
const closers: (() => void)[] = [];

/** Echoes what it was asked, or misbehaves as the path says. */
const handler: RequestListener = (request, response) => {
  const socket = request.socket as TLSSocket;
  connections.add(socket);
  let body = "";
  request.on("data", (chunk) => body += chunk);
  request.on("end", () => {
    switch (request.url) {
      case "/silent":
        return;
      case "/hangup":
        return void socket.destroy();
      case "/half":
        response.writeHead(200, { "content-length": "100" });
        return void response.write("half", () => socket.destroy());
      case "/stall":
        return void response.write("begin");
      case "/large":
        return void response.end("x".repeat(100_000));
      case "/pieces":
        response.write("one ");
        return void setImmediate(() => response.end("two"));
      case "/missing":
        response.writeHead(404, { "retry-after": "7" });
        return void response.end("nothing here");
    }
    const peer = socket.encrypted ? socket.getPeerCertificate()?.subject?.CN : undefined;
    response.end(JSON.stringify({
      method: request.method,
      caller: peer ?? "",
      groups: request.headersDistinct["impersonate-group"] ?? [],
      length: request.headers["content-length"] ?? "",
      body,
    }));
  });
};

/** Over TLS where there is a key pair; the server asks callers for theirs and takes any of `authority`. */
async function listen(pair: KeyPair | undefined): Promise<string> {
  const http = createServer(handler);
  const server = pair === undefined ? http : createTlsServer({
    cert: pair.certificate,
    key: pair.key,
    ca: authority.certificate,
    requestCert: true,
    rejectUnauthorized: false,
  }, (socket) => void http.emit("connection", socket));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => {
    http.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return `${pair === undefined ? "http" : "https"}://127.0.0.1:${port}`;
}

beforeAll(async () => {
  authority = await createAuthority("ours");
  other = await createAuthority("another");
  caller = await authority.issue({ subject: "CN=caller" });
  const server = { subject: "CN=server", names: ["api.test"], addresses: ["127.0.0.1"] };
  url = await listen(await authority.issue(server));
  expiredUrl = await listen(
    await authority.issue({ ...server, notAfter: new Date(Date.now() - 1000) }),
  );
  clearUrl = await listen(undefined);
});
afterAll(() => closers.forEach((close) => close()));

const LIMITS = { bytes: 50_000, ms: 10_000 };

async function ask(options: HttpsClientOptions, request: Partial<ClientRequest> = {}) {
  const client = createHttpsClient(options);
  try {
    const answer = await client.send({ method: "GET", url, responseMs: 10_000, ...request });
    const body = new TextDecoder().decode(await answer.body(LIMITS));
    return { status: answer.status, body, answer };
  } finally {
    client.close();
  }
}

async function failure(work: Promise<unknown>): Promise<HttpClientError> {
  try {
    await work;
  } catch (error) {
    if (error instanceof HttpClientError) return error;
    throw error;
  }
  throw new Error("it did not fail");
}

const trusting = () => ({ ca: authority.certificate });

describe("createHttpsClient()", () => {
  test("trusts the authority it is given", async () => {
    const { status, body } = await ask(trusting());
    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject({ method: "GET", caller: "" });
  });

  test("shows its certificate", async () => {
    const { body } = await ask({
      ...trusting(),
      certificates: caller.certificate,
      key: caller.key,
    });
    expect(JSON.parse(body)).toMatchObject({ caller: "caller" });
  });

  test("looks for the name it is told instead of the address", async () => {
    expect((await ask({ ...trusting(), serverName: "api.test" })).status).toBe(200);
  });

  test("takes any certificate only when told so", async () => {
    expect((await ask({ insecure: true }, { url: expiredUrl })).status).toBe(200);
  });

  test("speaks in the clear to http:", async () => {
    const { body } = await ask({}, { url: clearUrl, method: "POST", body: "ä" });
    expect(JSON.parse(body)).toMatchObject({ method: "POST", body: "ä", length: "2" });
  });

  test("sends a header of several values as several", async () => {
    const { body } = await ask(trusting(), { headers: { "Impersonate-Group": ["a,b", "c"] } });
    expect(JSON.parse(body)).toMatchObject({ groups: ["a,b", "c"] });
  });

  test("gives answers of any status, with their headers", async () => {
    const { status, body, answer } = await ask(trusting(), { url: `${url}/missing` });
    expect({ status, body }).toEqual({ status: 404, body: "nothing here" });
    expect(answer.header("Retry-After")).toBe("7");
    expect(answer.header("constructor")).toBeUndefined();
  });

  test("keeps a connection for the next request", async () => {
    connections.clear();
    const client = createHttpsClient(trusting());
    for (let i = 0; i < 3; i++) {
      const answer = await client.send({ method: "GET", url, responseMs: 10_000 });
      await answer.body(LIMITS);
    }
    client.close();
    expect(connections.size).toBe(1);
  });

  test("closes for the future, not under the request that is on its way", async () => {
    connections.clear();
    const client = createHttpsClient(trusting());
    const pending = client.send({ method: "GET", url, responseMs: 10_000 });
    client.close();
    expect((await (await pending).body(LIMITS)).length).toBeGreaterThan(0);
    await (await client.send({ method: "GET", url, responseMs: 10_000 })).body(LIMITS);
    expect(connections.size).toBe(2);
  });

  test("gives a body piece by piece", async () => {
    const client = createHttpsClient(trusting());
    const answer = await client.send({ method: "GET", url: `${url}/pieces`, responseMs: 10_000 });
    let text = "";
    for await (const chunk of answer.chunks({ silenceMs: 10_000 })) {
      text += new TextDecoder().decode(chunk);
    }
    client.close();
    expect(text).toBe("one two");
  });
});

describe("createHttpsClient() fails", () => {
  type Row = [
    what: string,
    options: () => HttpsClientOptions,
    request: () => Partial<ClientRequest>,
    code: string,
    reason: RegExp | string,
  ];
  const rows: Row[] = [
    ["another authority", () => ({ ca: other.certificate }), () => ({}), "untrusted", /^bad cert/],
    ["no CA given", () => ({}), () => ({}), "untrusted", /^bad certificate: /],
    [
      "another name",
      () => ({ ...trusting(), serverName: "other.test" }),
      () => ({}),
      "untrusted",
      /^bad certificate: .*api\.test/,
    ],
    [
      "an expired certificate",
      trusting,
      () => ({ url: expiredUrl }),
      "untrusted",
      "bad certificate: certificate has expired",
    ],
    [
      "nobody listening",
      trusting,
      () => ({ url: "https://127.0.0.1:1/" }),
      "unreachable",
      "connection refused",
    ],
    [
      "no such host",
      trusting,
      () => ({ url: "https://nowhere.invalid/" }),
      "unreachable",
      /no such host|looked up/,
    ],
    [
      "a hang-up",
      trusting,
      () => ({ url: `${url}/hangup` }),
      "cut",
      "the server closed the connection",
    ],
    ["half an answer", trusting, () => ({ url: `${url}/half` }), "cut", /./],
    [
      "no answer in time",
      trusting,
      () => ({ url: `${url}/silent`, responseMs: 50 }),
      "timeout",
      "no response within 0.05 s",
    ],
    [
      "an answer that is too large",
      trusting,
      () => ({ url: `${url}/large` }),
      "too_large",
      "the response exceeds 50000 bytes",
    ],
    [
      "a header that cannot be sent",
      trusting,
      () => ({ headers: { Authorization: "Bearer a\nb" } }),
      "bad_request",
      /./,
    ],
    [
      "a signal before it began",
      trusting,
      () => ({ signal: AbortSignal.abort() }),
      "aborted",
      "aborted",
    ],
  ];
  test.each(rows)("on %s", async (_, options, request, code, reason) => {
    const error = await failure(ask(options(), request()));
    expect({ code: error.code, message: error.message }).toMatchObject({ code });
    expect(error.reason).toMatch(reason);
    expect(error.message).toStartWith("Cannot send a request to http");
  });

  test("when aborted while it waits", async () => {
    const control = new AbortController();
    const pending = failure(ask(trusting(), { url: `${url}/silent`, signal: control.signal }));
    control.abort();
    expect((await pending).code).toBe("aborted");
  });

  test("when aborted in the middle of a body", async () => {
    const control = new AbortController();
    const client = createHttpsClient(trusting());
    const answer = await client.send({
      method: "GET",
      url: `${url}/stall`,
      responseMs: 10_000,
      signal: control.signal,
    });
    const pending = failure(answer.body(LIMITS));
    control.abort();
    expect((await pending).code).toBe("aborted");
    client.close();
  });

  test("when a body stops coming", async () => {
    const client = createHttpsClient(trusting());
    const stalled = () => client.send({ method: "GET", url: `${url}/stall`, responseMs: 10_000 });
    expect((await failure((await stalled()).body({ bytes: 100, ms: 50 }))).reason).toBe(
      "no complete response within 0.05 s",
    );
    const drain = async () => {
      for await (const _ of (await stalled()).chunks({ silenceMs: 50 }));
    };
    expect((await failure(drain())).reason).toBe("no data for 0.05 s");
    client.close();
  });

  test("when the server speaks no TLS", async () => {
    const error = await failure(ask(trusting(), { url: clearUrl.replace("http:", "https:") }));
    expect(error.code).toBe("cut");
  });
});
