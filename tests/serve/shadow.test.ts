/** `outrigger serve --shadow-config`: the second configuration, in good and bad weather. */
import { describe, expect, test } from "bun:test";
import { openShadow, type ShadowInjector } from "../../lib/serve/_shadow.ts";
import type { EngineSources } from "../../lib/inject/engine.ts";
import { createLogger } from "../../lib/server/mod.ts";
import { memoryHost } from "../_memory_host.ts";
import { Client } from "../server/_client.ts";
import { fakeClock } from "../server/_fake_clock.ts";
import { INERT, podReview } from "../server/_serving.ts";
import { CONFIG, programFiles, startProgram } from "../cli/_program.ts";

test("a broken shadow harms nobody, and one that is mended tells what would differ", async () => {
  using files = await programFiles();
  files.write("shadow", "templates: {sidecar: '{{ nope }}'}");
  await using program = await startProgram([
    ...["serve", "--drain=0s", `--shadow-config=${files.directory}/shadow`],
    ...files.flags,
  ]);
  const client = await Client.tls(program.port);
  const plain = await Client.plain(program.plainPort);
  const metric = async (result: string) => {
    const { body } = await plain.request("/metrics");
    const line = new RegExp(`outrigger_shadow_reviews_total\\{result="${result}"\\} (\\d+)`);
    return Number(line.exec(body)?.[1] ?? 0);
  };
  const send = async () => {
    const { response } = JSON.parse((await client.review(podReview())).body);
    expect(response.allowed).toBe(true);
    const patch = new TextDecoder().decode(Uint8Array.fromBase64(response.patch));
    // What is served is the first configuration, whatever the second one says.
    expect(patch).toContain('"image":"proxy"');
  };
  await send();
  const refused = await program.line(({ message }) => message === "shadow configuration rejected");
  expect(refused).toMatchObject({
    level: "error",
    error: 'template: inject:1: function "nope" not defined',
  });
  expect(await metric("failed")).toBe(1);

  files.write("shadow", CONFIG.replace("image: proxy", "image: proxy:2"));
  const deadline = performance.now() + 15_000;
  while (await metric("different") === 0) {
    expect(performance.now()).toBeLessThan(deadline);
    await send();
  }
  await program.line(({ message }) => message === "shadow configuration loaded");
  expect(await program.line(({ message }) => message === "shadow configuration differs"))
    .toMatchObject({
      pod: "web",
      namespace: "shop",
      changes: "~spec.containers[istio-proxy].image",
    });
  expect((await plain.request("/readyz")).status).toBe(200);
  client.close();
  plain.close();
});

describe("openShadow()", () => {
  const MAIN: EngineSources = { config: "c", values: "v", mesh: "m" };

  function open(settings: Record<string, string>, files: Record<string, string>) {
    const [clock, host] = [fakeClock(), memoryHost({ files })];
    const log = createLogger({ output: host.stdout, clock, format: "json", level: "info" });
    const made: EngineSources[] = [];
    const build = (sources: EngineSources): ShadowInjector => {
      if (sources.config === "bad") throw new Error("bad config");
      made.push(sources);
      return { ...INERT, version: "v" };
    };
    const paths = { shadowConfig: undefined, shadowValues: undefined, shadowMesh: undefined };
    const shadow = openShadow({ settings: { ...paths, ...settings }, host, clock, log, build });
    return { shadow, clock, host, made, log };
  }

  test("lays its own texts over the first configuration's, and builds once for each pair", async () => {
    const { shadow, clock, host, made } = open({ shadowValues: "d/values" }, { "d/values": "w" });
    await clock.advance(0);
    const first = shadow.injector(MAIN);
    expect(first).toBeDefined();
    expect(shadow.injector(MAIN)).toBe(first);
    expect(made).toEqual([{ ...MAIN, values: "w" }]);
    expect(shadow.injector({ ...MAIN, mesh: "n" })).not.toBe(first);
    await host.writeFile("d/values", "x");
    await clock.advance(1_000);
    shadow.injector(MAIN);
    expect(made.slice(1)).toEqual([{ ...MAIN, mesh: "n", values: "w" }, { ...MAIN, values: "x" }]);
    shadow.close();
    expect(clock.waiting()).toBe(0);
  });

  test("looks again for a file that is not there", async () => {
    const { shadow, clock, host, log } = open({ shadowConfig: "d/config" }, {});
    await clock.advance(60_000);
    expect(shadow.injector(MAIN)).toBeUndefined();
    await host.writeFile("d/config", "bad");
    await clock.advance(30_000);
    expect(shadow.injector(MAIN)).toBeUndefined();
    expect(shadow.injector(MAIN)).toBeUndefined();
    await host.writeFile("d/config", "good");
    await clock.advance(30_000);
    expect(shadow.injector(MAIN)).toBeDefined();
    await log.flush();
    const messages = host.out.stdout.trim().split("\n").map((line) => JSON.parse(line))
      .map(({ message, error }) => `${message}${error ? `: ${error}` : ""}`);
    expect(messages).toEqual([
      'shadow configuration rejected: Cannot read "d/config": no such file or directory',
      "shadow configuration rejected: bad config",
      "shadow configuration loaded",
    ]);
    shadow.close();
    expect(clock.waiting()).toBe(0);
  });
});
