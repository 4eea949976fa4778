/** What a run needs on this machine: the programs to measure and those that make load. */
import { existsSync } from "node:fs";
import { cpus } from "node:os";
import { goProgram, MissingError, run, type Say, systemProgram } from "../_programs.ts";
import type { Generators } from "./_measure.ts";
import type { Place } from "./_targets.ts";

const HERE = import.meta.dirname!;
const ROOT = `${HERE}/../..`;
const GO = "install Go 1.26 or later";

export async function prepare(
  folder: string,
  say: Say,
): Promise<{ programs: Place["programs"]; generators: Generators }> {
  if (cpus().length < 2) {
    throw new MissingError("A second core is missing: one for servers, one for generators");
  }
  await systemProgram({ name: "taskset", package: "util-linux", advice: "install it" }, say);
  const wrk = await systemProgram({ name: "wrk", package: "wrk", advice: "install wrk" }, say);
  const load = await goProgram({
    name: "load",
    folder: `${HERE}/load`,
    files: ["go.mod", "main.go"],
    cache: "bench",
    takes: "seconds",
    advice: GO,
  }, say);
  const peer = await goProgram({
    name: "peer",
    folder: `${HERE}/peer`,
    files: ["go.mod", "go.sum", "main.go"],
    cache: "bench",
    takes: "minutes, and half a gigabyte of modules",
    advice: GO,
  }, say);
  const ours = process.env.OUTRIGGER_TEST_PROGRAM ?? `${ROOT}/dist/outrigger`;
  if (!existsSync(ours)) {
    throw new MissingError('The executable is missing: run "deno task build" first');
  }
  return { programs: { peer, ours, floor: await compileFloor(folder) }, generators: { wrk, load } };
}

/** As our own executable is compiled. */
async function compileFloor(folder: string): Promise<string> {
  const file = `${folder}/floor`;
  const flags = ["--compile", "--bytecode", "--format=esm", `--outfile=${file}`];
  const code = await run(
    process.execPath,
    ["build", `${HERE}/floor.ts`, ...flags],
    { cwd: ROOT, stdio: ["ignore", "ignore", "inherit"], timeout: 120_000 },
  );
  if (code !== 0) throw new MissingError("The floor could not be compiled");
  return file;
}
