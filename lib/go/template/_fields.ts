/** Field access: keys of maps, and fields and methods of typed values. */
import {
  ANY,
  type GoMethod,
  type GoType,
  isPlainMap,
  STRING,
  Typed,
  typeOf,
  wrap,
  zero,
} from "../value.ts";
import { quote } from "../strconv.ts";
import type { State } from "./_state.ts";
import { ownValue } from "./_values.ts";

export type MissingKey = "default" | "zero" | "error";

/** Calls a method that a field name refers to. */
type CallMethod = (s: State, method: GoMethod, receiver: unknown) => unknown;

/** One `.name` in a template. It caches the struct field it found last. */
export interface FieldAccess {
  readonly name: string;
  readonly missingKey: MissingKey;
  /** Whether arguments follow, which only a method takes. */
  readonly hasArgs: boolean;
  readonly callMethod: CallMethod;
  /** The last type in which the name was a field, and that field. */
  knownType?: GoType;
  knownJson: string;
  knownFieldType?: GoType;
}

/**
 * Returns the value of `.name` on a receiver. `isInterface` means that the receiver is an element
 * of type `interface {}`, which errors then name. Sets `s.fieldIsInterface` for the result.
 */
export function evalField(
  s: State,
  receiver: unknown,
  isInterface: boolean,
  access: FieldAccess,
): unknown {
  const { name } = access;
  if (receiver instanceof Typed && receiver.type === access.knownType && receiver.value !== null) {
    const type = access.knownFieldType!;
    const object = receiver.value as Record<string, unknown>;
    s.fieldIsInterface = type.kind === "interface";
    return wrap(type, access.knownJson === "" ? object : object[access.knownJson]);
  }
  if (isPlainMap(receiver)) {
    s.fieldIsInterface = true;
    return mapValue(s, receiver, ANY, access);
  }
  s.fieldIsInterface = false;
  if (receiver === undefined) {
    if (access.missingKey === "error") s.fail(`nil data; no entry for key ${quote(name)}`);
    return undefined;
  }
  if (receiver === null) s.fail(`nil pointer evaluating ${ANY.name}.${name}`);
  if (receiver instanceof Typed) {
    const found = typedField(s, receiver, isInterface, access);
    if (found !== NOT_FOUND) return found;
  }
  const type = isInterface ? ANY : typeOf(receiver)!;
  s.fail(`can't evaluate field ${name} in type ${type.name}`);
}

const NOT_FOUND = Symbol("not found");

function typedField(
  s: State,
  receiver: Typed,
  isInterface: boolean,
  access: FieldAccess,
): unknown {
  const { name } = access;
  const method = receiver.type.methods?.get(name);
  if (method) return access.callMethod(s, method, receiver.value);
  let { type, value } = receiver;
  while (type.kind === "ptr") {
    if (value === null) {
      const pointee = type.elem!;
      if (pointee.kind === "struct" && !pointee.fields?.has(name)) return NOT_FOUND;
      s.fail(`nil pointer evaluating ${(isInterface ? ANY : receiver.type).name}.${name}`);
    }
    type = type.elem!;
    const inner = type.methods?.get(name);
    if (inner) return access.callMethod(s, inner, value);
  }
  if (type.kind === "struct") {
    const field = type.fields?.get(name);
    if (!field) return NOT_FOUND;
    if (access.hasArgs) s.fail(`${name} has arguments but cannot be invoked as function`);
    access.knownType = receiver.type;
    access.knownJson = field.json;
    access.knownFieldType = field.type();
    return evalField(s, receiver, false, access);
  }
  // In Go, a key of a named type, such as a ResourceName, is not a string.
  if (type.kind === "map" && type.key === STRING) {
    s.fieldIsInterface = type.elem!.kind === "interface";
    return mapValue(s, (value ?? {}) as Record<string, unknown>, type.elem!, access);
  }
  return NOT_FOUND;
}

function mapValue(
  s: State,
  map: Record<string, unknown>,
  elem: GoType,
  access: FieldAccess,
): unknown {
  if (access.hasArgs) s.fail(`${access.name} is not a method but has arguments`);
  const value = ownValue(map, access.name);
  if (value !== undefined) return elem === ANY ? value : wrap(elem, value);
  switch (access.missingKey) {
    case "default":
      return undefined;
    case "zero":
      return zero(elem);
    case "error":
      s.fail(`map has no entry for key ${quote(access.name)}`);
  }
}
