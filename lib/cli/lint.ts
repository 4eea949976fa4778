/** `outrigger lint`: finds problems in an injection config before it reaches pods. */

import { visible } from "../data/visible.ts";
import { type Finding, lint as lintTexts, type LintReport, type Severity } from "../explain/mod.ts";
import { compatFlag } from "../flags/mod.ts";
import { sprigFunctions } from "../go/sprig/mod.ts";
import { STRUCTURE_GUARD_FLAG } from "./_engine_flags.ts";
import { OUTPUT_FLAG, printResult } from "./_output.ts";
import { createSprigHost } from "../host/mod.ts";
import { type Colour, type Paint, painter, table } from "./_terminal.ts";
import { defineCommand } from "./command.ts";

export const lint = defineCommand({
  name: "lint",
  summary: "find problems in an injection config before it reaches pods",
  usage: "CONFIG [--valuesFile FILE] [--meshConfigFile FILE] [flags]",
  description: "Reads an injection config (or one bare template) and reports problems: " +
    "texts that cannot be parsed, unknown functions, fields and values keys, and selectors and " +
    "policies without a meaning. Then injects a set of ordinary pods and sets every field that a " +
    "template reads to unusual but valid values, and reports what fails, what changes the structure of " +
    "the pod, what is not quoted, and which branches no pod reaches.\n\n" +
    "With --valuesFile, also checks the keys of .Values. Exits with 1 if there is an error, and with 0 if " +
    "there are only warnings.",
  flags: [
    {
      name: "valuesFile",
      aliases: ["values"],
      type: "string",
      value: "FILE",
      description: "values to use with the config",
    },
    {
      name: "meshConfigFile",
      aliases: ["mesh"],
      type: "string",
      value: "FILE",
      description: "mesh config to use with the config",
    },
    {
      name: "all",
      type: "boolean",
      description: "also list notes, such as branches that no pod reaches",
    },
    {
      name: "compat",
      type: "string",
      value: "1.N",
      description: "Istio version that the config is for",
      default: "today",
    },
    {
      name: "left-delim",
      type: "string",
      value: "TEXT",
      description: "left delimiter of a single-template config; detected if not set",
    },
    {
      name: "right-delim",
      type: "string",
      value: "TEXT",
      description: "right delimiter of a single-template config; detected if not set",
    },
    STRUCTURE_GUARD_FLAG,
    OUTPUT_FLAG,
  ],
  positionals: [{
    name: "CONFIG",
    description: "file with the injection config, or - for standard input",
  }],
  examples: [
    {
      line: "outrigger lint config.yaml --valuesFile values.json --meshConfigFile mesh.yaml",
      note: "check a config with its values and mesh config",
    },
    {
      line: "outrigger lint sidecar.tpl --all",
      note: "check one template, and list notes too",
    },
    {
      line:
        "kubectl -n istio-system get cm istio-sidecar-injector -o jsonpath='{.data.config}' | " +
        "outrigger lint -",
      note: "check the config of a cluster",
    },
  ],
  async run({ flags, positionals: [path] }, host) {
    const config = path === "-" ? await host.stdin.readText() : await host.readText(path);
    const optional = (file: string | undefined) =>
      file === undefined ? undefined : host.readText(file);
    const report = lintTexts({
      config,
      values: await optional(flags.valuesFile),
      mesh: await optional(flags.meshConfigFile),
      files: {
        config: path === "-" ? "standard input" : path,
        values: flags.valuesFile,
        mesh: flags.meshConfigFile,
      },
    }, {
      sprig: sprigFunctions(createSprigHost(host, { env: () => undefined })),
      compat: compatFlag("lint", flags.compat),
      leftDelim: flags["left-delim"],
      rightDelim: flags["right-delim"],
      structureGuard: flags["structure-guard"],
    });
    await printResult({
      text: () => reportText(report, { paint: painter(host), all: flags.all }),
      value: report,
    }, { host, format: flags.output });
    return report.findings.some(({ severity }) => severity === "error") ? 1 : 0;
  },
});

const COLOURS: Readonly<Record<Severity, Colour>> = {
  error: "red",
  warning: "yellow",
  info: "cyan",
};

function reportText(
  { findings, coverage, tried }: LintReport,
  { paint, all }: { paint: Paint; all: boolean },
): string {
  const shown = findings.filter(({ severity }) => all || severity !== "info");
  const parts = shown.map((finding) => findingText(finding, paint));
  const percent = (part: number, whole: number) =>
    whole === 0 ? "-" : `${Math.floor((100 * part) / whole)}%`;
  parts.push(table(
    coverage.map(({ template, lines, branches }) => [
      template || "(template)",
      `${lines.covered}/${lines.total}`,
      percent(lines.covered, lines.total),
      `${branches.taken}/${branches.total}`,
      percent(branches.taken, branches.total),
    ]),
    { header: ["TEMPLATE", "LINES", "", "BRANCHES", ""], paint },
  ));
  const count = (severity: Severity, one: string, many: string) => {
    const number = findings.filter((finding) => finding.severity === severity).length;
    return number === 0 ? [] : [`${number} ${number === 1 ? one : many}`];
  };
  const hidden = all ? [] : count("info", "note (--all shows it)", "notes (--all shows them)");
  const counts = [
    ...count("error", "error", "errors"),
    ...count("warning", "warning", "warnings"),
    ...hidden,
  ];
  const what = counts.length === 0 ? "no problems" : counts.join(", ");
  parts.push(`${what}${tried === 0 ? "" : `; tried ${tried} injections`}\n`);
  return parts.filter((part) => part !== "").join("\n");
}

/** The width around a finding that longer source lines are cut to. */
const WIDTH = 100;

function findingText(finding: Finding, paint: Paint): string {
  const { severity, id, file, line, column, template, message, fix } = finding;
  const place = `${file}:${line}:${column}`;
  const where = template === undefined || template === "" ? "" : ` in template ${template}`;
  const from = Math.max(0, column - WIDTH);
  const source = visible(finding.sourceLine.slice(from, from + 2 * WIDTH).replaceAll("\t", " "));
  const gutter = `${line} | `;
  const caret = " ".repeat(gutter.length + column - 1 - from) + "^";
  return `${visible(place)}: ${paint(COLOURS[severity], severity)} ${id}${visible(where)}\n` +
    `  ${gutter}${source}\n  ${paint("green", caret)}\n` +
    `  ${visible(message)}\n  ${visible(fix)}\n`;
}
