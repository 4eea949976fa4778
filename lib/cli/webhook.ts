/** `outrigger webhook …`: what tells the API server to call the injector. */

import { stringifyYaml } from "../yaml/mod.ts";
import { generateWebhook, NAMESPACE, SERVICE, TIMEOUT_SECONDS } from "../webhook/generate.ts";
import { WebhookError } from "../webhook/webhook_error.ts";
import { defineCommand, defineGroup, UsageError } from "./command.ts";

const generate = defineCommand({
  name: "webhook generate",
  summary: "print the MutatingWebhookConfiguration of a revision or tag",
  usage: "[flags]",
  description: "Prints what tells the API server which pods to ask the injector about, with " +
    "Istio's entries and labels. The revision without a name is the default one: it answers for " +
    "istio-injection=enabled too. Nothing is asked of any cluster.\n\n" +
    "The injector's own namespace and kube-system are left out whatever their labels, so " +
    "neither ever waits for the injector.",
  flags: [
    {
      name: "revision",
      short: "r",
      type: "string",
      value: "NAME",
      description: "the injector's revision; the default one if not given",
    },
    {
      name: "tag",
      type: "string",
      value: "NAME",
      description: "print the configuration of this tag of the revision instead",
    },
    {
      name: "namespace",
      short: "n",
      type: "string",
      value: "NAME",
      description: "where the injector runs",
      default: NAMESPACE,
    },
    {
      name: "service",
      type: "string",
      value: "NAME",
      description: `its Service; ${SERVICE}, or ${SERVICE}-REVISION, if not given`,
    },
    {
      name: "port",
      type: "number",
      value: "PORT",
      description: "port of the Service",
      default: 443,
    },
    {
      name: "path",
      type: "string",
      value: "PATH",
      description: "where it takes reviews; templates see what follows /inject",
      default: "/inject",
    },
    {
      name: "url",
      type: "string",
      value: "URL",
      description: "where the injector is, instead of the Service",
    },
    {
      name: "ca-file",
      type: "string",
      value: "FILE",
      description: "PEM of the authorities of its certificate; outrigger serve fills it in too",
    },
    {
      name: "auto",
      type: "boolean",
      description: "ask about pods of namespaces without any label too (enableNamespacesByDefault)",
      default: false,
    },
    {
      name: "failure-policy",
      type: "string",
      value: "POLICY",
      description: "what happens to pods while the injector does not answer",
      choices: ["Fail", "Ignore"],
      default: "Fail",
    },
    {
      name: "reinvocation-policy",
      type: "string",
      value: "POLICY",
      description: "whether to ask again after other webhooks changed the pod",
      choices: ["Never", "IfNeeded"],
      default: "Never",
    },
    {
      name: "timeout",
      type: "number",
      value: "SECONDS",
      description: "how long the API server waits for an answer",
      default: TIMEOUT_SECONDS,
    },
    {
      name: "match-conditions",
      type: "boolean",
      description: "leave mirror pods out; --no-match-conditions for Kubernetes before 1.28",
      default: true,
    },
    {
      name: "output",
      short: "o",
      type: "string",
      value: "FORMAT",
      description: "how to print it",
      choices: ["yaml", "json"],
      default: "yaml",
    },
  ],
  positionals: [],
  examples: [
    { line: "outrigger webhook generate | kubectl apply -f -", note: "what manifests/ has" },
    {
      line: "outrigger webhook generate --revision canary",
      note: "for namespaces with istio.io/rev=canary",
    },
    {
      line: "outrigger webhook generate --tag prod --revision canary",
      note: "for namespaces with istio.io/rev=prod; outrigger tag set does it in the cluster",
    },
  ],
  async run({ flags }, host) {
    const { revision, tag, service, url } = flags;
    if (service !== undefined && url !== undefined) {
      throw new UsageError(
        'Flags "--service" and "--url" exclude each other. Run "outrigger help webhook generate"',
      );
    }
    const caFile = flags["ca-file"];
    const ca = caFile === undefined ? {} : { ca: await host.readText(caFile) };
    try {
      const configuration = generateWebhook({
        ...(revision === undefined ? {} : { revision }),
        ...(tag === undefined ? {} : { tag }),
        namespace: flags.namespace,
        port: flags.port,
        path: flags.path,
        ...(service === undefined ? {} : { service }),
        ...(url === undefined ? {} : { url }),
        ...ca,
        auto: flags.auto,
        failurePolicy: flags["failure-policy"],
        reinvocationPolicy: flags["reinvocation-policy"],
        timeoutSeconds: flags.timeout,
        matchConditions: flags["match-conditions"],
      });
      await host.stdout.write(
        flags.output === "json"
          ? `${JSON.stringify(configuration, null, 2)}\n`
          : stringifyYaml(configuration),
      );
      return 0;
    } catch (error) {
      if (!(error instanceof WebhookError)) throw error;
      throw new UsageError(`${error.message}. Run "outrigger help webhook generate"`, {
        cause: error,
      });
    }
  },
});

export const webhook = defineGroup({
  name: "webhook",
  summary: "print the configuration by which the API server calls the injector",
  commands: [generate],
});
