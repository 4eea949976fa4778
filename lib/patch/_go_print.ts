/**
 * Formats JSON values as Go prints them, as in Kubernetes' merge errors: `map[name:a ports:[80 443]]`.
 * Numbers print as Go floats, since Istio decodes both sides that way.
 */

/** Elides deeper values, so that formatting an error cannot exhaust the stack. */
const MAX_DEPTH = 1000;

/** Formats a value as Go's `%v`. */
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

/** Formats a value, not necessarily a string, as Go's `%s`. */
export function printString(value: unknown): string {
  return value === null || value === undefined ? "%!s(<nil>)" : printAsString(value, 0);
}

function printAsString(value: unknown, depth: number): string {
  if (value === null) return "<nil>"; // %v prints a nested nil differently.
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

/** Returns the Go type of a value. */
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

/** Formats a key as Go's `%q`. */
export function printQuoted(text: string): string {
  return JSON.stringify(text).replace(/\\u00([01].)/g, "\\x$1").replaceAll("\x7f", "\\x7f");
}

/** Formats a float with the fewest digits, using an exponent from 1e+06 and below 1e-04. */
function printFloat(value: number): string {
  if (value === 0) return Object.is(value, -0) ? "-0" : "0";
  const [digits, exponent] = value.toExponential().split("e");
  const power = Number(exponent);
  if (power >= -4 && power < 6) return String(value);
  return `${digits}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}
