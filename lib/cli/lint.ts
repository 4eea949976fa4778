/** `outrigger lint`: what is wrong with an injection config, before pods meet it. */

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
  summary: "find what is wrong with an injection config, before pods meet it",
  usage: "CONFIG [--values FILE] [--mesh FILE] [flags]",
  description: "Reads an injection config (or one bare template) and says what is wrong with it: " +
    "texts that can't be read, templates that don't parse, unknown functions, fields and values keys, " +
    "selectors and policies that mean nothing. Then it injects a corpus of ordinary pods and feeds odd " +
    "but legal values through every hole: what fails, what changes the pod's shape, what stands in no " +
    "quotes; and which branches no pod takes.\n\n" +
    "Exit code 1 if there is an error; warnings alone give 0. With --values the keys of .Values are " +
    "checked too.",
  flags: [
    {
      name: "values",
      type: "string",
      value: "FILE",
      description: "the values that go with the config",
    },
    {
      name: "mesh",
      type: "string",
      value: "FILE",
      description: "the mesh config that goes with it",
    },
    {
      name: "all",
      type: "boolean",
      description: "list what is only worth knowing too, as branches that no pod takes",
    },
    {
      name: "compat",
      type: "string",
      value: "1.N",
      description: "the version of Istio that the config is for",
      default: "today",
    },
    {
      name: "left-delim",
      type: "string",
      value: "TEXT",
      description: "left delimiter of a config with one template; told from it if absent",
    },
    {
      name: "right-delim",
      type: "string",
      value: "TEXT",
      description: "right delimiter of a config with one template",
    },
    STRUCTURE_GUARD_FLAG,
    OUTPUT_FLAG,
  ],
  positionals: [{
    name: "CONFIG",
    description: "file of the injection config, or - for standard input",
  }],
  examples: [
    { line: "outrigger lint config.yaml --values values.json --mesh mesh.yaml", note: "all of it" },
    {
      line: "outrigger lint sidecar.tpl --all",
      note: "one template, with what is only worth knowing",
    },
    {
      line:
        "kubectl -n istio-system get cm istio-sidecar-injector -o jsonpath='{.data.config}' | " +
        "outrigger lint -",
      note: "what a cluster injects with",
    },
  ],
  async run({ flags, positionals: [path] }, host) {
    const config = path === "-" ? await host.stdin.readText() : await host.readText(path);
    const optional = (file: string | undefined) =>
      file === undefined ? undefined : host.readText(file);
    const report = lintTexts({
      config,
      values: await optional(flags.values),
      mesh: await optional(flags.mesh),
      files: {
        config: path === "-" ? "standard input" : path,
        values: flags.values,
        mesh: flags.mesh,
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
  const what = counts.length === 0 ? "nothing wrong" : counts.join(", ");
  parts.push(`${what}${tried === 0 ? "" : `; ${tried} injections tried`}\n`);
  return parts.filter((part) => part !== "").join("\n");
}

/** Longer lines are cut around the place. */
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
