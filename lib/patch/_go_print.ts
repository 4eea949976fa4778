/**
 * JSON values as Go prints them, which Kubernetes' merge errors do: `map[name:a ports:[80 443]]`.
 * Numbers are Go floats there, since Istio decodes both sides that way.
 */

/** Deeper parts show as dots: an error text must not run out of stack. */
const MAX_DEPTH = 1000;

/** `%v` */
export function printValue(value: unknown, depth = 0): string {
  if (value === null || value === undefined) return "<nil>";
  if (typeof value === "number") return printFloat(value);
  if (typeof value !== "object") return String(value);
  if (depth > MAX_DEPTH) return "...";
  const print = (inner: unknown) => printValue(inner, depth + 1);
  if (Array.isArray(value)) return `[${value.map(print).join(" ")}]`;
  const keys = Object.keys(value).sort();
  const printed = keys.map((key) => `${key}:${print((value as Record<string, unknown>)[key])}`);
  return `map[${printed.join(" ")}]`;
}

/** `%s` of a value that need not be a string. */
export function printString(value: unknown): string {
  return value === null || value === undefined ? "%!s(<nil>)" : printAsString(value, 0);
}

function printAsString(value: unknown, depth: number): string {
  if (value === null) return "<nil>"; // Inside lists and maps it looks different.
  if (typeof value === "number") return `%!s(float64=${printFloat(value)})`;
  if (typeof value === "boolean") return `%!s(bool=${value})`;
  if (typeof value !== "object") return String(value);
  if (depth > MAX_DEPTH) return "...";
  const print = (inner: unknown) => printAsString(inner, depth + 1);
  if (Array.isArray(value)) return `[${value.map(print).join(" ")}]`;
  const keys = Object.keys(value).sort();
  const printed = keys.map((key) => `${key}:${print((value as Record<string, unknown>)[key])}`);
  return `map[${printed.join(" ")}]`;
}

/** `%s` of the value's Go type. */
export function printType(value: unknown): string {
  if (value === null || value === undefined) return "%!s(<nil>)";
  if (Array.isArray(value)) return "[]interface {}";
  switch (typeof value) {
    case "object":
      return "map[string]interface {}";
    case "number":
      return "float64";
    case "boolean":
      return "bool";
    default:
      return "string";
  }
}

/** `%q`, for keys. */
export function printQuoted(text: string): string {
  return JSON.stringify(text).replace(/\\u00([01].)/g, "\\x$1").replaceAll("\x7f", "\\x7f");
}

/** Shortest digits, with an exponent from 1e+06 up and from 1e-05 down. */
function printFloat(value: number): string {
  if (value === 0) return Object.is(value, -0) ? "-0" : "0";
  const [digits, exponent] = value.toExponential().split("e");
  const power = Number(exponent);
  if (power >= -4 && power < 6) return String(value);
  return `${digits}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}
