/** `outrigger help [COMMAND...]`: the same pages that `--help` prints. */

import { VERSION } from "./_build.ts";
import { findCommand } from "./_find_command.ts";
import { commandHelp, programHelp } from "./_help_text.ts";
import { type Command, defineCommand, UsageError } from "./command.ts";

/** Help is about all commands, itself among them: so it is given the list, late. */
export function helpCommand(commands: () => readonly Command[]): Command {
  return defineCommand({
    name: "help",
    summary: "print the list of commands, or one command's flags and examples",
    usage: "[COMMAND...]",
    flags: [],
    positionals: [{
      name: "COMMAND",
      description: "the command to explain",
      optional: true,
      repeated: true,
    }],
    examples: [{ line: "outrigger help version", note: "what version can print" }],
    async run({ positionals }, host) {
      await host.stdout.write(page(commands(), positionals));
      return 0;
    },
  });
}

function page(commands: readonly Command[], words: readonly string[]): string {
  if (words.length === 0) return programHelp(commands, VERSION);
  const { command, rest: [extra] } = findCommand(commands, words);
  if (extra === undefined) return commandHelp(command);
  throw new UsageError(`Unexpected argument ${JSON.stringify(extra)}. Run "outrigger help help"`);
}
