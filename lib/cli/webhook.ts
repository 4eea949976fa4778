/** `outrigger webhook …`: prints the webhook configuration that makes the API server call the injector. */

import { stringifyYaml } from "../yaml/mod.ts";
import { generateWebhook, NAMESPACE, SERVICE, TIMEOUT_SECONDS } from "../webhook/generate.ts";
import { WebhookError } from "../webhook/webhook_error.ts";
import { defineCommand, defineGroup, UsageError } from "./command.ts";

const generate = defineCommand({
  name: "webhook generate",
  summary: "print the MutatingWebhookConfiguration of a revision or tag",
  usage: "[flags]",
  description:
    "Prints the MutatingWebhookConfiguration for a revision or tag, with Istio's webhooks and " +
    "labels. The default revision also covers istio-injection=enabled. Does not contact a " +
    "cluster.\n\n" +
    "The injector's own namespace and kube-system are always excluded, so that neither ever waits " +
    "for the injector.",
  flags: [
    {
      name: "revision",
      short: "r",
      type: "string",
      value: "NAME",
      description: "revision of the injector; if not set, the default revision",
    },
    {
      name: "tag",
      type: "string",
      value: "NAME",
      description: "print the configuration of this tag of the revision",
    },
    {
      name: "namespace",
      short: "n",
      type: "string",
      value: "NAME",
      description: "namespace of the injector",
      default: NAMESPACE,
    },
    {
      name: "service",
      type: "string",
      value: "NAME",
      description: `Service of the injector; if not set, ${SERVICE}[-REVISION]`,
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
      description: "URL path of the webhook; templates can read what follows /inject",
      default: "/inject",
    },
    {
      name: "url",
      type: "string",
      value: "URL",
      description: "URL of the injector, instead of its Service",
    },
    {
      name: "ca-file",
      type: "string",
      value: "FILE",
      description:
        "file with the CA certificates in PEM format; outrigger serve can also set the caBundle",
    },
    {
      name: "auto",
      type: "boolean",
      description: "also match namespaces without an injection label (enableNamespacesByDefault)",
      default: false,
    },
    {
      name: "failure-policy",
      type: "string",
      value: "POLICY",
      description: "what happens to pods while the injector is not available",
      choices: ["Fail", "Ignore"],
      default: "Fail",
    },
    {
      name: "reinvocation-policy",
      type: "string",
      value: "POLICY",
      description: "whether to call again if other webhooks change the pod",
      choices: ["Never", "IfNeeded"],
      default: "Never",
    },
    {
      name: "timeout",
      type: "number",
      value: "SECONDS",
      description: "how long the API server waits for a response",
      default: TIMEOUT_SECONDS,
    },
    {
      name: "match-conditions",
      type: "boolean",
      description: "exclude mirror pods; use --no-match-conditions before Kubernetes 1.28",
      default: true,
    },
    {
      name: "output",
      short: "o",
      type: "string",
      value: "FORMAT",
      description: "output format",
      choices: ["yaml", "json"],
      default: "yaml",
    },
  ],
  positionals: [],
  examples: [
    {
      line: "outrigger webhook generate | kubectl apply -f -",
      note: "apply the configuration of the default revision",
    },
    {
      line: "outrigger webhook generate --revision canary",
      note: "match namespaces labeled istio.io/rev=canary",
    },
    {
      line: "outrigger webhook generate --tag prod --revision canary",
      note: "match namespaces labeled istio.io/rev=prod; see also outrigger tag set",
    },
  ],
  async run({ flags }, host) {
    const { revision, tag, service, url } = flags;
    if (service !== undefined && url !== undefined) {
      throw new UsageError(
        'Flags "--service" and "--url" are mutually exclusive. Run "outrigger help webhook generate"',
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
  summary: "print the webhook configuration for the API server",
  commands: [generate],
});
