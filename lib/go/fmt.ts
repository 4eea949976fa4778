/**
 * Go's `fmt`: `Sprint`, `Sprintln` and `Sprintf` of the values in value.ts.
 *
 * This file parses the format and walks the arguments; _fmt_printer.ts prints one value with one
 * verb. As in Go, a mistake in a format is never an error; it shows up in the result, as in
 * `%!d(string=x)`.
 */
import { canonical } from "../data/bytes.ts";
import { formatFloatShortest } from "./_fmt_float.ts";
import { type Directive, Printer } from "./_fmt_printer.ts";
import { isIntegerKind, kindOf, Typed, typeOf } from "./value.ts";

export { type Complex, type FormattedType } from "./_fmt_printer.ts";

/** Go ignores larger widths and precisions. */
const MAX_NUMBER = 1e6;

/** Returns what `%v` prints for a value, and so what `{{ .x }}` prints. */
export function formatValue(value: unknown): string {
  switch (typeof value) {
    case "string":
      return value;
    case "number":
      return formatFloatShortest(value);
    case "boolean":
      return value ? "true" : "false";
  }
  const printer = new Printer();
  printer.printArg(value, "v");
  return printer.out;
}

/** Go's `fmt.Sprint`, which puts a space between operands if neither is a string. */
export function sprint(args: readonly unknown[]): string {
  if (args.length === 1) return formatValue(args[0]);
  const printer = new Printer();
  let afterString = true;
  args.forEach((arg, i) => {
    const isString = kindOf(arg) === "string";
    if (i > 0 && !isString && !afterString) printer.write(" ");
    printer.printArg(arg, "v");
    afterString = isString;
  });
  return canonical(printer.out);
}

/** Go's `fmt.Sprintln`, which puts spaces between all operands and adds a newline. */
export function sprintln(args: readonly unknown[]): string {
  const printer = new Printer();
  args.forEach((arg, i) => {
    if (i > 0) printer.write(" ");
    printer.printArg(arg, "v");
  });
  return canonical(printer.out + "\n");
}

/** Reads a decimal number. `number` is undefined if there is none or it is too large. */
function readNumber(
  format: string,
  start: number,
  end: number,
): { number: number | undefined; next: number } {
  let number: number | undefined;
  let i = start;
  for (; i < end; i++) {
    const digit = format.charCodeAt(i) - 48;
    if (!(digit >= 0 && digit <= 9)) break;
    // Go then skips the rest of the format.
    if (number !== undefined && number > MAX_NUMBER) return { number: undefined, next: end };
    number = (number ?? 0) * 10 + digit;
  }
  return { number, next: i };
}

/** Formats arguments according to one format. */
class FormatReader {
  readonly #format: string;
  readonly #args: readonly unknown[];
  readonly #printer = new Printer();
  #at = 0;
  #arg = 0;
  /** Whether the format has an index such as `[2]`. Then unused arguments are not a mistake. */
  #reordered = false;
  #goodIndex = true;

  constructor(format: string, args: readonly unknown[]) {
    this.#format = format;
    this.#args = args;
  }

  run(): string {
    const format = this.#format;
    const printer = this.#printer;
    while (this.#at < format.length) {
      let percent = format.indexOf("%", this.#at);
      if (percent < 0) percent = format.length;
      printer.write(format.slice(this.#at, percent));
      if (percent === format.length) break;
      this.#at = percent + 1;
      if (!this.#directive()) {
        printer.write("%!(NOVERB)");
        break;
      }
    }
    this.#extra();
    return canonical(printer.out);
  }

  /** Handles one directive, after its `%`. Returns false if the format ends before the verb. */
  #directive(): boolean {
    const format = this.#format;
    this.#goodIndex = true;
    const directive = this.#printer.reset();
    this.#flags(directive);
    let afterIndex = this.#index();
    afterIndex = this.#width(directive, afterIndex);
    // Go takes a point at the end of the format for the verb.
    if (format[this.#at] === "." && this.#at + 1 < format.length) {
      this.#at++;
      if (afterIndex) this.#goodIndex = false;
      afterIndex = this.#precision(directive);
    }
    if (!afterIndex) this.#index();
    if (this.#at >= format.length) return false;
    this.#verb(directive);
    return true;
  }

  #flags(directive: Directive): void {
    for (;; this.#at++) {
      switch (this.#format[this.#at]) {
        case "#":
          directive.sharp = true;
          break;
        case "0":
          directive.zero = true;
          break;
        case "+":
          directive.plus = true;
          break;
        case "-":
          directive.minus = true;
          break;
        case " ":
          directive.space = true;
          break;
        default:
          return;
      }
    }
  }

  /** Reads an index `[n]`. Returns true if there is one, even if it is out of range. */
  #index(): boolean {
    const format = this.#format;
    if (format[this.#at] !== "[") return false;
    this.#reordered = true;
    const start = this.#at + 1;
    const close = format.indexOf("]", start);
    // Go skips only the opening bracket of a `[]` at the very end.
    if (close < 0 || format.length - this.#at < 3) {
      this.#at = start;
      this.#goodIndex = false;
      return false;
    }
    this.#at = close + 1;
    const { number, next } = readNumber(format, start, close);
    const read = number !== undefined && next === close;
    if (read && number >= 1 && number <= this.#args.length) this.#arg = number - 1;
    else this.#goodIndex = false;
    return read;
  }

  /** Returns the argument of a `*`; undefined if it is not an integer or too large. */
  #star(): number | undefined {
    if (this.#arg >= this.#args.length) return undefined;
    const value = this.#args[this.#arg++];
    if (!isIntegerKind((typeOf(value)?.kind) ?? "interface")) return undefined;
    const number = Number((value as Typed).value);
    return Math.abs(number) > MAX_NUMBER ? undefined : number;
  }

  #width(directive: Directive, afterIndex: boolean): boolean {
    if (this.#format[this.#at] !== "*") {
      const { number, next } = readNumber(this.#format, this.#at, this.#format.length);
      this.#at = next;
      directive.width = number;
      if (afterIndex && number !== undefined) this.#goodIndex = false;
      return afterIndex;
    }
    this.#at++;
    const width = this.#star();
    if (width === undefined) this.#printer.write("%!(BADWIDTH)");
    else if (width < 0) {
      directive.minus = true;
      directive.zero = false;
    }
    directive.width = width === undefined ? undefined : Math.abs(width);
    return false;
  }

  #precision(directive: Directive): boolean {
    const afterIndex = this.#index();
    if (this.#format[this.#at] !== "*") {
      const { number, next } = readNumber(this.#format, this.#at, this.#format.length);
      this.#at = next;
      directive.precision = number ?? 0;
      return afterIndex;
    }
    this.#at++;
    const precision = this.#star();
    if (precision !== undefined && precision >= 0) directive.precision = precision;
    else this.#printer.write("%!(BADPREC)");
    return false;
  }

  #verb(directive: Directive): void {
    const printer = this.#printer;
    const code = this.#format.codePointAt(this.#at)!;
    const verb = code >= 0xd800 && code <= 0xdfff ? "\ufffd" : String.fromCodePoint(code);
    this.#at += code > 0xffff ? 2 : 1;
    if (verb === "%") return printer.write("%");
    if (!this.#goodIndex) return printer.write(`%!${verb}(BADINDEX)`);
    if (this.#arg >= this.#args.length) return printer.write(`%!${verb}(MISSING)`);
    if (verb === "v" || verb === "w") {
      directive.sharpV = directive.sharp;
      directive.plusV = directive.plus;
      directive.sharp = directive.plus = false;
    }
    printer.printArg(this.#args[this.#arg++], verb);
  }

  #extra(): void {
    if (this.#reordered || this.#arg >= this.#args.length) return;
    const printer = this.#printer;
    printer.reset();
    printer.write("%!(EXTRA ");
    this.#args.slice(this.#arg).forEach((arg, i) => {
      if (i > 0) printer.write(", ");
      const type = typeOf(arg);
      if (!type) return printer.write("<nil>");
      printer.write(`${type.name}=`);
      printer.printArg(arg, "v");
    });
    printer.write(")");
  }
}

/**
 * Go's `fmt.Sprintf`.
 *
 * @example
 * ```ts
 * sprintf("%05.1f|%-4s|%q", [2.25, "ab", "c"]); // "002.2|ab  |\"c\""
 * ```
 */
export function sprintf(format: string, args: readonly unknown[]): string {
  return new FormatReader(format, args).run();
}
