/**
 * Prints a Go value with a verb. This is the part of fmt that uses reflection.
 *
 * A {@link Directive} holds the flags, width and precision. _fmt_text.ts formats numbers and
 * strings accordingly; this file walks types and containers.
 */
import { compareStrings, fromBytes } from "../data/bytes.ts";
import {
  type Directive,
  hexOf,
  layoutCharacter,
  layoutFloat,
  layoutInteger,
  layoutQuoted,
  layoutQuotedCharacter,
  layoutString,
  layoutUnicode,
  newDirective,
  pad,
} from "./_fmt_text.ts";
import type { FloatFormat } from "./_fmt_float.ts";
import {
  bare as bareValue,
  BYTES,
  FunctionError,
  type GoField,
  type GoType,
  isIntegerKind,
  type Kind,
  STRING,
  typeOf,
  wrap,
} from "./value.ts";

export type { Directive } from "./_fmt_text.ts";

/** The `value` of a Typed complex128. */
export interface Complex {
  readonly re: number;
  readonly im: number;
}

/** A Go type with methods that only fmt calls. */
export interface FormattedType extends GoType {
  /** The type's `GoString()` method, which `%#v` prints. A pointer has that of its element. */
  readonly goString?: (value: unknown) => string;
  /** The result of `String()` for nil, for generated Kubernetes pointer types that accept nil. */
  readonly nilString?: string;
}

/**
 * The depth at which printing stops, because sprig's `set` can put a map into itself. Kubernetes
 * refuses JSON nested deeper than 10,000, and templates print nothing that is near a tenth of it.
 */
const MAX_DEPTH = 1000;

/** The longest output in characters: a map that holds another one twice, and so on, grows fast. */
const MAX_OUTPUT = 64 * 1024 * 1024;

/** The address of every pointer. In Go, addresses differ from run to run. */
const ADDRESS = 0xc000012340n;

const STRINGER_VERBS = "vsxXq";

const structFields = new WeakMap<GoType, readonly GoField[]>();

/** Returns the fields that a struct type declares itself, without promoted fields. */
function declaredFields(type: GoType): readonly GoField[] {
  let fields = structFields.get(type);
  if (fields) return fields;
  const all = [...type.fields?.values() ?? []];
  const embedded = all.filter((f) => {
    const own = f.type();
    return own.kind === "struct" && (f.json === "" || own.name.endsWith("." + f.name));
  });
  fields = all.filter((field) =>
    !embedded.some((outer) => {
      const promoted = outer === field ? undefined : outer.type().fields?.get(field.name);
      return promoted !== undefined && (outer.json === "" || promoted === field);
    })
  );
  structFields.set(type, fields);
  return fields;
}

function isBytes(type: GoType): boolean {
  return (type.kind === "slice" || type.kind === "array") && type.elem?.kind === "uint8";
}

/** Returns the bytes of a `[]byte`, whose bare value is a `Uint8Array` or a list of integers. */
function bytesOf(value: unknown): Uint8Array {
  if (value instanceof Uint8Array) return value;
  if (Array.isArray(value)) return Uint8Array.from(value, Number);
  return new Uint8Array();
}

export class Printer {
  out = "";
  #directive: Directive = newDirective();
  /** Set while the operand of a bad verb is printed, which must not call its methods. */
  #erroring = false;

  /** Starts a new directive. */
  reset(): Directive {
    return this.#directive = newDirective();
  }

  write(text: string): void {
    this.out += text;
    if (this.out.length > MAX_OUTPUT) {
      throw new FunctionError(`output exceeds ${MAX_OUTPUT} characters`);
    }
  }

  /** Prints an argument. */
  printArg(arg: unknown, verb: string): void {
    const type = typeOf(arg);
    if (!type) {
      if (verb === "T" || verb === "v") this.#pad("<nil>");
      else this.write(`%!${verb}(<nil>)`);
    } else if (verb === "T") this.write(layoutString(this.#directive, type.name));
    else if (verb === "p") this.#printPointer(arg, type, verb);
    else if (type.name === BYTES.name) this.#printByteSlice(arg, type, verb);
    else if (!this.#callMethod(arg, type, verb)) this.#printKind(arg, { type, verb, depth: 0 });
  }

  #pad(text: string): void {
    this.write(pad(this.#directive, text));
  }

  #badVerb(value: unknown, type: GoType, verb: string): void {
    const outer = this.#erroring;
    this.#erroring = true;
    this.write(`%!${verb}(${type.name}=`);
    this.printArg(value, "v");
    this.write(")");
    this.#erroring = outer;
  }

  /** Prints with `String()`, `Error()` or `GoString()`. Returns false if the type has none. */
  #callMethod(value: unknown, type: FormattedType, verb: string): boolean {
    if (this.#erroring) return false;
    if (verb === "w") {
      this.#badVerb(value, type, verb);
      return true;
    }
    const { sharpV } = this.#directive;
    const elem: FormattedType | undefined = type.kind === "ptr" ? type.elem : undefined;
    const stringer = STRINGER_VERBS.includes(verb) ? type.stringer : undefined;
    const method = sharpV ? type.goString ?? elem?.goString : stringer;
    if (!method) return false;
    const bare = bareValue(value);
    if (elem && bare === null) {
      // Go recovers from the panic of a method that does not expect nil.
      if (sharpV || type.nilString === undefined) this.write("<nil>");
      else this.#printString(type.nilString, { value, type, verb });
    } else if (sharpV) this.write(layoutString(this.#directive, method(bare)));
    else this.#printString(method(bare), { value, type, verb });
    return true;
  }

  /** Prints an element, field or pointee. */
  #printInner(value: unknown, at: Place): void {
    if (at.depth > MAX_DEPTH) throw new FunctionError(`value nested deeper than ${MAX_DEPTH}`);
    if (at.type.kind === "interface") {
      const type = typeOf(value);
      if (type) this.#printInner(value, { ...at, type, depth: at.depth + 1 });
      else this.write(this.#directive.sharpV ? `${at.type.name}(nil)` : "<nil>");
      return;
    }
    if (!this.#callMethod(value, at.type, at.verb)) this.#printKind(value, at);
  }

  #printKind(value: unknown, at: Place): void {
    const { type, verb } = at;
    const bare = bareValue(value);
    const { kind } = type;
    if (isIntegerKind(kind)) return this.#printInteger(bare as bigint, { value, type, verb });
    switch (kind) {
      case "bool":
        if (verb === "t" || verb === "v") return this.#pad(bare ? "true" : "false");
        return this.#badVerb(value, type, verb);
      case "float32":
      case "float64":
        return this.#printFloat(bare as number, { value, type, verb });
      case "complex128":
        return this.#printComplex(bare as Complex, { value, type, verb });
      case "string":
        return this.#printString(bare as string, { value, type, verb });
      case "map":
        return this.#printMap(bare as Readonly<Record<string, unknown>> | null, at);
      case "struct":
        return this.#printStruct(bare, at);
      case "slice":
      case "array":
        if (isBytes(type) && "sqxX".includes(verb)) {
          return this.#printByteSlice(value, type, verb);
        }
        return this.#printSlice(bare as readonly unknown[] | null, at);
      case "ptr": {
        const target = type.elem;
        const opens: readonly Kind[] = ["array", "slice", "struct", "map"];
        if (at.depth === 0 && bare !== null && target && opens.includes(target.kind)) {
          this.write("&");
          return this.#printInner(wrap(target, bare), { type: target, verb, depth: 1 });
        }
        return this.#printPointer(value, type, verb);
      }
      default:
        return this.#printPointer(value, type, verb);
    }
  }

  #printInteger(bare: bigint, { value, type, verb }: Operand): void {
    const d = this.#directive;
    const unsigned = type.kind.startsWith("u");
    switch (verb) {
      case "v":
        if (d.sharpV && unsigned) {
          return this.write(layoutInteger({ ...d, sharp: true }, bare, "x"));
        }
        return this.write(layoutInteger(d, bare, "d"));
      case "d":
      case "b":
      case "o":
      case "O":
      case "x":
      case "X":
        return this.write(layoutInteger(d, bare, verb));
      case "c":
        return this.write(layoutCharacter(d, bare));
      case "q":
        return this.write(layoutQuotedCharacter(d, bare));
      case "U":
        return this.write(layoutUnicode(d, bare));
      default:
        this.#badVerb(value, type, verb);
    }
  }

  #printFloat(bare: number, { value, type, verb }: Operand): void {
    if (!"vbgGxXfFeE".includes(verb)) return this.#badVerb(value, type, verb);
    const format = (verb === "v" ? "g" : verb === "F" ? "f" : verb) as FloatFormat;
    const bits = type.kind === "float32" ? 32 : 64;
    this.write(layoutFloat(this.#directive, bare, { format, bits }));
  }

  #printComplex(bare: Complex, { value, type, verb }: Operand): void {
    if (!"vbgGxXfFeE".includes(verb)) return this.#badVerb(value, type, verb);
    const format = (verb === "v" ? "g" : verb === "F" ? "f" : verb) as FloatFormat;
    const real = layoutFloat(this.#directive, bare.re, { format, bits: 64 });
    const signed = { ...this.#directive, plus: true };
    this.write(`(${real}${layoutFloat(signed, bare.im, { format, bits: 64 })}i)`);
  }

  #printString(text: string, { value, type, verb }: Operand): void {
    const d = this.#directive;
    switch (verb) {
      case "v":
        return this.write(d.sharpV ? layoutQuoted(d, text) : layoutString(d, text));
      case "s":
        return this.write(layoutString(d, text));
      case "x":
      case "X":
        return this.write(hexOf(d, text, verb === "X"));
      case "q":
        return this.write(layoutQuoted(d, text));
      default:
        this.#badVerb(value, type, verb);
    }
  }

  /** Prints a `[]byte`: string verbs print it as text, others as a list of numbers. */
  #printByteSlice(value: unknown, type: GoType, verb: string): void {
    const bare = bareValue(value);
    const bytes = bytesOf(bare);
    const d = this.#directive;
    switch (verb) {
      case "v":
      case "d": {
        const shown = { ...d, sharp: d.sharp || d.sharpV };
        const items = Array.from(
          bytes,
          (byte) => layoutInteger(shown, BigInt(byte), d.sharpV ? "x" : "d"),
        );
        if (!d.sharpV) return this.write(`[${items.join(" ")}]`);
        return this.write(bare === null ? "[]byte(nil)" : `[]byte{${items.join(", ")}}`);
      }
      case "s":
        return this.write(layoutString(d, fromBytes(bytes)));
      case "x":
      case "X":
        return this.write(hexOf(d, bytes, verb === "X"));
      case "q":
        return this.write(layoutQuoted(d, fromBytes(bytes)));
      default:
        this.#printSlice(bare === null ? null : bytes, { type, verb, depth: 0 });
    }
  }

  #printMap(bare: Readonly<Record<string, unknown>> | null, at: Place): void {
    const { sharpV } = this.#directive;
    const { type, verb } = at;
    if (sharpV && bare === null) return this.write(`${type.name}(nil)`);
    this.write(sharpV ? `${type.name}{` : "map[");
    const elem = type.elem!;
    const key = type.key ?? STRING;
    const depth = at.depth + 1;
    Object.keys(bare ?? {}).sort(compareStrings).forEach((name, i) => {
      if (i > 0) this.write(sharpV ? ", " : " ");
      this.#printInner(wrap(key, name), { type: key, verb, depth });
      this.write(":");
      this.#printInner(wrap(elem, bare![name]), { type: elem, verb, depth });
    });
    this.write(sharpV ? "}" : "]");
  }

  #printSlice(bare: ArrayLike<unknown> | null, at: Place): void {
    const { sharpV } = this.#directive;
    const { type, verb } = at;
    if (sharpV && bare === null) return this.write(`${type.name}(nil)`);
    this.write(sharpV ? `${type.name}{` : "[");
    const elem = type.elem!;
    const depth = at.depth + 1;
    const length = bare?.length ?? 0;
    for (let i = 0; i < length; i++) {
      if (i > 0) this.write(sharpV ? ", " : " ");
      this.#printInner(wrap(elem, bare![i]), { type: elem, verb, depth });
    }
    this.write(sharpV ? "}" : "]");
  }

  #printStruct(bare: unknown, at: Place): void {
    const { sharpV, plusV } = this.#directive;
    const { type, verb } = at;
    const object = typeof bare === "object" && bare !== null ? bare : {};
    const depth = at.depth + 1;
    this.write(sharpV ? `${type.name}{` : "{");
    declaredFields(type).forEach((field, i) => {
      if (i > 0) this.write(sharpV ? ", " : " ");
      if (sharpV || plusV) this.write(`${field.name}:`);
      const inner = field.type();
      const own = field.json === ""
        ? object
        : Object.hasOwn(object, field.json)
        ? (object as Record<string, unknown>)[field.json]
        : undefined;
      this.#printInner(wrap(inner, own), { type: inner, verb, depth });
    });
    this.write("}");
  }

  #printPointer(value: unknown, type: GoType, verb: string): void {
    const kinds: readonly Kind[] = ["func", "map", "ptr", "slice"];
    if (!kinds.includes(type.kind)) return this.#badVerb(value, type, verb);
    const d = this.#directive;
    const address = bareValue(value) === null ? 0n : ADDRESS;
    const text = () => layoutInteger({ ...d, sharp: d.sharpV || !d.sharp }, address, "x");
    switch (verb) {
      case "v":
        if (d.sharpV) return this.write(`(${type.name})(${address ? text() : "nil"})`);
        return address ? this.write(text()) : this.#pad("<nil>");
      case "p":
        return this.write(text());
      case "b":
      case "o":
      case "d":
      case "x":
      case "X":
        return this.write(layoutInteger(d, address, verb));
      default:
        this.#badVerb(value, type, verb);
    }
  }
}

/** A value with its type, for the text that a bad verb prints. */
interface Operand {
  readonly value: unknown;
  readonly type: GoType;
  readonly verb: string;
}

/** A place within a value. */
interface Place {
  readonly type: GoType;
  readonly verb: string;
  readonly depth: number;
}
