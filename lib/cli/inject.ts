/** `outrigger inject`: adds sidecars to manifests, like `istioctl kube-inject`. */

import { unifiedDiff } from "../data/text_diff.ts";
import { visible } from "../data/visible.ts";
import { stringifyYaml } from "../yaml/mod.ts";
import { TemplateError } from "../go/template/mod.ts";
import type { Host } from "../host/mod.ts";
import {
  createInjector,
  type Injector,
  joinDocuments,
  KubeInjectError,
  type WorkloadResult,
} from "../inject/mod.ts";
import { ENGINE_FLAGS } from "./_engine_flags.ts";
import { type LoadedSources, loadSources } from "./_inject_engine.ts";
import { type Input, readInputs } from "./_inject_inputs.ts";
import { printProvenance, provenanceFormat } from "./_inject_provenance.ts";
import { Report } from "./_inject_report.ts";
import { diffPaint } from "./_terminal.ts";
import { defineCommand, UsageError } from "./command.ts";

export const inject = defineCommand({
  name: "inject",
  aliases: ["kube-inject"],
  summary: "inject the sidecar into the workloads in manifests",
  usage: "-f FILE|DIR|- [flags]",
  description: "Prints manifests with the sidecar injected into every workload: Pod, Deployment, " +
    "DaemonSet, ReplicaSet, StatefulSet, Job, CronJob, ReplicationController, " +
    "DeploymentConfig, and Lists of them. Everything else is printed unchanged.\n\n" +
    "By default, uses the built-in templates, values and mesh config. To use those of an Istio " +
    "installation, name files as for istioctl kube-inject, or read its config maps from a cluster " +
    "with --context or --kubeconfig. Templates can read only the environment variables that " +
    "--allow-env names.",
  flags: [
    {
      name: "filename",
      short: "f",
      type: "string",
      value: "FILE",
      description:
        "manifests: a file, a directory (.yaml, .yml and .json), or - for standard input",
    },
    {
      name: "output",
      short: "o",
      type: "string",
      value: "FILE",
      description:
        "file to write to instead of standard output; with --provenance, the output format: " +
        "text, json or yaml",
    },
    {
      name: "diff",
      type: "boolean",
      description: "print a diff; write the YAML only if --output is set",
    },
    {
      name: "provenance",
      type: "boolean",
      description: "show which template, value or stage each injected line comes from",
    },
    ...ENGINE_FLAGS,
  ],
  positionals: [],
  examples: [
    { line: "outrigger inject -f app.yaml", note: "inject with the built-in templates" },
    { line: "outrigger inject -f app.yaml --diff", note: "show only what would change" },
    { line: "outrigger inject -f app.yaml --provenance", note: "show the origin of each line" },
    {
      line: "outrigger inject -f manifests/ -o injected.yaml --injectConfigFile config.yaml " +
        "--valuesFile values.json --meshConfigFile mesh.yaml",
      note: "inject a directory with the config of an Istio installation",
    },
    {
      line: "outrigger inject -f app.yaml --context kind-kind",
      note: "inject as the installation in that cluster would",
    },
    {
      line: "kubectl get deployment -o yaml | outrigger inject -f - | kubectl apply -f -",
      note: "inject running workloads",
    },
  ],
  async run({ flags }, host) {
    if (flags.filename === undefined || flags.filename === "") {
      throw new UsageError("filename not specified (see --filename or -f)");
    }
    if (flags.provenance && flags.diff) {
      throw new UsageError(
        'Flags "--diff" and "--provenance" are mutually exclusive. Run "outrigger help inject"',
      );
    }
    const format = flags.provenance ? provenanceFormat(flags.output) : undefined;
    const file = format === undefined && flags.output ? flags.output : undefined;
    const target = { file, diff: flags.diff };
    const notes: string[] = [];
    const loaded = await loadSources(flags, {
      host,
      warn: (message) => notes.push(message),
      command: "inject",
    });
    const injector = format === undefined
      ? loaded.blamed(() => createInjector(loaded.sources, loaded.settings))
      : undefined;
    const inputs = await readInputs(flags.filename, host);
    const report = new Report({
      host,
      total: inputs.reduce((sum, { text }) => sum + countDocuments(text), 0),
      isTerminalTaken: host.stdout.isTerminal && (target.diff || target.file === undefined),
      notes,
    });
    try {
      if (injector !== undefined) {
        await injectAll(inputs, { ...loaded, injector }, { host, report, target });
      } else await printProvenance(inputs, loaded, { host, report, format: format! });
    } catch (error) {
      if (!(error instanceof KubeInjectError)) throw error;
      report.addSkips(error.warnings);
      throw withExcerpt(error);
    } finally {
      await report.finish();
    }
    await host.stderr.write(`${report.summary()}\n`);
    return 0;
  },
});

interface Sinks {
  readonly host: Host;
  readonly report: Report;
  readonly target: { readonly file: string | undefined; readonly diff: boolean };
}

/** Injects document by document. After an error, the documents before it have been written. */
async function injectAll(
  inputs: readonly Input[],
  { injector, cluster }: Pick<LoadedSources, "cluster"> & { readonly injector: Injector },
  { host, report, target: { file, diff } }: Sinks,
): Promise<void> {
  let forFile = "";
  try {
    for (const { name, text } of inputs) {
      for (const document of injector.kubeInjectDocuments(text, { name, cluster })) {
        const yaml = joinDocuments([document.output]);
        if (file !== undefined) forFile += yaml;
        else if (!diff) await host.stdout.write(yaml);
        if (diff) await printDiff(document.results, name, host);
        await report.add(name, document);
      }
    }
  } catch (error) {
    if (file === undefined || !(error instanceof KubeInjectError)) throw error;
    // Do not overwrite an existing file, perhaps the source itself, with a partial result.
    const exists = await host.stat(file) !== undefined;
    if (!exists) await host.writeFile(file, forFile);
    const state = exists ? "is unchanged" : "contains the documents before it";
    throw new KubeInjectError(`${error.message}; ${JSON.stringify(file)} ${state}`, {
      cause: error,
      warnings: error.warnings,
    });
  }
  if (file !== undefined) await host.writeFile(file, forFile);
}

async function printDiff(
  results: readonly WorkloadResult[],
  file: string,
  host: Host,
): Promise<void> {
  const paint = diffPaint(host);
  for (const { workload, before, after } of results) {
    const what = visible(`${file} ${workload}`);
    const diff = unifiedDiff(stringifyYaml(before), stringifyYaml(after), {
      from: what,
      to: `${what} injected`,
      paint,
    });
    if (diff !== "") await host.stdout.write(diff);
  }
}

/** Estimates the number of documents by counting separators. */
function countDocuments(text: string): number {
  return (text.match(/^---/gm)?.length ?? 0) + 1;
}

/** Appends the offending template line to a template's error. */
function withExcerpt(error: unknown): unknown {
  let cause = error;
  while (cause instanceof Error && !(cause instanceof TemplateError)) cause = cause.cause;
  if (!(error instanceof Error && cause instanceof TemplateError)) return error;
  const excerpt = cause.excerpt();
  return excerpt === "" ? error : new Error(`${error.message}\n${excerpt}`, { cause: error });
}
