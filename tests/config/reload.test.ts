/** Configuration that changes while a server runs is used entirely or not at all. */
import { describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import type { ReviewInjector } from "../../lib/admission/mod.ts";
import { createInjector } from "../../lib/inject/injector.ts";
import {
  type ConfigFiles,
  type ConfigReload,
  fileSource,
  openConfig,
} from "../../lib/config/reload.ts";
import { sprigFunctions } from "../../lib/go/sprig/mod.ts";
import { createClock, createHost, type Host } from "../../lib/host/mod.ts";
import { memoryHost } from "../_memory_host.ts";
import { testSprigHost } from "../go/_sprig_host.ts";
import { fakeClock } from "../server/_fake_clock.ts";

const FILES: ConfigFiles = {
  config: "/inject/config",
  values: "/inject/values",
  mesh: "/mesh/mesh",
};

/** Returns a config with one template, which labels the pod. */
const labelling = (value: string) =>
  `policy: enabled
templates:
  sidecar: |
    metadata:
      labels:
        which: ${value}
`;

const sprig = sprigFunctions(testSprigHost());
const build = (texts: Parameters<typeof createInjector>[0]) =>
  createInjector(texts, { sprig, tried: true });
const versionOf = (injector: ReturnType<typeof build>) => injector.version;

/** Returns the label of a pod injected with the current configuration. */
function labelOf({ current }: ConfigReload<ReviewInjector>): unknown {
  const object = { metadata: { name: "x" }, spec: { containers: [{ name: "a" }] } };
  const { patch } = current().value.admit({ object, namespace: "x", proxyEnv: {} }, {});
  return /"which":"([^"]*)"/.exec(JSON.stringify(patch))?.[1];
}

async function opened(files: Record<string, string> = {}, where: Partial<ConfigFiles> = {}) {
  const host = memoryHost({
    files: {
      "/inject/config": labelling("{{ .Values.which }}"),
      "/inject/values": "which: one",
      "/mesh/mesh": "",
      ...files,
    },
  });
  const clock = fakeClock();
  const loaded: string[] = [];
  const failures: { message: string; file?: string; line?: number; column?: number }[] = [];
  const reload = await openConfig({
    sources: [fileSource({ ...FILES, ...where }, { host, clock })],
    build,
    version: versionOf,
    clock,
    onChange: ({ version }) => loaded.push(version),
    onFailure: ({ message, place }) => failures.push({ message, ...place }),
  });
  return { host, clock, reload, loaded, failures };
}

describe("openConfig()", () => {
  test("applies a change within a second, with a new version", async () => {
    const { host, clock, reload, loaded, failures } = await opened();
    const { version } = reload.current();
    expect(labelOf(reload)).toBe("one");
    await host.writeFile("/inject/values", "which: two");
    await clock.advance(1_000);
    expect(labelOf(reload)).toBe("two");
    expect(loaded).toEqual([reload.current().version]);
    expect(loaded[0]).not.toBe(version);
    expect(loaded[0]).toMatch(/^[0-9a-f]{12}$/);
    await host.writeFile("/inject/values", "which: one");
    await clock.advance(1_000);
    expect(reload.current().version).toBe(version);
    expect(failures).toEqual([]);
  });

  test("batches changes that arrive together", async () => {
    const { host, clock, reload, loaded } = await opened();
    await host.writeFile("/inject/config", labelling("three"));
    await host.writeFile("/inject/values", "which: [unclosed");
    await clock.advance(50);
    await host.writeFile("/inject/values", "which: two");
    await clock.advance(1_000);
    expect(labelOf(reload)).toBe("three");
    expect(loaded).toHaveLength(1);
  });

  test("finds changes that the watch misses", async () => {
    const { host, clock, reload } = await opened();
    host.files.set("/inject/values", new TextEncoder().encode("which: two"));
    await clock.advance(9_000);
    expect(labelOf(reload)).toBe("one");
    await clock.advance(1_000);
    expect(labelOf(reload)).toBe("two");
  });

  test("does nothing without a change", async () => {
    const { host, clock, reload, loaded } = await opened();
    const before = reload.current();
    await host.writeFile("/inject/values", "which: one");
    await clock.advance(60_000);
    expect(loaded).toEqual([]);
    expect(reload.current()).toBe(before);
  });

  test.each([
    [
      "broken YAML",
      "/inject/config",
      "policy: enabled\ntemplates:\n  sidecar: [\n",
      { file: "/inject/config", line: 4 },
    ],
    [
      "a key of another type",
      "/inject/config",
      "policy: enabled\ntemplates: text",
      { file: "/inject/config", message: 'key "templates" must hold a map' },
    ],
    [
      "a template that does not parse",
      "/inject/config",
      labelling("{{ .Values.which | nosuch }}"),
      { file: "/inject/config", line: 6, message: 'function "nosuch" not defined' },
    ],
    [
      "a template that fails on a pod",
      "/inject/config",
      labelling('{{ fail "no" }}'),
      { file: "/inject/config", line: 6, column: 19, message: "error calling fail: no" },
    ],
    [
      "a template that makes no pod",
      "/inject/config",
      labelling("[]"),
      { message: "cannot unmarshal array" },
    ],
    [
      "broken values",
      "/inject/values",
      "a: b\nwhich: [unclosed",
      { file: "/inject/values", line: 2 },
    ],
    [
      "values of another type",
      "/inject/values",
      "which: two\nglobal: {hub: 5}",
      { file: "/inject/values", message: "cannot unmarshal number" },
    ],
    ["broken mesh config", "/mesh/mesh", "a: [", { file: "/mesh/mesh", line: 1 }],
    [
      "mesh config that makes no sense",
      "/mesh/mesh",
      "defaultConfig: {drainDuration: -5s}",
      { file: "/mesh/mesh" },
    ],
  ])("keeps serving over %s, and says where and why, once", async (_, path, text, wanted) => {
    const { host, clock, reload, loaded, failures } = await opened();
    const before = reload.current();
    // Good values arrive with the bad config; neither is used.
    if (path !== "/inject/values") await host.writeFile("/inject/values", "which: half");
    await host.writeFile(path, text);
    await clock.advance(60_000);
    expect(labelOf(reload)).toBe("one");
    expect(reload.current()).toBe(before);
    expect(loaded).toEqual([]);
    expect(failures).toHaveLength(1);
    const { message = "", ...place } = wanted as { message?: string };
    expect(failures[0]).toMatchObject(place);
    expect(failures[0].message).toContain(message);
    expect(failures[0].message).toEndWith(`; still serving version ${before.version}`);
    expect(reload.failure()?.message).toBe(failures[0].message);
    // Then the config is fixed.
    await host.writeFile("/mesh/mesh", "");
    await host.writeFile("/inject/config", labelling("mended"));
    await host.writeFile("/inject/values", "{}");
    await clock.advance(1_000);
    expect(labelOf(reload)).toBe("mended");
    expect(reload.failure()).toBeUndefined();
    expect(failures).toHaveLength(1);
  });

  test("keeps serving while files are missing, and recovers when they return", async () => {
    const { host, clock, reload, failures } = await opened();
    const config = host.files.get("/inject/config")!;
    host.files.delete("/inject/config");
    await clock.advance(30_000);
    expect(labelOf(reload)).toBe("one");
    expect(failures.map(({ message }) => message)).toEqual([
      'Cannot read "/inject/config": no such file or directory; ' +
      `still serving version ${reload.current().version}`,
    ]);
    host.files.set("/inject/config", config);
    await clock.advance(10_000);
    expect(reload.failure()).toBeUndefined();
  });

  test("reads directories mounted from config maps", async () => {
    const { host, clock, reload } = await opened({}, {
      config: "/inject",
      values: "/inject/",
      mesh: "/mesh",
    });
    expect(labelOf(reload)).toBe("one");
    await host.writeFile("/inject/values", "which: two");
    await clock.advance(1_000);
    expect(labelOf(reload)).toBe("two");
  });

  test("runs without optional files until they exist", async () => {
    const where: Partial<ConfigFiles> = { values: "/other/values", optional: ["values"] };
    const { host, clock, reload, failures } = await opened({}, where);
    expect(labelOf(reload)).toBe("<no value>");
    await host.writeFile("/other/values", "which: late");
    await clock.advance(1_000);
    expect(labelOf(reload)).toBe("late");
    host.files.delete("/other/values");
    await clock.advance(10_000);
    expect(labelOf(reload)).toBe("late");
    expect(failures).toHaveLength(1);
  });

  test.each([
    ["absent files", { config: "/nowhere/config" }, {}, "no such file"],
    ["broken ones", {}, { "/inject/config": "templates: 5" }, "must hold a map"],
  ])("does not begin with %s", async (_, where, files, message) => {
    const error = await opened(files, where).then(() => undefined, (error: Error) => error);
    expect(error?.message).toContain(message);
  });

  test("never reads a half-finished swap", async () => {
    const { host, clock, reload, loaded } = await opened();
    const { readText } = host;
    let reads = 0;
    // The values change between the reading of the config and theirs.
    host.readText = async (path) => {
      if (path === "/inject/values" && reads++ === 0) {
        await host.writeFile("/inject/config", labelling("new {{ .Values.which }}"));
        await host.writeFile("/inject/values", "which: two");
      }
      return await readText(path);
    };
    await clock.advance(20_000);
    expect(labelOf(reload)).toBe("new two");
    expect(loaded).toHaveLength(1);
  });

  test("does nothing after it is closed", async () => {
    const { host, clock, reload, loaded } = await opened();
    reload.close();
    await host.writeFile("/inject/values", "which: two");
    await clock.advance(60_000);
    expect(loaded).toEqual([]);
    expect(clock.waiting()).toBe(0);
  });
});

test("follows a mounted config map that is swapped, broken, removed and restored", async () => {
  const directory = mkdtempSync(`${tmpdir()}/outrigger-config-`);
  let version = 0;
  /** Updates files like the kubelet: writes a new directory and renames a link to it into place. */
  const mount = (config: string, values: string) => {
    const name = `..v${++version}`;
    mkdirSync(`${directory}/${name}`);
    writeFileSync(`${directory}/${name}/config`, config);
    writeFileSync(`${directory}/${name}/values`, values);
    symlinkSync(name, `${directory}/..tmp`);
    renameSync(`${directory}/..tmp`, `${directory}/..data`);
    if (version > 1) rmSync(`${directory}/..v${version - 1}`, { recursive: true, force: true });
  };
  const links = () => {
    for (const name of ["config", "values"]) symlinkSync(`..data/${name}`, `${directory}/${name}`);
  };
  mount(labelling("{{ .Values.which }}"), "which: one");
  links();
  const failures: string[] = [];
  const host: Host = createHost();
  const clock = createClock();
  const reload = await openConfig({
    sources: [fileSource({ config: directory, values: directory }, { host, clock })],
    build,
    version: versionOf,
    clock,
    onChange() {},
    onFailure: ({ message }) => failures.push(message),
  });
  const until = async (what: () => boolean) => {
    const started = performance.now();
    while (!what()) {
      expect(performance.now() - started).toBeLessThan(10_000);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return performance.now() - started;
  };
  try {
    mount(labelling("{{ .Values.which }}"), "which: two");
    const taken = await until(() => labelOf(reload) === "two");
    console.log(`swapped config map taken after ${taken.toFixed(0)} ms`);
    expect(taken).toBeLessThan(2_000);
    mount(labelling("{{ if }}"), "which: three");
    await until(() => failures.length === 1);
    expect(failures[0]).toContain(`${directory}/config" at 6:`);
    expect(labelOf(reload)).toBe("two");
    rmSync(directory, { recursive: true });
    await until(() => failures.length === 2);
    expect(labelOf(reload)).toBe("two");
    mkdirSync(directory);
    mount(labelling("back"), "{}");
    links();
    await until(() => labelOf(reload) === "back");
    expect(reload.failure()).toBeUndefined();
    // The watch on the restored directory works again.
    mount(labelling("again"), "{}");
    expect(await until(() => labelOf(reload) === "again")).toBeLessThan(2_000);
  } finally {
    reload.close();
    rmSync(directory, { recursive: true, force: true });
  }
});
