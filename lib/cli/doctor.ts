/** `outrigger doctor`: checks everything that injection depends on, and suggests a fix for each problem. */

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
  summary: "check a cluster or manifests for problems that prevent injection",
  usage: "[-f DIR|FILE|-] [flags]",
  description:
    "Checks the webhook configurations of injectors and everything they depend on: Service, " +
    "ports, endpoints, certificate and its names, caBundle, selectors (that match nothing, " +
    "everything, or the same pods twice), misspelled labels, failure policy and deadlocks, timeouts, " +
    "RBAC, config, versions, removed API versions, and leftovers of removed injectors. " +
    "Prints a command that fixes each problem. Changes nothing.\n\n" +
    "Exit codes: 0 no errors, 1 at least one error, 2 wrong usage.",
  flags: [
    {
      name: "filename",
      short: "f",
      type: "string",
      value: "FILE",
      description:
        "check manifests instead of a cluster: a directory, a file, or - for standard input",
    },
    {
      name: "context",
      type: "string",
      value: "NAME",
      description: "context of the cluster; if not set, the current context",
    },
    {
      name: "kubeconfig",
      short: "c",
      type: "string",
      value: "FILE",
      description: "path to the kubeconfig file; if not set, $KUBECONFIG or ~/.kube/config",
    },
    OUTPUT_FLAG,
  ],
  positionals: [],
  examples: [
    { line: "outrigger doctor", note: "check the cluster of the current context" },
    { line: "outrigger doctor -f manifests/", note: "check manifests before you apply them" },
    { line: "outrigger doctor -o json", note: "print JSON" },
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
        await host.stderr.write(visible(`warning: not checked: ${unseen}\n`));
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
  const some = (number: number, noun: string) => `${number} ${noun}${number === 1 ? "" : "s"}`;
  const text = `${some(errors, "error")}, ${some(warnings, "warning")}, ${ok} ok`;
  return `\n${paint(errors > 0 ? "red" : warnings > 0 ? "yellow" : "green", text)}\n`;
}
