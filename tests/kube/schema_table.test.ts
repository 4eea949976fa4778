import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { structType } from "../../lib/kube/schema.ts";
import type { SchemaType } from "../../lib/kube/schema.ts";
import { SHARED, withShared } from "../_shared.ts";
import { type GivenField, type GivenSchema, makeSchemaTable } from "./make_schema_table.ts";

const TABLE = `${import.meta.dirname}/../../lib/kube/_schema_table.ts`;
const GIVEN = `${SHARED}/schema/kubernetes.json`;

/** Returns the schema file's name for a type, which omits the names of string and map types. */
function givenType(type: SchemaType): string {
  switch (type.kind) {
    case "pointer":
      return `*${givenType(type.elem!)}`;
    case "list":
      return `[]${givenType(type.elem!)}`;
    case "map":
      return `map[string]${givenType(type.elem!)}`;
    case "string":
      return "string";
    default:
      return type.struct?.name ?? type.name.slice(type.name.indexOf(".") + 1);
  }
}

withShared("schema/kubernetes.json", "_schema_table.ts beside the schema file", () => {
  const given: GivenSchema = JSON.parse(readFileSync(GIVEN, "utf8"));

  test("the committed table matches the output of the script", () => {
    expect(readFileSync(TABLE, "utf8")).toBe(makeSchemaTable(given));
  });

  test("every field of the schema file reads back the same", () => {
    for (const [name, fields] of Object.entries(given)) {
      const read = structType(name)!.fields.map((field): GivenField => {
        const strategies = [field.merge ? "merge" : "", field.retainKeys ? "retainKeys" : ""];
        return {
          go: field.go,
          json: field.json,
          type: givenType(field.type),
          omitEmpty: field.omitEmpty || undefined,
          omitZero: field.omitZero || undefined,
          inline: field.inline || undefined,
          patchStrategy: strategies.filter(Boolean).join(",") || undefined,
          patchMergeKey: field.mergeKey || undefined,
        };
      });
      expect(JSON.parse(JSON.stringify({ [name]: read }))).toEqual({ [name]: fields });
    }
  });
});

test("the table fits into 25 kB", () => {
  expect(readFileSync(TABLE, "utf8").length).toBeLessThan(25_000);
});
