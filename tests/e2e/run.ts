/**
 * Proves what only a real API server can prove: starts one, runs every `*_e2e.ts` of this folder against
 * it, and prints what was shown. `deno task test:e2e` builds the program first; names of files to choose
 * among them may follow.
 */

import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import { findBinaries, MissingError } from "./_binaries.ts";
import { type ClusterInfo, startCluster } from "./_cluster.ts";
import { PROGRAM, VARIABLE } from "./_environment.ts";

const FOLDER = import.meta.dirname!;

const began = performance.now();
const seconds = () => `${((performance.now() - began) / 1000).toFixed(1)} s`;
const say = (line: string) => console.error(`e2e ${seconds()}: ${line}`);

async function main(chosen: readonly string[]): Promise<number> {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith("_e2e.ts")).sort()
    .filter((name) => chosen.length === 0 || chosen.some((part) => name.includes(part)));
  if (files.length === 0) {
    throw new MissingError(`no file here is named like ${chosen.join(" or ")}`);
  }
  const binaries = await findBinaries(say);
  const folder = mkdtempSync(join(tmpdir(), "outrigger-e2e-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  say(`starting ${binaries.versions}`);
  const cluster = await startCluster(binaries, join(folder, "cluster"));
  const interrupted = async () => {
    await cluster.stop();
    remove();
    process.exit(130);
  };
  process.once("SIGINT", interrupted).once("SIGTERM", interrupted);
  say(`ready at ${cluster.info.server}`);
  let code = 1;
  try {
    code = await runTests(files, { folder, info: cluster.info });
  } finally {
    await cluster.stop();
  }
  if (code === 0) remove();
  else say(`failed; the logs of the cluster are in ${join(folder, "cluster")}`);
  return code;
}

/** In a process of its own: `bun test` reads its arguments from the command line alone. */
async function runTests(
  files: readonly string[],
  { folder, info }: { folder: string; info: ClusterInfo },
): Promise<number> {
  const report = join(folder, "report.xml");
  const args = ["test", "--timeout", "120000", "--reporter=junit", `--reporter-outfile=${report}`];
  const child = spawn(process.execPath, [...args, ...files.map((name) => join(FOLDER, name))], {
    stdio: "inherit",
    // Whatever the tests start is the program as it is shipped.
    env: {
      ...process.env,
      [VARIABLE]: JSON.stringify(info),
      OUTRIGGER_TEST_PROGRAM: resolve(PROGRAM),
    },
  });
  const code = await new Promise<number>((resolve) => {
    child.on("close", (code) => resolve(code ?? 1));
  });
  if (code === 0) {
    const statements = readStatements(readFileSync(report, "utf8"));
    console.log(`\nProven on ${info.versions}, with ${PROGRAM}:`);
    for (const [subject, proven] of statements) {
      console.log(`\n${subject}`);
      for (const statement of proven) console.log(`  ✓ ${statement}`);
    }
    const count = [...statements.values()].reduce((sum, { length }) => sum + length, 0);
    console.log(`\n${count} statements in ${seconds()}`);
  }
  return code;
}

/** The tests of a report of JUnit's form, by what they are about. */
function readStatements(xml: string): Map<string, string[]> {
  const statements = new Map<string, string[]>();
  for (const [tag] of xml.matchAll(/<testcase\s[^>]*>/g)) {
    const attribute = (name: string) => unescape(new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1]);
    const subject = attribute("classname");
    statements.set(subject, [...statements.get(subject) ?? [], attribute("name")]);
  }
  return statements;
}

const ENTITIES = new Map(Object.entries({ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" }));

function unescape(text = ""): string {
  return text.replace(
    /&(#\d+|\w+);/g,
    (whole, name: string) =>
      name.startsWith("#")
        ? String.fromCodePoint(Number(name.slice(1)))
        : ENTITIES.get(name) ?? whole,
  );
}

process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  const message = error instanceof MissingError ? error.message : error;
  console.error("Cannot run the end-to-end tests:", message);
  return 1;
});
