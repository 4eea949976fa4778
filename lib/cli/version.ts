/** `outrigger version`: what is running, for people and for bug reports. */

import { COMMIT, VERSION } from "./_build.ts";
import { OUTPUT_FLAG, printResult } from "./_output.ts";
import { defineCommand } from "./command.ts";

export const version = defineCommand({
  name: "version",
  summary: "print the version, the commit it was built from, and the runtime",
  usage: "[flags]",
  flags: [OUTPUT_FLAG],
  positionals: [],
  examples: [
    { line: "outrigger version", note: "for people" },
    { line: "outrigger version -o json", note: "for programs" },
  ],
  async run({ flags }, host) {
    const { name, version, platform } = host.runtime;
    await printResult({
      text: () =>
        `outrigger ${VERSION}\ncommit ${COMMIT}\nruntime ${name} ${version}, ${platform}\n`,
      value: { version: VERSION, commit: COMMIT, runtime: { name, version }, platform },
    }, { host, format: flags.output });
    return 0;
  },
});
