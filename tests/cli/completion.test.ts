import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { complete } from "../../lib/cli/_complete.ts";
import { SCRIPTS } from "../../lib/cli/_completion_scripts.ts";
import { type Command, defineCommand, defineGroup } from "../../lib/cli/command.ts";
import { commands as ours } from "../../lib/cli/commands.ts";
import { runCli } from "../../lib/cli/mod.ts";
import { memoryHost } from "../_memory_host.ts";

const nothing = () => Promise.resolve(0);
const rest = { summary: "s", usage: "", examples: [], run: nothing };

const COMMANDS: readonly Command[] = [
  defineCommand({
    ...rest,
    name: "make",
    aliases: ["build"],
    flags: [
      { name: "file", short: "f", type: "string", value: "FILE|-", description: "d" },
      {
        ...{ name: "output", short: "o", type: "string", value: "HOW", description: "d" },
        choices: ["text", "json"],
      },
      { name: "name", type: "string", value: "NAME", description: "d" },
      { name: "size", type: "number", value: "N", description: "d" },
      { name: "quick", short: "q", type: "boolean", description: "d" },
      { name: "allow", type: "list", value: "NAME", description: "d" },
    ],
    positionals: [
      { name: "COLOUR", description: "d", choices: ["red", "green"] },
      { name: "DIR", description: "d", optional: true },
    ],
  }),
  defineGroup({
    name: "tag",
    summary: "s",
    commands: [
      defineCommand({ ...rest, name: "tag set", flags: [], positionals: [] }),
      defineCommand({ ...rest, name: "tag list", flags: [], positionals: [] }),
    ],
  }),
  defineCommand({
    ...rest,
    name: "help",
    flags: [],
    positionals: [{ name: "COMMAND", description: "d", optional: true, repeated: true }],
  }),
];

describe("complete()", () => {
  const cases: [line: string, expected: string][] = [
    ["", "make tag help --help --version"],
    ["m", "make"],
    ["--v", "--version"],
    ["zzz", ""],
    ["zzz ", ""],
    ["zzz --", ""],
    ["tag ", "set list"],
    ["tag s", "set"],
    ["tag zzz ", ""],
    ["tag set --", "--help"],
    ["help ", "make tag help"],
    ["help tag ", "set list"],
    ["help make ", ""],
    ["make ", "red green"],
    ["build ", "red green"],
    ["make g", "green"],
    ["make red ", "(files)"],
    ["make red here ", ""],
    ["make --", "--file --output --name --size --quick --allow --help"],
    ["make --out", "--output"],
    ["make -o json --", "--file --name --size --quick --allow --help"],
    ["make --output=json --o", ""],
    ["make --allow a --a", "--allow"],
    ["make --file ", "(files)"],
    ["make -f ", "(files)"],
    ["make -f x ", "red green"],
    ["make --file=x", "(files)"],
    ["make --output ", "text json"],
    ["make --output j", "json"],
    ["make -qo ", "text json"],
    ["make --output=", "--output=text --output=json"],
    ["make --output=j", "--output=json"],
    // As bash splits it.
    ["make --output =", "text json"],
    ["make --output = j", "json"],
    ["make --output = json ", "red green"],
    ["make --quick = ", "true false"],
    ["make --quick = true ", "red green"],
    ["make --quick ", "red green"],
    ["make --name ", ""],
    ["make --name x red ", "(files)"],
    ["make --size ", ""],
    ["make --zzz ", "red green"],
    ["make -- --", ""],
    ["make -- ", "red green"],
    ["make __proto__ ", "(files)"],
  ];
  test.each(cases)("%j offers %j", (line, expected) => {
    const completion = complete(COMMANDS, line.split(" "));
    const shown = completion.kind === "files"
      ? "(files)"
      : completion.candidates.map(({ word }) => word).join(" ");
    expect(shown).toBe(expected);
  });

  test("offers each flag of each command, and what it offers parses", () => {
    for (const command of ours) {
      if (command.commands !== undefined) continue;
      const completion = complete(ours, [command.name, "--"]);
      const words = completion.kind === "words" && completion.candidates.map(({ word }) => word);
      expect(words).toEqual([...command.flags.map(({ name }) => `--${name}`), "--help"]);
    }
  });
});

describe("outrigger completion", () => {
  async function run(...argv: string[]) {
    const host = memoryHost();
    const code = await runCli(["completion", ...argv], host);
    return { code, out: host.out.stdout, err: host.out.stderr };
  }

  test("prints the shell's script", async () => {
    for (const shell of ["bash", "zsh", "fish"] as const) {
      expect(await run(shell)).toEqual({ code: 0, out: SCRIPTS[shell], err: "" });
    }
  });

  test("with words prints candidates in the form that the script reads", async () => {
    const line = ["--", "version", "--o"];
    expect((await run("bash", ...line)).out).toBe("words\n--output\n");
    expect((await run("zsh", ...line)).out).toBe("words\n--output:output format\n");
    expect((await run("fish", ...line)).out).toBe("words\n--output\toutput format\n");
    expect((await run("fish", "--", "inject", "-f", "")).out).toBe("files\n");
    expect((await run("bash", "--", "version", "-o", "")).out).toBe("words\ntext\njson\nyaml\n");
  });

  test("refuses other shells", async () => {
    expect(await run("bsh")).toEqual({
      code: 2,
      out: "",
      err: 'outrigger: Argument SHELL expects bash, zsh or fish, got "bsh": did you mean "bash"? ' +
        'Run "outrigger help completion"\n',
    });
  });
});

/** The shells themselves read the scripts and ask the program itself. */
describe("the script", () => {
  let directory = "";
  beforeAll(() => {
    directory = mkdtempSync(`${tmpdir()}/outrigger-completion-`);
    const program = `${directory}/outrigger`;
    const main = `${import.meta.dirname}/../../main.ts`;
    writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`);
    chmodSync(program, 0o755);
    for (const [shell, text] of Object.entries(SCRIPTS)) {
      writeFileSync(`${directory}/completion.${shell}`, text);
    }
    writeFileSync(`${directory}/pod.yaml`, "");
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  function shell(command: readonly string[], script: string): string {
    const env = { ...process.env, PATH: `${directory}:${process.env.PATH}`, HOME: directory };
    const child = Bun.spawnSync([...command, script], { env, cwd: directory, stdin: "ignore" });
    return child.stdout.toString() + child.stderr.toString();
  }

  const cases: [line: string, candidates: string][] = [
    ["outrigger vers", "version"],
    ["outrigger version --outp", "--output"],
    ["outrigger version --output=y", "yaml"],
    ["outrigger version --output=", "json text yaml"],
    ["outrigger version -o ", "json text yaml"],
    ["outrigger inject -f p", "pod.yaml"],
    ["outrigger help rend", "render"],
    ["outrigger inject --revision ", ""],
  ];

  /** Bash gives what `complete` registered; files come from its `-o default`, asked for by compgen. */
  const BASH = (line: string) => `
    source completion.bash
    [[ $(complete -p outrigger) == "complete -o default -F _outrigger outrigger" ]] || echo unregistered
    kept=default
    compopt() { kept=; }
    COMP_WORDS=(${bashWords(line)}) COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
    _outrigger
    if [[ \${#COMPREPLY[@]} = 0 && $kept = default ]]; then
      compgen -f -- "\${COMP_WORDS[COMP_CWORD]}"
    fi
    printf '%s\\n' "\${COMPREPLY[@]}"`;

  function bashWords(line: string): string {
    return line.replace("=", " = ").replace("= ", line.endsWith("=") ? "=" : "= ").split(" ")
      .map((word) => `'${word}'`).join(" ");
  }

  test.each(cases)("of bash completes %j to %j", (line, candidates) => {
    const found = shell(["bash", "--norc", "-c"], BASH(line)).split("\n").filter(Boolean);
    expect(found.toSorted().join(" ")).toBe(candidates);
  });

  const fish = Bun.which("fish");
  const zsh = Bun.which("zsh");
  if (!fish || !zsh) console.log("fish or zsh is not here: their scripts are not run");

  if (fish) {
    test.each(cases)("of fish completes %j to %j", (line, candidates) => {
      const script = `source completion.fish; complete -C '${line}'`;
      const found = shell([fish, "--no-config", "-c"], script).split("\n").filter(Boolean)
        .map((line) => line.split("\t")[0].replace(/^--output=/, ""));
      expect(found.toSorted().join(" ")).toBe(candidates);
    });
  }

  if (zsh) {
    test.each(cases)("of zsh completes %j to %j", (line, candidates) => {
      const found = shell([zsh, "-f", "-c"], zshScript(line)).split("\n").filter(Boolean);
      expect(found.toSorted().join(" ")).toBe(candidates);
    });
  }

  /** The script's own functions run; the widgets that they fill are replaced by ones that print. */
  function zshScript(line: string): string {
    return `
      compdef() { [[ "$*" == "_outrigger outrigger" ]] || echo unregistered }
      compset() { words[CURRENT]=\${words[CURRENT]#*=} }
      _files() { print -l -- \${words[CURRENT]}*(N) }
      _describe() { print -l -- "\${(@)\${(@P)3}%%:*}" }
      source completion.zsh
      words=(${line.split(" ").map((word) => `'${word}'`).join(" ")})
      CURRENT=$#words
      _outrigger | sed 's/^--output=//'`;
  }
});
