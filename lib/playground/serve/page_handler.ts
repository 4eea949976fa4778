/**
 * Serves the page over HTTP: five static files and information about the server. It reads no input:
 * methods other than GET and HEAD are refused.
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
   * The server's config; absent unless the user allows showing it, because values may be
   * confidential.
   */
  readonly served?: () => Served | undefined;
  /** About 16 random bytes. */
  readonly randomBytes: (count: number) => Uint8Array;
  /** Whether to answer only for local host names, which prevents DNS rebinding. */
  readonly onlyLocal: boolean;
}

interface File {
  readonly type: string;
  readonly body: Uint8Array;
  readonly zipped: Uint8Array;
  readonly tag: string;
}

/** Allows only this server's resources, and no inline scripts or styles. */
function policy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    // The editor adds its rules in a style element with this nonce.
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
  // Bundle on first use, because most servers never serve the page.
  let files: Promise<ReadonlyMap<string, File>> | undefined;
  return async (request) => {
    if (request.method !== "GET" && request.method !== "HEAD") {
      return { ...text(405, "Method Not Allowed"), headers: { ...TEXT, allow: "GET, HEAD" } };
    }
    if (options.onlyLocal && !isLocal(request.header("host"))) {
      return text(421, "This page is only served on localhost");
    }
    const path = request.target.split("?", 1)[0];
    if (path === "/") return page(options);
    if (path === "/about.json") return about(options);
    files ??= loadFiles();
    try {
      const file = (await files).get(path);
      return file === undefined ? text(404, "Not Found") : answer(file, request);
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
    // Browsers request the icon again whenever the URL changes, which happens at every edit.
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
      // The worker's own policy: it loads nothing.
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

/** Accepts IP addresses, which cannot be rebound, and local names. */
function isLocal(host = ""): boolean {
  const name = host.replace(/:\d+$/, "").toLowerCase();
  return name === "localhost" || name.endsWith(".localhost") || /^(\d+\.){3}\d+$/.test(name) ||
    /^\[[\da-f:.]+\]$/.test(name);
}
