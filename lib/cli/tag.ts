/** `outrigger tag …`: revision tags, as `istioctl tag` has them. */

import { stringifyYaml } from "../yaml/mod.ts";
import type { KubeClient, KubeObject } from "../kube/client.ts";
import { ISTIO_NAMESPACE } from "../kube/installation.ts";
import {
  MUTATING_WEBHOOK_CONFIGURATIONS,
  NAMESPACES,
  type Resource,
  SERVICES,
} from "../kube/resources.ts";
import { REVISION_LABEL, TAG_LABEL, type WebhookConfiguration } from "../webhook/configuration.ts";
import { checkName } from "../webhook/generate.ts";
import { checkRemoval, describeTags, planTag } from "../webhook/tags.ts";
import { CLUSTER_FLAGS, type ClusterChoice, withCluster } from "./_cluster_client.ts";
import { OUTPUT_FLAG, printResult } from "./_output.ts";
import { table } from "./_terminal.ts";
import { defineCommand, defineGroup, type Flag, UsageError } from "./command.ts";

const FIELD_MANAGER = "outrigger-tag";

/** Istio keeps one beside the tag `default`; a tag that is removed takes it along. */
const VALIDATING_WEBHOOK_CONFIGURATIONS: Resource = {
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "ValidatingWebhookConfiguration",
  plural: "validatingwebhookconfigurations",
  namespaced: false,
};

const NAMESPACE_FLAG = {
  name: "istioNamespace",
  short: "i",
  type: "string",
  value: "NAME",
  description: "namespace of the control plane or injector",
} as const satisfies Flag;

const SKIP_FLAG = {
  name: "skip-confirmation",
  short: "y",
  type: "boolean",
  description: "go on where it would otherwise be refused with a caution",
  default: false,
} as const satisfies Flag;

const SET_FLAGS = [
  {
    name: "revision",
    short: "r",
    type: "string",
    value: "NAME",
    description: "revision that the tag refers to; default for one without a name",
  },
  {
    name: "overwrite",
    type: "boolean",
    description: "change a tag that exists",
    default: false,
  },
  {
    name: "webhook-name",
    type: "string",
    value: "NAME",
    description: "name of the tag's MutatingWebhookConfiguration",
  },
  {
    name: "auto-inject-namespaces",
    type: "boolean",
    description: "with the tag default: inject into namespaces without any label too",
    default: false,
  },
  SKIP_FLAG,
  NAMESPACE_FLAG,
  ...CLUSTER_FLAGS,
] as const satisfies readonly Flag[];

interface SetFlags extends ClusterChoice {
  readonly revision: string | undefined;
  readonly overwrite: boolean;
  readonly "webhook-name": string | undefined;
  readonly "auto-inject-namespaces": boolean;
  readonly "skip-confirmation": boolean;
  readonly istioNamespace: string | undefined;
}

const TAG = { name: "TAG", description: "name of the tag" };

const set = defineCommand({
  name: "tag set",
  summary: "create a revision tag, or make it refer to another revision",
  usage: "TAG --revision NAME [flags]",
  description: "Makes TAG another name for a revision: namespaces with istio.io/rev=TAG are then " +
    "injected by it. The tag's webhook calls the same injector as the revision's, in the same " +
    "way. The tag default is also what istio-injection=enabled means; the configuration that " +
    "answered for it so far is made to call for nothing, and kept.\n\n" +
    "What istioctl would ask about is refused; --skip-confirmation goes on.",
  flags: SET_FLAGS,
  positionals: [TAG],
  examples: [
    {
      line: "outrigger tag set prod --revision canary",
      note: "then: kubectl label namespace shop istio.io/rev=prod",
    },
    {
      line: "outrigger tag set prod --revision stable --overwrite",
      note: "later, for pods created from then on",
    },
  ],
  async run({ flags, positionals: [tag] }, host) {
    const revision = wantRevision(flags, "set");
    await withCluster(flags, {
      host,
      async work(client) {
        const request = { ...requestOf(flags, { tag, revision }), isPrinted: false };
        const { configuration, deactivated } = planTag(await configurations(client), request);
        await client.apply(MUTATING_WEBHOOK_CONFIGURATIONS, configuration, {
          fieldManager: FIELD_MANAGER,
          force: true,
        });
        // In this order a pod created in between is called for twice, in the other not at all.
        if (deactivated !== undefined) {
          await client.update(MUTATING_WEBHOOK_CONFIGURATIONS, deactivated, {
            fieldManager: FIELD_MANAGER,
          });
        }
      },
    });
    await host.stdout.write(
      `Revision tag ${JSON.stringify(tag)} created, referencing control plane revision ` +
        `${JSON.stringify(revision)}. To enable injection using this\n` +
        `revision tag, use 'kubectl label namespace <NAMESPACE> istio.io/rev=${tag}'\n`,
    );
    return 0;
  },
});

const generate = defineCommand({
  name: "tag generate",
  summary: "print the configuration of a revision tag instead of setting it",
  usage: "TAG --revision NAME [flags]",
  description:
    "Prints what outrigger tag set would write, made from the revision's configuration " +
    "in the cluster, and changes nothing there.",
  flags: SET_FLAGS,
  positionals: [TAG],
  examples: [
    {
      line: "outrigger tag generate prod --revision canary | kubectl diff -f -",
      note: "what setting it would change",
    },
  ],
  async run({ flags, positionals: [tag] }, host) {
    const revision = wantRevision(flags, "generate");
    const existing = await withCluster(flags, { host, work: configurations });
    const request = { ...requestOf(flags, { tag, revision }), isPrinted: true };
    await host.stdout.write(stringifyYaml(planTag(existing, request).configuration));
    return 0;
  },
});

const list = defineCommand({
  name: "tag list",
  aliases: ["tag show"],
  summary: "list revision tags and the namespaces that name them",
  usage: "[flags]",
  flags: [OUTPUT_FLAG, NAMESPACE_FLAG, ...CLUSTER_FLAGS],
  positionals: [],
  examples: [{ line: "outrigger tag list -o json", note: "for programs" }],
  async run({ flags }, host) {
    const { istioNamespace: namespace = ISTIO_NAMESPACE } = flags;
    const tags = await withCluster(flags, {
      host,
      work: async (client) =>
        describeTags([
          ...await configurations(client),
          ...(await client.list(SERVICES, { namespace, labelSelector: REVISION_LABEL })).items,
        ], (await client.list(NAMESPACES, { labelSelector: REVISION_LABEL })).items),
    });
    await printResult({
      value: tags,
      text: () =>
        tags.length === 0 ? "No Istio revision tags found.\n" : table([
          ["TAG", "REVISION", "NAMESPACES"],
          ...tags.map(({ tag, revision, namespaces }) => [tag, revision, namespaces.join(",")]),
        ]),
    }, { host, format: flags.output });
    return 0;
  },
});

const remove = defineCommand({
  name: "tag remove",
  aliases: ["tag delete"],
  summary: "remove a revision tag",
  usage: "TAG [flags]",
  description:
    "Removes a tag's configurations, and Istio's Services of that tag. Namespaces that " +
    "still name the tag would not be injected any more: then it is refused, and " +
    "--skip-confirmation goes on.",
  flags: [SKIP_FLAG, NAMESPACE_FLAG, ...CLUSTER_FLAGS],
  positionals: [TAG],
  examples: [{ line: "outrigger tag remove prod", note: "once outrigger tag list shows no use" }],
  async run({ flags, positionals: [tag] }, host) {
    checkName("tag", tag);
    const namespace = flags.istioNamespace ?? ISTIO_NAMESPACE;
    await withCluster(flags, {
      host,
      async work(client) {
        const labelSelector = `${TAG_LABEL}=${tag}`;
        const tagged: (readonly [Resource, KubeObject])[] = [];
        for (
          const resource of [
            MUTATING_WEBHOOK_CONFIGURATIONS,
            VALIDATING_WEBHOOK_CONFIGURATIONS,
            SERVICES,
          ]
        ) {
          const { items } = await client.list(resource, {
            labelSelector,
            ...(resource.namespaced ? { namespace } : {}),
          });
          tagged.push(...items.map((item) => [resource, item] as const));
        }
        checkRemoval(tag, {
          objects: tagged.filter(([resource]) => resource !== VALIDATING_WEBHOOK_CONFIGURATIONS)
            .map(([, object]) => object),
          namespaces: (await client.list(NAMESPACES, { labelSelector: REVISION_LABEL })).items,
          skipConfirmation: flags["skip-confirmation"],
        });
        for (const [resource, { metadata }] of tagged) {
          const { name = "", namespace } = metadata;
          await client.delete(resource, { name, ...(namespace ? { namespace } : {}) });
        }
      },
    });
    await host.stdout.write(`Revision tag ${tag} removed\n`);
    return 0;
  },
});

export const tag = defineGroup({
  name: "tag",
  summary: "set, list and remove other names of revisions",
  description:
    "A revision tag is another name for a revision. Namespaces labelled istio.io/rev=prod " +
    "are injected by whatever revision the tag prod refers to, so an upgrade changes one tag " +
    "instead of many labels.",
  commands: [set, list, remove, generate],
});

/** Those that say a revision; all others are none of ours. */
async function configurations(client: KubeClient): Promise<readonly WebhookConfiguration[]> {
  const labelSelector = REVISION_LABEL;
  const { items } = await client.list(MUTATING_WEBHOOK_CONFIGURATIONS, { labelSelector });
  return items as readonly WebhookConfiguration[];
}

function wantRevision({ revision }: SetFlags, command: string): string {
  if (revision) return revision;
  throw new UsageError(`Flag "--revision" is missing. Run "outrigger help tag ${command}"`);
}

function requestOf(flags: SetFlags, { tag, revision }: { tag: string; revision: string }) {
  const { istioNamespace, "webhook-name": webhookName } = flags;
  return {
    tag,
    revision,
    overwrite: flags.overwrite,
    autoInjectNamespaces: flags["auto-inject-namespaces"],
    skipConfirmation: flags["skip-confirmation"],
    ...(istioNamespace === undefined ? {} : { istioNamespace }),
    ...(webhookName === undefined ? {} : { webhookName }),
  };
}
