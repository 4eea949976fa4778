/** `outrigger help [COMMAND...]`: prints the same pages as `--help`. */

import { VERSION } from "./_build.ts";
import { findCommand } from "./_find_command.ts";
import { commandHelp, programHelp } from "./_help_text.ts";
import { type Command, defineCommand, UsageError } from "./command.ts";

/** Defines the command. The list of commands is passed lazily, because it contains this one. */
export function helpCommand(commands: () => readonly Command[]): Command {
  return defineCommand({
    name: "help",
    summary: "print the list of commands, or the help of one command",
    usage: "[COMMAND...]",
    flags: [],
    positionals: [{
      name: "COMMAND",
      description: "command to describe",
      optional: true,
      repeated: true,
    }],
    examples: [{ line: "outrigger help version", note: "print the help of outrigger version" }],
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
