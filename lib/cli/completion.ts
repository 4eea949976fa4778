/** `outrigger completion bash|zsh|fish`: prints the completion script, or candidates for that script. */

import { complete } from "./_complete.ts";
import { completionLines, SCRIPTS, type Shell, SHELLS } from "./_completion_scripts.ts";
import { type Command, defineCommand } from "./command.ts";

/** Defines the command. The list of commands is passed lazily, because it contains this one. */
export function completionCommand(commands: () => readonly Command[]): Command {
  return defineCommand({
    name: "completion",
    summary: "print a shell completion script",
    usage: "bash|zsh|fish [-- WORD...]",
    description:
      "Prints a completion script for the shell. The script itself passes the words of the " +
      "command line after --, and gets the candidates for the last one.",
    flags: [],
    positionals: [
      { name: "SHELL", description: "shell to complete in", choices: SHELLS },
      { name: "WORD", description: "words of the command line", optional: true, repeated: true },
    ],
    examples: [
      {
        line: "outrigger completion bash > ~/.local/share/bash-completion/completions/outrigger",
        note: "enable completion in every new bash",
      },
      {
        line: 'outrigger completion zsh > "${fpath[1]}/_outrigger"',
        note: "enable completion in every new zsh",
      },
      {
        line: "outrigger completion fish > ~/.config/fish/completions/outrigger.fish",
        note: "enable completion in every new fish",
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
