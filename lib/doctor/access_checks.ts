/** What the injector's service account must be allowed to, by the flags it runs with, and whether it is. */

import {
  type AccessNeed,
  argumentOf,
  type DoctorFacts,
  type ObjectLike,
  servedBy,
  targetsOf,
  templateOf,
} from "./facts.ts";
import { type Finding, Report } from "./finding.ts";

const WEBHOOKS = "admissionregistration.k8s.io";

/** Of the Deployments behind the webhooks that run this program. */
export function accessNeeds(
  facts: Pick<DoctorFacts, "webhooks" | "services" | "deployments">,
): AccessNeed[] {
  const own = new Set(
    targetsOf(facts).flatMap(({ namespace, name }) =>
      facts.services
        .filter(({ metadata }) => metadata.namespace === namespace && metadata.name === name)
        .flatMap((service) => servedBy(service, facts.deployments))
    ),
  );
  return [...own].filter(runsOutrigger).flatMap(needsOf);
}

function runsOutrigger(deployment: ObjectLike): boolean {
  return templateOf(deployment).spec?.containers?.some(({ image = "" }) =>
    /(?:^|\/)outrigger(?:[:@]|$)/.test(image)
  ) ?? false;
}

function needsOf(deployment: ObjectLike): AccessNeed[] {
  const { namespace = "default" } = deployment.metadata;
  const { serviceAccountName = "default" } = templateOf(deployment).spec ?? {};
  const account = `${namespace}/${serviceAccountName}`;
  const can = (
    verbs: string,
    resource: string,
    more: Omit<AccessNeed, "account" | "verb" | "group" | "resource"> & { group?: string },
  ) => verbs.split(" ").map((verb) => ({ account, verb, resource, group: "", ...more }));
  const needs: AccessNeed[] = [];
  const native = argumentOf(deployment, "native-sidecars") ?? "auto";
  if (native === "auto") {
    const why = "sidecars are ordinary ones, whatever the kubelets";
    needs.push(...can("list watch", "nodes", { why, isOptional: true }));
  }
  for (const flag of ["inject-configmap", "mesh-configmap"]) {
    if (argumentOf(deployment, flag) === undefined) continue;
    const why = `--${flag} is not read`;
    needs.push(...can("list watch", "configmaps", { namespace, why, isOptional: false }));
    break;
  }
  if (argumentOf(deployment, "tls") === "auto") {
    const name = argumentOf(deployment, "tls-secret") ?? "outrigger-tls";
    const why = "certificates are not kept (--tls=auto)";
    const rest = { namespace, why, isOptional: false };
    needs.push(
      ...can("create", "secrets", rest),
      ...can("get update", "secrets", { ...rest, name }),
      ...can("list watch patch", "mutatingwebhookconfigurations", {
        group: WEBHOOKS,
        why: "the caBundle is not filled in",
        isOptional: false,
      }),
    );
  }
  return needs;
}

export function checkAccess({ access }: DoctorFacts): Finding[] {
  const byAccount = Map.groupBy(access, ({ need }) => need.account);
  return [...byAccount].flatMap(([account, facts]) => {
    const report = new Report("access", `ServiceAccount ${account}`);
    for (const { need, allowed } of facts) {
      if (allowed !== false) continue;
      const what = `it may not ${need.verb} ${need.resource}${
        need.namespace === undefined ? "" : ` in ${need.namespace}`
      }: ${need.why}`;
      if (need.isOptional) report.warn(what, grant(need));
      else report.error(what, grant(need));
    }
    const known = facts.filter(({ allowed }) => allowed !== undefined).length;
    return report.orOk(
      known === facts.length
        ? `may do all ${known} things that its flags need`
        : `may do ${known} of ${facts.length} things; of the others nobody says`,
    );
  });
}

function grant({ account, verb, group, resource, namespace, name }: AccessNeed): string {
  const [home, user] = account.split("/");
  const of = group === "" ? resource : `${resource}.${group}`;
  const role = `outrigger-${verb}-${resource}`;
  const kind = namespace === undefined ? "clusterrole" : `-n ${namespace} role`;
  const binding = namespace === undefined ? "clusterrolebinding" : `-n ${namespace} rolebinding`;
  const by = namespace === undefined ? "clusterrole" : "role";
  const only = name === undefined ? "" : ` --resource-name=${name}`;
  const create = (what: string) => what.replace(/^(-n \S+ )?/, "kubectl $1create ");
  return `${create(kind)} ${role} --verb=${verb} --resource=${of}${only} && ` +
    `${create(binding)} ${role} --${by}=${role} --serviceaccount=${home}:${user}`;
}
