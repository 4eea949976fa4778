/** Misbehaving clients, and how the server handles them. */
import { describe, expect, test } from "bun:test";
import { connect } from "node:net";
import type { ReviewInjector } from "../../lib/admission/mod.ts";
import { MAX_BODY_BYTES } from "../../lib/server/inject_route.ts";
import { createDevCertificate } from "../../lib/tls/dev_certificate.ts";
import { Client } from "./_client.ts";
import { certificate, INERT, podReview, serving } from "./_serving.ts";

const JSON_TYPE = { "content-type": "application/json" };
const HEAD = "POST /inject HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n";

/** Short limits, so that tests need not wait; real ones are tens of seconds. */
const SHORT = { handshakeMs: 300, headersMs: 300, requestMs: 600, answerMs: 600, idleMs: 1_000 };

async function metric(port: number, name: string): Promise<number> {
  const client = await Client.plain(port);
  const { body } = await client.request("/metrics");
  client.close();
  const line = body.split("\n").find((line) => line.startsWith(`${name} `));
  return Number(line?.split(" ").at(-1) ?? 0);
}

describe("slow clients", () => {
  test.each([
    ["say nothing in TLS", "handshake"],
    ["stop within a header", "slow_headers"],
    ["send a header a moment", "slow_headers"],
    ["stop within a body", "slow_body"],
    ["send a byte a moment", "slow_body"],
  ])("that %s are cut off, and others served meanwhile", async (what, reason) => {
    await using server = await serving({ limits: SHORT });
    const started = performance.now();
    const ended = Promise.withResolvers<string>();
    if (reason === "handshake") {
      const socket = connect(server.port, "127.0.0.1");
      socket.on("error", () => {});
      socket.on("close", () => ended.resolve(""));
    } else {
      const client = await Client.tls(server.port);
      client.write(reason === "slow_body" ? `${HEAD}content-length: 1000\r\n\r\n{` : HEAD);
      const dripping = what.includes("moment");
      const drip = reason === "slow_body" ? "x" : "a: b\r\n";
      const timer = setInterval(() => dripping && client.write(drip), 40);
      client.closed.then((text) => {
        clearInterval(timer);
        ended.resolve(text);
      });
    }
    const other = await Client.tls(server.port);
    expect((await other.review(podReview())).status).toBe(200);
    other.close();
    const text = await ended.promise;
    expect(performance.now() - started).toBeLessThan(10_000);
    if (reason !== "handshake") expect(text).toStartWith("HTTP/1.1 408 Request Timeout\r\n");
    const name = `outrigger_connections_cut_total{reason="${reason}"}`;
    expect(await metric(server.plainPort, name)).toBe(1);
  });

  test("that do not read their answer are disconnected", async () => {
    const text = "x".repeat(40_000_000);
    const injector: ReviewInjector = {
      ...INERT,
      admit: () => ({
        decision: { inject: true, reason: "policy_enabled", warnings: [] },
        patch: [{ op: "add", path: "/a", value: text }],
      }),
    };
    await using server = await serving({ limits: SHORT, injector });
    const client = await Client.tls(server.port);
    client.socket.pause();
    client.write(`${HEAD}content-length: ${JSON.stringify(podReview()).length}\r\n\r\n`);
    client.write(JSON.stringify(podReview()));
    const name = 'outrigger_connections_cut_total{reason="slow_reader"}';
    const deadline = performance.now() + 10_000;
    while (await metric(server.plainPort, name) === 0) {
      expect(performance.now()).toBeLessThan(deadline);
    }
    client.close();
  });
});

describe("bodies", () => {
  /** Builds a review of exactly this size in bytes. */
  const sized = (bytes: number) => {
    const padding = (count: number) =>
      JSON.stringify({ ...podReview(), padding: "x".repeat(count) });
    return padding(bytes - padding(0).length);
  };

  test.each([
    ["the largest that may be", MAX_BODY_BYTES, 200],
    ["one byte more", MAX_BODY_BYTES + 1, 413],
    ["nearly twice as much", 2 * MAX_BODY_BYTES, 413],
  ])("%s", async (_, bytes, status) => {
    await using server = await serving();
    const client = await Client.tls(server.port);
    const answer = await client.request("/inject", { headers: JSON_TYPE, body: sized(bytes) });
    expect(answer.status).toBe(status);
    if (status === 413) {
      expect(answer.body).toBe(`Request entity too large: limit is ${MAX_BODY_BYTES}\n`);
    }
    // The whole body was read, so the connection is still usable.
    expect((await client.review(podReview())).status).toBe(200);
    client.close();
  });

  test("a gigabyte is refused before it is sent", async () => {
    await using server = await serving();
    const client = await Client.tls(server.port);
    client.write(`${HEAD}content-length: 1000000000\r\n\r\n{`);
    const answer = await client.answer();
    expect(answer.status).toBe(413);
    expect(answer.headers.connection).toBe("close");
    await client.closed;
  });

  test("endless chunks are refused", async () => {
    await using server = await serving();
    const client = await Client.tls(server.port);
    client.write(`${HEAD}transfer-encoding: chunked\r\n\r\n`);
    const chunk = `100000\r\n${"x".repeat(1024 * 1024)}\r\n`;
    for (let i = 0; i < 15; i++) client.write(chunk);
    expect((await client.answer()).status).toBe(413);
    client.close();
  });

  test("complete chunks are accepted", async () => {
    await using server = await serving();
    const client = await Client.tls(server.port);
    client.write(`${HEAD}transfer-encoding: chunked\r\n\r\n`);
    for (const piece of JSON.stringify(podReview()).match(/.{1,7}/g)!) {
      client.write(`${piece.length.toString(16)}\r\n${piece}\r\n`);
    }
    client.write("0\r\n\r\n");
    expect((await client.answer()).status).toBe(200);
    client.close();
  });

  test("a body that breaks off leaks nothing", async () => {
    await using server = await serving();
    for (let i = 0; i < 50; i++) {
      const client = await Client.tls(server.port);
      client.write(`${HEAD}content-length: 1000\r\n\r\n{`);
      client.close();
      await client.closed;
    }
    const deadline = performance.now() + 5_000;
    while (await metric(server.plainPort, "outrigger_requests_inside") > 0) {
      expect(performance.now()).toBeLessThan(deadline);
    }
  });
});

describe("invalid HTTP", () => {
  test.each([
    ["noise", "\x01\x02\x03\r\n\r\n", "400 Bad Request"],
    [
      "a request line without end",
      `GET /${"a".repeat(70_000)}`,
      "431 Request Header Fields Too Large",
    ],
    ["headers without end", `GET / HTTP/1.1\r\n${"a: b\r\n".repeat(20_000)}`, "431"],
    ["a length that is none", `${HEAD}content-length: x\r\n\r\n`, "400 Bad Request"],
    ["two lengths", `${HEAD}content-length: 1\r\ncontent-length: 2\r\n\r\n`, "400 Bad Request"],
    [
      "length and chunks",
      `${HEAD}content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n`,
      "400 Bad Request",
    ],
  ])("%s is refused, and the connection closed", async (_, text, status) => {
    await using server = await serving();
    const client = await Client.tls(server.port);
    client.write(text);
    expect(await client.closed).toStartWith(`HTTP/1.1 ${status}`);
  });

  test("plain HTTP and invalid TLS on the TLS port do not affect other clients", async () => {
    await using server = await serving();
    for (const text of ["GET / HTTP/1.1\r\n\r\n", "\x16\x03\x01\x02\x00garbage", "\0"]) {
      const client = await Client.plain(server.port);
      client.write(text);
      client.socket.end();
      await client.closed;
    }
    const client = await Client.tls(server.port);
    expect((await client.review(podReview())).status).toBe(200);
    client.close();
  });
});

describe("TLS", () => {
  test("is 1.2 at least", async () => {
    await using server = await serving();
    for (const version of ["TLSv1.2", "TLSv1.3"] as const) {
      const client = await Client.tls(server.port, { minVersion: version, maxVersion: version });
      expect((await client.review(podReview())).status).toBe(200);
      client.close();
    }
    const old = Client.tls(server.port, { minVersion: "TLSv1", maxVersion: "TLSv1.1" });
    expect(old).rejects.toThrow();
    await old.catch(() => {});
  });

  test("with a client CA, only its clients are accepted", async () => {
    const ours = await createDevCertificate({ now: Date.now() });
    const strangers = await createDevCertificate({ now: Date.now() });
    await using server = await serving({
      secure: { ...certificate.material, clientCa: ours.authority },
    });
    const asked = async (options: Parameters<typeof Client.tls>[1]) => {
      try {
        const client = await Client.tls(server.port, options);
        const { status } = await client.review(podReview());
        client.close();
        return status;
      } catch {
        return "refused";
      }
    };
    const pair = ({ material }: typeof ours) => ({
      cert: material.certificates,
      key: material.key,
    });
    expect(await asked(pair(ours))).toBe(200);
    expect(await asked({})).toBe("refused");
    expect(await asked(pair(strangers))).toBe("refused");
  });
});

describe("overload", () => {
  test("requests beyond the limit get 503 and Retry-After", async () => {
    await using server = await serving({ limits: { maxRequests: 4 } });
    const slow = await Promise.all(Array.from({ length: 4 }, async () => {
      const client = await Client.tls(server.port);
      client.write(`${HEAD}content-length: 100\r\n\r\n{`);
      return client;
    }));
    const client = await Client.tls(server.port);
    const deadline = performance.now() + 5_000;
    let answer = await client.review(podReview());
    // The server may not have seen the slow requests yet.
    while (answer.status === 200 && performance.now() < deadline) {
      answer = await client.review(podReview());
    }
    expect(answer).toMatchObject({ status: 503, body: "too many requests\n" });
    expect(answer.headers["retry-after"]).toBe("1");
    slow.forEach((one) => one.close());
    while (answer.status === 503 && performance.now() < deadline) {
      answer = await client.review(podReview());
    }
    expect(answer.status).toBe(200);
    client.close();
  });

  test("connections beyond the limit are closed at once", async () => {
    await using server = await serving({ limits: { maxConnections: 5 } });
    const kept = await Promise.all(Array.from({ length: 5 }, () => Client.tls(server.port)));
    const sixth = Client.tls(server.port);
    expect(sixth).rejects.toThrow();
    await sixth.catch(() => {});
    expect((await kept[4].review(podReview())).status).toBe(200);
    kept.forEach((one) => one.close());
  });
});

describe("keep-alive connections", () => {
  test("stay open while in use, and are closed cleanly when idle", async () => {
    await using server = await serving({ limits: SHORT });
    const client = await Client.tls(server.port);
    const started = performance.now();
    // Each pause is below the idle limit, their sum above it.
    while (performance.now() - started < 1.5 * SHORT.idleMs) {
      expect((await client.review(podReview())).status).toBe(200);
      await new Promise((resolve) => setTimeout(resolve, SHORT.idleMs / 4));
    }
    expect(await client.closed).toBe("");
  });

  /** Pauses in seconds, up to the API server's idle limit; too slow for CI. */
  const PAUSES = (process.env.OUTRIGGER_TEST_IDLE ?? "1").split(",").map(Number);
  test(`still work after ${PAUSES.join(", ")} s without a request`, async () => {
    await using server = await serving();
    await Promise.all(PAUSES.map(async (seconds) => {
      const client = await Client.tls(server.port);
      for (let i = 0; i < 2; i++) {
        expect((await client.review(podReview())).status).toBe(200);
        if (i === 0) await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
      }
      client.close();
    }));
  }, 180_000);

  test("one without a request is not closed before the idle limit", async () => {
    await using server = await serving({ limits: { ...SHORT, headersMs: 100 } });
    const client = await Client.tls(server.port);
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect((await client.review(podReview())).status).toBe(200);
    client.close();
  });

  test("pipelined requests are answered in order", async () => {
    await using server = await serving();
    const client = await Client.tls(server.port);
    const one = (uid: string) => {
      const body = JSON.stringify(podReview({ uid }));
      return `${HEAD}content-length: ${body.length}\r\n\r\n${body}`;
    };
    client.write(one("a") + one("b") + one("c"));
    const uids: string[] = [];
    for (let i = 0; i < 3; i++) uids.push(JSON.parse((await client.answer()).body).response.uid);
    expect(uids).toEqual(["a", "b", "c"]);
    client.close();
  });
});
