import { describe, expect, test } from "bun:test";
import { runCli } from "../../lib/cli/mod.ts";
import { type MemoryHost, memoryHost } from "../_memory_host.ts";
import { programFiles, startProgram } from "./_program.ts";
import { until } from "./_until.ts";

const FILES = { "config.yaml": "templates: {sidecar: mine}", "values.yaml": "a: 1" };

/** Runs the command until a signal, and looks at the page meanwhile. */
async function visiting(
  args: readonly string[],
  look: (url: string, host: MemoryHost) => Promise<void>,
): Promise<string> {
  const host = memoryHost({ files: FILES });
  const ended = runCli(["playground", "--port=0", ...args], host);
  await Promise.race([ended, until(() => host.out.stdout.includes("\n"))]);
  const url = /http:\S+/.exec(host.out.stdout)?.[0];
  if (url !== undefined) await look(url.replace("localhost", "127.0.0.1"), host);
  host.sendSignal("SIGINT");
  expect(await ended).toBe(url === undefined ? 1 : 0);
  return host.out.stdout + host.out.stderr;
}

describe("playground", () => {
  test("says where the page is, serves it, and ends with a signal", async () => {
    let asked = "";
    const output = await visiting([], async (url) => {
      asked = url;
      expect(await (await fetch(url)).text()).toContain("<title>Outrigger playground</title>");
      expect((await (await fetch(`${url}about.json`)).json()).served).toBeUndefined();
    });
    expect(output).toMatch(/^Serving the playground at http:\/\/localhost:\d+\/\n$/);
    expect(fetch(asked)).rejects.toThrow();
  });

  test("begins with the files that flags name", async () => {
    const args = ["--injectConfigFile=config.yaml", "--valuesFile=values.yaml"];
    await visiting(args, async (url) => {
      const { served } = await (await fetch(`${url}about.json`)).json();
      expect(served).toMatchObject({ config: FILES["config.yaml"], values: FILES["values.yaml"] });
      expect(served.mesh).toContain("trustDomain: cluster.local");
    });
  });

  test("says which file is not there", async () => {
    expect(await visiting(["--meshConfigFile=none"], () => Promise.resolve())).toBe(
      'outrigger: Cannot read "none": no such file or directory\n',
    );
  });

  test.each(["-1", "1.5", "65536"])("refuses port %s", async (port) => {
    const host = memoryHost();
    expect(await runCli(["playground", `--port=${port}`], host)).toBe(2);
    expect(host.out.stderr).toContain(`expects a port from 0 to 65535, got "${port}"`);
  });
});

describe("serve", () => {
  const pageOf = async (flags: readonly string[]) => {
    using files = await programFiles();
    await using program = await startProgram(["serve", ...files.flags, ...flags]);
    const serving = await program.line(({ message }) => message === "serving");
    if (serving.page === undefined) return undefined;
    const url = String(serving.page).replace("localhost", "127.0.0.1");
    expect(new URL(url).port).not.toBe(String(program.port));
    const about = await (await fetch(`${url}about.json`)).json();
    expect((await fetch(`${url}inject`, { method: "POST" })).status).toBe(405);
    expect((await fetch(`http://127.0.0.1:${program.plainPort}/main.js`)).status).toBe(404);
    return about;
  };

  test("has no page unless told", async () => {
    expect(await pageOf([])).toBeUndefined();
  });

  test("has it at a port of its own, and what is served not on it", async () => {
    expect(await pageOf(["--playground=0"])).toEqual({ version: "0.1.0" });
  });

  test("shows what is served where that is asked for", async () => {
    const { served } = await pageOf(["--playground=0", "--playground-config", "--revision=canary"]);
    expect(served.values).toBe("which: one");
    expect(served.config).toContain("{{ .Values.which }}");
    expect(served.settings).toEqual({ compat: "today", nativeSidecars: false, revision: "canary" });
  });
});
