/** `outrigger completion bash|zsh|fish`: the shell's script, or, for that script, what may come next. */

import { complete } from "./_complete.ts";
import { completionLines, SCRIPTS, type Shell, SHELLS } from "./_completion_scripts.ts";
import { type Command, defineCommand } from "./command.ts";

/** Completion is about all commands, itself among them: so it is given the list, late. */
export function completionCommand(commands: () => readonly Command[]): Command {
  return defineCommand({
    name: "completion",
    summary: "print a script that completes commands and flags in a shell",
    usage: "bash|zsh|fish [-- WORD...]",
    description: "Prints a script for the shell to read when it starts. With words after --, " +
      "prints what may come in the place of the last one: the script asks so.",
    flags: [],
    positionals: [
      { name: "SHELL", description: "the shell", choices: SHELLS },
      { name: "WORD", description: "the line so far", optional: true, repeated: true },
    ],
    examples: [
      {
        line: "outrigger completion bash > ~/.local/share/bash-completion/completions/outrigger",
        note: "for every bash from now on",
      },
      {
        line: 'outrigger completion zsh > "${fpath[1]}/_outrigger"',
        note: "for every zsh from now on",
      },
      {
        line: "outrigger completion fish > ~/.config/fish/completions/outrigger.fish",
        note: "for every fish from now on",
      },
    ],
    async run({ positionals: [name, ...words] }, host) {
      const shell = name as Shell;
      await host.stdout.write(
        words.length === 0 ? SCRIPTS[shell] : completionLines(complete(commands(), words), shell),
      );
      return 0;
    },
  });
}
