/** What every descriptor owes, whoever adds the next one. */

import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { commandHelp } from "../../lib/cli/_help_text.ts";
import { parseArgs } from "../../lib/cli/_parse_args.ts";
import type { Command } from "../../lib/cli/command.ts";
import { commands } from "../../lib/cli/commands.ts";

/** With those within others. */
const all = commands.flatMap(function withInner(command): Command[] {
  return [command, ...(command.commands ?? []).flatMap(withInner)];
});
const groups = all.filter((command) => command.commands !== undefined);
const leaves = all.filter((command) => command.commands === undefined);

test("no two commands share a name or an alias", () => {
  const names = all.flatMap((command) => [command.name, ...command.aliases ?? []]);
  expect(names).toEqual([...new Set(names)]);
});

test("the README's table of commands names each, and no other", () => {
  const readme = readFileSync(join(import.meta.dir, "../../README.md"), "utf8");
  const section = readme.split("## Commands")[1]?.split("\n## ")[0] ?? "";
  const named = [...section.matchAll(/^\| `([\w-]+)`/gm)].map(([, name]) => name);
  expect(named.toSorted()).toEqual(commands.map((command) => command.name).toSorted());
});

test("commands within another have its name before theirs", () => {
  for (const group of groups) {
    for (const { name, aliases = [] } of group.commands!) {
      for (const one of [name, ...aliases]) {
        expect(one).toMatch(new RegExp(`^${group.name} [a-z-]+$`));
      }
    }
  }
});

describe.each(leaves.map((command) => [command.name, command] as [string, Command]))(
  "%s",
  (_name, command) => {
    test("has a summary of one line, lower case and without a full stop", () => {
      expect(command.summary).toMatch(/^[^A-Z\n][^\n]{0,69}[^.\n]$/);
    });

    test("has no two flags of one name or letter, and leaves help its own", () => {
      const names = [
        "help",
        ...command.flags.flatMap((flag) => [flag.name, ...flag.aliases ?? []]),
      ];
      expect(names).toEqual([...new Set(names)]);
      const letters = ["h", ...command.flags.flatMap((flag) => flag.short ?? [])];
      expect(letters).toEqual([...new Set(letters)]);
      for (const letter of letters) expect(letter).toMatch(/^[a-zA-Z]$/);
    });

    test("has defaults that are among the choices", () => {
      for (const flag of command.flags) {
        if (flag.type !== "string" || flag.choices === undefined || !flag.default) continue;
        expect(flag.choices).toContain(flag.default);
      }
    });

    test("has optional arguments after the others, and a repeated one last", () => {
      const order = command.positionals.map((one) => one.repeated ? 2 : one.optional ? 1 : 0);
      expect(order).toEqual(order.toSorted());
      expect(order.filter((kind) => kind === 2).length).toBeLessThan(2);
    });

    test("has at least one example, and each parses", () => {
      expect(command.examples.length).toBeGreaterThan(0);
      for (const { line } of command.examples) {
        const call = line.split("|").map((part) => part.trim()).find((part) =>
          part.startsWith("outrigger ")
        );
        const words = call?.split(/ +/).slice(1) ?? [];
        const depth = command.name.split(" ").length;
        expect(words.slice(0, depth).join(" ")).toBe(command.name);
        const argv = words.slice(depth);
        parseArgs(command, { argv, env: () => undefined });
      }
    });

    test("has help within 80 columns, its examples excepted", () => {
      const [page] = commandHelp(command).split("\nExamples:\n");
      for (const line of page.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
    });
  },
);
