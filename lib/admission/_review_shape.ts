/**
 * The types of an AdmissionRequest's fields, and Go's words for a value of another type. Only what a
 * typed decode would look at: unknown fields pass, null is absent, objects are taken as they come.
 */

import { jsonKind } from "../go/json.ts";

type Shape =
  | { readonly kind: "string" | "bool"; readonly type: string }
  | { readonly kind: "list"; readonly type: string; readonly of: Shape }
  | { readonly kind: "map"; readonly type: string; readonly of: Shape }
  | {
    readonly kind: "struct";
    readonly type: string;
    readonly name: string;
    readonly fields: Readonly<Record<string, Shape>>;
  };

const STRING: Shape = { kind: "string", type: "string" };

function struct(name: string, type: string, fields: Readonly<Record<string, Shape>>): Shape {
  return { kind: "struct", name, type, fields };
}

const KIND = struct("GroupVersionKind", "v1.GroupVersionKind", {
  group: STRING,
  version: STRING,
  kind: STRING,
});

const RESOURCE = struct("GroupVersionResource", "v1.GroupVersionResource", {
  group: STRING,
  version: STRING,
  resource: STRING,
});

const USER = struct("UserInfo", "v1.UserInfo", {
  username: STRING,
  uid: STRING,
  groups: { kind: "list", type: "[]string", of: STRING },
  extra: {
    kind: "map",
    type: "map[string]v1.ExtraValue",
    of: { kind: "list", type: "v1.ExtraValue", of: STRING },
  },
});

function reviewShape(version: string): Shape {
  return struct("AdmissionReview", "", {
    request: struct("AdmissionRequest", `${version}.AdmissionRequest`, {
      uid: { kind: "string", type: "types.UID" },
      kind: KIND,
      resource: RESOURCE,
      subResource: STRING,
      requestKind: KIND,
      requestResource: RESOURCE,
      requestSubResource: STRING,
      name: STRING,
      namespace: STRING,
      operation: { kind: "string", type: `${version}.Operation` },
      userInfo: USER,
      dryRun: { kind: "bool", type: "bool" },
    }),
  });
}

const SHAPES: ReadonlyMap<string, Shape> = new Map(
  ["v1", "v1beta1"].map((version) => [version, reviewShape(version)]),
);

/** Go's complaint about the first value that has not the type of its field; `undefined` for none. */
export function typeMismatch(review: unknown, version: string): string | undefined {
  return mismatch(review, SHAPES.get(version)!, { owner: "", path: "" });
}

function mismatch(
  value: unknown,
  shape: Shape,
  at: { readonly owner: string; readonly path: string },
): string | undefined {
  if (value === null || value === undefined) return undefined;
  const given = jsonKind(value);
  const wanted = { string: "string", bool: "bool", list: "array", map: "object", struct: "object" };
  if (given !== wanted[shape.kind]) {
    return `json: cannot unmarshal ${given} into Go struct field ${at.owner}.${at.path} ` +
      `of type ${shape.type}`;
  }
  switch (shape.kind) {
    case "list":
      return first(value as unknown[], (item) => mismatch(item, shape.of, at));
    case "map":
      return first(Object.values(value), (item) => mismatch(item, shape.of, at));
    case "struct":
      return first(Object.entries(value), ([key, item]) => {
        if (!Object.hasOwn(shape.fields, key)) return undefined;
        const path = at.path === "" ? key : `${at.path}.${key}`;
        return mismatch(item, shape.fields[key], { owner: shape.name, path });
      });
  }
}

function first<T>(
  items: readonly T[],
  look: (item: T) => string | undefined,
): string | undefined {
  for (const item of items) {
    const found = look(item);
    if (found !== undefined) return found;
  }
}
