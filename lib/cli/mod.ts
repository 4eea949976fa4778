/**
 * The command line: runs a command and returns its exit code. Only this folder turns errors into exit codes
 * (0 done, 1 failed, 2 wrong usage) and into the `outrigger: …` line on standard error.
 */

import { compileEagerly, type Host, HostError } from "../host/mod.ts";
import { SettingError } from "../inject/mod.ts";
import { VERSION } from "./_build.ts";
import { findCommand } from "./_find_command.ts";
import { commandHelp, programHelp } from "./_help_text.ts";
import { parseArgs } from "./_parse_args.ts";
import { type Command, UsageError } from "./command.ts";
import { commands as ourCommands } from "./commands.ts";

/** Runs a command line. Never throws: errors go to standard error and set the exit code. */
export async function runCli(
  argv: readonly string[],
  host: Host,
  { commands = ourCommands }: { commands?: readonly Command[] } = {},
): Promise<number> {
  try {
    return await dispatch(argv, host, commands);
  } catch (error) {
    return await report(error, host);
  }
}

async function dispatch(
  argv: readonly string[],
  host: Host,
  commands: readonly Command[],
): Promise<number> {
  const bare = bareCall(argv, host, commands);
  if (bare !== undefined) return await run(bare.command, bare.argv, host);
  const [first, ...rest] = argv;
  if (first === undefined || first === "--help" || first === "-h") {
    await host.stdout.write(programHelp(commands, VERSION));
    return 0;
  }
  const name = first === "--version" ? "version" : first;
  if (name.startsWith("-")) throw flagTooEarly(name, "outrigger help");
  const found = findCommand(commands, [name, ...rest]);
  return await run(found.command, found.rest, host);
}

function flagTooEarly(flag: string, page: string): UsageError {
  const what = `Unknown flag ${JSON.stringify(flag)}: flags come after a command.`;
  return new UsageError(`${what} Run "${page}"`);
}

/**
 * Recognizes a command line without a command name: the manifests of Istio's standalone injector (1.1 to
 * 1.4) pass only flags, and with OUTRIGGER_DEV an empty command line means `serve` too.
 */
function bareCall(
  argv: readonly string[],
  host: Host,
  commands: readonly Command[],
): { command: Command; argv: readonly string[] } | undefined {
  const command = commands.find(({ takesBareFlags }) => takesBareFlags);
  // Task runners pass on the `--` that separates their arguments from ours.
  const words = argv[0] === "--" ? argv.slice(1) : argv;
  const name = /^--(?:no-)?([\w-]+)/.exec(words[0] ?? "")?.[1];
  const isMeant = words.length === 0
    ? host.env("OUTRIGGER_DEV") === "true"
    : command?.flags.some((flag) => flag.name === name);
  return command !== undefined && isMeant ? { command, argv: words } : undefined;
}

async function run(command: Command, argv: readonly string[], host: Host): Promise<number> {
  if (command.commands !== undefined) {
    const [flag = "--help"] = argv;
    if (flag !== "--help" && flag !== "-h") {
      throw flagTooEarly(flag, `outrigger help ${command.name}`);
    }
    await host.stdout.write(commandHelp(command));
    return 0;
  }
  const parsed = parseArgs(command, { argv, env: host.env });
  if (parsed.help) {
    await host.stdout.write(commandHelp(command));
    return 0;
  }
  if (!command.isServer) compileEagerly();
  return await command.run(parsed.args, host);
}

async function report(error: unknown, host: Host): Promise<number> {
  // A closed pipe, as in `outrigger … | head`, is not a failure.
  if (error instanceof HostError && error.code === "closed") return 0;
  try {
    await host.stderr.write(`outrigger: ${describe(error, host)}\n`);
  } catch {
    // Standard error is closed too; only the exit code remains.
  }
  return error instanceof UsageError || error instanceof SettingError ? 2 : 1;
}

/** Returns the message, or with OUTRIGGER_DEBUG the stack traces of the error and its causes. */
function describe(error: unknown, host: Host): string {
  if (!(error instanceof Error)) return String(error);
  if (!host.env("OUTRIGGER_DEBUG")) return error.message;
  const seen = new Set<unknown>();
  const stacks: string[] = [];
  for (let at: unknown = error; at !== undefined && !seen.has(at); at = causeOf(at)) {
    seen.add(at);
    stacks.push(at instanceof Error ? at.stack ?? at.message : String(at));
  }
  return stacks.join("\ncaused by ");
}

function causeOf(error: unknown): unknown {
  return error instanceof Error ? error.cause : undefined;
}
