import { describe, expect, test } from "bun:test";
import { yamlPlaces } from "../../lib/yaml/mod.ts";

/** Returns paths with the text at each. */
function shown(text: string): string[] {
  return yamlPlaces(text).map(({ path, start, end, keyStart, kind }) =>
    `${path.join(".")} ${kind} ${keyStart}: ${JSON.stringify(text.slice(start, end))}`
  );
}

describe("yamlPlaces()", () => {
  const cases: [string, string, string[]][] = [
    ["maps and scalars", "a: b\nc: 'd'\n", [
      ' map 0: "a: b\\nc: \'d"',
      'a scalar 0: "b"',
      'c scalar 5: "d"',
    ]],
    ["lists", "a:\n- x: 1\n- [2, three]\n", [
      ' map 0: "a:\\n- x: 1\\n- [2, three"',
      'a list 0: "- x: 1\\n- [2, three"',
      'a.0 map 5: "x: 1"',
      'a.0.x scalar 5: "1"',
      'a.1 list 12: "[2, three"',
      'a.1.0 scalar 13: "2"',
      'a.1.1 scalar 16: "three"',
    ]],
    ["a key that is read as something else", "on: 1\n", [' map 0: "on: 1"', 'true scalar 0: "1"']],
    ["block scalars", "a: |\n  x\n  y\nb: 1\n", [
      ' map 0: "a: |\\n  x\\n  y\\nb: 1"',
      'a scalar 0: "  x\\n  y\\n"',
      'b scalar 13: "1"',
    ]],
    ["nothing after a colon", "a:\nb: 1\n", [
      ' map 0: "a:\\nb: 1"',
      'a scalar 0: ""',
      'b scalar 3: "1"',
    ]],
    ["aliases", "a: &x {b: 1}\nc: *x\n", [
      ' map 0: "a: &x {b: 1}\\nc: *x"',
      'a map 0: "{b: 1"',
      'a.b scalar 7: "1"',
      'c alias 13: "*x"',
    ]],
    ["the first document only", "---\na: 1\n---\nb: 2\n", [' map 4: "a: 1"', 'a scalar 4: "1"']],
    ["nothing", "", []],
    ["what is no YAML", "a: [", []],
  ];
  for (const [name, text, places] of cases) {
    test(`finds ${name}`, () => expect(shown(text)).toEqual(places));
  }

  test("reports plain and block scalars", () => {
    const flags = yamlPlaces("[a, 'b', \"c\"]").map(({ isPlain }) => isPlain);
    expect(flags).toEqual([false, true, false, false]);
    expect(yamlPlaces("a: >\n  b\n")[1]).toMatchObject({ isBlock: true, isPlain: false });
  });
});
