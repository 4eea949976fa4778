/** Help pages, generated from the command descriptors that the parser uses, so the two cannot disagree. */

import { orList } from "../flags/mod.ts";
import type { Command, Flag, Positional } from "./command.ts";

/** The width that help is wrapped to: the default of a terminal. */
const WIDTH = 80;

/** Returns the page that `outrigger help` prints. */
export function programHelp(commands: readonly Command[], version: string): string {
  return blocks([
    `outrigger ${version}: an Istio-compatible sidecar injector`,
    "Usage: outrigger COMMAND [flags] [arguments]",
    commandRows(commands),
    section("Environment", [["OUTRIGGER_DEBUG", "if set, print stack traces with errors"]]),
    `Run "outrigger help COMMAND" for the flags and examples of a command.`,
  ]);
}

/** Returns the page that `outrigger help COMMAND` prints. */
export function commandHelp(command: Command): string {
  const { name, aliases = [], usage, summary, description } = command;
  const { flags, positionals, examples, commands = [] } = command;
  const also = aliases.length === 0 ? "" : `\nAlso:  outrigger ${aliases.join(", outrigger ")}`;
  return blocks([
    wrap(description ?? `${summary[0].toUpperCase()}${summary.slice(1)}.`, 0),
    `Usage: ${["outrigger", name, usage].filter((part) => part !== "").join(" ")}${also}`,
    commandRows(commands),
    section("Arguments", positionals.map(argumentRow)),
    section("Flags", [...flags.map(flagRow), ["-h, --help", "print this help"]]),
    examples.length === 0 ? "" : "Examples:\n" +
      examples.map(({ line, note }) => `  ${line}\n      ${wrap(note, 6)}`).join("\n"),
    commands.length === 0
      ? ""
      : `Run "outrigger help ${name} COMMAND" for the flags and examples of a command.`,
  ]);
}

function commandRows(commands: readonly Command[]): string {
  return section("Commands", commands.map(({ name, summary }) => [name, summary]));
}

function argumentRow({ name, description, choices }: Positional): [string, string] {
  return [name, choices === undefined ? description : `${description} (${orList(choices)})`];
}

function flagRow(flag: Flag): [string, string] {
  const short = flag.short === undefined ? "    " : `-${flag.short}, `;
  const value = flag.type === "boolean" ? "" : ` ${flag.value}`;
  return [`${short}--${flag.name}${value}`, flag.description + flagFacts(flag)];
}

function flagFacts(flag: Flag): string {
  if (flag.type === "list") return " (repeatable)";
  const facts: string[] = [];
  if (flag.type === "string" && flag.choices !== undefined) facts.push(orList(flag.choices));
  const isTold = flag.default !== undefined && flag.default !== false && flag.default !== "";
  if (isTold) facts.push(`default ${flag.default}`);
  if (flag.env !== undefined) facts.push(`env ${flag.env}`);
  return facts.length === 0 ? "" : ` (${facts.join("; ")})`;
}

/** Formats rows in two columns under a title; returns "" if there are no rows. */
function section(title: string, rows: readonly (readonly [string, string])[]): string {
  if (rows.length === 0) return "";
  const left = Math.max(...rows.map(([name]) => name.length)) + 4;
  const lines = rows.map(([name, text]) => `  ${name}`.padEnd(left + 1) + wrap(text, left + 1));
  return `${title}:\n${lines.join("\n")}`;
}

function blocks(parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join("\n\n") + "\n";
}

/** Wraps text between words and indents every line after the first to `column`. */
function wrap(text: string, column: number): string {
  return text.split("\n").map((paragraph) => wrapParagraph(paragraph, column)).join("\n");
}

function wrapParagraph(text: string, column: number): string {
  // Keep at least 30 characters a line, even if the line then exceeds the width.
  const width = Math.max(WIDTH - column, 30);
  const lines: string[] = [""];
  for (const word of text.split(" ")) {
    const line = lines[lines.length - 1];
    if (line === "") lines[lines.length - 1] = word;
    else if (line.length + 1 + word.length <= width) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines.join("\n" + " ".repeat(column));
}
