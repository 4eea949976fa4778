/** Flag descriptors, which drive parsing, help and completion, and the types of the parsed values. */

interface FlagBase {
  /** The name without dashes: kebab-case, or camelCase if istioctl spells it so. */
  readonly name: string;
  /** Other names that are accepted, but not shown in help or completion. */
  readonly aliases?: readonly string[];
  /** One letter other than `h`, which is --help. */
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
  /** The placeholder for the value in help, such as `FILE`. Shells complete file names for FILE, DIR and CONFIG. */
  readonly value: string;
  readonly default?: string;
  /** The allowed values. Absent means any. */
  readonly choices?: readonly string[];
  /** The environment variable to read if the flag is not set. */
  readonly env?: string;
}

export interface NumberFlag extends FlagBase {
  readonly type: "number";
  readonly value: string;
  readonly default?: number;
  readonly env?: string;
}

/** A flag that can be repeated. Its values keep their order. */
export interface ListFlag extends FlagBase {
  readonly type: "list";
  readonly value: string;
}

export type Flag = BooleanFlag | StringFlag | NumberFlag | ListFlag;

/** The parsed values by flag name. A flag with a default is never undefined. */
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
  /** Where each flag's value comes from. */
  readonly sources: { readonly [K in F[number] as K["name"]]: FlagSource };
}

export type FlagSource = "flag" | "environment" | "default";

/** Reports a command line that is not valid, as opposed to a command that failed. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly code = "usage";
}

/** The command and flag to name in an error. */
export interface FlagPlace {
  readonly command: string;
  readonly name: string;
}

/** Returns the error for an invalid flag value. `wanted` completes "expects …". */
export function flagMisuse(
  { command, name }: FlagPlace,
  { wanted, text, cause }: { readonly wanted: string; readonly text: string; cause?: unknown },
): UsageError {
  const what = `Flag "--${name}" expects ${wanted}, got ${JSON.stringify(text)}.`;
  return new UsageError(`${what} Run "outrigger help ${command}"`, { cause });
}

/** Joins choices for help and errors, as in `text, json or yaml`. */
export function orList(choices: readonly string[]): string {
  return choices.length < 2
    ? choices.join("")
    : `${choices.slice(0, -1).join(", ")} or ${choices.at(-1)}`;
}
