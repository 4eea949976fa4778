/**
 * Programs of others that tests by hand need: those of the system, installed with apt-get where that can
 * be, and Go programs of ours, built once into the user's cache.
 */

import { spawn, type SpawnOptions } from "node:child_process";
import { createHash } from "node:crypto";
import { accessSync, constants, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import process from "node:process";

/** What is missing here; the message is one line for people. */
export class MissingError extends Error {
  override readonly name = "MissingError";
}

export type Say = (line: string) => void;

/** Two busy cores took 13 minutes for the largest, two idle ones take 4. */
const BUILD_MS = 30 * 60 * 1000;

export interface SystemProgram {
  readonly name: string;
  /** Of Debian. */
  readonly package: string;
  /** What to do where it can't be installed. */
  readonly advice: string;
}

/** Its path; throws a MissingError. */
export async function systemProgram(
  { name, package: debian, advice }: SystemProgram,
  say: Say,
): Promise<string> {
  const found = inPath(name);
  if (found !== undefined) return found;
  if (process.getuid?.() !== 0 || inPath("apt-get") === undefined) {
    throw new MissingError(`${name} is missing: ${advice}`);
  }
  say(`installing ${name} with apt-get`);
  const options: SpawnOptions = {
    stdio: ["ignore", "ignore", "inherit"],
    // A package with a server would start it on its usual ports.
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" },
  };
  const install = ["install", "-y", "-q", "--no-install-recommends", debian];
  if (await run("apt-get", install, options) !== 0) {
    await run("apt-get", ["update", "-q"], options);
    await run("apt-get", install, options);
  }
  const installed = inPath(name);
  if (installed === undefined) {
    throw new MissingError(`apt-get could not install ${name}: ${advice}`);
  }
  return installed;
}

export interface GoProgram {
  /** For people, as in `kube-apiserver v1.35.4`; spaces become dashes in the file's name. */
  readonly name: string;
  /** Holds the sources, `go.mod` and where there is one `go.sum`. */
  readonly folder: string;
  readonly files: readonly string[];
  readonly ldflags?: readonly string[];
  /** Folder of the cache to build into. */
  readonly cache: string;
  /** How long it takes, as in `minutes`. */
  readonly takes: string;
  readonly advice: string;
}

/** Its path; builds it where these sources have not been built yet. Throws a MissingError. */
export async function goProgram(program: GoProgram, say: Say): Promise<string> {
  const { name, folder, files, ldflags = [], takes, advice } = program;
  const hash = createHash("sha256");
  for (const file of files) hash.update(readFileSync(join(folder, file)));
  const cache = cacheFolder(program.cache);
  const file = join(cache, `${name.replaceAll(" ", "-")}-${hash.digest("hex").slice(0, 12)}`);
  if (isProgram(file)) return file;
  if (inPath("go") === undefined) {
    throw new MissingError(`Go is missing, to build ${name}: ${advice}`);
  }
  say(`building ${name} (once; ${takes})`);
  mkdirSync(cache, { recursive: true });
  // Under another name first: a build that is cut short leaves nothing that looks like a program.
  const unfinished = `${file}.${process.pid}`;
  const flags = ["-s", "-w", ...ldflags].join(" ");
  const code = await run(
    "go",
    ["build", "-trimpath", "-ldflags", flags, "-o", unfinished, "."],
    { cwd: folder, stdio: ["ignore", "inherit", "inherit"], timeout: BUILD_MS },
  );
  if (code !== 0) {
    rmSync(unfinished, { force: true });
    throw new MissingError(`${name} could not be built in ${folder}`);
  }
  renameSync(unfinished, file);
  return file;
}

export function cacheFolder(name: string): string {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "outrigger", name);
}

/** The exit code; `null` where it could not be started or was ended. */
export function run(
  command: string,
  args: readonly string[],
  options: SpawnOptions,
): Promise<number | null> {
  return new Promise((resolve) => {
    const child = spawn(command, args, options);
    child.on("error", () => resolve(null));
    child.on("close", resolve);
  });
}

export function inPath(name: string): string | undefined {
  const folders = (process.env.PATH ?? "").split(delimiter);
  return folders.map((folder) => join(folder, name)).find(isProgram);
}

export function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
