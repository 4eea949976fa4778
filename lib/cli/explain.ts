/** `outrigger explain`: shows step by step why a pod is injected or not, and points out likely mistakes. */

import { visible } from "../data/visible.ts";
import { type ChainStep, explain as explainPod, type Explanation } from "../explain/mod.ts";
import { ENGINE_FLAGS } from "./_engine_flags.ts";
import { readSubjects } from "./_explain_inputs.ts";
import { namesCluster, openClient } from "./_inject_cluster.ts";
import { loadSources } from "./_inject_engine.ts";
import { OUTPUT_FLAG, printResult } from "./_output.ts";
import { type Colour, type Paint, painter, table } from "./_terminal.ts";
import { defineCommand, UsageError } from "./command.ts";

/** The exit code if a pod is not injected, as distinct from a failure. */
const NOT_INJECTED = 3;

export const explain = defineCommand({
  name: "explain",
  summary: "show why a pod is or is not injected, and point out likely mistakes",
  usage: "-f FILE|- | KIND/NAME [-n NAMESPACE] [flags]",
  description:
    "Follows the path of a pod through injection: webhook selectors, operation, hostNetwork, " +
    "namespace, label and annotation, selectors, policy, templates, result. Each step shows what was " +
    "found, the verdict, and where the setting comes from.\n\n" +
    "With -f, reads only files: workloads, and any Namespaces and MutatingWebhookConfigurations " +
    "among them. With KIND/NAME, reads the workload, its namespace, the webhook configurations and the " +
    "injector's config maps from a cluster, and changes nothing. " +
    "Exits with 0 if all pods are injected, and with 3 if any is not.",
  flags: [
    {
      name: "filename",
      short: "f",
      type: "string",
      value: "FILE",
      description: "manifests: a file, a directory, or - for standard input",
    },
    {
      name: "namespace",
      short: "n",
      type: "string",
      value: "NAME",
      description: "namespace of workloads that do not specify one",
    },
    {
      name: "webhook-config",
      type: "list",
      value: "FILE",
      description: "file with MutatingWebhookConfigurations, as printed by kubectl get -o yaml",
    },
    {
      name: "namespace-labels",
      type: "list",
      value: "KEY=VALUE",
      description: "labels of the namespace, separated by commas",
    },
    OUTPUT_FLAG,
    ...ENGINE_FLAGS,
  ],
  positionals: [{
    name: "KIND/NAME",
    description: "a workload in the cluster, such as deployment/cart",
    optional: true,
  }],
  examples: [
    {
      line: "outrigger explain -f app.yaml --namespace-labels istio-injection=enabled " +
        "--webhook-config webhooks.yaml",
      note: "explain from files only",
    },
    {
      line: "outrigger explain deployment/cart -n shop",
      note: "explain a workload in the cluster of the current context",
    },
    { line: "outrigger explain pod/cart-7d9f -n shop -o json", note: "print JSON" },
  ],
  async run({ flags, positionals: [workload] }, host) {
    const { filename } = flags;
    if ((filename === undefined) === (workload === undefined)) {
      throw new UsageError(
        'Specify either -f FILE or KIND/NAME, such as deployment/cart. Run "outrigger help explain"',
      );
    }
    const notes: string[] = [];
    const warn = (message: string) => void notes.push(message);
    const usesCluster = workload !== undefined || namesCluster(flags);
    const cluster = usesCluster ? await openClient(flags, host) : undefined;
    try {
      const loaded = await loadSources(flags, { host, warn, command: "explain", usesCluster });
      const subjects = await readSubjects(flags, {
        host,
        workload,
        warn,
        ...(cluster && {
          cluster: { client: cluster.client, namespace: cluster.access.namespace },
        }),
      });
      const { sources, origins, cluster: facts, settings } = loaded;
      const found = loaded.blamed(() =>
        subjects.flatMap((subject) =>
          explainPod({ ...subject, sources, origins, cluster: facts }, settings) ?? []
        )
      );
      if (found.length === 0) {
        throw new Error(`Cannot explain ${JSON.stringify(filename)}: it contains no workload`);
      }
      const paint = painter(host);
      await printResult({
        text: () => found.map((explanation) => explanationText(explanation, paint)).join("\n"),
        value: found.length === 1 ? found[0] : { explanations: found },
      }, { host, format: flags.output });
      for (const note of new Set(notes)) await host.stderr.write(visible(`warning: ${note}\n`));
      return found.every(({ injected }) => injected) ? 0 : NOT_INJECTED;
    } finally {
      cluster?.client.close();
    }
  },
});

const COLOURS: Readonly<Record<ChainStep["verdict"], Colour>> = {
  pass: "dim",
  inject: "green",
  skip: "red",
  fail: "red",
  unknown: "yellow",
};

function explanationText(explanation: Explanation, paint: Paint): string {
  const { workload, injected, sentence, steps, mistakes, webhooks, warnings } = explanation;
  const colour = injected ? "green" : "red";
  const is = injected ? "is injected" : "is not injected";
  const parts = [
    `${visible(workload)} ${paint(colour, is)}: ${visible(sentence)}\n`,
    table(
      steps.map(({ id, verdict, reached, found, from }) => [
        id.replaceAll("_", " "),
        {
          text: reached ? verdict : `(${verdict})`,
          colour: reached ? COLOURS[verdict] : "dim" as const,
        },
        found,
        { text: from, colour: "dim" as const },
      ]),
      { header: ["STEP", "VERDICT", "FOUND", "FROM"], indent: 2, paint },
    ),
    table(
      webhooks.map(({ entry, configuration, calls, failures }) => [
        entry,
        { text: calls ? "yes" : "no", colour: calls ? "green" as const : "dim" as const },
        failures.map(({ wanted, found }) => `expects ${wanted}, but ${found}`).join("; ") ||
        `by ${configuration}`,
      ]),
      { header: ["WEBHOOK", "CALLED", "WHY"], indent: 2, paint },
    ),
    mistakes.length === 0 ? "" : `${paint("bold", "Likely mistakes:")}\n` +
      mistakes.map(({ text, fix }) => `  ${visible(text)}\n    ${visible(fix)}\n`).join(""),
    warnings.map((warning) => `warning: ${visible(warning)}\n`).join(""),
  ];
  return parts.filter((part) => part !== "").join("\n");
}
