/**
 * The inputs of `explain`: workloads, their namespaces and the webhook configurations, from files, from a
 * cluster, or from both. Files take precedence over the cluster.
 */

import { isMap } from "../data/map.ts";
import { parseAllYaml } from "../yaml/mod.ts";
import type { ExplainRequest } from "../explain/mod.ts";
import type { Host } from "../host/mod.ts";
import { ApiError } from "../kube/api_error.ts";
import type { KubeClient, KubeObject, Resource } from "../kube/client.ts";
import type { ConfigurationLike } from "../webhook/match.ts";
import { readInputs } from "./_inject_inputs.ts";
import { UsageError } from "./command.ts";

type Json = Readonly<Record<string, unknown>>;
type Labels = Readonly<Record<string, string>>;

/** A workload to explain, with what is known about its surroundings. */
export type Subject = Pick<
  ExplainRequest,
  "object" | "namespace" | "namespaceFacts" | "webhooks"
>;

export interface ExplainInputFlags {
  readonly filename: string | undefined;
  readonly namespace: string | undefined;
  readonly "webhook-config": readonly string[];
  readonly "namespace-labels": readonly string[];
}

export interface ExplainInputOptions {
  readonly host: Host;
  /** `KIND/NAME`. */
  readonly workload: string | undefined;
  readonly cluster?: { readonly client: KubeClient; readonly namespace: string };
  readonly warn: (message: string) => void;
}

export async function readSubjects(
  flags: ExplainInputFlags,
  options: ExplainInputOptions,
): Promise<Subject[]> {
  const { host, workload, cluster } = options;
  const documents = flags.filename === undefined ? [] : await readDocuments(flags.filename, host);
  const files = await Promise.all(
    flags["webhook-config"].map((path) => readDocuments(path, host)),
  );
  const given = labelsOf(flags["namespace-labels"]);
  const fallback = flags.namespace ?? cluster?.namespace ?? "default";
  const kinds = (kind: string) => (document: Json) => document.kind === kind;
  const inFiles = [...files.flat(), ...documents].filter(kinds("MutatingWebhookConfiguration"));
  for (const [i, path] of flags["webhook-config"].entries()) {
    if (files[i].some(kinds("MutatingWebhookConfiguration"))) continue;
    throw new Error(
      `Cannot use ${JSON.stringify(path)}: it contains no MutatingWebhookConfiguration`,
    );
  }
  const webhooks = inFiles.length > 0
    ? inFiles as ConfigurationLike[]
    : cluster && await listWebhooks(cluster.client, options.warn);
  const facts = new Map<string, Labels>();
  for (const document of documents.filter(kinds("Namespace"))) {
    const { name = "", labels = {} } = (document.metadata ?? {}) as {
      name?: string;
      labels?: Labels;
    };
    facts.set(name, labels);
  }
  const objects = workload === undefined
    ? documents.filter((document) => !OTHER_KINDS.has(String(document.kind)))
    : [await getWorkload(workload, { namespace: fallback, client: cluster!.client })];
  const subjects: Subject[] = [];
  for (const object of objects) {
    const namespace = (object.metadata as { namespace?: string } | undefined)?.namespace ||
      fallback;
    const labels = given ?? facts.get(namespace) ??
      (cluster && await namespaceLabels(cluster.client, namespace, options.warn));
    if (labels !== undefined) facts.set(namespace, labels);
    subjects.push({
      object,
      namespace,
      ...(labels === undefined ? {} : { namespaceFacts: { labels } }),
      ...(webhooks === undefined ? {} : { webhooks }),
    });
  }
  return subjects;
}

/** Kinds that provide context for the workloads in the same files. */
const OTHER_KINDS: ReadonlySet<string> = new Set(["Namespace", "MutatingWebhookConfiguration"]);

/** Reads every object in the files and expands Lists. */
export async function readDocuments(path: string, host: Host): Promise<Json[]> {
  const inputs = await readInputs(path, host);
  return inputs.flatMap(({ name, text }) => parseAllYaml(text, { name }).flatMap(flattened));
}

function flattened(document: unknown): Json[] {
  if (!isMap(document)) return [];
  const { kind, items } = document as Json;
  const isList = typeof kind === "string" && kind.endsWith("List") && Array.isArray(items);
  return isList ? items.flatMap(flattened) : [document as Json];
}

/** Parses comma-separated `key=value` pairs; returns undefined if no flag is set. */
function labelsOf(flags: readonly string[]): Labels | undefined {
  if (flags.length === 0) return undefined;
  const pairs = flags.flatMap((flag) => flag.split(",")).filter((pair) => pair !== "");
  return Object.fromEntries(pairs.map((pair) => {
    const at = pair.indexOf("=");
    if (at > 0) return [pair.slice(0, at), pair.slice(at + 1)];
    throw new UsageError(
      `Flag "--namespace-labels" expects KEY=VALUE, got ${JSON.stringify(pair)}. ` +
        'Run "outrigger help explain"',
    );
  }));
}

interface Kind {
  readonly names: readonly string[];
  readonly resource: Resource;
}

/** Returns a kind with the names that kubectl accepts for it. */
function kind(apiVersion: string, kind: string, ...short: string[]): Kind {
  const singular = kind.toLowerCase();
  const plural = `${singular}s`;
  const resource = { apiVersion, kind, plural, namespaced: true };
  return { names: [singular, plural, ...short], resource };
}

const KINDS: readonly Kind[] = [
  kind("v1", "Pod", "po"),
  kind("apps/v1", "Deployment", "deploy"),
  kind("apps/v1", "StatefulSet", "sts"),
  kind("apps/v1", "DaemonSet", "ds"),
  kind("apps/v1", "ReplicaSet", "rs"),
  kind("batch/v1", "Job"),
  kind("batch/v1", "CronJob", "cj"),
  kind("v1", "ReplicationController", "rc"),
];

const NAMESPACES: Resource = {
  apiVersion: "v1",
  kind: "Namespace",
  plural: "namespaces",
  namespaced: false,
};

const WEBHOOKS: Resource = {
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "MutatingWebhookConfiguration",
  plural: "mutatingwebhookconfigurations",
  namespaced: false,
};

async function getWorkload(
  text: string,
  { client, namespace }: { client: KubeClient; namespace: string },
): Promise<KubeObject> {
  const [word, name, ...rest] = text.split("/");
  const found = KINDS.find(({ names }) => names.includes(word.toLowerCase()));
  if (found === undefined || !name || rest.length > 0) {
    const kinds = KINDS.map(({ names }) => names[0]).join(", ");
    throw new UsageError(
      `Argument KIND/NAME expects one of the kinds ${kinds}, got ${JSON.stringify(text)}. ` +
        'Run "outrigger help explain"',
    );
  }
  const object = await client.get(found.resource, { namespace, name });
  // The API server omits kind and apiVersion in some responses.
  return { kind: found.resource.kind, apiVersion: found.resource.apiVersion, ...object };
}

async function listWebhooks(
  client: KubeClient,
  warn: (message: string) => void,
): Promise<readonly ConfigurationLike[] | undefined> {
  const list = await allowed(
    () => client.list(WEBHOOKS),
    (reason) => warn(`${reason}; cannot tell whether a webhook is called`),
  );
  return list?.items as readonly ConfigurationLike[] | undefined;
}

async function namespaceLabels(
  client: KubeClient,
  name: string,
  warn: (message: string) => void,
): Promise<Labels | undefined> {
  const namespace = await allowed(
    () => client.get(NAMESPACES, { name }),
    (reason) => warn(`${reason}; the labels of the namespace are unknown`),
  );
  return namespace && ((namespace.metadata.labels ?? {}) as Labels);
}

/** Returns undefined for objects that are absent or that the user may not read; rethrows other errors. */
async function allowed<T>(
  work: () => Promise<T>,
  refused: (reason: string) => void,
): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ApiError && ["forbidden", "not_found"].includes(error.code))) {
      throw error;
    }
    refused(error.message);
    return undefined;
  }
}
