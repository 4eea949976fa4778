/**
 * Presents Kubernetes API types to Go templates: struct types over plain JSON, built from the schema.
 *
 * A value is the JSON object itself. Field access maps the Go name to the JSON key with one lookup, and an
 * absent key reads as the zero value of its type. Types with methods in Go (times, quantities,
 * int-or-string) have the methods that templates call.
 */
import { TIME } from "../go/time.ts";
import {
  BOOL,
  type GoField,
  type GoMethod,
  type GoType,
  int,
  INT32,
  INT64,
  int64,
  mapOf,
  pointerTo,
  sliceOf,
  STRING,
  stringMap,
  strings,
  Typed,
  wrap,
} from "../go/value.ts";
import { type SchemaType, type StructType, structType } from "../kube/schema.ts";
import { instantOf, quantityText, quantityValue, roundedQuantity } from "./_kube_scalars.ts";
import { kubeText } from "./_kube_text.ts";

/** Returns the struct type of an API type such as `PodSpec` or `Container`. */
export function kubeType(name: string): GoType {
  const struct = structType(name);
  if (struct === undefined) throw new TypeError(`No Kubernetes type "${name}" in the schema`);
  return structGoType(struct, `v1.${name}`);
}

const structs = new Map<StructType, GoType>();

function structGoType(struct: StructType, name: string): GoType {
  let type = structs.get(struct);
  if (type !== undefined) return type;
  const fields = new Map<string, GoField>();
  const methods = new Map<string, GoMethod>(struct.name === "ObjectMeta" ? META_GETTERS : []);
  for (const [go, field] of struct.byGo) {
    const make = lazily(() => goType(field.type));
    const [json = "", inner] = field.path;
    if (inner === undefined) fields.set(go, { name: go, json, type: make });
    // Promoted from an embedded struct that has its own JSON key, as in a claim template.
    else methods.set(go, { params: [], call: (object) => wrap(make(), object[json]?.[inner]) });
  }
  methods.set("String", { params: [], call: (value) => `&${kubeText(struct, value)}` });
  type = { name, kind: "struct", fields, methods };
  structs.set(struct, type);
  return type;
}

/** A pointer type with the text that its `String` method prints for nil. */
interface NilPrintingType extends GoType {
  readonly nilString: string;
}

const pointers = new Map<StructType, NilPrintingType>();

/**
 * Returns a pointer type. A pointer to a struct prints by its `String` method, the struct itself field by
 * field.
 */
function structPointer(struct: StructType, elem: GoType): GoType {
  let type = pointers.get(struct);
  if (type === undefined) {
    type = {
      name: `*${elem.name}`,
      kind: "ptr",
      elem,
      methods: elem.methods,
      stringer: (value) => value === null ? "nil" : `&${kubeText(struct, value)}`,
      nilString: "nil",
    };
    pointers.set(struct, type);
  }
  return type;
}

/** Builds a type on first use, since types may be recursive. */
function lazily(make: () => GoType): () => GoType {
  let type: GoType | undefined;
  return () => type ??= make();
}

const named = new Map<string, GoType>();

/** Returns a type that differs from another only by name: `v1.Protocol` is not `string` to a function. */
function namedType(name: string, make: () => GoType): GoType {
  let type = named.get(name);
  if (type === undefined) named.set(name, type = make());
  return type;
}

function goType(type: SchemaType): GoType {
  switch (type.kind) {
    case "string":
      if (type.name === "string") return STRING;
      return namedType(type.name, () => ({ name: type.name, kind: "string" }));
    case "bool":
      return BOOL;
    case "int32":
      return INT32;
    case "int64":
      return INT64;
    case "struct":
      return structGoType(type.struct!, type.name);
    case "pointer": {
      const elem = goType(type.elem!);
      return type.elem!.kind === "struct"
        ? structPointer(type.elem!.struct!, elem)
        : pointerTo(elem);
    }
    case "list": {
      const list = sliceOf(goType(type.elem!));
      return list.name === type.name
        ? list
        : namedType(type.name, () => ({ ...list, name: type.name }));
    }
    case "map":
      return mapType(type);
    case "quantity":
      return QUANTITY;
    case "intOrString":
      return INT_OR_STRING;
    case "time":
      return KUBE_TIME;
    case "raw":
      return namedType(
        type.name,
        () => ({ name: type.name, kind: "struct", toJson: (raw) => raw }),
      );
  }
}

function mapType(type: SchemaType): GoType {
  const map = mapOf(goType(type.elem!));
  if (map.name === type.name) return map;
  return namedType(type.name, () => ({
    ...map,
    name: type.name,
    key: namedType("v1.ResourceName", () => ({ name: "v1.ResourceName", kind: "string" })),
    methods: type.name === "v1.ResourceList" ? RESOURCE_GETTERS : undefined,
  }));
}

function text(bare: unknown): string {
  return typeof bare === "string" ? bare : "";
}

function quantityMethod(call: (text: string) => unknown): GoMethod {
  return { params: [], call: (bare) => call(quantityText(bare)) };
}

const QUANTITY: GoType = {
  name: "resource.Quantity",
  kind: "struct",
  fields: new Map(),
  methods: new Map([
    ["String", quantityMethod((q) => q)],
    ["Value", quantityMethod((q) => int64(roundedQuantity(q, 1n)))],
    ["MilliValue", quantityMethod((q) => int64(roundedQuantity(q, 1000n)))],
    ["IsZero", quantityMethod((q) => quantityValue(q).numerator === 0n)],
    [
      "Sign",
      quantityMethod((q) => {
        const { numerator } = quantityValue(q);
        return int(numerator > 0n ? 1 : numerator < 0n ? -1 : 0);
      }),
    ],
  ]),
  stringer: quantityText,
  toJson: quantityText,
};

/**
 * Getters such as `.Resources.Limits.Cpu`, which return a pointer, to zero if the list lacks the resource.
 */
const RESOURCE_GETTERS: ReadonlyMap<string, GoMethod> = new Map(
  Object.entries({
    Cpu: "cpu",
    Memory: "memory",
    Storage: "storage",
    Pods: "pods",
    StorageEphemeral: "ephemeral-storage",
  }).map(([name, key]) => [name, {
    params: [],
    call: (list: Record<string, unknown> | null) =>
      new Typed(pointerTo(QUANTITY), list !== null && Object.hasOwn(list, key) ? list[key] : {}),
  }]),
);

const INTSTR_TYPE: GoType = { name: "intstr.Type", kind: "int64" };

function portText(bare: unknown): string {
  return typeof bare === "number" ? String(bare) : typeof bare === "string" ? bare : "0";
}

/** An IntOrString. Its fields are methods here, since the JSON value is not an object. */
const INT_OR_STRING: GoType = {
  name: "intstr.IntOrString",
  kind: "struct",
  fields: new Map(),
  methods: new Map<string, GoMethod>([
    ["Type", {
      params: [],
      call: (bare) => new Typed(INTSTR_TYPE, typeof bare === "string" ? 1n : 0n),
    }],
    ["IntVal", { params: [], call: (bare) => wrap(INT32, typeof bare === "number" ? bare : 0) }],
    ["StrVal", { params: [], call: text }],
    ["String", { params: [], call: portText }],
    ["IntValue", {
      params: [],
      call: (bare) => int(/^[+-]?\d{1,15}$/.test(portText(bare)) ? Number(portText(bare)) : 0),
    }],
  ]),
  stringer: portText,
  toJson: (bare) => typeof bare === "object" ? 0 : bare,
};

/** metav1.Time, which embeds time.Time and has all its methods. */
const KUBE_TIME: GoType = {
  name: "v1.Time",
  kind: "struct",
  fields: new Map(),
  methods: new Map<string, GoMethod>([
    ["Time", { params: [], call: (bare) => new Typed(TIME, instantOf(bare)) }],
    ...[...TIME.methods ?? []].map(([name, method]): [string, GoMethod] => [
      name,
      { ...method, call: (bare, ...args) => method.call(instantOf(bare), ...args) },
    ]),
  ]),
  stringer: (bare) => TIME.stringer!(instantOf(bare)),
  toJson: (bare) => typeof bare === "string" ? bare : null,
};

/** metav1.ObjectMeta's getters. They belong to its pointer, which templates see. */
const META_GETTERS: readonly (readonly [string, GoMethod])[] = [
  ["GetName", { params: [], call: (meta) => text(meta.name) }],
  ["GetNamespace", { params: [], call: (meta) => text(meta.namespace) }],
  ["GetGenerateName", { params: [], call: (meta) => text(meta.generateName) }],
  ["GetResourceVersion", { params: [], call: (meta) => text(meta.resourceVersion) }],
  ["GetLabels", { params: [], call: (meta) => stringMap(meta.labels ?? null) }],
  ["GetAnnotations", { params: [], call: (meta) => stringMap(meta.annotations ?? null) }],
  ["GetFinalizers", { params: [], call: (meta) => strings(meta.finalizers ?? null) }],
];
