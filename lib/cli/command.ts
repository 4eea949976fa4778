/**
 * What a command is: a descriptor, from which parsing, checking and help are all made, beside its `run`.
 * A command lives in a file of its own in this folder and is listed in `commands.ts`.
 */

import { type Args, type Flag, UsageError } from "../flags/mod.ts";
import type { Host } from "../host/mod.ts";

export {
  type Args,
  type BooleanFlag,
  type Flag,
  type FlagSource,
  type FlagValues,
  type ListFlag,
  type NumberFlag,
  type StringFlag,
  UsageError,
} from "../flags/mod.ts";

export interface Positional {
  /** Upper case, as in `FILE`. */
  readonly name: string;
  readonly description: string;
  readonly optional?: boolean;
  /** Takes all that is left; the last one only. */
  readonly repeated?: boolean;
  /** The only values allowed, where they are few. */
  readonly choices?: readonly string[];
}

export interface Example {
  readonly line: string;
  readonly note: string;
}

export interface Command<F extends readonly Flag[] = readonly Flag[]> {
  /** Of one word; that of a command within another is the whole way to it, as in `certs create`. */
  readonly name: string;
  readonly aliases?: readonly string[];
  /** Whether flags without any command's name are for this one. */
  readonly takesBareFlags?: boolean;
  /** Whether it has a long life, and tells the host itself when its start is over. */
  readonly isServer?: boolean;
  /** One line for the list of commands: lower case, no full stop. */
  readonly summary: string;
  /** What follows `outrigger <name>`, as in `[flags] FILE`. */
  readonly usage: string;
  /** More for `outrigger help <name>`, in whole sentences. */
  readonly description?: string;
  readonly flags: F;
  readonly positionals: readonly Positional[];
  readonly examples: readonly Example[];
  /** Commands within this one: it is only the way to them, and does nothing itself. */
  readonly commands?: readonly Command[];
  /** Returns the exit code: 0 done, 1 failed. Wrong usage is thrown as a `UsageError`, which becomes 2. */
  run(args: Args<F>, host: Host): Promise<number>;
}

/** Types `run` by the flags above it, then forgets them, so that commands of all shapes fit one list. */
export function defineCommand<const F extends readonly Flag[]>(command: Command<F>): Command {
  return command as Command<readonly Flag[]>;
}

export interface CommandGroup {
  readonly name: string;
  readonly summary: string;
  readonly description?: string;
  readonly commands: readonly Command[];
}

/** A command that is only the way to others. */
export function defineGroup(group: CommandGroup): Command {
  return {
    ...group,
    usage: "COMMAND [flags] [arguments]",
    flags: [],
    positionals: [],
    examples: [],
    run() {
      throw new UsageError(`Missing command. Run "outrigger help ${group.name}"`);
    },
  };
}
