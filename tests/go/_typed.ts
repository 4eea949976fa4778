/** Go values of the types in the `typed` field of template vectors. */
import { MESH_SCHEMA, type MeshMessage } from "../../lib/config/mesh_schema.ts";
import { decodeProtoJson } from "../../lib/config/proto_json.ts";
import { STRING_MAP, STRINGS, Typed } from "../../lib/go/value.ts";
import {
  CONTAINERS,
  durationValue,
  messageValue,
  OBJECT_META,
  POD_SPEC,
} from "../../lib/inject/go_types.ts";
import { normalise } from "../../lib/kube/normalise.ts";

function message(type: MeshMessage, json: unknown): Typed {
  return messageValue(type, json === null ? null : decodeProtoJson(type, json));
}

/**
 * Converts JSON as the Go program behind the vectors does. It puts structs into a map, where
 * templates cannot call methods of their pointers, so structs have no methods here.
 */
export function typedValue(goTypeName: string, json: unknown): unknown {
  switch (goTypeName) {
    case "map[string]string":
      return new Typed(STRING_MAP, json);
    case "[]string":
      return new Typed(STRINGS, json);
    case "metav1.ObjectMeta":
      return new Typed({ ...OBJECT_META, methods: undefined }, normalise("ObjectMeta", json ?? {}));
    case "corev1.PodSpec":
      return new Typed(POD_SPEC, normalise("PodSpec", json ?? {}));
    case "[]corev1.Container":
      return new Typed(
        CONTAINERS,
        json === null ? null : (json as unknown[]).map((item) => normalise("Container", item)),
      );
    case "*durationpb.Duration":
      return durationValue(json as string | null);
    case "*meshconfig.ProxyConfig":
      return message(MESH_SCHEMA.proxyConfig, json);
    case "*meshconfig.MeshConfig":
      return message(MESH_SCHEMA.meshConfig, json);
    default:
      throw new TypeError(`No vector is known to be of type "${goTypeName}"`);
  }
}
