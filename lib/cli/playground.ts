/** `outrigger playground`: serves the playground page on this machine. */

import { defaultConfig } from "../inject/mod.ts";
import type { Served } from "../playground/serve/page_handler.ts";
import { PLAYGROUND_PORT } from "../serve/mod.ts";
import { VERSION } from "./_build.ts";
import { portFlag } from "../flags/mod.ts";
import { defineCommand } from "./command.ts";

export const playground = defineCommand({
  name: "playground",
  summary: "serve a local page for trying manifests, templates and values",
  usage: "[flags]",
  description:
    "Serves a page on this machine. Paste a pod or a Deployment, edit the config, values and mesh " +
    "config, and see the diff, the decision, the patch, and the origin of each line. " +
    "The engine runs in the browser: your input never leaves it, the page changes nothing, and " +
    "it works offline.",
  flags: [
    {
      name: "port",
      type: "number",
      value: "PORT",
      description: "port of the page; 0 picks a free port",
      default: PLAYGROUND_PORT,
      env: "OUTRIGGER_PLAYGROUND_PORT",
    },
    {
      name: "address",
      type: "string",
      value: "ADDRESS",
      description: "address to listen on",
      default: "127.0.0.1",
    },
    {
      name: "injectConfigFile",
      type: "string",
      value: "FILE",
      description: "initial injection config or template",
    },
    {
      name: "valuesFile",
      type: "string",
      value: "FILE",
      description: "initial values",
    },
    {
      name: "meshConfigFile",
      type: "string",
      value: "FILE",
      description: "initial mesh config",
    },
  ],
  positionals: [],
  examples: [
    { line: "outrigger playground", note: "print the URL of the page" },
    {
      line: "outrigger playground --injectConfigFile config.yaml --valuesFile values.json",
      note: "start from the config of an installation",
    },
  ],
  async run({ flags }, host) {
    const { port, address } = flags;
    portFlag({ command: "playground", name: "port" }, port);
    const read = (path: string | undefined) => path === undefined ? undefined : host.readText(path);
    const given = {
      config: await read(flags.injectConfigFile),
      values: await read(flags.valuesFile),
      mesh: await read(flags.meshConfigFile),
    };
    const served = servedTexts(given);
    // Loaded on demand, so that other commands do not pay for it.
    const { openPage } = await import("../playground/serve/open_page.ts");
    const stopped = Promise.withResolvers<void>();
    const ends = (["SIGINT", "SIGTERM"] as const).map((signal) =>
      host.onSignal(signal, () => stopped.resolve())
    );
    const page = await openPage({
      address,
      port,
      version: VERSION,
      randomBytes: (count) => host.randomBytes(count),
      served: served && (() => served),
      onError: (error) => {
        const reason = error instanceof Error ? error.message : String(error);
        void host.stderr.write(`outrigger: Cannot answer the browser: ${reason}\n`);
      },
    });
    try {
      await host.stdout.write(`Serving the playground at ${page.url}\n`);
      await stopped.promise;
    } finally {
      for (const end of ends) end();
      await page.stop(0);
    }
    return 0;
  },
});

/** Returns the given texts, completed with the built-in ones; undefined if none is given. */
function servedTexts(
  given: { config?: string; values?: string; mesh?: string },
): Served | undefined {
  if (Object.values(given).every((text) => text === undefined)) return undefined;
  const shipped = defaultConfig();
  return {
    config: given.config ?? shipped.config,
    values: given.values ?? shipped.values,
    mesh: given.mesh ?? shipped.mesh,
    settings: {},
  };
}
