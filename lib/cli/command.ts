/**
 * What a command is: a descriptor, from which parsing, checking and help are all made, beside its `run`.
 * A command lives in a file of its own in this folder and is listed in `commands.ts`.
 */

import type { Host } from "../host/mod.ts";

interface FlagBase {
  /** Without dashes; kebab-case, or camelCase where istioctl has it so. */
  readonly name: string;
  /** One letter; `h` is taken by help. */
  readonly short?: string;
  /** Lower case, no full stop. */
  readonly description: string;
}

export interface BooleanFlag extends FlagBase {
  readonly type: "boolean";
  readonly default?: boolean;
  readonly env?: string;
}

export interface StringFlag extends FlagBase {
  readonly type: "string";
  /** What stands for the value in help, as in `FILE`; shells complete files for FILE, DIR and CONFIG. */
  readonly value: string;
  readonly default?: string;
  /** The only values allowed, where they are few. */
  readonly choices?: readonly string[];
  /** The variable that is read where the flag is not given. */
  readonly env?: string;
}

export interface NumberFlag extends FlagBase {
  readonly type: "number";
  readonly value: string;
  readonly default?: number;
  readonly env?: string;
}

/** May be given many times; its values keep their order. */
export interface ListFlag extends FlagBase {
  readonly type: "list";
  readonly value: string;
}

export type Flag = BooleanFlag | StringFlag | NumberFlag | ListFlag;

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

/** The value each flag arrives as: never undefined where there is a default. */
export type FlagValues<F extends readonly Flag[]> = {
  readonly [K in F[number] as K["name"]]: FlagValue<K>;
};

type FlagValue<F extends Flag> = F extends BooleanFlag ? boolean
  : F extends ListFlag ? readonly string[]
  : F extends { default: string | number } ? Given<F>
  : Given<F> | undefined;

type Given<F extends Flag> = F extends NumberFlag ? number
  : F extends { choices: readonly (infer C extends string)[] } ? C
  : string;

export interface Args<F extends readonly Flag[] = readonly Flag[]> {
  readonly flags: FlagValues<F>;
  readonly positionals: readonly string[];
  /** Where each flag's value came from. */
  readonly sources: { readonly [K in F[number] as K["name"]]: FlagSource };
}

export type FlagSource = "flag" | "environment" | "default";

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

/** The command line itself is wrong, not what it asked for. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly code = "usage";
}
