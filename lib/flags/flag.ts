/**
 * Flags: their descriptors, from which parsing, checking, help and completion are made, and the values
 * that they have once parsed.
 */

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

/** The command line itself is wrong, not what it asked for. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly code = "usage";
}

/** The command and the flag that a value is for. */
export interface FlagPlace {
  readonly command: string;
  readonly name: string;
}

/** The error for a value that a flag does not take. `wanted` follows "wants". */
export function flagMisuse(
  { command, name }: FlagPlace,
  { wanted, text, cause }: { readonly wanted: string; readonly text: string; cause?: unknown },
): UsageError {
  const what = `Flag "--${name}" wants ${wanted}, got ${JSON.stringify(text)}.`;
  return new UsageError(`${what} Run "outrigger help ${command}"`, { cause });
}
