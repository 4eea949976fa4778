/** Resources that tests make and the program does not ask for. */

import type { Resource } from "../../lib/kube/resources.ts";

export { DEPLOYMENTS, NAMESPACES, PODS, SERVICE_ACCOUNTS } from "../../lib/kube/resources.ts";

const RBAC = "rbac.authorization.k8s.io/v1";

export const ROLES: Resource = {
  apiVersion: RBAC,
  kind: "Role",
  plural: "roles",
  namespaced: true,
};

export const ROLE_BINDINGS: Resource = {
  apiVersion: RBAC,
  kind: "RoleBinding",
  plural: "rolebindings",
  namespaced: true,
};

export const CLUSTER_ROLES: Resource = {
  apiVersion: RBAC,
  kind: "ClusterRole",
  plural: "clusterroles",
  namespaced: false,
};

export const CLUSTER_ROLE_BINDINGS: Resource = {
  apiVersion: RBAC,
  kind: "ClusterRoleBinding",
  plural: "clusterrolebindings",
  namespaced: false,
};

export const CUSTOM_RESOURCE_DEFINITIONS: Resource = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  plural: "customresourcedefinitions",
  namespaced: false,
};
