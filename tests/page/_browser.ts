/** A real Chromium on the real page, served as `outrigger playground` serves it. */

import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { existsSync } from "node:fs";
import { createHost } from "../../lib/host/mod.ts";
import { openPage } from "../../lib/playground/serve/open_page.ts";

const PROGRAM = process.env.CHROMIUM ?? "/usr/bin/chromium";

export interface Visit {
  readonly page: Page;
  readonly url: string;
  /** What went wrong behind the page: errors, console messages that tell of some, requests elsewhere. */
  readonly complaints: readonly string[];
}

export interface VisitOptions extends BrowserContextOptions {
  /** The part of the address after `#`. */
  readonly hash?: string;
}

export interface Theatre {
  readonly url: string;
  /** A fresh browser profile on the page, once it has its first answer. */
  visit(options?: VisitOptions): Promise<Visit>;
  close(): Promise<void>;
}

export async function openTheatre(): Promise<Theatre> {
  if (!existsSync(PROGRAM)) {
    throw new Error(`Cannot find ${PROGRAM}: install Chromium, or set CHROMIUM to where it is`);
  }
  const host = createHost();
  const server = await openPage({
    address: "127.0.0.1",
    port: 0,
    version: "1.2.3-test",
    randomBytes: (count) => host.randomBytes(count),
    onError: (error) => {
      throw error;
    },
  });
  let browser: Browser;
  try {
    browser = await chromium.launch({
      executablePath: PROGRAM,
      headless: true,
      args: [
        ...["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
        ...["--disable-background-networking", "--disable-component-update", "--disable-sync"],
      ],
    });
  } catch (error) {
    await server.stop(0);
    throw error;
  }
  const url = `http://127.0.0.1:${server.port}/`;
  return {
    url,
    async visit({ hash = "", ...options } = {}) {
      const context = await browser.newContext({
        viewport: { width: 1440, height: 900 },
        permissions: ["clipboard-read", "clipboard-write"],
        ...options,
      });
      const page = await context.newPage();
      const complaints: string[] = [];
      page.on("pageerror", (error) => complaints.push(`error: ${error.stack ?? error.message}`));
      page.on("console", (message) => {
        if (message.type() === "error" || message.type() === "warning") {
          complaints.push(`${message.type()}: ${message.text()}`);
        }
      });
      page.on("request", (request) => {
        if (!request.url().startsWith(url)) complaints.push(`request: ${request.url()}`);
      });
      page.on("requestfailed", (request) => complaints.push(`failed: ${request.url()}`));
      await page.goto(url + (hash === "" ? "" : `#${hash}`));
      await page.waitForSelector("body[data-state]:not([data-state=busy])");
      return { page, url, complaints };
    },
    async close() {
      await browser.close();
      await server.stop(0);
    },
  };
}

/** Puts a text in place of what an editor holds, by its keyboard. */
export async function typeOver(
  page: Page,
  { into, text }: { into: string; text: string },
): Promise<void> {
  await page.locator(into).click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText(text);
}

/** The text of an editor, as far as it is drawn. */
export function textOf(page: Page, editor: string): Promise<string> {
  return page.locator(`${editor} .cm-line`).allInnerTexts().then((lines) => lines.join("\n"));
}
