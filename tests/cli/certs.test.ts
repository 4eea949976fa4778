/** What `certs` does without a cluster; tests/e2e has the rest. */
import { describe, expect, test } from "bun:test";
import { runCli } from "../../lib/cli/mod.ts";
import { memoryHost } from "../_memory_host.ts";
import { pair } from "../tls/_pairs.ts";

const { authority } = await pair("certs");

async function run(line: string, { stdin = "" } = {}) {
  const host = memoryHost({ stdin, files: { "/ca.pem": authority, "/not.pem": "nonsense" } });
  const code = await runCli(line.split(" "), host);
  return { code, stdout: host.out.stdout, stderr: host.out.stderr };
}

describe("outrigger certs patch-ca-bundle", () => {
  test("fills the placeholder with what the file has", async () => {
    const answer = await run("certs patch-ca-bundle --ca-file /ca.pem", {
      stdin: "caBundle: ${CA_BUNDLE} # here\n",
    });
    expect(answer).toEqual({
      code: 0,
      stdout: `caBundle: ${btoa(authority)} # here\n`,
      stderr: "Set the caBundle: webhooks 0, placeholders 1\n",
    });
  });

  test.each([
    [
      "certs patch-ca-bundle --ca-file /ca.pem",
      1,
      "Cannot fill in a caBundle: the input contains neither a MutatingWebhookConfiguration " +
      "nor ${CA_BUNDLE}",
    ],
    [
      "certs patch-ca-bundle --ca-file /not.pem",
      1,
      'Cannot use "/not.pem" as a caBundle: it contains no certificate',
    ],
    [
      "certs patch-ca-bundle --ca-file /gone.pem",
      1,
      'Cannot read "/gone.pem": no such file or directory',
    ],
    [
      "certs patch-ca-bundle --ca-file /ca.pem --secret x",
      2,
      'Flags "--ca-file" and "--secret" are mutually exclusive. ' +
      'Run "outrigger help certs patch-ca-bundle"',
    ],
    [
      "certs create --signer-name x",
      2,
      'Flag "--signer-name" requires --csr. Run "outrigger help certs create"',
    ],
  ])("%s: prints nothing, and says why", async (line, code, stderr) => {
    const answer = await run(line, { stdin: "kind: Service\n" });
    expect(answer).toEqual({ code, stdout: "", stderr: `outrigger: ${stderr}\n` });
  });
});
