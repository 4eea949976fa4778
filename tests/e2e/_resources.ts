/** Resources that tests make and the program does not ask for. */

import type { Resource } from "../../lib/kube/client.ts";

const RBAC = "rbac.authorization.k8s.io/v1";

export const NAMESPACES: Resource = {
  apiVersion: "v1",
  kind: "Namespace",
  plural: "namespaces",
  namespaced: false,
};

export const SERVICE_ACCOUNTS: Resource = {
  apiVersion: "v1",
  kind: "ServiceAccount",
  plural: "serviceaccounts",
  namespaced: true,
};

export const PODS: Resource = { apiVersion: "v1", kind: "Pod", plural: "pods", namespaced: true };

export const DEPLOYMENTS: Resource = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  plural: "deployments",
  namespaced: true,
};

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
