import { describe, expect, test } from "bun:test";
import { runCli } from "../../lib/cli/mod.ts";
import { memoryHost, type MemoryHostOptions } from "../_memory_host.ts";

const CONFIG = `policy: enabled
templates:
  sidecar: |
    spec:
      containers:
      - name: istio-proxy
        image: {{ .Values.image }}
        {{- if .Values.debug }}
        args: [debug]
        {{- end }}
`;

async function run(line: string, options: MemoryHostOptions = {}) {
  const files = { "config.yaml": CONFIG, "values.yaml": "image: i\n", ...options.files };
  const host = memoryHost({ ...options, files });
  const code = await runCli(["lint", ...line.split(" ").filter(Boolean)], host);
  return { code, out: host.out.stdout, err: host.out.stderr };
}

describe("outrigger lint", () => {
  test("prints findings with line and caret, coverage and a count", async () => {
    const { code, out, err } = await run("config.yaml --values values.yaml");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toBe(`config.yaml:7:19: warning unquoted in template sidecar
  7 |         image: {{ .Values.image }}
                        ^
  {{ .Values.image }} is not quoted, but Kubernetes requires a string here: a value such as yes, null or 1.10 is parsed as another type, and the pod is refused.
  Use {{ .Values.image | quote }}.

TEMPLATE  LINES       BRANCHES
sidecar   5/6    83%  1/2       50%

1 warning, 1 note (--all shows it); tried 29 injections
`);
  });

  test("shows what is only worth knowing when asked", async () => {
    const { out } = await run("config.yaml --values values.yaml --all");
    expect(out).toContain("config.yaml:8:16: info branch_never_taken in template sidecar\n");
    expect(out).toContain("\n1 warning; tried 29 injections\n");
  });

  test("exits with 1 for errors, and gives all of it as data", async () => {
    const files = { "config.yaml": CONFIG.replace(".Values.image", ".Nope") };
    const { code, out } = await run("config.yaml -o json", { files });
    expect(code).toBe(1);
    const { findings, coverage } = JSON.parse(out);
    expect(findings[0]).toMatchObject({
      severity: "error",
      id: "unknown_field",
      file: "config.yaml",
      line: 7,
      column: 19,
      template: "sidecar",
    });
    expect(coverage[0].template).toBe("sidecar");
  });

  test("takes a bare template, standard input, and says when nothing is wrong", async () => {
    const stdin =
      "spec:\n  containers:\n  - name: istio-proxy\n    image: {{ .ProxyImage | quote }}\n";
    const { code, out } = await run("-", { stdin });
    expect(code).toBe(0);
    expect(out).toEndWith("no problems; tried 29 injections\n");
  });

  test("a broken values file is named", async () => {
    const { code, out } = await run("config.yaml --values values.yaml", {
      files: { "values.yaml": "a: [\n" },
    });
    expect(code).toBe(1);
    expect(out).toContain("values.yaml:2:1: error values_unreadable\n");
  });

  const misuses: [string, number, RegExp][] = [
    ["", 2, /Missing argument CONFIG/],
    ["config.yaml --compat 2", 2, /Flag "--compat" expects .* Run "outrigger help lint"/],
    ["none.yaml", 1, /Cannot read "none.yaml"/],
  ];
  for (const [line, code, message] of misuses) {
    test(`refuses "${line}"`, async () => {
      expect(await run(line)).toMatchObject({ code, err: expect.stringMatching(message) });
    });
  }
});
