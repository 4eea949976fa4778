/**
 * Presents mesh messages to Go templates: struct pointers with fields, nil-safe getters and a text.
 *
 * Templates see a message in a different shape from its canonical JSON, so that every field access is one
 * lookup: enums are numbers, durations and wrappers are objects with the fields of their Go structs, and a
 * oneof is one interface field. The shape is built once per JSON object and cached with it, which is safe
 * because JSON objects never change.
 */
import type {
  MeshEnum,
  MeshField,
  MeshMessage,
  MeshType,
  WrapperKind,
} from "../config/mesh_schema.ts";
import { type MessageJson, protoJsonView } from "../config/proto_json.ts";
import { setKey } from "../data/map.ts";
import { DURATION, parseDuration } from "../go/time.ts";
import {
  ANY,
  BOOL,
  FLOAT64,
  type GoField,
  type GoMethod,
  type GoType,
  INT32,
  INT64,
  mapOf,
  pointerTo,
  sliceOf,
  STRING,
  Typed,
  UINT32,
  wrap,
  zero,
} from "../go/value.ts";
import { prototext } from "./_prototext.ts";

/** An object in the shape described above. */
export type Shape = Record<string, unknown>;

/** The JSON from which a shape was built. */
const SOURCE = Symbol("json");

/** Returns canonical JSON as a `*v1alpha1.ProxyConfig` or the like; null is a nil pointer. */
export function messageValue(message: MeshMessage, json: MessageJson | null): Typed {
  return new Typed(messagePointer(message), messageShape(message, json));
}

/** Returns the bare value of {@link messageValue}. */
export function messageShape(message: MeshMessage, json: MessageJson | null): Shape | null {
  return json === null ? null : shapeOf(message, json);
}

/** Returns the canonical JSON of a bare value. */
export function meshJson(shape: unknown): MessageJson {
  return sourceOf(shape as Shape);
}

/** Returns the pointer type of a message. */
export function messagePointer(message: MeshMessage): GoType {
  return pointerTo(messageType(message));
}

/** The argument of protoToJSON: a message with its JSON, or the JSON of a google.protobuf message. */
export interface ProtoValue {
  readonly message?: MeshMessage;
  readonly json: unknown;
}

/** Unwraps a proto pointer; returns undefined for nil. */
export function protoValue(value: Typed): ProtoValue | undefined {
  const shape = value.value as Shape | null;
  if (shape === null) return undefined;
  const type = value.type.elem!;
  const message = MESSAGES.get(type);
  if (message) return { message, json: sourceOf(shape) };
  return { json: GOOGLE.get(type)!(shape) };
}

/** Any proto message, the parameter type of protoToJSON. */
export const PROTO_MESSAGE: GoType = {
  name: "protoreflect.ProtoMessage",
  kind: "interface",
  implementedBy: (type) =>
    type.kind === "ptr" && (MESSAGES.has(type.elem!) || GOOGLE.has(type.elem!)),
};

const MESSAGES = new WeakMap<GoType, MeshMessage>();
/** The struct types of google.protobuf, each with its conversion to JSON. */
const GOOGLE = new Map<GoType, (shape: Shape) => unknown>();

function sourceOf(shape: Shape): MessageJson {
  return (shape as { [SOURCE]?: MessageJson })[SOURCE] ?? {};
}

function method(call: (receiver: Shape | null) => unknown): GoMethod {
  return { params: [], call };
}

/** Builds a google.protobuf struct type: its fields by Go name, with getters. */
function googleType(
  name: string,
  fields: Readonly<Record<string, GoType>>,
  more: Readonly<Record<string, GoMethod>>,
): GoType {
  const stringer = (value: unknown) => {
    const parts: string[] = [];
    for (const [field, type] of Object.entries(fields)) {
      const bare = (value as Shape)[field.toLowerCase()];
      if (bare && type !== ANY) parts.push(`${field.toLowerCase()}:${bare}`);
    }
    return parts.join(" ");
  };
  const goFields = new Map<string, GoField>();
  const methods = new Map<string, GoMethod>(Object.entries(more));
  for (const [field, type] of Object.entries(fields)) {
    const json = field.toLowerCase();
    goFields.set(field, { name: field, json, type: () => type });
    methods.set(`Get${field}`, method((shape) => wrap(type, shape?.[json])));
  }
  methods.set("String", method((shape) => shape === null ? "<nil>" : stringer(shape)));
  return { name, kind: "struct", fields: goFields, methods, stringer };
}

function nanoseconds(shape: Shape | null): bigint {
  return BigInt((shape?.seconds ?? 0) as number) * 1_000_000_000n +
    BigInt((shape?.nanos ?? 0) as number);
}

const DURATION_STRUCT = googleType("durationpb.Duration", { Seconds: INT64, Nanos: INT32 }, {
  AsDuration: method((shape) => new Typed(DURATION, nanoseconds(shape))),
  IsValid: method((shape) => shape !== null),
});

/** The type `*durationpb.Duration`. */
export const PROTO_DURATION: GoType = pointerTo(DURATION_STRUCT);

/** Returns a `*durationpb.Duration` of a text such as `45s`; null is nil. */
export function durationValue(text: string | null): Typed {
  return new Typed(PROTO_DURATION, text === null ? null : durationShape(text));
}

/** Returns the nanoseconds of a `*durationpb.Duration`; nil is zero. */
export function durationNanoseconds(bare: unknown): bigint {
  return nanoseconds(bare as Shape | null);
}

function durationShape(text: string): Shape {
  const ns = parseDuration(text);
  const shape: Shape = {};
  if (ns / 1_000_000_000n !== 0n) shape.seconds = Number(ns / 1_000_000_000n);
  if (ns % 1_000_000_000n !== 0n) shape.nanos = Number(ns % 1_000_000_000n);
  Object.defineProperty(shape, SOURCE, { value: text });
  return shape;
}

const WRAPPERS: Readonly<Record<WrapperKind, GoType>> = {
  bool: googleType("wrapperspb.BoolValue", { Value: BOOL }, {}),
  int32: googleType("wrapperspb.Int32Value", { Value: INT32 }, {}),
  uint32: googleType("wrapperspb.UInt32Value", { Value: UINT32 }, {}),
  int64: googleType("wrapperspb.Int64Value", { Value: INT64 }, {}),
};

/** The old library's wrappers had their own text format. */
const LEGACY_INT32: GoType = {
  ...WRAPPERS.int32,
  name: "types.Int32Value",
  stringer: (value) => `&Int32Value{Value:${(value as Shape).value ?? 0},XXX_unrecognized:[],}`,
};

const STRUCT: GoType = {
  name: "structpb.Struct",
  kind: "struct",
  fields: new Map(),
  toJson: (shape) => sourceOf(shape as Shape),
};

GOOGLE.set(DURATION_STRUCT, sourceOf);
GOOGLE.set(STRUCT, sourceOf);
for (const type of [...Object.values(WRAPPERS), LEGACY_INT32]) {
  // An absent value is zero; 64-bit integers are strings in JSON.
  const none = type === WRAPPERS.bool ? false : 0;
  GOOGLE.set(
    type,
    (shape) => typeof shape.value === "bigint" ? String(shape.value) : shape.value ?? none,
  );
}

const enums = new Map<MeshEnum, GoType>();

function enumType(declared: MeshEnum): GoType {
  let type = enums.get(declared);
  if (type === undefined) {
    const text = (value: unknown) => declared.names.get(Number(value)) ?? String(value);
    const methods = new Map<string, GoMethod>([
      ["String", { params: [], call: text }],
      ["Number", { params: [], call: (value: bigint) => new Typed(ENUM_NUMBER, value) }],
    ]);
    type = { name: declared.goName, kind: "int32", methods, stringer: text };
    enums.set(declared, type);
  }
  return type;
}

const ENUM_NUMBER: GoType = { name: "protoreflect.EnumNumber", kind: "int32" };

function fieldType(type: MeshType, legacy: boolean): GoType {
  switch (type.kind) {
    case "string":
      return STRING;
    case "bool":
      return BOOL;
    case "int32":
      return INT32;
    case "uint32":
      return UINT32;
    case "double":
      return FLOAT64;
    case "enum":
      return enumType(type.enum);
    case "duration":
      return PROTO_DURATION;
    case "struct":
      return pointerTo(STRUCT);
    case "wrapper":
      return pointerTo(legacy && type.of === "int32" ? LEGACY_INT32 : WRAPPERS[type.of]);
    case "message":
      return pointerTo(messageType(type.message));
    case "list":
      return sliceOf(fieldType(type.elem, legacy));
    case "map":
      return mapOf(fieldType(type.elem, legacy));
  }
}

const structs = new Map<MeshMessage, GoType>();

function messageType(message: MeshMessage): GoType {
  let type = structs.get(message);
  if (type !== undefined) return type;
  const fields = new Map<string, GoField>();
  const methods = new Map<string, GoMethod>();
  for (const field of message.fields) {
    if (field.oneof === undefined) addField(message, field, fields, methods);
    else addMember(message, field, fields, methods);
  }
  const text = (shape: unknown) => prototext(message, sourceOf(shape as Shape));
  methods.set("String", method((shape) => shape === null ? "<nil>" : text(shape)));
  type = {
    name: message.goName,
    kind: "struct",
    fields,
    methods,
    stringer: text,
    // The old library left its structs to encoding/json; the new one marshals them itself.
    toJson: message.legacy
      ? undefined
      : (shape) => protoJsonView(message, sourceOf(shape as Shape)),
  };
  structs.set(message, type);
  MESSAGES.set(type, message);
  return type;
}

/** Builds a type on first use, since types may be recursive. */
function lazily(make: () => GoType): () => GoType {
  let type: GoType | undefined;
  return () => type ??= make();
}

function addField(
  message: MeshMessage,
  field: MeshField,
  fields: Map<string, GoField>,
  methods: Map<string, GoMethod>,
) {
  const { go, json } = field;
  const type = lazily(() => fieldType(field.type, message.legacy));
  fields.set(go, { name: go, json, type });
  methods.set(`Get${go}`, method((shape) => wrap(type(), shape?.[json])));
}

/** Adds a oneof member, which has a getter and a wrapper struct instead of a field. */
function addMember(
  message: MeshMessage,
  field: MeshField,
  fields: Map<string, GoField>,
  methods: Map<string, GoMethod>,
) {
  const { go } = field;
  const oneof = field.oneof!;
  if (!fields.has(oneof)) {
    const name = message.goName.replace(".", ".is") + `_${oneof}`;
    const type: GoType = { name, kind: "interface", implementedBy: () => false };
    fields.set(oneof, { name: oneof, json: oneof, type: () => type });
    methods.set(`Get${oneof}`, method((shape) => shape?.[oneof] ?? null));
  }
  const type = lazily(() => fieldType(field.type, message.legacy));
  methods.set(
    `Get${go}`,
    method((shape) => {
      const held = shape?.[oneof] as Typed | undefined;
      if (held === undefined || held.type !== memberType(message, field)) return zero(type());
      return wrap(type(), (held.value as Shape)[go]);
    }),
  );
}

const members = new Map<MeshField, GoType>();

/** Returns a type such as `*v1alpha1.ProxyConfig_ServiceCluster`. */
function memberType(message: MeshMessage, field: MeshField): GoType {
  let type = members.get(field);
  if (type === undefined) {
    const { go } = field;
    // Go's generator appends an underscore if a nested message or enum has the same name.
    const inner = field.type.kind === "message"
      ? field.type.message.goName
      : field.type.kind === "enum"
      ? field.type.enum.goName
      : undefined;
    const nested = inner === `${message.goName}_${go}`;
    const value = lazily(() => fieldType(field.type, message.legacy));
    type = pointerTo({
      name: `${message.goName}_${go}${nested ? "_" : ""}`,
      kind: "struct",
      fields: new Map([[go, { name: go, json: go, type: value }]]),
    });
    members.set(field, type);
  }
  return type;
}

const shapes = new WeakMap<object, { readonly message: MeshMessage; readonly shape: Shape }>();

function shapeOf(message: MeshMessage, json: MessageJson): Shape {
  const known = shapes.get(json);
  if (known !== undefined && known.message === message) return known.shape;
  const shape: Shape = {};
  for (const field of message.fields) {
    if (!Object.hasOwn(json, field.json)) continue;
    const value = shapeValue(field.type, json[field.json]);
    if (field.oneof === undefined) shape[field.json] = value;
    else shape[field.oneof] = new Typed(memberType(message, field), { [field.go]: value });
  }
  Object.defineProperty(shape, SOURCE, { value: json });
  shapes.set(json, { message, shape });
  return shape;
}

function shapeValue(type: MeshType, value: unknown): unknown {
  switch (type.kind) {
    case "enum":
      return typeof value === "string" ? type.enum.numbers.get(value) ?? 0 : value;
    case "double":
      return Number(value);
    case "duration":
      return durationShape(value as string);
    case "wrapper":
      return wrapperShape(type.of === "int64" ? BigInt(value as string) : value);
    case "struct":
      return Object.defineProperty({}, SOURCE, { value });
    case "message":
      return shapeOf(type.message, value as MessageJson);
    case "list":
      if (isPlain(type.elem)) return value;
      return (value as unknown[]).map((item) => shapeValue(type.elem, item));
    case "map": {
      if (isPlain(type.elem)) return value;
      const out: Shape = {};
      for (const [key, item] of Object.entries(value as object)) {
        setKey(out, key, shapeValue(type.elem, item));
      }
      return out;
    }
    default:
      return value;
  }
}

/**
 * Returns a wrapper's shape. Zero is stored as no key: encoding/json omits it, and reading it gives zero.
 */
function wrapperShape(value: unknown): Shape {
  return value ? { value } : {};
}

/** Reports whether JSON and shape are the same for a type. */
function isPlain(type: MeshType): boolean {
  return type.kind === "string" || type.kind === "bool" || type.kind === "int32" ||
    type.kind === "uint32";
}
