/** Evaluates RBAC in manifests, instead of in a cluster. */

import type { AccessNeed, ObjectLike } from "./facts.ts";

interface Rule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs?: readonly string[];
}

interface Subject {
  readonly kind?: string;
  readonly name?: string;
  readonly namespace?: string;
}

/** Reports whether the roles and bindings among the objects grant a permission. */
export function mayByManifests(need: AccessNeed, objects: readonly ObjectLike[]): boolean {
  const [home, account] = need.account.split("/");
  const groups = [
    "system:authenticated",
    "system:serviceaccounts",
    `system:serviceaccounts:${home}`,
  ];
  const isBound = ({ subjects }: ObjectLike) =>
    Array.isArray(subjects) &&
    (subjects as Subject[]).some(({ kind, name = "", namespace }) =>
      kind === "Group"
        ? groups.includes(name)
        : kind === "ServiceAccount" && name === account && namespace === home
    );
  return objects.some((binding) => {
    const isWide = binding.kind === "ClusterRoleBinding";
    const isHere = binding.kind === "RoleBinding" && need.namespace !== undefined &&
      binding.metadata.namespace === need.namespace;
    if (!(isWide || isHere) || !isBound(binding)) return false;
    const { kind, name } = (binding.roleRef ?? {}) as { kind?: string; name?: string };
    const role = objects.find((one) =>
      one.kind === kind && one.metadata.name === name &&
      (kind === "ClusterRole" || one.metadata.namespace === binding.metadata.namespace)
    );
    return Array.isArray(role?.rules) && (role.rules as Rule[]).some((rule) => allows(rule, need));
  });
}

function allows(rule: Rule, { group, resource, verb, name }: AccessNeed): boolean {
  const has = (list: readonly string[] | undefined, value: string) =>
    list?.some((item) => item === value || item === "*") ?? false;
  const { resourceNames = [] } = rule;
  return has(rule.apiGroups, group) && has(rule.resources, resource) && has(rule.verbs, verb) &&
    (resourceNames.length === 0 || (name !== undefined && resourceNames.includes(name)));
}
