/**
 * Formats Kubernetes structs like the `String` method of their pointers, which is what `{{ . }}` prints in
 * a range over containers. One generator wrote all these methods, so they share one format; only the field
 * order may differ from the declarations.
 */
import { TIME } from "../go/time.ts";
import { compareStrings } from "../data/bytes.ts";
import type { Field, SchemaType, StructType } from "../kube/schema.ts";
import { instantOf, quantityText } from "./_kube_scalars.ts";

/** Fields printed before the others, because their protobuf numbers are lower. */
const FIRST: Readonly<Record<string, string>> = {
  ClusterTrustBundleProjection: "Name SignerName LabelSelector Path",
  Container: "Name Image Command Args WorkingDir Ports Env Resources VolumeMounts LivenessProbe" +
    " ReadinessProbe Lifecycle TerminationMessagePath ImagePullPolicy SecurityContext Stdin StdinOnce" +
    " TTY EnvFrom TerminationMessagePolicy VolumeDevices StartupProbe",
  ISCSIVolumeSource:
    "TargetPortal IQN Lun ISCSIInterface FSType ReadOnly Portals DiscoveryCHAPAuth" +
    " SecretRef SessionCHAPAuth InitiatorName",
  OwnerReference: "Kind Name UID APIVersion",
  PersistentVolumeClaimSpec: "AccessModes Resources VolumeName Selector",
  PodSecurityContext:
    "SELinuxOptions RunAsUser RunAsNonRoot SupplementalGroups FSGroup RunAsGroup" +
    " Sysctls WindowsOptions FSGroupChangePolicy SeccompProfile AppArmorProfile" +
    " SupplementalGroupsPolicy",
  PodSpec: "Volumes Containers RestartPolicy TerminationGracePeriodSeconds ActiveDeadlineSeconds" +
    " DNSPolicy NodeSelector ServiceAccountName DeprecatedServiceAccount NodeName HostNetwork HostPID" +
    " HostIPC SecurityContext ImagePullSecrets Hostname Subdomain Affinity SchedulerName" +
    " InitContainers AutomountServiceAccountToken Tolerations HostAliases PriorityClassName Priority" +
    " DNSConfig ShareProcessNamespace ReadinessGates RuntimeClassName EnableServiceLinks" +
    " PreemptionPolicy Overhead TopologySpreadConstraints EphemeralContainers",
  SecurityContext: "Capabilities Privileged SELinuxOptions RunAsUser RunAsNonRoot" +
    " ReadOnlyRootFilesystem AllowPrivilegeEscalation RunAsGroup ProcMount",
  VolumeMount: "Name ReadOnly MountPath SubPath MountPropagation SubPathExpr",
  VolumeSource:
    "HostPath EmptyDir GCEPersistentDisk AWSElasticBlockStore GitRepo Secret NFS ISCSI" +
    " Glusterfs PersistentVolumeClaim RBD FlexVolume Cinder CephFS Flocker DownwardAPI FC AzureFile" +
    " ConfigMap VsphereVolume Quobyte AzureDisk PhotonPersistentDisk PortworxVolume ScaleIO Projected" +
    " StorageOS",
};

const orders = new Map<StructType, readonly Field[]>();

function printOrder(struct: StructType): readonly Field[] {
  let order = orders.get(struct);
  if (order === undefined) {
    const name = struct.name === "EphemeralContainerCommon" ? "Container" : struct.name;
    const first = Object.hasOwn(FIRST, name) ? FIRST[name].split(" ") : [];
    const rank = (field: Field) => {
      const at = first.indexOf(field.go);
      return at < 0 ? first.length : at;
    };
    order = [...struct.fields].sort((a, b) => rank(a) - rank(b));
    orders.set(struct, order);
  }
  return order;
}

/** Limits the text of one value. A pod of 3 MB prints to little more. */
const MAX_LENGTH = 16 * 1024 * 1024;

/** Formats a struct as `Container{Name:app,Image:nginx,…}`. A pointer's text starts with `&`. */
export function kubeText(struct: StructType, value: unknown): string {
  const object = (typeof value === "object" && value !== null ? value : {}) as Record<
    string,
    unknown
  >;
  let out = `${struct.name}{`;
  for (const { go, json, type } of printOrder(struct)) {
    const own = json === "" ? object : Object.hasOwn(object, json) ? object[json] : undefined;
    out += `${go}:${fieldText(type, own ?? undefined, struct)},`;
    if (out.length > MAX_LENGTH) return `${out.slice(0, MAX_LENGTH)}…`;
  }
  return `${out}}`;
}

function fieldText(type: SchemaType, value: unknown, owner: StructType): string {
  switch (type.kind) {
    case "pointer":
      return pointerText(type.elem!, value);
    case "struct":
      return kubeText(type.struct!, value);
    case "list": {
      const items = (value ?? []) as unknown[];
      if (type.elem!.kind !== "struct") {
        return `[${items.map((item) => fieldText(type.elem!, item, owner)).join(" ")}]`;
      }
      const texts = items.map((item) => kubeText(type.elem!.struct!, item) + ",");
      return `[]${type.elem!.struct!.name}{${texts.join("")}}`;
    }
    case "map": {
      const map = (value ?? {}) as Record<string, unknown>;
      const keys = Object.keys(map).sort(compareStrings);
      const name = type.name.startsWith("map[") ? type.name : type.name.replace(/^\w+\./, "");
      return `${name}{${
        keys.map((key) => `${key}: ${fieldText(type.elem!, map[key], owner)},`).join("")
      }}`;
    }
    case "quantity":
      return quantityText(value);
    case "time":
      return TIME.stringer!(instantOf(value));
    case "intOrString":
      return typeof value === "string" ? `{1 0 ${value}}` : `{0 ${value ?? 0} }`;
    case "raw":
      return JSON.stringify(value) ?? "";
    case "bool":
      return String(value ?? false);
    case "string":
      return String(value ?? "");
    default:
      return String(value ?? 0);
  }
}

function pointerText(type: SchemaType, value: unknown): string {
  if (type.kind === "time") return value === undefined ? "<nil>" : TIME.stringer!(instantOf(value));
  if (type.kind === "quantity") return value === undefined ? "<nil>" : quantityText(value);
  if (type.kind === "raw") return value === undefined ? "<nil>" : JSON.stringify(value);
  if (value === undefined) return "nil";
  if (type.kind !== "struct") return `*${String(value)}`;
  // Types from another package keep its name here.
  const prefix = type.struct!.name === "LabelSelector" ? "&v1." : "&";
  return prefix + kubeText(type.struct!, value);
}
