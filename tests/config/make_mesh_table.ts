/**
 * Writes lib/config/_mesh_table.ts from the mesh schema of the project's shared data:
 *
 *     bun tests/config/make_mesh_table.ts ../shared/schema/mesh.json > lib/config/_mesh_table.ts
 *
 * mesh_schema.test.ts checks that the two match if that file is present.
 */

export interface GivenMeshField {
  go: string;
  json: string;
  type: string;
  oneof?: string;
}

export interface GivenMeshSchema {
  enums: Record<string, Record<string, number>>;
  messages: Record<string, GivenMeshField[]>;
}

const HEADER = `/**
 * Facts of the messages behind Istio's mesh config: what MeshConfig and ProxyConfig hold.
 *
 * Made by tests/config/make_mesh_table.ts from the shared schema file: run that, don't edit this.
 *
 * One message an entry: its name, then its fields in declaration order, each \`json:type\`. The Go
 * name is the JSON name with a capital.
 *
 *     s b i32 u32 f64     string, bool, int32, uint32, double
 *     b? i32? u32? i64?   the wrapper messages of google.protobuf: absent is not zero
 *     dur struct          google.protobuf.Duration, google.protobuf.Struct
 *     []T {}T %E          list, map from strings, enum
 *     |Name               member of the oneof of that Go name
 *
 * \`mesh.\` stands for istio.mesh.v1alpha1, \`net.\` for istio.networking.v1alpha3, \`beta.\` for
 * istio.networking.v1beta1.
 */
`;

const SHORT: Record<string, string> = {
  string: "s",
  bool: "b",
  int32: "i32",
  uint32: "u32",
  double: "f64",
  "google.protobuf.BoolValue": "b?",
  "google.protobuf.Int32Value": "i32?",
  "google.protobuf.UInt32Value": "u32?",
  "google.protobuf.Int64Value": "i64?",
  "google.protobuf.Duration": "dur",
  "google.protobuf.Struct": "struct",
};

function shortName(name: string): string {
  return name.replace(/^istio\.mesh\.v1alpha1\./, "mesh.")
    .replace(/^istio\.networking\.v1alpha3\./, "net.")
    .replace(/^istio\.networking\.v1beta1\./, "beta.");
}

function shortType(type: string): string {
  if (type.startsWith("[]")) return "[]" + shortType(type.slice(2));
  if (type.startsWith("map[string]")) return "{}" + shortType(type.slice("map[string]".length));
  if (type.startsWith("enum ")) return "%" + shortName(type.slice("enum ".length));
  return SHORT[type] ?? shortName(type);
}

function fieldText(field: GivenMeshField): string {
  if (field.go !== field.json[0].toUpperCase() + field.json.slice(1)) {
    throw new Error(
      `Field "${field.json}" has the Go name "${field.go}": the table has no word for it`,
    );
  }
  return `${field.json}:${shortType(field.type)}` + (field.oneof ? `|${field.oneof}` : "");
}

/** Wraps long entries; continuation lines are indented. */
function entry(name: string, words: readonly string[]): string {
  const lines: string[] = [];
  let line = name;
  for (const word of words) {
    if (line.length + 1 + word.length > 100) {
      lines.push(line);
      line = "";
    }
    line += ` ${word}`;
  }
  return [...lines, line].join("\n");
}

/** Returns the text of the file. */
export function makeMeshTable(given: GivenMeshSchema): string {
  const enums = Object.keys(given.enums).sort().map((name) => {
    const values = Object.entries(given.enums[name]).sort((a, b) => a[1] - b[1]);
    return entry(shortName(name), values.map(([value, number]) => `${value}=${number}`));
  });
  const messages = Object.keys(given.messages).sort().map((name) =>
    entry(shortName(name), given.messages[name].map(fieldText))
  );
  return `${HEADER}export const MESSAGE_TABLE = \`
${messages.join("\n")}
\`;

/** Enums: a name, then its values. */
export const ENUM_TABLE = \`
${enums.join("\n")}
\`;
`;
}

if (import.meta.main) {
  const { readFileSync } = await import("node:fs");
  const [path] = process.argv.slice(2);
  process.stdout.write(makeMeshTable(JSON.parse(readFileSync(path, "utf8"))));
}
