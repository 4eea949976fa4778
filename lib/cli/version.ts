/** `outrigger version`: prints the version, commit and runtime. */

import { COMMIT, VERSION } from "./_build.ts";
import { OUTPUT_FLAG, printResult } from "./_output.ts";
import { defineCommand } from "./command.ts";

export const version = defineCommand({
  name: "version",
  summary: "print the version, the commit and the runtime",
  usage: "[flags]",
  flags: [OUTPUT_FLAG],
  positionals: [],
  examples: [
    { line: "outrigger version", note: "print text" },
    { line: "outrigger version -o json", note: "print JSON" },
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
