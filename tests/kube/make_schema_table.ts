/**
 * Writes lib/kube/_schema_table.ts from the schema file of the project's shared data:
 *
 *     bun tests/kube/make_schema_table.ts ../shared/schema/kubernetes.json > lib/kube/_schema_table.ts
 *
 * schema_table.test.ts keeps the two equal wherever that file is at hand.
 */

export interface GivenField {
  go: string;
  json: string;
  type: string;
  omitEmpty?: boolean;
  omitZero?: boolean;
  inline?: boolean;
  patchStrategy?: string;
  patchMergeKey?: string;
}

export type GivenSchema = Record<string, GivenField[]>;

const HEADER = `/**
 * Facts of the Kubernetes API types behind Pod and the workload kinds, as of k8s.io/api v0.36.
 *
 * Made by tests/kube/make_schema_table.ts from the shared schema file: run that, don't edit this.
 *
 * One type an entry: its name, then its fields in declaration order. A field is
 * \`json[=Go]:type\` and marks; the Go name is left out where it is the JSON name with a capital.
 *
 *     s b i32 i64   string, bool, int32, int64        *T []T {}T   pointer, list, map from strings
 *     @T            T embedded inline                 ? !          omitempty, omitzero
 *     +key          merged as a list by that key      &            retainKeys
 *                   (\`+\` alone: a union of scalars)
 */
export const SCHEMA_TABLE = \`
`;

const SHORT: Record<string, string> = { string: "s", bool: "b", int32: "i32", int64: "i64" };

function shortType(type: string): string {
  const base = type.match(/[A-Za-z0-9]+$/)![0];
  return type.slice(0, -base.length).replace("map[string]", "{}") + (SHORT[base] ?? base);
}

function fieldText(field: GivenField): string {
  if (field.inline) return `@${field.type}`;
  const usual = field.json[0].toUpperCase() + field.json.slice(1);
  const strategies = (field.patchStrategy ?? "").split(",");
  return field.json + (field.go === usual ? "" : `=${field.go}`) + `:${shortType(field.type)}` +
    (field.omitEmpty ? "?" : "") + (field.omitZero ? "!" : "") +
    (strategies.includes("merge") ? `+${field.patchMergeKey ?? ""}` : "") +
    (strategies.includes("retainKeys") ? "&" : "");
}

/** The whole file's text. Long entries go on in indented lines. */
export function makeSchemaTable(given: GivenSchema): string {
  const lines: string[] = [];
  for (const name of Object.keys(given).sort()) {
    let line = name;
    for (const text of given[name].map(fieldText)) {
      if (line.length + 1 + text.length > 100) {
        lines.push(line);
        line = ` ${text}`;
      } else {
        line += ` ${text}`;
      }
    }
    lines.push(line);
  }
  return `${HEADER}${lines.join("\n")}\n\`;\n`;
}

if (import.meta.main) {
  const { readFileSync } = await import("node:fs");
  const [path] = process.argv.slice(2);
  process.stdout.write(makeSchemaTable(JSON.parse(readFileSync(path, "utf8"))));
}
