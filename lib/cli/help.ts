/** `outrigger help [COMMAND]`: the same pages that `--help` prints. */

import { VERSION } from "./_build.ts";
import { findCommand } from "./_find_command.ts";
import { commandHelp, programHelp } from "./_help_text.ts";
import { type Command, defineCommand } from "./command.ts";

/** Help is about all commands, itself among them: so it is given the list, late. */
export function helpCommand(commands: () => readonly Command[]): Command {
  return defineCommand({
    name: "help",
    summary: "print the list of commands, or one command's flags and examples",
    usage: "[COMMAND]",
    flags: [],
    positionals: [{ name: "COMMAND", description: "the command to explain", optional: true }],
    examples: [{ line: "outrigger help version", note: "what version can print" }],
    async run({ positionals: [name] }, host) {
      const text = name === undefined
        ? programHelp(commands(), VERSION)
        : commandHelp(findCommand(commands(), name));
      await host.stdout.write(text);
      return 0;
    },
  });
}
