import { describe, expect, test } from "bun:test";
import {
  compileLabelSelector,
  type Labels,
  type LabelSelectorSpec,
  labelSelectorText,
} from "../../lib/config/label_selector.ts";
import { outcome } from "./_outcome.ts";

/** Returns a selector with one expression. */
function expression(key: string, operator: string, ...values: string[]): LabelSelectorSpec {
  return { matchExpressions: [{ key, operator, values }] };
}

describe("compileLabelSelector() matches", () => {
  const rows: [spec: LabelSelectorSpec, labels: Labels, want: boolean][] = [
    [{}, {}, true],
    [{}, { a: "x" }, true],
    [{ matchLabels: { a: "x" } }, { a: "x", b: "y" }, true],
    [{ matchLabels: { a: "x" } }, { a: "y" }, false],
    [{ matchLabels: { a: "" } }, {}, false],
    [{ matchLabels: { a: "x", b: "y" } }, { a: "x" }, false],
    [expression("a", "In", "x", "y"), { a: "y" }, true],
    [expression("a", "In", "x", "y"), {}, false],
    [expression("a", "NotIn", "x"), { a: "x" }, false],
    [expression("a", "NotIn", "x"), {}, true],
    [expression("a", "Exists"), { a: "" }, true],
    [expression("a", "Exists"), { b: "" }, false],
    [expression("a", "DoesNotExist"), { b: "" }, true],
    [expression("a", "DoesNotExist"), { a: "" }, false],
    [expression("toString", "Exists"), {}, false],
    [{ matchLabels: { a: "x" }, ...expression("b", "Exists") }, { a: "x" }, false],
  ];
  for (const [spec, labels, want] of rows) {
    test(`${labelSelectorText(spec)} ${JSON.stringify(labels)}: ${want}`, () => {
      expect(compileLabelSelector(Object.freeze(spec)).matches(labels)).toBe(want);
    });
  }

  test("reports an empty selector", () => {
    expect(compileLabelSelector({}).isEmpty).toBe(true);
    expect(compileLabelSelector({ matchLabels: {}, matchExpressions: [] }).isEmpty).toBe(true);
    expect(compileLabelSelector({ matchLabels: { a: "" } }).isEmpty).toBe(false);
  });
});

describe("compileLabelSelector() refuses", () => {
  const name = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end " +
    "with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for " +
    "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
  const value =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', " +
    "'_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or " +
    "'my_value',  or '12345', regex used for validation is " +
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
  const subdomain = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric " +
    "characters, '-' or '.', and must start and end with an alphanumeric character (e.g. " +
    "'example.com', regex used for validation is " +
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
  const long = "a".repeat(64);
  const rows: [behaviour: string, spec: LabelSelectorSpec, want: string][] = [
    [
      "an operator it does not know",
      expression("a", "Gt", "1"),
      '"Gt" is not a valid label selector operator',
    ],
    [
      "an operator in other case",
      expression("a", "in", "x"),
      '"in" is not a valid label selector operator',
    ],
    [
      "In without values",
      expression("a", "In"),
      "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty",
    ],
    [
      "Exists with values",
      expression("a", "Exists", "x"),
      'values: Invalid value: ["x"]: values set must be empty for exists and does not exist',
    ],
    [
      "an empty key",
      { matchLabels: { "": "x" } },
      `key: Invalid value: "": name part must be non-empty; name part ${name}`,
    ],
    [
      "a key of a bad prefix",
      { matchLabels: { "X/y": "x" } },
      `key: Invalid value: "X/y": prefix part ${subdomain}`,
    ],
    [
      "a key with two slashes",
      { matchLabels: { "a/b/c": "x" } },
      `key: Invalid value: "a/b/c": a valid label key ${name} with an optional DNS subdomain ` +
      "prefix and '/' (e.g. 'example.com/MyName')",
    ],
    ["a bad value", { matchLabels: { a: "-x" } }, `values[0][a]: Invalid value: "-x": ${value}`],
    [
      "two at once",
      expression(long, "In", long),
      `[key: Invalid value: "${long}": name part must be no more than 63 bytes, ` +
      `values[0][${long}]: Invalid value: "${long}": must be no more than 63 bytes]`,
    ],
  ];
  for (const [behaviour, spec, want] of rows) {
    test(behaviour, () => {
      expect(outcome(() => compileLabelSelector(spec))).toBe(`error: ${want}`);
    });
  }
});
