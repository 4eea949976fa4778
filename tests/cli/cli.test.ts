import { describe, expect, test } from "bun:test";
import config from "../../deno.json" with { type: "json" };
import { type Command, defineCommand, defineGroup } from "../../lib/cli/command.ts";
import { helpCommand } from "../../lib/cli/help.ts";
import { runCli } from "../../lib/cli/mod.ts";
import { memoryHost, type MemoryHostOptions } from "../_memory_host.ts";

async function run(
  line: string,
  { commands, ...options }: MemoryHostOptions & { commands?: readonly Command[] } = {},
) {
  const host = memoryHost(options);
  const code = await runCli(line === "" ? [] : line.split(" "), host, { commands });
  return { code, stdout: host.out.stdout, stderr: host.out.stderr };
}

/** A command that does nothing but `run`. */
function command(name: string, run: Command["run"]): Command {
  const rest = { summary: "s", usage: "", flags: [], positionals: [], examples: [] };
  return defineCommand({ name, run, ...rest });
}

describe("outrigger version", () => {
  test("prints version, commit and runtime", async () => {
    expect(await run("version")).toEqual({
      code: 0,
      stdout: `outrigger ${config.version}\ncommit unknown\nruntime bun 0.0.0, test/test\n`,
      stderr: "",
    });
    expect(await run("--version")).toEqual(await run("version"));
  });

  test("-o json prints the same for programs", async () => {
    const { code, stdout } = await run("version -o json");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      version: config.version,
      commit: "unknown",
      runtime: { name: "bun", version: "0.0.0" },
      platform: "test/test",
    });
    expect((await run("version -o yaml")).stdout).toBe(
      `commit: unknown\nplatform: test/test\nruntime:\n  name: bun\n  version: 0.0.0\n` +
        `version: ${config.version}\n`,
    );
  });
});

describe("outrigger help", () => {
  test.each(["", "help", "--help", "-h"])("%p lists every command", async (line) => {
    const { code, stdout, stderr } = await run(line);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("Usage: outrigger COMMAND");
    expect(stdout).toMatch(/^ {2}version {2,}print the version/m);
    expect(stdout).toMatch(/^ {2}help {2,}print the list/m);
  });

  test("of a command is the same by help, --help and -h, and aligned", async () => {
    const page = await run("help version");
    expect(page).toEqual({
      code: 0,
      stderr: "",
      stdout: `Print the version, the commit and the runtime.

Usage: outrigger version [flags]

Flags:
  -o, --output FORMAT   output format (text, json or yaml; default text)
  -h, --help            print this help

Examples:
  outrigger version
      print text
  outrigger version -o json
      print JSON
`,
    });
    expect(await run("version --help")).toEqual(page);
    expect(await run("version -o json -h")).toEqual(page);
  });

  test("names arguments, aliases, variables and lists, and breaks long lines under their column", async () => {
    const commands = [defineCommand({
      name: "try",
      aliases: ["attempt"],
      summary: "s",
      usage: "FILE",
      description: "Tries it.",
      flags: [
        { name: "set", type: "list", value: "K=V", description: "one value" },
        { name: "all", type: "boolean", description: "everything", default: true, env: "ALL" },
        {
          name: "port",
          short: "p",
          type: "number",
          value: "N",
          description:
            "a description that is so long that it does not fit on one line of a terminal",
          default: 8,
        },
      ],
      positionals: [{ name: "FILE", description: "what to try" }],
      examples: [],
      run: () => Promise.resolve(0),
    })];
    expect((await run("attempt -h", { commands })).stdout).toBe(`Tries it.

Usage: outrigger try FILE
Also:  outrigger attempt

Arguments:
  FILE   what to try

Flags:
      --set K=V   one value (repeatable)
      --all       everything (default true; env ALL)
  -p, --port N    a description that is so long that it does not fit on one line
                  of a terminal (default 8)
  -h, --help      print this help
`);
  });
});

describe("wrong usage", () => {
  const cases: [line: string, stderr: string][] = [
    ["versoin", `Unknown command "versoin": did you mean "version"? Run "outrigger help"`],
    ["help versoin", `Unknown command "versoin": did you mean "version"? Run "outrigger help"`],
    ["frobnicate", `Unknown command "frobnicate". Run "outrigger help"`],
    ["constructor", `Unknown command "constructor". Run "outrigger help"`],
    ["-o json", `Unknown flag "-o": flags come after a command. Run "outrigger help"`],
    [
      "version --ouput",
      `Unknown flag "--ouput": did you mean "--output"? Run "outrigger help version"`,
    ],
    ["version now", `Unexpected argument "now". Run "outrigger help version"`],
  ];
  test.each(cases)("%s: exit code 2 and one line", async (line, stderr) => {
    expect(await run(line)).toEqual({ code: 2, stdout: "", stderr: `outrigger: ${stderr}\n` });
  });
});

describe("a command within another", () => {
  const said: string[][] = [];
  const within = (name: string) =>
    defineCommand({
      name: `harbour ${name}`,
      summary: `${name} a boat`,
      usage: "[flags] BOAT",
      flags: [{ name: "fast", type: "boolean", description: "hurry" }],
      positionals: [{ name: "BOAT", description: "which" }],
      examples: [],
      run({ positionals, flags }) {
        said.push([name, ...positionals, String(flags.fast)]);
        return Promise.resolve(0);
      },
    });
  const commands: readonly Command[] = [
    defineGroup({
      name: "harbour",
      summary: "boats that come and go",
      commands: [within("enter"), within("leave")],
    }),
    helpCommand(() => commands),
  ];

  test("gets the words after its name", async () => {
    expect(await run("harbour leave --fast proa", { commands })).toMatchObject({ code: 0 });
    expect(said).toEqual([["leave", "proa", "true"]]);
  });

  test("is listed by the help of the other, however that is asked for", async () => {
    const page = await run("harbour", { commands });
    expect(page).toEqual({
      code: 0,
      stderr: "",
      stdout: `Boats that come and go.

Usage: outrigger harbour COMMAND [flags] [arguments]

Commands:
  harbour enter   enter a boat
  harbour leave   leave a boat

Flags:
  -h, --help   print this help

Run "outrigger help harbour COMMAND" for the flags and examples of a command.
`,
    });
    for (const line of ["harbour -h", "harbour --help", "help harbour"]) {
      expect(await run(line, { commands })).toEqual(page);
    }
  });

  test("has a help of its own", async () => {
    const page = await run("help harbour leave", { commands });
    expect(page.stdout).toContain("Usage: outrigger harbour leave [flags] BOAT\n");
    expect(await run("harbour leave --help", { commands })).toEqual(page);
  });

  test.each([
    [
      "harbour leve",
      `Unknown command "harbour leve": did you mean "harbour leave"? Run "outrigger help harbour"`,
    ],
    ["harbour sink", `Unknown command "harbour sink". Run "outrigger help harbour"`],
    [
      "harbour --fast leave",
      `Unknown flag "--fast": flags come after a command. Run "outrigger help harbour"`,
    ],
    ["harbour leave", `Missing argument BOAT. Run "outrigger help harbour leave"`],
    ["help harbour leave now", `Unexpected argument "now". Run "outrigger help help"`],
  ])("%s: exit code 2 and one line", async (line, stderr) => {
    const answer = await run(line, { commands });
    expect(answer).toEqual({ code: 2, stdout: "", stderr: `outrigger: ${stderr}\n` });
  });
});

describe("runCli()", () => {
  const failing = command("fail", () => {
    throw new Error("Cannot do it: outside", { cause: new Error("inside") });
  });

  test("hands the command's exit code on", async () => {
    const commands = [command("three", () => Promise.resolve(3))];
    expect(await run("three", { commands })).toMatchObject({ code: 3, stderr: "" });
  });

  test("turns an error into its message and exit code 1, without a stack", async () => {
    const { code, stderr } = await run("fail", { commands: [failing] });
    expect({ code, stderr }).toEqual({ code: 1, stderr: "outrigger: Cannot do it: outside\n" });
  });

  test("prints the stack and the cause's with OUTRIGGER_DEBUG", async () => {
    const { stderr } = await run("fail", { commands: [failing], env: { OUTRIGGER_DEBUG: "1" } });
    expect(stderr).toMatch(/outside[^]+cli\.test\.ts[^]+caused by [^]*inside/);
  });

  test("survives an error that is its own cause, and one that is no Error", async () => {
    const ring = new Error("ring");
    ring.cause = ring;
    const throwing = (thrown: unknown) => [command("fail", () => Promise.reject(thrown))];
    const env = { OUTRIGGER_DEBUG: "1" };
    expect((await run("fail", { commands: throwing(ring), env })).code).toBe(1);
    expect((await run("fail", { commands: throwing("text") })).stderr).toBe("outrigger: text\n");
  });

  test("is silent and done when the reader of its output went away", async () => {
    const host = memoryHost();
    host.closeStdout();
    expect(await runCli(["version"], host)).toBe(0);
    expect(host.out.stderr).toBe("");
  });
});
