/**
 * The type of a command: a descriptor, which drives parsing, validation and help, and its `run` function.
 * Each command has its own file in this folder and is listed in `commands.ts`.
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
  /** The name in upper case, such as `FILE`. */
  readonly name: string;
  readonly description: string;
  readonly optional?: boolean;
  /** Whether it takes all remaining arguments. Only for the last positional. */
  readonly repeated?: boolean;
  /** The allowed values. Absent means any. */
  readonly choices?: readonly string[];
}

export interface Example {
  readonly line: string;
  readonly note: string;
}

export interface Command<F extends readonly Flag[] = readonly Flag[]> {
  /** The full name, which for a subcommand includes its parent: `certs create`. */
  readonly name: string;
  readonly aliases?: readonly string[];
  /** Whether this command runs if flags are given without a command name. */
  readonly takesBareFlags?: boolean;
  /** Whether it is long-running, and calls `compileEagerly` itself once it has started. */
  readonly isServer?: boolean;
  /** One line for the list of commands: lower case, no period. */
  readonly summary: string;
  /** The usage after `outrigger <name>`, such as `[flags] FILE`. */
  readonly usage: string;
  /** The description for `outrigger help <name>`, in full sentences. */
  readonly description?: string;
  readonly flags: F;
  readonly positionals: readonly Positional[];
  readonly examples: readonly Example[];
  /** Subcommands. A command with subcommands does nothing itself. */
  readonly commands?: readonly Command[];
  /** Runs the command and returns the exit code: 0 done, 1 failed. A thrown `UsageError` becomes 2. */
  run(args: Args<F>, host: Host): Promise<number>;
}

/** Defines a command whose `run` is typed by its flags; the result is untyped, so commands fit one list. */
export function defineCommand<const F extends readonly Flag[]>(command: Command<F>): Command {
  return command as Command<readonly Flag[]>;
}

export interface CommandGroup {
  readonly name: string;
  readonly summary: string;
  readonly description?: string;
  readonly commands: readonly Command[];
}

/** Defines a command that only has subcommands. */
export function defineGroup(group: CommandGroup): Command {
  return {
    ...group,
    usage: "COMMAND [flags] [arguments]",
    flags: [],
    positionals: [],
    examples: [],
    run() {
      throw new UsageError(`Missing subcommand. Run "outrigger help ${group.name}"`);
    },
  };
}
