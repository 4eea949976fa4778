/** `outrigger tag …`: manages revision tags, like `istioctl tag`. */

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

/** Istio creates one for the tag `default`; removing the tag removes it too. */
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
  description: "namespace of the control plane or the injector",
} as const satisfies Flag;

const SKIP_FLAG = {
  name: "skip-confirmation",
  short: "y",
  type: "boolean",
  description: "proceed even if injection of existing namespaces would change",
  default: false,
} as const satisfies Flag;

const SET_FLAGS = [
  {
    name: "revision",
    short: "r",
    type: "string",
    value: "NAME",
    description: "revision that the tag refers to; default for the unnamed revision",
  },
  {
    name: "overwrite",
    type: "boolean",
    description: "change the tag if it exists",
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
    description: "also inject into namespaces without an injection label; only for the tag default",
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
  summary: "create a revision tag, or point it at another revision",
  usage: "TAG --revision NAME [flags]",
  description:
    "Makes TAG another name for a revision: that revision then injects namespaces labeled " +
    "istio.io/rev=TAG. The tag's webhook calls the same injector as the webhook of the revision. The " +
    "tag default also covers istio-injection=enabled; the configuration that covered it before is " +
    "kept, but deactivated.\n\n" +
    "Refuses changes for which istioctl asks for confirmation, unless --skip-confirmation is set.",
  flags: SET_FLAGS,
  positionals: [TAG],
  examples: [
    {
      line: "outrigger tag set prod --revision canary",
      note: "then: kubectl label namespace shop istio.io/rev=prod",
    },
    {
      line: "outrigger tag set prod --revision stable --overwrite",
      note: "point the tag at another revision; affects new pods",
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
        // In this order, a pod created in between is injected twice; in the other, not at all.
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
    "Removes the webhook configurations of a tag and Istio's Services for it. Refuses if namespaces " +
    "still use the tag, since their pods would no longer be injected, unless --skip-confirmation is " +
    "set.",
  flags: [SKIP_FLAG, NAMESPACE_FLAG, ...CLUSTER_FLAGS],
  positionals: [TAG],
  examples: [{
    line: "outrigger tag remove prod",
    note: "after outrigger tag list shows no namespaces",
  }],
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
  summary: "set, list and remove revision tags",
  description:
    "A revision tag is another name for a revision. Namespaces labeled istio.io/rev=prod " +
    "are injected by the revision that the tag prod refers to, so an upgrade changes one tag " +
    "instead of many labels.",
  commands: [set, list, remove, generate],
});

/** Lists the configurations with a revision label. */
async function configurations(client: KubeClient): Promise<readonly WebhookConfiguration[]> {
  const labelSelector = REVISION_LABEL;
  const { items } = await client.list(MUTATING_WEBHOOK_CONFIGURATIONS, { labelSelector });
  return items as readonly WebhookConfiguration[];
}

function wantRevision({ revision }: SetFlags, command: string): string {
  if (revision) return revision;
  throw new UsageError(`Flag "--revision" is required. Run "outrigger help tag ${command}"`);
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
