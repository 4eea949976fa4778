/**
 * Decodes a YAML value into a Go struct as `sigs.k8s.io/yaml` and `encoding/json` do: key names match
 * case-insensitively, unknown keys are ignored, numbers and booleans become strings where a string is
 * expected, and null leaves a value unchanged. Errors use Go's messages.
 *
 * Only strings, lists, maps and structs are supported; the injection config needs nothing else.
 */
import { compareStrings } from "../data/bytes.ts";
import { isMap, setKey } from "../data/map.ts";
import { jsonKind } from "../go/json.ts";
import { scalarText } from "../yaml/mod.ts";

export type TypedShape =
  /** `name` is the Go type name. */
  | { readonly kind: "string"; readonly name: string }
  | { readonly kind: "list" | "map"; readonly name: string; readonly elem: TypedShape }
  | {
    readonly kind: "struct";
    readonly name: string;
    readonly fields: Readonly<Record<string, TypedShape>>;
  };

export const STRING: TypedShape = { kind: "string", name: "string" };

/** Returns the shape `[]elem`. */
export function listOf(elem: TypedShape): TypedShape {
  return { kind: "list", name: `[]${elem.name}`, elem };
}

/** Returns the shape `map[string]elem`. */
export function mapOf(elem: TypedShape, name = `map[string]${elem.name}`): TypedShape {
  return { kind: "map", name, elem };
}

/** A value that cannot be decoded into its field. The message is Go's; the fields hold its parts. */
export class TypeMismatch extends Error {
  override name = "TypeMismatch";
  /** Field names leading to the failing field; empty for the document itself. */
  readonly path: readonly string[];
  readonly wanted: TypedShape["kind"];
  readonly given: string;

  constructor(shape: TypedShape, value: unknown, place: Place) {
    const given = jsonKind(value);
    const into = place.path.length === 0
      ? "Go value"
      : `Go struct field ${bare(place.struct)}.${place.path.join(".")}`;
    super(`json: cannot unmarshal ${given} into ${into} of type ${shape.name}`);
    this.path = place.path;
    this.wanted = shape.kind;
    this.given = given;
  }
}

interface Place {
  /** The innermost struct. */
  readonly struct: string;
  readonly path: readonly string[];
}

/** Decodes a value. Missing and null strings become ""; lists and maps become `undefined`. */
export function decodeTyped(shape: TypedShape, value: unknown): unknown {
  return decode(shape, { value, place: { struct: "", path: [] }, prior: undefined });
}

interface Given {
  readonly value: unknown;
  readonly place: Place;
  /** The value decoded from an earlier spelling of the same key; Go decodes on top of it. */
  readonly prior: unknown;
}

function decode(shape: TypedShape, { value, place, prior }: Given): unknown {
  switch (shape.kind) {
    case "string":
      if (value === null) return prior ?? "";
      return scalarText(value) ?? fail(shape, value, place);
    case "list":
      if (value === null) return undefined;
      if (!Array.isArray(value)) return fail(shape, value, place);
      return value.map((item) => decode(shape.elem, { value: item, place, prior: undefined }));
    case "map": {
      if (value === null) return undefined;
      const out: Record<string, unknown> = { ...prior as object };
      for (const [key, item] of entries(value) ?? fail(shape, value, place)) {
        setKey(out, key, decode(shape.elem, { value: item, place, prior: undefined }));
      }
      return out;
    }
    case "struct":
      return decodeStruct(shape, { value, place, prior });
  }
}

function decodeStruct(
  shape: Extract<TypedShape, { kind: "struct" }>,
  { value, place, prior }: Given,
): Record<string, unknown> {
  const out: Record<string, unknown> = { ...prior as object };
  const given = value === null ? [] : entries(value) ?? fail(shape, value, place);
  for (const [key, item] of given) {
    const name = fieldName(shape.fields, key);
    if (name === undefined) continue;
    const inner = { struct: shape.name, path: [...place.path, name] };
    out[name] = decode(shape.fields[name], { value: item, place: inner, prior: out[name] });
  }
  for (const name of Object.keys(shape.fields)) {
    const field = shape.fields[name];
    if (field.kind === "string") out[name] ??= "";
  }
  return out;
}

/** Returns the field with this exact name, or one that differs only in letter case. */
function fieldName(fields: Readonly<Record<string, TypedShape>>, key: string): string | undefined {
  if (Object.hasOwn(fields, key)) return key;
  const folded = fold(key);
  return Object.keys(fields).find((name) => fold(name) === folded);
}

/** Folds case as `encoding/json` does: the Kelvin sign and the long s fold to ASCII. */
function fold(text: string): string {
  return text.replaceAll("\u212a", "k").replaceAll("\u017f", "s")
    .replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** Returns the members sorted by bytes, as in the intermediate JSON, or undefined for a non-object. */
function entries(value: unknown): [string, unknown][] | undefined {
  if (!isMap(value)) return undefined;
  return Object.entries(value).sort(([a], [b]) => compareStrings(a, b));
}

function fail(shape: TypedShape, value: unknown, place: Place): never {
  throw new TypeMismatch(shape, value, place);
}

/** Strips the package from a Go type name. */
function bare(goType: string): string {
  return goType.slice(goType.lastIndexOf(".") + 1);
}
