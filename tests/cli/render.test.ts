import { describe, expect, test } from "bun:test";
import { runCli } from "../../lib/cli/mod.ts";
import { memoryHost } from "../_memory_host.ts";

/** Runs the command over files in memory. */
async function run(
  argv: string[],
  options: { files?: Record<string, string>; stdin?: string; env?: Record<string, string> } = {},
) {
  const host = memoryHost(options);
  const code = await runCli(["render", ...argv], host);
  return { code, out: host.out.stdout, err: host.out.stderr };
}

describe("outrigger render", () => {
  test("renders a template with data in YAML", async () => {
    const files = {
      "t.tpl": "{{ .name | upper }} {{ .port }}\n",
      "d.yaml": "name: web\nport: 80\n",
    };
    expect(await run(["-t", "t.tpl", "-d", "d.yaml"], { files })).toEqual({
      code: 0,
      out: "WEB 80\n",
      err: "",
    });
  });

  test("takes other delimiters, data in JSON and standard input", async () => {
    const files = { "d.json": '{"a":{"b":[1,2]}}' };
    const argv = ["-t", "-", "-d", "d.json", "--left", "[[", "--right", "]]"];
    const stdin = "[[ range .a.b ]]<[[ . ]]>[[ end ]]{{ as is }}";
    expect((await run(argv, { files, stdin })).out).toBe("<1><2>{{ as is }}");
  });

  test("has the injection functions on top of sprig's", async () => {
    const files = { "t": '{{ indent 2 "a\\nb" }}|{{ trunc 2 "xyz" }}' };
    expect((await run(["-t", "t"], { files })).out).toBe("a\n  b|xy");
    expect((await run(["-t", "t", "--functions", "sprig"], { files })).out).toBe("  a\n  b|xy");
    const { code, err } = await run(["-t", "t", "--functions", "none"], { files });
    expect(code).toBe(1);
    expect(err).toContain('function "indent" not defined');
  });

  test("shows the line and a caret beside Go's words", async () => {
    const files = { "t.tpl": "a\n{{ .x.b.z }}\n", "d.yaml": "x: {b: 1}\n" };
    expect(await run(["-t", "t.tpl", "-d", "d.yaml"], { files })).toEqual({
      code: 1,
      out: "",
      err:
        `outrigger: template: t.tpl:2:5: executing "t.tpl" at <.x.b.z>: can't evaluate field z ` +
        "in type interface {}\n2 | {{ .x.b.z }}\n         ^\n",
    });
  });

  test("can refuse missing keys", async () => {
    const files = { "t": "{{ .nope }}", "d": "{}" };
    expect((await run(["-t", "t", "-d", "d"], { files })).out).toBe("<no value>");
    const { code, err } = await run(["-t", "t", "-d", "d", "--missingkey", "error"], { files });
    expect(code).toBe(1);
    expect(err).toContain('map has no entry for key "nope"');
  });

  test("shows environment variables only where allowed", async () => {
    const files = { "t": '{{ env "HOME" "none" }}' };
    const env = { HOME: "/home/pod" };
    expect((await run(["-t", "t"], { files, env })).out).toBe("none");
    expect((await run(["-t", "t", "--allow-env", "HOME"], { files, env })).out).toBe("/home/pod");
  });

  test("prints tokens and trees for those who debug", async () => {
    const files = { "t": "a{{ if .x }}b{{ else }}{{ .y | upper }}{{ end }}" };
    const tokens = await run(["-t", "t", "--tokens"], { files });
    expect(tokens.out.split("\n").slice(0, 5)).toEqual([
      '1  text          "a"',
      '1  leftDelim     "{{"',
      '1  space         " "',
      '1  keyword       "if"',
      '1  space         " "',
    ]);
    expect((await run(["-t", "t", "--ast"], { files })).out).toBe(
      '"t"\n  text "a"\n  if .x\n    text "b"\n  else\n    action .y | upper\n',
    );
    const broken = await run(["-t", "t", "--tokens"], { files: { "t": "{{ 'x }}" } });
    expect(broken.code).toBe(1);
    expect(broken.out).toContain('error         "unterminated character constant"');
  });

  const wrong: [argv: string[], message: string][] = [
    [[], 'Flag "--template" is required. Run "outrigger help render"'],
    [
      ["-t", "t", "--ast", "--tokens"],
      'Flags "--tokens" and "--ast" are mutually exclusive. Run "outrigger help render"',
    ],
    [
      ["-t", "-", "-d", "-"],
      'Only one of "--template" and "--data" can be standard input. Run "outrigger help render"',
    ],
  ];
  for (const [argv, message] of wrong) {
    test(`refuses ${JSON.stringify(argv)}`, async () => {
      const { code, err } = await run(argv, { files: { "t": "" } });
      expect(code).toBe(2);
      expect(err).toBe(`outrigger: ${message}\n`);
    });
  }
});
