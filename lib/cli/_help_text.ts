/** Help, made from the descriptors alone, so that it cannot say other than what is parsed. */

import type { Command, Flag, Positional } from "./command.ts";

/** Where lines are broken: what a terminal has when nobody has asked for more. */
const WIDTH = 80;

/** The page of `outrigger help`. */
export function programHelp(commands: readonly Command[], version: string): string {
  return blocks([
    `outrigger ${version}: an Istio-compatible sidecar injector`,
    "Usage: outrigger COMMAND [flags] [arguments]",
    commandRows(commands),
    section("Environment", [["OUTRIGGER_DEBUG", "when set, errors come with a stack trace"]]),
    `Run "outrigger help COMMAND" for the flags and examples of a command.`,
  ]);
}

/** The page of `outrigger help COMMAND`. */
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
      : `Run "outrigger help ${name} COMMAND" for the flags and examples of one.`,
  ]);
}

function commandRows(commands: readonly Command[]): string {
  return section("Commands", commands.map(({ name, summary }) => [name, summary]));
}

function argumentRow({ name, description, choices }: Positional): [string, string] {
  return [name, choices === undefined ? description : `${description} (${choices.join(" or ")})`];
}

function flagRow(flag: Flag): [string, string] {
  const short = flag.short === undefined ? "    " : `-${flag.short}, `;
  const value = flag.type === "boolean" ? "" : ` ${flag.value}`;
  return [`${short}--${flag.name}${value}`, flag.description + flagFacts(flag)];
}

function flagFacts(flag: Flag): string {
  if (flag.type === "list") return " (may be given many times)";
  const facts: string[] = [];
  if (flag.type === "string" && flag.choices !== undefined) facts.push(flag.choices.join(" or "));
  const isTold = flag.default !== undefined && flag.default !== false && flag.default !== "";
  if (isTold) facts.push(`default ${flag.default}`);
  if (flag.env !== undefined) facts.push(`or $${flag.env}`);
  return facts.length === 0 ? "" : ` (${facts.join("; ")})`;
}

/** Rows of two columns under a title; nothing where there are no rows. */
function section(title: string, rows: readonly (readonly [string, string])[]): string {
  if (rows.length === 0) return "";
  const left = Math.max(...rows.map(([name]) => name.length)) + 4;
  const lines = rows.map(([name, text]) => `  ${name}`.padEnd(left + 1) + wrap(text, left + 1));
  return `${title}:\n${lines.join("\n")}`;
}

function blocks(parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join("\n\n") + "\n";
}

/** Breaks between words; lines after the first are indented to the column the first began at. */
function wrap(text: string, column: number): string {
  return text.split("\n").map((paragraph) => wrapParagraph(paragraph, column)).join("\n");
}

function wrapParagraph(text: string, column: number): string {
  // A column too far right would leave a ladder of single words: then the line is left long.
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
