/** Go values of the types that template vectors name in their `typed` field. */
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
 * JSON as the vectors' Go side converted it before execution. Structs lie in a map there, so that
 * methods of their pointers are out of reach: hence no methods.
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
