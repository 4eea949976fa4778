/** Checks that the injector's service account has the permissions that its flags require. */

import type { AccessFact, AccessNeed, DoctorFacts } from "./facts.ts";
import { type Finding, Report } from "./finding.ts";

export function checkAccess({ access }: DoctorFacts): Finding[] {
  const byAccount = Map.groupBy(access, ({ need }) => need.account);
  return [...byAccount].flatMap(([account, facts]) => {
    const report = new Report("access", `ServiceAccount ${account}`);
    const denied = Map.groupBy(facts.filter(({ allowed }) => allowed === false), objectOf);
    for (const needs of denied.values()) {
      const [{ need }] = needs;
      const verbs = needs.map(({ need: { verb } }) => verb);
      const object = need.name === undefined ? "" : ` ${JSON.stringify(need.name)}`;
      const place = need.namespace === undefined ? "" : ` in ${need.namespace}`;
      const what = `cannot ${verbs.join(", ")} ${need.resource}${object}${place}: ${need.why}`;
      if (need.isOptional) report.warn(what, grant(need, verbs));
      else report.error(what, grant(need, verbs));
    }
    const known = facts.filter(({ allowed }) => allowed !== undefined).length;
    return report.orOk(
      known === facts.length
        ? `has all ${known} permissions that its flags require`
        : `has ${known} of ${facts.length} permissions; the others could not be checked`,
    );
  });
}

/** Returns a key for the object of a permission. Verbs on the same object are one finding and one role. */
function objectOf({ need: { namespace, group, resource, name, isOptional } }: AccessFact): string {
  return JSON.stringify([namespace, group, resource, name, isOptional]);
}

/** Returns commands that grant exactly these verbs on this object. */
function grant(need: AccessNeed, verbs: readonly string[]): string {
  const { account, group, resource, namespace, name } = need;
  const [home, user] = account.split("/");
  const of = group === "" ? resource : `${resource}.${group}`;
  const role = ["outrigger", verbs[0], resource, name].filter(Boolean).join("-");
  const only = name === undefined ? "" : ` --resource-name=${name}`;
  const [create, kind] = namespace === undefined
    ? ["kubectl create", "clusterrole"]
    : [`kubectl -n ${namespace} create`, "role"];
  return `${create} ${kind} ${role} --verb=${verbs.join(",")} --resource=${of}${only} && ` +
    `${create} ${kind}binding ${role} --${kind}=${role} --serviceaccount=${home}:${user}`;
}
