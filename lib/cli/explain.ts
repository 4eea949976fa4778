/** `outrigger explain`: why a pod is injected or not, step by step, with the likely mistake named. */

import { visible } from "../data/visible.ts";
import { type ChainStep, explain as explainPod, type Explanation } from "../explain/mod.ts";
import { ENGINE_FLAGS } from "./_engine_flags.ts";
import { readSubjects } from "./_explain_inputs.ts";
import { namesCluster, openClient } from "./_inject_cluster.ts";
import { loadSources } from "./_inject_engine.ts";
import { OUTPUT_FLAG, printResult } from "./_output.ts";
import { type Colour, type Paint, painter, table } from "./_terminal.ts";
import { defineCommand, UsageError } from "./command.ts";

/** Not a failure, and not an injected pod. */
const NOT_INJECTED = 3;

export const explain = defineCommand({
  name: "explain",
  summary: "say why a pod is injected or not, and name the likely mistake",
  usage: "-f FILE|- | KIND/NAME [-n NAMESPACE] [flags]",
  description: "Walks the way that a pod takes: webhook selectors, operation, hostNetwork, " +
    "namespace, label and annotation, selectors, policy, templates, result. Each step says what it " +
    "found, what it made of that, and where it was written.\n\n" +
    "With -f nothing but files is read: workloads, and beside them Namespaces and " +
    "MutatingWebhookConfigurations, if there are any. KIND/NAME asks a cluster for the workload, its " +
    "namespace, the webhook configurations and the injector's config maps, and changes nothing there. " +
    "Exit code 0 if all pods are injected, 3 if one is not.",
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
      description: "namespace of workloads that name none",
    },
    {
      name: "webhook-config",
      type: "list",
      value: "FILE",
      description: "file with MutatingWebhookConfigurations, as kubectl get -o yaml prints them",
    },
    {
      name: "namespace-labels",
      type: "list",
      value: "KEY=VALUE",
      description: "label of the namespace, several with commas between",
    },
    OUTPUT_FLAG,
    ...ENGINE_FLAGS,
  ],
  positionals: [{
    name: "KIND/NAME",
    description: "a workload of the cluster, as in deployment/cart",
    optional: true,
  }],
  examples: [
    {
      line: "outrigger explain -f app.yaml --namespace-labels istio-injection=enabled " +
        "--webhook-config webhooks.yaml",
      note: "from files alone",
    },
    { line: "outrigger explain deployment/cart -n shop", note: "in the current context's cluster" },
    { line: "outrigger explain pod/cart-7d9f -n shop -o json", note: "for a program" },
  ],
  async run({ flags, positionals: [workload] }, host) {
    const { filename } = flags;
    if ((filename === undefined) === (workload === undefined)) {
      throw new UsageError(
        'Give either -f FILE or KIND/NAME, as in deployment/cart. Run "outrigger help explain"',
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
        throw new Error(`Cannot explain ${JSON.stringify(filename)}: there is no workload in it`);
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
      { header: ["STEP", "SAYS", "FOUND", "FROM"], indent: 2, paint },
    ),
    table(
      webhooks.map(({ entry, configuration, calls, failures }) => [
        entry,
        { text: calls ? "yes" : "no", colour: calls ? "green" as const : "dim" as const },
        failures.map(({ wanted, found }) => `wants ${wanted}, but ${found}`).join("; ") ||
        `by ${configuration}`,
      ]),
      { header: ["WEBHOOK", "CALLED", "WHY"], indent: 2, paint },
    ),
    mistakes.length === 0 ? "" : `${paint("bold", "Look at this:")}\n` +
      mistakes.map(({ text, fix }) => `  ${visible(text)}\n    ${visible(fix)}\n`).join(""),
    warnings.map((warning) => `warning: ${visible(warning)}\n`).join(""),
  ];
  return parts.filter((part) => part !== "").join("\n");
}
