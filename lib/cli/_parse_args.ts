/**
 * Parses the arguments after a command's name into typed values. The syntax is that of Go's pflag, which
 * kubectl and istioctl use: `--flag value`, `--flag=value`, `-f value`, `-fvalue`, `-ab` for booleans, and
 * `--` to end the flags. A value may begin with a dash, and the last value of a repeated flag wins. Unlike
 * pflag, `--no-flag` sets a boolean to false.
 */

import { orList } from "../flags/mod.ts";
import { didYouMean } from "./_nearest.ts";
import { type Args, type Command, type Flag, type FlagSource, UsageError } from "./command.ts";

export type Parsed = { readonly help: true } | { readonly help: false; readonly args: Args };

type Value = string | number | boolean | readonly string[];

export function parseArgs(
  command: Command,
  { argv, env }: { argv: readonly string[]; env: (name: string) => string | undefined },
): Parsed {
  const given = new Map<string, Value>();
  const positionals: string[] = [];
  const rest = [...argv];

  // Without `text`, the value is the next argument.
  const set = (flag: Flag, source: string, text = rest.shift()) => {
    if (text === undefined) throw misuse(command, `${source} expects a value.`);
    if (flag.type === "list") {
      const before = given.get(flag.name);
      given.set(flag.name, [...(Array.isArray(before) ? before : []), text]);
    } else {
      given.set(flag.name, convert(command, { flag, text, source }));
    }
  };

  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === "--") {
      positionals.push(...rest);
      break;
    }
    if (word === "--help" || word === "-h") return { help: true };
    if (word === "-" || !word.startsWith("-")) {
      positionals.push(word);
    } else if (word.startsWith("--")) {
      const [name, text] = cut(word.slice(2));
      const { flag, negated } = findLong(command, name);
      const source = `Flag "--${name}"`;
      if (negated && text !== undefined) throw misuse(command, `${source} takes no value.`);
      if (flag.type === "boolean" && text === undefined) {
        given.set(flag.name, !negated);
      } else {
        set(flag, source, text);
      }
    } else {
      let letters = word.slice(1);
      while (letters !== "") {
        const letter = letters[0];
        letters = letters.slice(1);
        if (letter === "h") return { help: true };
        const flag = command.flags.find((flag) => flag.short === letter);
        if (flag === undefined) throw unknownFlag(command, `-${letter}`, word);
        if (flag.type === "boolean" && !letters.startsWith("=")) {
          given.set(flag.name, true);
        } else {
          const text = letters === "" ? undefined : letters.replace(/^=/, "");
          set(flag, `Flag "-${letter}"`, text);
          letters = "";
        }
      }
    }
  }

  checkPositionals(command, positionals);
  return { help: false, args: { ...complete(command, given, env), positionals } };
}

/** Fills in flags that were not set, from the environment or else from their defaults. */
function complete(
  command: Command,
  given: ReadonlyMap<string, Value>,
  env: (name: string) => string | undefined,
): Pick<Args, "flags" | "sources"> {
  // Without a prototype, only declared flags can be found.
  const flags: Record<string, Value | undefined> = Object.create(null);
  const sources: Record<string, FlagSource> = Object.create(null);
  for (const flag of command.flags) {
    const value = given.get(flag.name);
    const variable = flag.type === "list" ? undefined : flag.env;
    const text = value === undefined && variable !== undefined ? env(variable) : undefined;
    sources[flag.name] = "default";
    if (value !== undefined) {
      flags[flag.name] = value;
      sources[flag.name] = "flag";
    } else if (text !== undefined && text !== "") {
      flags[flag.name] = convert(command, { flag, text, source: `Variable "${variable}"` });
      sources[flag.name] = "environment";
    } else {
      flags[flag.name] = flag.type === "list" ? [] : flag.default ?? emptyOf(flag);
    }
  }
  return { flags, sources } as Pick<Args, "flags" | "sources">;
}

function emptyOf(flag: Flag): false | undefined {
  return flag.type === "boolean" ? false : undefined;
}

function convert(
  command: Command,
  { flag, text, source }: { flag: Flag; text: string; source: string },
): Value {
  const wrong = (wanted: string) => `${source} expects ${wanted}, got ${JSON.stringify(text)}`;
  switch (flag.type) {
    case "boolean":
      if (text === "true" || text === "1") return true;
      if (text === "false" || text === "0") return false;
      throw misuse(command, `${wrong("true or false")}.`);
    case "number":
      // `Number` alone would accept "", " 1", "0x10" and "Infinity".
      if (!/^[+-]?\d+(\.\d+)?$/.test(text)) throw misuse(command, `${wrong("a number")}.`);
      return Number(text);
    case "string":
      if (flag.choices === undefined || flag.choices.includes(text)) return text;
      throw misuse(command, didYouMean(wrong(orList(flag.choices)), text, flag.choices));
    case "list":
      return [text];
  }
}

function findLong(command: Command, name: string): { flag: Flag; negated: boolean } {
  const exact = command.flags.find((flag) => flag.name === name || flag.aliases?.includes(name));
  if (exact !== undefined) return { flag: exact, negated: false };
  const negated = command.flags.find((flag) =>
    flag.type === "boolean" && name === `no-${flag.name}`
  );
  if (negated !== undefined) return { flag: negated, negated: true };
  throw unknownFlag(command, `--${name}`, `--${name}`);
}

function checkPositionals(command: Command, positionals: readonly string[]): void {
  const missing = command.positionals
    .slice(positionals.length)
    .find((positional) => !positional.optional);
  if (missing !== undefined) throw misuse(command, `Missing argument ${missing.name}.`);
  for (const [index, { name, choices }] of command.positionals.entries()) {
    const given = positionals.at(index);
    if (given === undefined || choices === undefined || choices.includes(given)) continue;
    const wanted = `Argument ${name} expects ${orList(choices)}, got ${JSON.stringify(given)}`;
    throw misuse(command, didYouMean(wanted, given, choices));
  }
  if (command.positionals.at(-1)?.repeated) return;
  if (positionals.length > command.positionals.length) {
    const extra = JSON.stringify(positionals[command.positionals.length]);
    throw misuse(command, `Unexpected argument ${extra}.`);
  }
}

function unknownFlag(command: Command, shown: string, word: string): UsageError {
  const names = ["help", ...command.flags.map((flag) => flag.name)].map((name) => `--${name}`);
  return misuse(command, didYouMean(`Unknown flag ${JSON.stringify(shown)}`, word, names));
}

function misuse(command: Command, what: string): UsageError {
  return new UsageError(`${what} Run "outrigger help ${command.name}"`);
}

/** Splits at the first `=`. */
function cut(text: string): [string, string | undefined] {
  const at = text.indexOf("=");
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}
