/**
 * Outrigger beside Istio's own injector, in one run on this machine: throughput, latency, processor time,
 * memory, start-up and size, and whether the goals are met. Prints one table and writes it to RESULTS.md.
 * See README.md.
 *
 *     deno task bench [--quick] [--only replicas,distinct,unseen,large,growth,connections,start]
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { parseArgs } from "node:util";
import { createDevCertificate } from "../../lib/tls/dev_certificate.ts";
import { MissingError } from "../_programs.ts";
import { describeMachine } from "./_machine.ts";
import { prepare } from "./_prepare.ts";
import { goalsText, type Row, tableText } from "./_report.ts";
import { type PartName, PARTS, type Scale, type Stand } from "./_parts.ts";
import { measuredSettings, writeSettings } from "./_settings.ts";

const { values: flags } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    only: { type: "string", default: Object.keys(PARTS).join(",") },
    /** Where the table goes; nowhere with `--only`, which leaves a table with holes. */
    out: { type: "string" },
  },
});

const FULL: Scale = {
  rounds: 3,
  seconds: 8,
  warmUpSeconds: 5,
  latencySeconds: 15,
  count: 10_000,
  growthSeconds: 3,
  starts: 10,
};
const QUICK: Scale = {
  rounds: 1,
  seconds: 2,
  warmUpSeconds: 2,
  latencySeconds: 3,
  count: 500,
  growthSeconds: 0.5,
  starts: 3,
};
/** Past it something hangs: a full run takes a quarter of an hour. */
const DEADLINE_MS = 60 * 60 * 1000;

const scale = flags.quick ? QUICK : FULL;
const names = flags.only.split(",");
const unknown = names.filter((name) => !(name in PARTS));
if (unknown.length > 0) {
  console.error(`Unknown part "${unknown[0]}": there are ${Object.keys(PARTS).join(", ")}`);
  process.exit(2);
}

const machine = describeMachine();
const say = (line: string) => console.error(line);
const folder = mkdtempSync(`${tmpdir()}/outrigger-bench-`);
const deadline = setTimeout(() => {
  say("Cannot measure: it took longer than an hour");
  process.exit(1);
}, DEADLINE_MS);
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(130));

try {
  const rows = await measure();
  const table = tableText(rows);
  const goals = goalsText(rows);
  console.log(`${machine.join("\n")}\n\n${table}\n\n${goals}`);
  const isWhole = !flags.quick && names.length === Object.keys(PARTS).length;
  const out = flags.out ?? (isWhole ? `${import.meta.dirname}/RESULTS.md` : undefined);
  if (out !== undefined) writeFileSync(out, results(table, goals));
} catch (error) {
  if (!(error instanceof MissingError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
} finally {
  clearTimeout(deadline);
}

async function measure(): Promise<Row[]> {
  const { programs, generators } = await prepare(folder, say);
  const settings = measuredSettings();
  writeSettings(settings, `${folder}/settings`);
  const { material } = await createDevCertificate({ now: Date.now() });
  writeFileSync(`${folder}/tls.crt`, material.certificates);
  writeFileSync(`${folder}/tls.key`, material.key);
  const stand: Stand = {
    place: {
      programs,
      settings: `${folder}/settings`,
      certificate: `${folder}/tls.crt`,
      key: `${folder}/tls.key`,
      answer: `${folder}/answer.json`,
    },
    generators,
    scale,
    folder,
    say,
  };
  const rows: Row[] = [];
  for (const [name, part] of Object.entries(PARTS)) {
    if (names.includes(name)) rows.push(...await part(stand, name as PartName));
  }
  return rows;
}

function results(table: string, goals: string): string {
  return `# Results

Written by \`deno task bench\`${flags.quick ? " (--quick: too short to be relied on)" : ""}; what is
measured and how is in [README.md](README.md).

${machine.map((line) => `- ${line}`).join("\n")}
- settings: ${measuredSettings().title}

${table}

${goals.replaceAll("\n", "\n- ")}
`;
}
