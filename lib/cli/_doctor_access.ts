/**
 * Determines the RBAC permissions that the service account of an injector needs. They follow from the
 * Deployment's arguments and environment variables, parsed by the same code as in `serve`.
 */

import {
  type AccessNeed,
  type ConfigFact,
  deploymentsOf,
  type DoctorFacts,
  injectorsOf,
  nameOf,
  type ObjectLike,
  runsOutrigger,
  targetOf,
  templateOf,
} from "../doctor/mod.ts";
import type { CompatVersion } from "../inject/mod.ts";
import { INJECT_MAP, MESH_MAP } from "../kube/installation.ts";
import {
  CONFIG_MAPS,
  EVENTS,
  LEASES,
  MUTATING_WEBHOOK_CONFIGURATIONS,
  type Resource,
  SECRETS,
} from "../kube/resources.ts";
import { factRights, readSettings, type ServeArgs, type ServeSettings } from "../serve/mod.ts";
import { DEFAULT_REVISION, injectorEntries, REVISION_LABEL } from "../webhook/configuration.ts";
import { parseArgs } from "./_parse_args.ts";
import { UsageError } from "./command.ts";
import { serve } from "./serve.ts";

type Installed = Pick<DoctorFacts, "webhooks" | "services" | "deployments">;

/** Returns the settings of a Deployment, or the error if `serve` rejects its arguments. */
export function settingsOf(deployment: ObjectLike): ServeSettings | UsageError {
  const [container] = templateOf(deployment).spec?.containers ?? [];
  const { args = [], env = [] } = container ?? {};
  const variables = new Map(env.map(({ name, value, valueFrom }) => [
    name,
    valueFrom?.fieldRef?.fieldPath === "metadata.namespace" ? deployment.metadata.namespace : value,
  ]));
  try {
    const argv = args[0] === "serve" ? args.slice(1) : args;
    const parsed = parseArgs(serve, { argv, env: (name) => variables.get(name) });
    if (parsed.help) return new UsageError("--help makes it print help and exit");
    return readSettings(parsed.args as ServeArgs);
  } catch (error) {
    if (error instanceof UsageError) return error;
    throw error;
  }
}

export interface AccessContext {
  readonly hasProxyConfigs: boolean;
  /** The existing Secrets, as `namespace/name`. */
  readonly secrets: ReadonlySet<string>;
}

/** Returns the permissions that every Outrigger Deployment behind a webhook needs. */
export function accessNeeds(facts: Installed, context: AccessContext): AccessNeed[] {
  return injectorsOf(facts).filter(runsOutrigger).flatMap((deployment) => {
    const settings = settingsOf(deployment);
    if (settings instanceof UsageError) return [];
    const { namespace = "default" } = deployment.metadata;
    const { serviceAccountName = "default" } = templateOf(deployment).spec ?? {};
    const account = `${namespace}/${serviceAccountName}`;
    return [
      ...clusterNeeds(settings, context),
      ...configMapNeeds(settings),
      ...secretNeeds(settings, context),
      ...webhookNeeds(settings, { deployment, facts }),
    ].map((need) => ({ account, ...need }));
  });
}

type Need = Omit<AccessNeed, "account">;

function need(
  verbs: string,
  { apiVersion, plural }: Resource,
  more: Pick<Need, "namespace" | "name" | "why" | "isOptional">,
): Need[] {
  const [group] = apiVersion.includes("/") ? apiVersion.split("/") : [""];
  return verbs.split(" ").map((verb) => ({ verb, group, resource: plural, ...more }));
}

/** Returns the cluster-wide permissions. Without them the injector works, but with fewer features. */
function clusterNeeds(settings: ServeSettings, { hasProxyConfigs }: AccessContext): Need[] {
  const facts = factRights(settings)
    .filter(({ isOptional }) => !isOptional || hasProxyConfigs)
    .flatMap(({ resource, otherwise: why }) =>
      need("list watch", resource, { why, isOptional: true })
    );
  const why = "Events are not recorded (--events)";
  return [
    ...facts,
    ...(settings.events ? need("create patch", EVENTS, { why, isOptional: true }) : []),
  ];
}

function configMapNeeds(settings: ServeSettings): Need[] {
  const maps = new Set([settings.injectConfigMap, settings.meshConfigMap].filter(Boolean));
  return [...maps].flatMap((map) => {
    const { namespace, name } = placeOf(map, settings.namespace);
    const why = "the injector does not start without it";
    return need("list watch", CONFIG_MAPS, { namespace, name, why, isOptional: false });
  });
}

export interface ConfigPlaces {
  readonly inject: ObjectName;
  readonly mesh: ObjectName;
  readonly compat: CompatVersion;
}

/** Returns the config maps that an injector reads, from its flags or by their default names. */
export function configPlaces(deployment: ObjectLike): ConfigPlaces {
  const settings = settingsOf(deployment);
  const { namespace = "default" } = deployment.metadata;
  const { injectConfigMap, meshConfigMap, namespace: home, compat } = settings instanceof UsageError
    ? { injectConfigMap: "", meshConfigMap: "", namespace, compat: "today" as const }
    : settings;
  return {
    inject: placeOf(injectConfigMap || INJECT_MAP, home),
    mesh: placeOf(meshConfigMap || MESH_MAP, home),
    compat,
  };
}

/** Reports arguments of a Deployment that this version of `serve` rejects; undefined if it accepts them. */
export function argumentsFact(deployment: ObjectLike): ConfigFact | undefined {
  if (!runsOutrigger(deployment)) return undefined;
  const settings = settingsOf(deployment);
  if (!(settings instanceof UsageError)) return undefined;
  const { namespace, name } = deployment.metadata;
  return {
    origin: `Deployment ${nameOf(deployment)}`,
    // Only a warning: another version may accept them.
    warnings: [settings.message],
    fix: `kubectl -n ${namespace} edit deployment ${name}`,
  };
}

interface ObjectName {
  readonly namespace: string;
  readonly name: string;
}

/** Splits `namespace/name`; a bare name is in the injector's own namespace. */
function placeOf(map: string, home: string): ObjectName {
  const [namespace, name] = map.includes("/") ? map.split("/", 2) : [home, map];
  return { namespace, name };
}

function secretNeeds({ tls, namespace }: ServeSettings, { secrets }: AccessContext): Need[] {
  if (tls.source !== "auto") return [];
  const rest = {
    namespace,
    why: "the certificate is not maintained (--tls=auto)",
    isOptional: false,
  };
  const named = { ...rest, name: tls.secret };
  // Once both objects exist, the permission to create them may be removed.
  const isCreated = secrets.has(`${namespace}/${tls.secret}`);
  return [
    ...need("get list watch update", SECRETS, named),
    ...need("get update", LEASES, named),
    ...(isCreated ? [] : [...need("create", SECRETS, rest), ...need("create", LEASES, rest)]),
  ];
}

function webhookNeeds(
  { tls: { selection } }: ServeSettings,
  { deployment, facts }: { readonly deployment: ObjectLike; readonly facts: Installed },
): Need[] {
  if (selection === undefined) return [];
  const rest = { why: "the caBundle is not kept up to date", isOptional: false };
  const { only } = selection;
  if (only !== undefined) {
    const name = only.configuration;
    return need("list watch patch", MUTATING_WEBHOOK_CONFIGURATIONS, { ...rest, name });
  }
  const ours = facts.webhooks.filter((configuration) => {
    const { name, labels = {} } = configuration.metadata;
    const revision = labels[REVISION_LABEL];
    const isOurs = revision === undefined
      ? name === selection.unlabelled
      : revision === (selection.revision || DEFAULT_REVISION);
    return isOurs && isServedBy(configuration, { deployment, facts });
  });
  return [
    ...need("list watch", MUTATING_WEBHOOK_CONFIGURATIONS, rest),
    ...ours.flatMap((configuration) =>
      need("patch", MUTATING_WEBHOOK_CONFIGURATIONS, { ...rest, name: nameOf(configuration) })
    ),
  ];
}

function isServedBy(
  configuration: Installed["webhooks"][number],
  { deployment, facts }: { readonly deployment: ObjectLike; readonly facts: Installed },
): boolean {
  return injectorEntries(configuration).some((entry) =>
    deploymentsOf(targetOf(entry), facts).includes(deployment)
  );
}
