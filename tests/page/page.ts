/** What a person does with the page, in a real Chromium. `deno task test:page` runs it. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { openTheatre, textOf, type Theatre, typeOver, type Visit } from "./_browser.ts";

let theatre: Theatre;

beforeAll(async () => {
  theatre = await openTheatre();
});

afterAll(async () => {
  await theatre?.close();
});

const INPUT = "#input-editor .cm-content";
const AFTER = ".cm-merge-b";

/** Every visit ends with a look behind the page. */
async function visiting(
  options: Parameters<Theatre["visit"]>[0],
  act: (visit: Visit) => Promise<void>,
): Promise<void> {
  const visit = await theatre.visit(options);
  try {
    await act(visit);
    expect(visit.complaints).toEqual([]);
  } finally {
    await visit.page.context().close();
  }
}

const verdict = (page: Page) => page.locator("#verdict-word").innerText();

async function untilVerdict(page: Page, word: string): Promise<void> {
  await page.waitForFunction(
    (word) => document.getElementById("verdict-word")?.textContent === word,
    word,
  );
}

const POD = `apiVersion: v1
kind: Pod
metadata:
  name: typed
spec:
  containers:
  - name: typed
    image: typed:1
`;

describe("the page", () => {
  test("shows an example's result at once, side by side", () =>
    visiting({}, async ({ page }) => {
      expect(await verdict(page)).toBe("Injected");
      expect(await page.title()).toBe("Outrigger playground");
      expect(await page.locator("#version").innerText()).toBe("1.2.3-test");
      expect(await textOf(page, ".cm-merge-a")).not.toContain("istio");
      expect(await textOf(page, AFTER)).toContain("sidecar.istio.io/status");
      const added = await page.locator(`${AFTER} .cm-changedLine`).count();
      expect(added).toBeGreaterThan(10);
      expect(await page.locator(".cm-merge-a .cm-changedLine").count()).toBe(0);
    }));

  test("follows what is typed", () =>
    visiting({}, async ({ page }) => {
      await typeOver(page, { into: INPUT, text: POD });
      await page.waitForFunction(() =>
        document.querySelector(".cm-merge-b")?.textContent?.includes("typed:1")
      );
      await typeOver(page, {
        into: INPUT,
        text: POD.replace("spec:", "  labels: {sidecar.istio.io/inject: 'false'}\nspec:"),
      });
      await untilVerdict(page, "Not injected");
      expect(await page.locator("#verdict-reason").innerText()).toContain("No injection webhook");
    }));

  test("marks a mistake of YAML at its line, and unmarks it", () =>
    visiting({}, async ({ page }) => {
      await typeOver(page, { into: INPUT, text: `${POD}  bad: [1\n` });
      await page.waitForSelector("#input-editor .cm-lint-marker-error");
      expect(await page.locator("#problem-list li").count()).toBe(1);
      expect(await page.locator("#problem-list").innerText()).toMatch(/^Manifest \d+:\d+/);
      await typeOver(page, { into: INPUT, text: POD });
      await page.waitForSelector("#problems", { state: "hidden" });
      expect(await page.locator("#input-editor .cm-lint-marker-error").count()).toBe(0);
    }));

  test("marks a template's mistake in the config, in Go's words", () =>
    visiting({}, async ({ page }) => {
      await page.selectOption("#example", "broken-template");
      await untilVerdict(page, "Refused");
      await page.waitForSelector("#input-editor .cm-lintRange-error");
      const marked = await page.locator("#input-editor .cm-lintRange-error").allInnerTexts();
      expect(marked.join("")).toBe(".Values.global.proxy.resources.limits.cpu.amount");
      expect(await page.locator("#problem-list").innerText()).toContain(
        "can't evaluate field amount",
      );
      expect(await page.locator("#problem-list .where").innerText()).toBe("Config 10:28");
      await typeOver(page, {
        into: INPUT,
        text: "policy: enabled\ntemplates:\n  sidecar: |\n    a: {{ .Foo }\n",
      });
      await page.waitForFunction(() =>
        document.getElementById("problem-list")?.textContent?.includes("unexpected")
      );
      expect(await page.locator("#problem-list .where").innerText()).toMatch(/^Config 4:/);
    }));

  test("has examples that each give an answer", () =>
    visiting({}, async ({ page }) => {
      const ids = await page.locator("#example option").evaluateAll((options) =>
        options.map((option) => (option as HTMLOptionElement).value)
      );
      expect(ids.length).toBeGreaterThanOrEqual(9);
      for (const id of ids) {
        await page.selectOption("#example", id);
        await page.waitForSelector("body[data-state=done]");
        expect(["Injected", "Not injected", "Refused"]).toContain(await verdict(page));
      }
    }));

  test("lets choose among several workloads", () =>
    visiting({}, async ({ page }) => {
      await page.selectOption("#example", "several");
      await page.waitForSelector("#workload-field", { state: "visible" });
      expect(await page.locator("#workload option").allInnerTexts()).toEqual([
        'StatefulSet "default/search"',
        'CronJob "default/reindex", not injected',
      ]);
      await page.selectOption("#workload", "1");
      await untilVerdict(page, "Not injected");
      await page.click("#tab-output");
      const text = await textOf(page, "#result-view .text");
      expect(text).toContain("kind: Service");
      expect(text).toContain("# What holds no pods passes through as it is.");
    }));

  test("shows and copies the result and the patch", () =>
    visiting({}, async ({ page }) => {
      await page.click("#tab-patch");
      const patch = await textOf(page, "#result-view .text");
      expect(patch).toContain('{"op":"add","path":"/metadata/annotations"');
      await page.click("#copy");
      await page.waitForSelector("#toast:not([hidden])");
      const copied = await page.evaluate(() => navigator.clipboard.readText());
      expect(JSON.parse(copied)).toBeArray();
      await page.click("#tab-diff");
      await page.click("#copy");
      await page.waitForFunction(async () =>
        (await navigator.clipboard.readText()).includes("istio-proxy")
      );
    }));

  test("behaves as an older Istio when told", () =>
    visiting({}, async ({ page }) => {
      await page.selectOption("#example", "own-template");
      await page.click("#tab-manifest");
      await typeOver(page, {
        into: INPUT,
        text: POD.replace("spec:", "  labels: {sidecar.istio.io/inject: 'no'}\nspec:"),
      });
      // To today's Istio that value is none, and the policy decides.
      await page.waitForFunction(() =>
        document.querySelector(".cm-merge-b")?.textContent?.includes("typed:1")
      );
      expect(await verdict(page)).toBe("Injected");
      await page.selectOption("#compat", "1.20");
      await untilVerdict(page, "Not injected");
    }));
});

describe("where it comes from", () => {
  test("a click on an injected line tells its template and values, and leads there", () =>
    visiting({}, async ({ page }) => {
      const line = page.locator(`${AFTER} .cm-line`, { hasText: "canonical-name: cart" });
      await line.click();
      const panel = page.locator("#origin");
      expect(await panel.innerText()).toContain("comes from template sidecar");
      expect(await panel.innerText()).toContain("label app = cart");
      expect(await line.getAttribute("class")).toContain("cm-origin-line");
      await panel.getByRole("button", { name: "Manifest line 14" }).click();
      const active = page.locator("#input-editor .cm-activeLine");
      expect(await active.innerText()).toBe("        app: cart");
      await line.click();
      await panel.getByRole("button", { name: /^Config line/ }).first().click();
      expect(await page.locator("#tab-config").getAttribute("aria-selected")).toBe("true");
      expect(await active.innerText()).toContain("service.istio.io/canonical-name");
    }));

  test("by keyboard the cursor's line is told, and one that was there before as such", () =>
    visiting({}, async ({ page }) => {
      await page.locator(`${AFTER} .cm-line`, { hasText: "security.istio.io/tlsMode" }).click();
      const told = () => page.locator("#origin p").first().innerText();
      expect(await told()).toContain("comes from template sidecar");
      await page.keyboard.press("ArrowUp");
      expect(await told()).toEndWith("was not injected.");
    }));

  test("a pointer that rests on a line is told in a word", () =>
    visiting({}, async ({ page }) => {
      await page.locator(`${AFTER} .cm-line`, { hasText: "prometheus.io/port" }).hover();
      await page.waitForSelector(".cm-origin-hint");
      expect(await page.locator(".cm-origin-hint").innerText()).toStartWith("From Prometheus");
    }));
});

describe("the decision", () => {
  test("is a chain of steps, with the one that decided, and the mistake behind it", () =>
    visiting({}, async ({ page }) => {
      await page.selectOption("#example", "misplaced");
      await untilVerdict(page, "Not injected");
      await page.click("#tab-decision");
      expect(await page.locator(".chain li.skip .step").first().innerText()).toBe("Webhook");
      expect(await page.locator(".mistakes").innerText()).toContain("its pods do not");
      // The namespace's label makes it another story.
      await page.click("#settings-button");
      await page.fill("#namespace-labels", "istio-injection=enabled");
      await untilVerdict(page, "Injected");
      expect(await page.locator(".chain li.inject .step").allInnerTexts()).toEqual([
        "Policy",
        "Result",
      ]);
    }));
});

describe("a link", () => {
  test("opens the same page elsewhere, and nothing of it goes to the server", () =>
    visiting({}, async ({ page }) => {
      await page.selectOption("#example", "own-template");
      await page.selectOption("#compat", "1.24");
      await page.click("#settings-button");
      await page.fill("#namespace", "elsewhere");
      await page.keyboard.press("Escape");
      await page.click("#tab-manifest");
      await typeOver(page, { into: INPUT, text: POD });
      await page.waitForFunction(() =>
        document.querySelector(".cm-merge-b")?.textContent?.includes("typed:1")
      );
      await page.click("#share");
      await page.waitForFunction(async () =>
        (await navigator.clipboard.readText()).includes("#1.")
      );
      const link = await page.evaluate(() => navigator.clipboard.readText());
      expect(link).toBe(page.url());
      const asked: string[] = [];
      await visiting({ hash: link.split("#")[1] }, async ({ page: other }) => {
        other.on("request", (request) => asked.push(request.url()));
        expect(await textOf(other, "#input-editor")).toBe(await textOf(page, "#input-editor"));
        expect(await textOf(other, AFTER)).toBe(await textOf(page, AFTER));
        expect(await other.locator("#compat").inputValue()).toBe("1.24");
        expect(await other.locator("#namespace").inputValue()).toBe("elsewhere");
        await other.click("#tab-config");
        expect(await textOf(other, "#input-editor")).toContain("debug.example.com/rendered-for");
      });
      expect(asked).toEqual([]);
    }));

  const hostile: [name: string, hash: string][] = [
    ["is no base64", "1.???"],
    ["is no deflated text", "1.aGVsbG8"],
    ["is of another form", "9.aGVsbG8"],
    // 40 MB of spaces, deflated.
    ["swells", `1.${deflated(" ".repeat(40_000_000))}`],
    ["holds another shape", `1.${deflated('{"manifest": 1, "settings": []}')}`],
    ["holds no JSON", `1.${deflated("<script>alert(1)</script>")}`],
  ];
  test.each(hostile)(
    "that %s is told of, and an example shown",
    (_name, hash) =>
      visiting({ hash }, async ({ page }) => {
        expect(await page.locator("#toast").innerText()).toStartWith("Cannot read the link:");
        expect(await verdict(page)).toBe("Injected");
      }),
  );

  test("with markup in it is shown as text", () =>
    visiting({
      hash: `1.${
        deflated(JSON.stringify({
          manifest: `kind: Pod\nmetadata:\n  name: '<img src=x onerror="document.title=1">'\n` +
            `  annotations: {sidecar.istio.io/proxyCPU: '<b>'}\nspec: {}\n`,
          config:
            "policy: enabled\ntemplates:\n  sidecar: |\n    <script>document.title = 1</script>{{ fail `<i>no</i>` }}\n",
          settings: {
            compat: "today",
            revision: "",
            namespace: "<u>",
            namespaceLabels: "",
            nativeSidecars: false,
          },
        }))
      }`,
    }, async ({ page }) => {
      await untilVerdict(page, "Refused");
      for (const tab of ["output", "decision", "patch", "diff"]) await page.click(`#tab-${tab}`);
      expect(await page.title()).toBe("Outrigger playground");
      const markup = await page.locator("main :is(b, i, u, img, script)").count();
      expect(markup).toBe(0);
    }));
});

function deflated(text: string): string {
  return Buffer.from(Bun.deflateSync(Buffer.from(text))).toString("base64url");
}

describe("a template without end", () => {
  const ENDLESS = `policy: enabled
templates:
  sidecar: |
    {{- $list := until 1000 }}
    {{- range $list }}{{ range $list }}{{ $x := bcrypt "slow" }}{{ end }}{{ end }}
`;
  test("is refused by the budget, and the engine goes on", () =>
    visiting({}, async ({ page }) => {
      await page.click("#tab-config");
      await typeOver(page, { into: INPUT, text: ENDLESS });
      await untilVerdict(page, "Refused");
      await page.click("#tab-config");
      await page.selectOption("#example", "deployment");
      await untilVerdict(page, "Injected");
    }));
});

describe("by keyboard alone", () => {
  test("every control is reached, tabs go by arrows, the editor is no trap", () =>
    visiting({}, async ({ page }) => {
      const seen: string[] = [];
      for (let count = 0; count < 30; count++) {
        await page.keyboard.press("Tab");
        const at = await page.evaluate(() => {
          const node = document.activeElement;
          return node?.id || node?.getAttribute("aria-label") || node?.tagName || "";
        });
        if (at === "BODY" || (at === "skip" && seen.length > 0)) break;
        seen.push(at);
      }
      expect(seen.slice(0, 6)).toEqual([
        "skip",
        "example",
        "compat",
        "settings-button",
        "share",
        "theme",
      ]);
      for (
        const id of ["tab-manifest", "Manifest", "splitter", "tab-diff", "whole", "copy", "After"]
      ) {
        expect(seen).toContain(id);
      }
      await page.focus("#tab-manifest");
      await page.keyboard.press("ArrowRight");
      expect(await page.locator("#tab-config").getAttribute("aria-selected")).toBe("true");
      expect(await page.evaluate(() => document.activeElement?.id)).toBe("tab-config");
      await page.keyboard.press("Tab");
      await page.keyboard.press("ControlOrMeta+a");
      await page.keyboard.insertText("templates: [");
      await untilVerdict(page, "Error");
      await page.keyboard.press("Tab");
      // The list of problems comes next: Enter leads to the mistake.
      await page.keyboard.press("Enter");
      expect(await page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toBe(
        "Config",
      );
    }));

  test("the skip link leads to the result, and the splitter moves by arrows", () =>
    visiting({}, async ({ page }) => {
      await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");
      expect(await page.evaluate(() => document.activeElement?.id)).toBe("result");
      const width = () => page.locator("#input").evaluate((node) => node.clientWidth);
      const before = await width();
      await page.focus("#splitter");
      await page.keyboard.press("ArrowRight");
      expect(await width()).toBeGreaterThan(before);
      const outline = await page.locator("#splitter").evaluate((node) =>
        getComputedStyle(node).outlineStyle
      );
      expect(outline).toBe("solid");
    }));
});

describe("on a phone", () => {
  const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

  test("one pane is shown at a time, the diff in one column, and nothing is cut off", () =>
    visiting(phone, async ({ page }) => {
      expect(await page.locator("#input").isVisible()).toBe(true);
      expect(await page.locator("#result").isVisible()).toBe(false);
      await page.tap("#switch button[data-pane=result]");
      expect(await page.locator("#input").isVisible()).toBe(false);
      await page.waitForSelector("#result-view .cm-insertedLine, #result-view .cm-changedLine");
      expect(await page.locator(".cm-mergeView").count()).toBe(0);
      for (const tab of ["diff", "output", "decision", "patch"]) {
        await page.tap(`#tab-${tab}`);
        const { wide, seen } = await page.evaluate(() => ({
          wide: document.documentElement.scrollWidth,
          seen: innerWidth,
        }));
        expect(wide).toBeLessThanOrEqual(seen);
      }
    }));
});

describe("colours", () => {
  /** Contrast of text against what is behind it, by WCAG 2. */
  const contrasts = (page: Page) =>
    page.evaluate(() => {
      const canvas = document.createElement("canvas").getContext("2d", {
        willReadFrequently: true,
      })!;
      const rgb = (colour: string) => {
        canvas.clearRect(0, 0, 1, 1);
        canvas.fillStyle = colour;
        canvas.fillRect(0, 0, 1, 1);
        return [...canvas.getImageData(0, 0, 1, 1).data];
      };
      const light = ([r, g, b]: number[]) => {
        const part = (value: number) => {
          const share = value / 255;
          return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
        };
        return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
      };
      const behind = (node: Element | null): number[] => {
        for (let at = node; at !== null; at = at.parentElement) {
          const colour = rgb(getComputedStyle(at).backgroundColor);
          if (colour[3] === 255) return colour;
        }
        return [255, 255, 255, 255];
      };
      const found: { text: string; ratio: number }[] = [];
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      while (walker.nextNode()) {
        const { parentElement: parent, textContent } = walker.currentNode;
        const text = textContent?.trim() ?? "";
        if (parent === null || text === "" || !parent.checkVisibility()) continue;
        const [a, b] = [light(rgb(getComputedStyle(parent).color)), light(behind(parent))];
        const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        found.push({ text: text.slice(0, 40), ratio: Math.round(ratio * 100) / 100 });
      }
      return found;
    });

  const schemes = [["light"], ["dark"]] as const;
  test.each(schemes)(
    "of the %s theme are told apart by everyone: 4.5 to 1 at least",
    (colorScheme) =>
      visiting({ colorScheme }, async ({ page }) => {
        for (const example of ["own-template", "broken-template", "deployment"]) {
          await page.selectOption("#example", example);
          await page.waitForSelector("body[data-state=done]");
          const found = await contrasts(page);
          expect(found.length).toBeGreaterThan(50);
          expect(found.filter(({ ratio }) => ratio < 4.5)).toEqual([]);
        }
      }),
  );

  test("follow the system, and the button before it", () =>
    visiting({ colorScheme: "dark" }, async ({ page }) => {
      const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      const dark = await paper();
      await page.click("#theme");
      expect(await page.locator("#theme").getAttribute("aria-label")).toBe("Theme: light");
      expect(await paper()).not.toBe(dark);
      await page.reload();
      await page.waitForSelector("body[data-state=done]");
      expect(await paper()).not.toBe(dark);
      await page.click("#theme");
      expect(await paper()).toBe(dark);
    }));
});

test("the page goes on working when its server is gone", () =>
  visiting({}, async ({ page }) => {
    await page.context().setOffline(true);
    await typeOver(page, { into: INPUT, text: POD });
    await page.waitForFunction(() =>
      document.querySelector(".cm-merge-b")?.textContent?.includes("typed:1")
    );
    await page.selectOption("#example", "gateway");
    await untilVerdict(page, "Injected");
  }));
