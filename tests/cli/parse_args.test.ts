import { describe, expect, test } from "bun:test";
import { parseArgs } from "../../lib/cli/_parse_args.ts";
import { defineCommand, UsageError } from "../../lib/cli/command.ts";

const command = defineCommand({
  name: "try",
  summary: "a command to try flags on",
  usage: "[flags] FILE [MORE...]",
  flags: [
    { name: "verbose", short: "v", type: "boolean", description: "say more" },
    { name: "all", short: "a", type: "boolean", description: "all of them", default: true },
    {
      name: "output",
      short: "o",
      type: "string",
      value: "FORMAT",
      description: "form",
      env: "OUT",
    },
    {
      name: "injectConfigFile",
      aliases: ["config"],
      type: "string",
      value: "FILE",
      description: "istioctl's name",
    },
    { name: "port", short: "p", type: "number", value: "N", description: "port", default: 1 },
    { name: "set", type: "list", value: "K=V", description: "values" },
    { name: "era", type: "string", value: "E", description: "era", choices: ["modern", "legacy"] },
    { name: "quick", type: "boolean", description: "hurry", env: "QUICK" },
  ],
  positionals: [
    { name: "FILE", description: "a file" },
    { name: "MORE", description: "more files", optional: true, repeated: true },
  ],
  examples: [],
  run: () => Promise.resolve(0),
});

const DEFAULTS = {
  verbose: false,
  all: true,
  output: undefined,
  injectConfigFile: undefined,
  port: 1,
  set: [],
  era: undefined,
  quick: false,
};

function parse(line: string, env: Record<string, string> = {}) {
  const argv = line === "" ? [] : line.split(" ");
  return parseArgs(command, { argv, env: (name) => env[name] });
}

describe("parseArgs()", () => {
  const cases: [line: string, flags: Record<string, unknown>, positionals: string[]][] = [
    ["f", {}, ["f"]],
    ["f --output json", { output: "json" }, ["f"]],
    ["--output=json f", { output: "json" }, ["f"]],
    ["--output= f", { output: "" }, ["f"]],
    ["--output=a=b f", { output: "a=b" }, ["f"]],
    ["--output -x f", { output: "-x" }, ["f"]],
    ["--output -- f", { output: "--" }, ["f"]],
    ["-o json f", { output: "json" }, ["f"]],
    ["-ojson f", { output: "json" }, ["f"]],
    ["-output f", { output: "utput" }, ["f"]],
    ["-o=json f", { output: "json" }, ["f"]],
    ["-v f", { verbose: true }, ["f"]],
    ["-vo json f", { verbose: true, output: "json" }, ["f"]],
    ["-vojson f", { verbose: true, output: "json" }, ["f"]],
    ["-v=false f", { verbose: false }, ["f"]],
    ["-a=false -v f", { all: false, verbose: true }, ["f"]],
    ["--verbose false", { verbose: true }, ["false"]],
    ["--verbose=0 --quick=1 f", { verbose: false, quick: true }, ["f"]],
    ["--no-all f", { all: false }, ["f"]],
    ["--no-all --all f", { all: true }, ["f"]],
    ["--injectConfigFile c.yaml f", { injectConfigFile: "c.yaml" }, ["f"]],
    ["--config c.yaml f", { injectConfigFile: "c.yaml" }, ["f"]],
    ["--config=c.yaml f", { injectConfigFile: "c.yaml" }, ["f"]],
    ["--port 15017 f", { port: 15017 }, ["f"]],
    ["-p -2.5 f", { port: -2.5 }, ["f"]],
    ["--output a --output b f", { output: "b" }, ["f"]],
    ["--set a=1 --set b=2,3 f", { set: ["a=1", "b=2,3"] }, ["f"]],
    ["-", {}, ["-"]],
    ["f g -v h", { verbose: true }, ["f", "g", "h"]],
    ["-- -v --help", {}, ["-v", "--help"]],
    ["f -- -- x", {}, ["f", "--", "x"]],
    ["--era legacy f", { era: "legacy" }, ["f"]],
    ["--output --help f", { output: "--help" }, ["f"]],
  ];
  test.each(cases)("%s", (line, flags, positionals) => {
    const parsed = parse(line);
    if (parsed.help) throw new Error("took it for a cry for help");
    expect({ ...parsed.args.flags }).toEqual({ ...DEFAULTS, ...flags });
    expect(parsed.args.positionals).toEqual(positionals);
  });

  test.each(["--help", "-h", "f --help", "-vh", "--port 1 -h"])("%s asks for help", (line) => {
    expect(parse(line).help).toBe(true);
  });

  const wrong: [line: string, message: string][] = [
    ["", "Missing argument FILE."],
    ["f --ouput x", `Unknown flag "--ouput": did you mean "--output"?`],
    [
      "f --inject-config-file x",
      `Unknown flag "--inject-config-file": did you mean "--injectConfigFile"?`,
    ],
    ["f --zzzzzz", `Unknown flag "--zzzzzz".`],
    ["f --hlep", `Unknown flag "--hlep": did you mean "--help"?`],
    ["f -x", `Unknown flag "-x".`],
    ["f --__proto__ x", `Unknown flag "--__proto__".`],
    ["f --no-output", `Unknown flag "--no-output": did you mean "--output"?`],
    ["f --no-all=true", `Flag "--no-all" takes no value.`],
    ["f --output", `Flag "--output" expects a value.`],
    ["f -o", `Flag "-o" expects a value.`],
    ["f --port x", `Flag "--port" expects a number, got "x".`],
    ["f --port 0x10", `Flag "--port" expects a number, got "0x10".`],
    ["f --port=", `Flag "--port" expects a number, got "".`],
    ["f --verbose=maybe", `Flag "--verbose" expects true or false, got "maybe".`],
    [
      "f --era modren",
      `Flag "--era" expects modern or legacy, got "modren": did you mean "modern"?`,
    ],
    ["f --\u001b[31m", `Unknown flag "--\\u001b[31m".`],
  ];
  test.each(wrong)("%s is wrong usage", (line, message) => {
    expect(() => parse(line)).toThrow(new UsageError(`${message} Run "outrigger help try"`));
  });

  test("refuses more arguments than the command takes", () => {
    const none = { ...command, positionals: [] };
    expect(() => parseArgs(none, { argv: ["a b"], env: () => undefined })).toThrow(
      `Unexpected argument "a b". Run "outrigger help try"`,
    );
  });

  test("reads a variable where the flag is not given, and the flag wins", () => {
    const env = { OUT: "yaml", QUICK: "true" };
    expect(parse("f", env)).toMatchObject({ args: { flags: { output: "yaml", quick: true } } });
    expect(parse("f -o json --no-quick", env)).toMatchObject({
      args: { flags: { output: "json", quick: false } },
    });
    expect(parse("f", { OUT: "" })).toMatchObject({ args: { flags: { output: undefined } } });
    expect(() => parse("f", { QUICK: "perhaps" })).toThrow(
      `Variable "QUICK" expects true or false, got "perhaps".`,
    );
  });
});
