/** `outrigger doctor`: one look at all that injection hangs on, with a command for each thing that is wrong. */

import { visible } from "../data/visible.ts";
import { diagnose, type Finding, type Level } from "../doctor/mod.ts";
import { factsOfCluster } from "./_doctor_cluster.ts";
import { factsOfFiles } from "./_doctor_files.ts";
import { openClient } from "./_inject_cluster.ts";
import { OUTPUT_FLAG, printResult } from "./_output.ts";
import { type Colour, type Paint, painter, table } from "./_terminal.ts";
import { defineCommand } from "./command.ts";

export const doctor = defineCommand({
  name: "doctor",
  summary: "check a cluster or manifests for what keeps injection from working",
  usage: "[-f DIR|FILE|-] [flags]",
  description: "Looks at the webhook configurations of injectors and all they hang on: Service, " +
    "ports, endpoints, certificate and its names, caBundle, selectors (none, all, two at once), " +
    "misspelt labels, failure policy and deadlocks, timeouts, rights of the service account, " +
    "config, versions, API versions that are gone, and what is left of injectors that are gone. " +
    "Each finding comes with the command that mends it. Changes nothing.\n\n" +
    "Exit codes: 0 all well or warnings only, 1 something is wrong, 2 wrong usage.",
  flags: [
    {
      name: "filename",
      short: "f",
      type: "string",
      value: "FILE",
      description: "ask no cluster: manifests of a directory, a file, or - for standard input",
    },
    {
      name: "context",
      type: "string",
      value: "NAME",
      description: "context of the cluster, instead of the current one",
    },
    {
      name: "kubeconfig",
      short: "c",
      type: "string",
      value: "FILE",
      description: "kubeconfig to find the cluster with, instead of KUBECONFIG or ~/.kube/config",
    },
    OUTPUT_FLAG,
  ],
  positionals: [],
  examples: [
    { line: "outrigger doctor", note: "the current context's cluster" },
    { line: "outrigger doctor -f manifests/", note: "manifests, before they are applied" },
    { line: "outrigger doctor -o json", note: "for programs" },
  ],
  async run({ flags }, host) {
    const opened = flags.filename === undefined ? await openClient(flags, host) : undefined;
    try {
      const facts = opened === undefined
        ? await factsOfFiles(flags.filename!, host)
        : await factsOfCluster(opened, host);
      const findings = diagnose(facts);
      const count = (level: Level) => findings.filter((one) => one.level === level).length;
      const counts = { ok: count("ok"), warnings: count("warn"), errors: count("error") };
      const paint = painter(host);
      await printResult({
        text: () => reportText(findings, paint) + summary(counts, paint),
        value: { ...counts, findings, unseen: facts.unseen },
      }, { host, format: flags.output });
      for (const unseen of new Set(facts.unseen)) {
        await host.stderr.write(visible(`warning: not looked at: ${unseen}\n`));
      }
      return counts.errors === 0 ? 0 : 1;
    } finally {
      opened?.client.close();
    }
  },
});

const COLOURS: Readonly<Record<Level, Colour>> = { ok: "green", warn: "yellow", error: "red" };

function reportText(findings: readonly Finding[], paint: Paint): string {
  const rows = findings.map(({ level, check, about, what }) => [
    { text: level, colour: COLOURS[level] },
    check.replaceAll("_", " "),
    `${about}: ${what}`,
  ]);
  const lines = table(rows, { paint }).split("\n");
  return findings.map(({ fix }, index) =>
    `${lines[index]}\n${fix === undefined ? "" : `       ${paint("cyan", visible(fix))}\n`}`
  ).join("");
}

function summary(
  { ok, warnings, errors }: { ok: number; warnings: number; errors: number },
  paint: Paint,
): string {
  const text = `${errors} wrong, ${warnings} to look at, ${ok} well`;
  return `\n${paint(errors > 0 ? "red" : warnings > 0 ? "yellow" : "green", text)}\n`;
}
