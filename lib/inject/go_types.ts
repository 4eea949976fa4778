/**
 * Builds the data that templates see, as Go-typed values over plain JSON: the pod's parts from the
 * Kubernetes schema, mesh and proxy config from the mesh schema, and the root that holds them.
 */
import { MESH_SCHEMA, type MeshSchema, meshSchema } from "../config/mesh_schema.ts";
import type { MessageJson } from "../config/proto_json.ts";
import {
  ANY_MAP,
  BOOL,
  type GoField,
  type GoMethod,
  type GoType,
  INT,
  INT64,
  pointerTo,
  sliceOf,
  STRING,
  Typed,
} from "../go/value.ts";
import { kubeType } from "./_kube_types.ts";
import { messagePointer, messageShape } from "./_mesh_types.ts";

export { kubeType } from "./_kube_types.ts";
export {
  durationNanoseconds,
  durationValue,
  meshJson,
  messagePointer,
  messageValue,
  PROTO_DURATION,
  PROTO_MESSAGE,
  type ProtoValue,
  protoValue,
} from "./_mesh_types.ts";

export const TYPE_META: GoType = kubeType("TypeMeta");
export const OBJECT_META: GoType = kubeType("ObjectMeta");
export const POD_SPEC: GoType = kubeType("PodSpec");
/** The type `[]v1.Container`. */
export const CONTAINERS: GoType = sliceOf(kubeType("Container"));
/** `*v1alpha1.ProxyConfig` */
export const PROXY_CONFIG: GoType = messagePointer(MESH_SCHEMA.proxyConfig);

type Json = Readonly<Record<string, unknown>>;

/** The fields of a template's root; absent fields are Go's zero values. */
export interface TemplateFields {
  readonly typeMeta?: Json;
  /** A full ObjectMeta, for templates of Istio up to 1.21. */
  readonly deploymentMeta?: Json;
  /** Normalised, like the next field. */
  readonly objectMeta?: Json;
  readonly spec?: Json;
  /** Canonical JSON, like the next field; null is a nil pointer. */
  readonly proxyConfig?: MessageJson | null;
  readonly meshConfig?: MessageJson | null;
  readonly values?: Json;
  readonly revision?: string;
  readonly nativeSidecars?: boolean;
  readonly proxyImage?: string;
  readonly proxyInitImage?: string;
  readonly proxyUID?: number;
  readonly proxyGID?: number;
  readonly inboundTrafficPolicyMode?: string;
  readonly compliancePolicy?: string;
  readonly estimatedConcurrency?: number;
}

/** Go's types.NamespacedName, whose JSON keys are its field names. */
const NAMESPACED_NAME: GoType = {
  name: "types.NamespacedName",
  kind: "struct",
  fields: fieldMap({ Namespace: STRING, Name: STRING }),
  methods: new Map<string, GoMethod>([["String", { params: [], call: namespacedName }]]),
  stringer: namespacedName,
};

function namespacedName(value: unknown): string {
  const { Namespace = "", Name = "" } = value as Record<string, string | undefined>;
  return `${Namespace}/${Name}`;
}

function fieldMap(types: Readonly<Record<string, GoType>>): Map<string, GoField> {
  return new Map(
    Object.entries(types).map(([name, type]) => [name, { name, json: name, type: () => type }]),
  );
}

const roots = new Map<MeshSchema, Map<string, GoType>>();

/** Returns the root's type; older versions have fewer fields. */
function rootType(schema: MeshSchema, minor: number): GoType {
  const known = roots.get(schema) ?? new Map<string, GoType>();
  roots.set(schema, known);
  const key = [2, 4, 9].filter((version) => minor >= version).join();
  let root = known.get(key);
  if (root === undefined) {
    const fields = minor < 9 ? legacyFields(schema, minor) : fieldTypes(schema);
    root = pointerTo({
      name: "inject.SidecarTemplateData",
      kind: "struct",
      fields: fieldMap(fields),
    });
    known.set(key, root);
  }
  return root;
}

/** Returns the root's fields. Only 1.14 had `EstimatedConcurrency`, and later templates do not use it. */
function fieldTypes(schema: MeshSchema): Record<string, GoType> {
  return {
    TypeMeta: TYPE_META,
    DeploymentMeta: NAMESPACED_NAME,
    ObjectMeta: OBJECT_META,
    Spec: POD_SPEC,
    ProxyConfig: messagePointer(schema.proxyConfig),
    MeshConfig: messagePointer(schema.meshConfig),
    Values: ANY_MAP,
    Revision: STRING,
    EstimatedConcurrency: INT,
    NativeSidecars: BOOL,
    ProxyImage: STRING,
    ProxyInitImage: STRING,
    ProxyUID: INT64,
    ProxyGID: INT64,
    InboundTrafficPolicyMode: STRING,
    CompliancePolicy: STRING,
  };
}

/** Returns the root's fields in old versions. 1.2 added `Values`, 1.4 added `TypeMeta`. */
function legacyFields(schema: MeshSchema, minor: number): Record<string, GoType> {
  return {
    ...(minor >= 4 ? { TypeMeta: pointerTo(TYPE_META) } : {}),
    DeploymentMeta: pointerTo(OBJECT_META),
    ObjectMeta: pointerTo(OBJECT_META),
    Spec: pointerTo(POD_SPEC),
    ProxyConfig: messagePointer(schema.proxyConfig),
    MeshConfig: messagePointer(schema.meshConfig),
    ...(minor >= 2 ? { Values: ANY_MAP } : {}),
  };
}

/**
 * Returns the root data for a template of Istio 1.`minor`, by default today's. Mesh and proxy config are
 * canonical by the schema of that version.
 */
export function templateData(fields: TemplateFields, minor = Infinity): Typed {
  const schema = meshSchema(minor);
  const { namespace = "", name = "" } = fields.deploymentMeta ?? {};
  return new Typed(rootType(schema, minor), {
    TypeMeta: fields.typeMeta ?? {},
    DeploymentMeta: minor < 9 ? fields.deploymentMeta ?? {} : { Namespace: namespace, Name: name },
    ObjectMeta: fields.objectMeta ?? {},
    Spec: fields.spec ?? {},
    ProxyConfig: messageShape(schema.proxyConfig, fields.proxyConfig ?? null),
    MeshConfig: messageShape(schema.meshConfig, fields.meshConfig ?? null),
    Values: fields.values ?? null,
    Revision: fields.revision,
    EstimatedConcurrency: fields.estimatedConcurrency,
    NativeSidecars: fields.nativeSidecars,
    ProxyImage: fields.proxyImage,
    ProxyInitImage: fields.proxyInitImage,
    ProxyUID: fields.proxyUID,
    ProxyGID: fields.proxyGID,
    InboundTrafficPolicyMode: fields.inboundTrafficPolicyMode,
    CompliancePolicy: fields.compliancePolicy,
  });
}
