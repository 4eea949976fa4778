/**
 * The page over HTTP: five files that never change while the program runs, and a word about the server. It
 * takes nothing: whatever is asked with another method than GET or HEAD, or with a body, is refused unread.
 */
import type { HttpAnswer, HttpHandler, HttpRequest } from "../../host/mod.ts";
import icon from "../page/icon.svg" with { type: "text" };
import skeleton from "../page/index.html" with { type: "text" };
import style from "../page/style.css" with { type: "text" };
import { gzip, pageScripts } from "./page_scripts.ts";
import type { PlaySettings, Shipped } from "../protocol.ts";

export interface Served extends Shipped {
  readonly settings: Partial<PlaySettings>;
}

export interface PageOptions {
  readonly version: string;
  /**
   * What the server serves with; absent unless someone asked for it to be shown, since values may hold what
   * is not for everyone.
   */
  readonly served?: () => Served | undefined;
  /** 16 random bytes or so. */
  readonly randomBytes: (count: number) => Uint8Array;
  /**
   * Whether only names of this machine are answered: then no page from elsewhere can make a browser here ask
   * us under a name of its own.
   */
  readonly onlyLocal: boolean;
}

interface File {
  readonly type: string;
  readonly body: Uint8Array;
  readonly zipped: Uint8Array;
  readonly tag: string;
}

/** Nothing but what comes from here, and no script or style that stands in the page itself. */
function policy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    // The editor brings its rules along as an element, which this word lets through.
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

const HEADERS = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
};

export function createPageHandler(options: PageOptions): HttpHandler {
  // Bundled when first asked for: a server that is never asked should not wait for it.
  let files: Promise<ReadonlyMap<string, File>> | undefined;
  return async (request) => {
    if (request.method !== "GET" && request.method !== "HEAD") {
      return { ...text(405, "The page takes nothing"), headers: { ...TEXT, allow: "GET, HEAD" } };
    }
    if (options.onlyLocal && !isLocal(request.header("host"))) {
      return text(421, "This page answers to localhost only");
    }
    const path = request.target.split("?", 1)[0];
    if (path === "/") return page(options);
    if (path === "/about.json") return about(options);
    files ??= loadFiles();
    try {
      const file = (await files).get(path);
      return file === undefined ? text(404, "There is nothing here") : answer(file, request);
    } catch (error) {
      files = undefined;
      throw error;
    }
  };
}

async function loadFiles(): Promise<ReadonlyMap<string, File>> {
  const texts = { "icon.svg": icon, "style.css": style, ...await pageScripts() };
  const files = Object.entries(texts).map(async ([name, text]) => {
    const body = new TextEncoder().encode(text);
    const digest = await crypto.subtle.digest("SHA-256", body);
    const tag = `"${new Uint8Array(digest).toHex().slice(0, 32)}"`;
    return [`/${name}`, { type: typeOf(name), body, zipped: await gzip(body), tag }] as const;
  });
  return new Map(await Promise.all(files));
}

function typeOf(name: string): string {
  if (name.endsWith(".js")) return "text/javascript; charset=utf-8";
  return name.endsWith(".css") ? "text/css; charset=utf-8" : "image/svg+xml";
}

function answer(file: File, request: HttpRequest): HttpAnswer {
  const shared = {
    ...HEADERS,
    etag: file.tag,
    // Browsers ask for the icon again whenever the address changes, which here is with each letter.
    "cache-control": file.type.startsWith("image/") ? "max-age=86400" : "no-cache",
    vary: "accept-encoding",
  };
  if (request.header("if-none-match") === file.tag) return { status: 304, headers: shared };
  const isZipped = /\bgzip\b/.test(request.header("accept-encoding") ?? "");
  return {
    status: 200,
    headers: {
      ...shared,
      "content-type": file.type,
      // A worker's own rules: it needs nothing but itself.
      "content-security-policy": "default-src 'none'",
      ...(isZipped ? { "content-encoding": "gzip" } : {}),
    },
    body: isZipped ? file.zipped : file.body,
  };
}

function page({ randomBytes }: PageOptions): HttpAnswer {
  const nonce = randomBytes(16).toBase64();
  return {
    status: 200,
    headers: {
      ...HEADERS,
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "content-security-policy": policy(nonce),
    },
    body: skeleton.replace("<script ", `<script nonce="${nonce}" `),
  };
}

function about({ version, served }: PageOptions): HttpAnswer {
  return {
    status: 200,
    headers: { ...HEADERS, "content-type": "application/json", "cache-control": "no-store" },
    body: JSON.stringify({ version, served: served?.() }),
  };
}

const TEXT = { ...HEADERS, "content-type": "text/plain; charset=utf-8" };

function text(status: number, body: string): HttpAnswer {
  return { status, headers: TEXT, body: `${body}\n` };
}

/** Addresses in numbers can't be made to point elsewhere; of names only this machine's own. */
function isLocal(host = ""): boolean {
  const name = host.replace(/:\d+$/, "").toLowerCase();
  return name === "localhost" || name.endsWith(".localhost") || /^(\d+\.){3}\d+$/.test(name) ||
    /^\[[\da-f:.]+\]$/.test(name);
}
