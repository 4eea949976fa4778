import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHost, type HttpRequest } from "../../lib/host/mod.ts";
import { type OpenPage, openPage } from "../../lib/playground/serve/open_page.ts";
import { createPageHandler, type PageOptions } from "../../lib/playground/serve/page_handler.ts";
import { packScripts } from "../../lib/playground/serve/page_scripts.ts";

const host = createHost();
const options: PageOptions = {
  version: "1.2.3",
  randomBytes: (count) => host.randomBytes(count),
  onlyLocal: true,
};

let page: OpenPage;
beforeAll(async () => {
  const onError = (error: unknown) => {
    throw error;
  };
  page = await openPage({ ...options, address: "127.0.0.1", port: 0, onError });
});
afterAll(() => page.stop(0));

const get = (path: string, init?: RequestInit) =>
  fetch(`http://127.0.0.1:${page.port}${path}`, init);

describe("the page over HTTP", () => {
  test("reports its URL", () => {
    expect(page.url).toBe(`http://localhost:${page.port}/`);
  });

  test("is served with a policy that allows only its own files", async () => {
    const answer = await get("/");
    const policy = answer.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] ?? "";
    expect(nonce).toHaveLength(24);
    expect(await answer.text()).toContain(`<script nonce="${nonce}" type="module" src="main.js">`);
    // A new nonce each time.
    expect((await get("/")).headers.get("content-security-policy")).not.toContain(nonce);
  });

  const files: [path: string, type: string][] = [
    ["/main.js", "text/javascript; charset=utf-8"],
    ["/worker.js", "text/javascript; charset=utf-8"],
    ["/style.css", "text/css; charset=utf-8"],
    ["/icon.svg", "image/svg+xml"],
  ];
  test.each(files)("serves %s compressed, and 304 if it is cached", async (path, type) => {
    const answer = await get(path, { headers: { "accept-encoding": "gzip" } });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe(type);
    expect(answer.headers.get("content-encoding")).toBe("gzip");
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    const plain = await get(path, { headers: { "accept-encoding": "identity" } });
    expect(plain.headers.get("content-encoding")).toBeNull();
    expect(await plain.text()).toBe(await answer.text());
    const tag = answer.headers.get("etag") ?? "";
    const again = await get(path, { headers: { "if-none-match": tag } });
    expect([again.status, await again.text()]).toEqual([304, ""]);
  });

  test("serves no source maps, sources or other files", async () => {
    for (const path of ["/main.ts", "/main.js.map", "/../deno.json", "/%2e%2e/deno.json", "/x"]) {
      expect((await get(path)).status).toBe(404);
    }
  });

  test.each(["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])("refuses %s", async (method) => {
    const answer = await get("/", { method });
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  });

  test("does not show the server's config unless allowed", async () => {
    expect(await (await get("/about.json")).json()).toEqual({ version: "1.2.3" });
  });
});

describe("createPageHandler()", () => {
  const ask = async (given: Partial<PageOptions>, path: string, headers: Record<string, string>) =>
    await createPageHandler({ ...options, ...given })(
      {
        method: "GET",
        target: path,
        remoteAddress: "127.0.0.1",
        header: (name) => headers[name],
        body: () => Promise.reject(new Error("nobody may read it")),
        isGone: () => false,
      } satisfies HttpRequest,
    );

  const hosts: [host: string, status: number][] = [
    ["localhost:15080", 200],
    ["127.0.0.1:15080", 200],
    ["[::1]:15080", 200],
    ["page.localhost", 200],
    ["rebound.test:15080", 421],
    ["localhost.rebound.test", 421],
    ["", 421],
  ];
  test.each(hosts)("asked as %j on this machine answers %d", async (host, status) => {
    expect((await ask({}, "/about.json", { host })).status).toBe(status);
    expect((await ask({ onlyLocal: false }, "/about.json", { host })).status).toBe(200);
  });

  test("shows the server's current config if allowed", async () => {
    let config = "old";
    const served = () => ({ config, values: "v", mesh: "m", settings: { revision: "r" } });
    const handler = async () =>
      JSON.parse(String((await ask({ served }, "/about.json", { host: "localhost" })).body));
    expect((await handler()).served.config).toBe("old");
    config = "new";
    expect((await handler()).served).toEqual({
      config: "new",
      values: "v",
      mesh: "m",
      settings: { revision: "r" },
    });
  });
});

test("packScripts() is reversed by the executable", async () => {
  const packed = await packScripts({ "a.js": "x" });
  const stream = new Blob([packed as BlobPart]).stream().pipeThrough(
    new DecompressionStream("gzip"),
  );
  expect(await new Response(stream).json()).toEqual({ "a.js": "x" });
});
