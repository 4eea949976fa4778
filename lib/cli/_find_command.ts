/** Finds a command by name, or throws an error that suggests a similar name. */

import { didYouMean } from "./_nearest.ts";
import { type Command, UsageError } from "./command.ts";

export interface FoundCommand {
  readonly command: Command;
  /** The words after its name. */
  readonly rest: readonly string[];
}

/** Finds a command or subcommand; stops at the first flag. */
export function findCommand(
  commands: readonly Command[],
  [first, ...rest]: readonly string[],
): FoundCommand {
  let command = oneOf(commands, first);
  while (command.commands !== undefined && rest.length > 0 && !rest[0].startsWith("-")) {
    command = oneOf(command.commands, `${command.name} ${rest[0]}`, command.name);
    rest = rest.slice(1);
  }
  return { command, rest };
}

function oneOf(commands: readonly Command[], name: string, group = ""): Command {
  const found = commands.find((command) =>
    command.name === name || command.aliases?.includes(name)
  );
  if (found !== undefined) return found;
  const names = commands.flatMap((command) => [command.name, ...command.aliases ?? []]);
  const what = didYouMean(`Unknown command ${JSON.stringify(name)}`, name, names);
  throw new UsageError(`${what} Run "${["outrigger help", group].join(" ").trim()}"`);
}
