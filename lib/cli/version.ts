/** `outrigger version`: what is running, for people and for bug reports. */

import { COMMIT, VERSION } from "./_build.ts";
import { defineCommand } from "./command.ts";

export const version = defineCommand({
  name: "version",
  summary: "print the version, the commit it was built from, and the runtime",
  usage: "[flags]",
  flags: [
    {
      name: "output",
      short: "o",
      type: "string",
      value: "FORMAT",
      description: "how to print it",
      choices: ["text", "json"],
      default: "text",
    },
  ],
  positionals: [],
  examples: [
    { line: "outrigger version", note: "for people" },
    { line: "outrigger version -o json", note: "for programs" },
  ],
  async run({ flags }, host) {
    const { name, version, platform } = host.runtime;
    const text = flags.output === "json"
      ? JSON.stringify(
        { version: VERSION, commit: COMMIT, runtime: { name, version }, platform },
        null,
        2,
      )
      : `outrigger ${VERSION}\ncommit ${COMMIT}\nruntime ${name} ${version}, ${platform}`;
    await host.stdout.write(`${text}\n`);
    return 0;
  },
});
