/** `outrigger playground`: the page, on this machine. */

import { defaultConfig } from "../inject/mod.ts";
import type { Served } from "../playground/serve/page_handler.ts";
import { PLAYGROUND_PORT } from "../serve/mod.ts";
import { VERSION } from "./_build.ts";
import { defineCommand, UsageError } from "./command.ts";

export const playground = defineCommand({
  name: "playground",
  summary: "serve a page to try manifests, templates and values on",
  usage: "[flags]",
  description:
    "Serves a page on this machine: paste a pod or a Deployment, choose config, values and mesh " +
    "config, and see the result as a diff, the decision, the patch, and where each line comes " +
    "from. The engine runs in the browser: nothing that is typed there leaves it, the page " +
    "changes nothing, and works without a network.",
  flags: [
    {
      name: "port",
      type: "number",
      value: "PORT",
      description: "port of the page; 0 for any that is free",
      default: PLAYGROUND_PORT,
      env: "OUTRIGGER_PLAYGROUND_PORT",
    },
    {
      name: "address",
      type: "string",
      value: "ADDRESS",
      description: "where to listen",
      default: "127.0.0.1",
    },
    {
      name: "injectConfigFile",
      type: "string",
      value: "FILE",
      description: "injection config, or a template, to begin with",
    },
    {
      name: "valuesFile",
      type: "string",
      value: "FILE",
      description: "values to begin with",
    },
    {
      name: "meshConfigFile",
      type: "string",
      value: "FILE",
      description: "mesh config to begin with",
    },
  ],
  positionals: [],
  examples: [
    { line: "outrigger playground", note: "prints the page's address" },
    {
      line: "outrigger playground --injectConfigFile config.yaml --valuesFile values.json",
      note: "with an installation's own config",
    },
  ],
  async run({ flags }, host) {
    const { port, address } = flags;
    if (!Number.isInteger(port) || port < 0 || port > 65535) {
      throw new UsageError(
        `Flag "--port" wants a port from 0 to 65535, got "${port}". Run "outrigger help playground"`,
      );
    }
    const read = (path: string | undefined) => path === undefined ? undefined : host.readText(path);
    const given = {
      config: await read(flags.injectConfigFile),
      values: await read(flags.valuesFile),
      mesh: await read(flags.meshConfigFile),
    };
    const served = servedTexts(given);
    // Loaded only now: other commands should not wait for a page they don't serve.
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
      await host.stdout.write(`The page is at ${page.url}\n`);
      await stopped.promise;
    } finally {
      for (const end of ends) end();
      await page.stop(0);
    }
    return 0;
  },
});

/** What the flags name; what they don't is as shipped. `undefined` where they name nothing. */
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
