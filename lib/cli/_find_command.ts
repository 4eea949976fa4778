/** A command by its name or alias, or the wrong-usage error that says which one was perhaps meant. */

import { didYouMean } from "./_nearest.ts";
import { type Command, UsageError } from "./command.ts";

export function findCommand(commands: readonly Command[], name: string): Command {
  const found = commands.find((command) =>
    command.name === name || command.aliases?.includes(name)
  );
  if (found !== undefined) return found;
  const names = commands.flatMap((command) => [command.name, ...command.aliases ?? []]);
  const what = didYouMean(`Unknown command ${JSON.stringify(name)}`, name, names);
  throw new UsageError(`${what} Run "outrigger help"`);
}
