/**
 * Computes shell completions: takes the words of a command line and returns the candidates for the last
 * one. Uses the same command descriptors as the parser, and is independent of the shell.
 */

import type { Command, Flag } from "./command.ts";

export interface Candidate {
  readonly word: string;
  readonly description: string;
}

export type Completion =
  /** File names, which the shell completes itself. */
  | { readonly kind: "files" }
  | { readonly kind: "words"; readonly candidates: readonly Candidate[] };

/** Matches placeholders that stand for a file or directory, such as `FILE|DIR|-`. */
const FILES = /\b(FILE|DIR|CONFIG)\b/;

/**
 * Returns the completion of a command line.
 *
 * @param words The words after `outrigger`. The last one is being typed, and may be "".
 */
export function complete(commands: readonly Command[], words: readonly string[]): Completion {
  const last = words.at(-1) ?? "";
  // Bash splits `--flag=value` into three words.
  const typed = last === "=" ? "" : last;
  const before = words.slice(0, -1);
  const { command, rest } = walk(commands, before);
  const completion = command === undefined
    ? before.length > 0 ? among([]) : among(atTheBeginning(commands))
    : command.commands !== undefined
    ? among(namesOf(command.commands))
    : within(command, { before: rest, typed: last, commands });
  if (completion.kind === "files") return completion;
  return among(completion.candidates.filter(({ word }) => word.startsWith(typed)));
}

function among(candidates: readonly Candidate[]): Completion {
  return { kind: "words", candidates };
}

const NOTHING = among([]);
const HELP: Candidate = { word: "--help", description: "print this help" };

/** Finds the command that the words name, and the words after it. Undefined for an unknown command. */
function walk(
  commands: readonly Command[],
  words: readonly string[],
): { command: Command | undefined; rest: readonly string[] } {
  let command: Command | undefined;
  let inner: readonly Command[] | undefined = commands;
  let depth = 0;
  while (inner !== undefined && depth < words.length) {
    const name: string = command === undefined ? words[depth] : `${command.name} ${words[depth]}`;
    const next: Command | undefined = inner.find((one) =>
      one.name === name || one.aliases?.includes(name)
    );
    if (next === undefined) return { command: undefined, rest: [] };
    command = next;
    inner = next.commands;
    depth++;
  }
  return { command, rest: words.slice(depth) };
}

function atTheBeginning(commands: readonly Command[]): Candidate[] {
  return [
    ...namesOf(commands),
    { word: "--help", description: "print the list of commands" },
    { word: "--version", description: "print the version" },
  ];
}

/** Returns the last word of each name; the words before it are already on the line. */
function namesOf(commands: readonly Command[]): Candidate[] {
  return commands.map(({ name, summary }) => ({
    word: name.slice(name.lastIndexOf(" ") + 1),
    description: summary,
  }));
}

interface Line {
  /** The words after the command's name, except the one being typed. */
  readonly before: readonly string[];
  readonly typed: string;
  readonly commands: readonly Command[];
}

function within(command: Command, { before, typed, commands }: Line): Completion {
  const { flag, positionals, isOver } = read(command, before, typed);
  if (flag !== undefined) return valuesOf(flag);
  const equals = typed.indexOf("=");
  if (!isOver && typed.startsWith("--") && equals > 0) {
    const found = findFlag(command, typed.slice(0, equals));
    // The shell completes file names after the equals sign.
    const values = found === undefined ? NOTHING : valuesOf(found);
    if (values.kind === "files") return values;
    const start = typed.slice(0, equals + 1);
    return among(values.candidates.map((one) => ({ ...one, word: start + one.word })));
  }
  if (!isOver && typed.startsWith("-")) return among(flagsOf(command, before));
  return argumentOf(command, { positionals, commands });
}

/** Reads the words like `parseArgs`, but ignores errors, since the line is incomplete. */
function read(
  command: Command,
  before: readonly string[],
  typed: string,
): { flag: Flag | undefined; positionals: readonly string[]; isOver: boolean } {
  const positionals: string[] = [];
  for (let index = 0; index < before.length; index++) {
    const word = before[index];
    if (word === "--") {
      positionals.push(...before.slice(index + 1));
      return { flag: undefined, positionals, isOver: true };
    }
    if (word === "-" || !word.startsWith("-")) {
      positionals.push(word);
      continue;
    }
    if (word.includes("=")) continue;
    const flag = findFlag(command, word);
    if (flag === undefined) continue;
    const next = before[index + 1] ?? typed;
    const isSplit = next === "=";
    if (flag.type === "boolean" && !isSplit) continue;
    const valueAt = index + (isSplit ? 2 : 1);
    if (valueAt >= before.length) return { flag, positionals, isOver: false };
    index = valueAt;
  }
  return { flag: undefined, positionals, isOver: false };
}

/** Finds the flag of `--name`, or of the last letter of `-abc`. */
function findFlag({ flags }: Command, word: string): Flag | undefined {
  if (word.startsWith("--")) {
    const name = word.slice(2);
    return flags.find((flag) => flag.name === name || flag.aliases?.includes(name));
  }
  return flags.find(({ short }) => short !== undefined && word.endsWith(short));
}

function valuesOf(flag: Flag): Completion {
  const words = (values: readonly string[]) =>
    among(values.map((word) => ({ word, description: "" })));
  switch (flag.type) {
    case "boolean":
      return words(["true", "false"]);
    case "number":
      return NOTHING;
    case "string":
      if (flag.choices !== undefined) return words(flag.choices);
      return FILES.test(flag.value) ? { kind: "files" } : NOTHING;
    case "list":
      return FILES.test(flag.value) ? { kind: "files" } : NOTHING;
  }
}

/** Returns the flags that are not on the line yet, and repeatable flags. */
function flagsOf({ flags }: Command, before: readonly string[]): Candidate[] {
  const given = new Set(before.map((word) => word.replace(/=.*/, "")));
  const left = flags.filter((flag) =>
    flag.type === "list" || !(given.has(`--${flag.name}`) || given.has(`-${flag.short}`))
  );
  return [
    ...left.map(({ name, description }) => ({ word: `--${name}`, description })),
    HELP,
  ];
}

function argumentOf(
  command: Command,
  { positionals, commands }: {
    positionals: readonly string[];
    commands: readonly Command[];
  },
): Completion {
  const last = command.positionals.at(-1);
  const argument = command.positionals[positionals.length] ?? (last?.repeated ? last : undefined);
  if (argument === undefined) return NOTHING;
  if (argument.choices !== undefined) {
    return among(argument.choices.map((word) => ({ word, description: "" })));
  }
  if (argument.name === "COMMAND") {
    const { command: group } = walk(commands, positionals);
    return among(positionals.length === 0 ? namesOf(commands) : namesOf(group?.commands ?? []));
  }
  return FILES.test(argument.name) ? { kind: "files" } : NOTHING;
}
