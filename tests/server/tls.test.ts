/** The protocols and cipher suites of the webhook's port, tested with OpenSSL. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Client } from "./_client.ts";
import { certificate, podReview, type Serving, serving } from "./_serving.ts";

const openssl = Bun.which("openssl");

/** Returns the negotiated protocol and cipher suite; `undefined` if the handshake failed. */
async function agreed(port: number, options: readonly string[]): Promise<string | undefined> {
  const connect = ["s_client", "-connect", `127.0.0.1:${port}`, "-servername", "localhost"];
  const client = Bun.spawn([openssl!, ...connect, "-brief", ...options], {
    stdin: new Blob([""]),
    stdout: "ignore",
    stderr: "pipe",
  });
  const said = await new Response(client.stderr).text();
  await client.exited;
  if (!said.includes("CONNECTION ESTABLISHED")) return undefined;
  const [, version] = /Protocol version: (\S+)/.exec(said)!;
  return `${version} ${/Ciphersuite: (\S+)/.exec(said)![1]}`;
}

/** The client's options, which allow weak suites and old protocols. */
const only = (cipher: string) => ["-tls1_2", "-cipher", `${cipher}:@SECLEVEL=0`];

async function rsaCertificate() {
  const words = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -keyout - -out -";
  const made = Bun.spawn([openssl!, ...words.split(" ")], { stdout: "pipe", stderr: "ignore" });
  const text = await new Response(made.stdout).text();
  const at = text.indexOf("-----BEGIN CERTIFICATE");
  return { key: text.slice(0, at), certificates: text.slice(at) };
}

test.each(
  [
    ["ECDHE-ECDSA-AES128-SHA", false],
    ["ECDHE-ECDSA-AES256-SHA", false],
    ["ECDHE-ECDSA-AES128-GCM-SHA256", true],
  ] as const,
)("the runtime's own client with %s gets through: %p", async (ciphers, expected) => {
  await using server = await serving();
  const connecting = Client.tls(server.port, { ciphers, maxVersion: "TLSv1.2" });
  const isThrough = await connecting.then((client) => (client.close(), true), () => false);
  expect(isThrough).toBe(expected);
});

// Minimal machines have no openssl; the tests above run anyway.
if (openssl !== null) {
  describe.each(["ECDSA", "RSA"] as const)("a server with an %s key", (kind) => {
    let server: Serving;
    beforeAll(async () => {
      const secure = kind === "RSA" ? await rsaCertificate() : certificate.material;
      server = await serving({ secure });
    });
    afterAll(() => server.stop());

    const refused = [
      `ECDHE-${kind}-AES128-SHA`,
      `ECDHE-${kind}-AES256-SHA`,
      `ECDHE-${kind}-AES128-SHA256`,
      `ECDHE-${kind}-AES256-SHA384`,
      ...(kind === "RSA" ? ["AES128-SHA", "AES256-SHA", "AES128-GCM-SHA256"] : []),
    ];
    test.each(refused)("refuses %s", async (cipher) => {
      expect(await agreed(server.port, only(cipher))).toBeUndefined();
    });

    test.each([
      `ECDHE-${kind}-AES128-GCM-SHA256`,
      `ECDHE-${kind}-AES256-GCM-SHA384`,
      `ECDHE-${kind}-CHACHA20-POLY1305`,
    ])("takes %s with TLS 1.2", async (cipher) => {
      expect(await agreed(server.port, only(cipher))).toBe(`TLSv1.2 ${cipher}`);
    });

    test("prefers TLS 1.3", async () => {
      expect(await agreed(server.port, [])).toMatch(/^TLSv1\.3 TLS_/);
    });

    test.each(["-tls1", "-tls1_1"])("refuses %s", async (protocol) => {
      const any = ["-cipher", "ALL:@SECLEVEL=0", protocol];
      expect(await agreed(server.port, any)).toBeUndefined();
    });
  });

  test("a new certificate does not change them", async () => {
    await using server = await serving();
    server.setSecure(await rsaCertificate());
    expect(await agreed(server.port, only("ECDHE-RSA-AES128-SHA"))).toBeUndefined();
    const suite = "ECDHE-RSA-AES128-GCM-SHA256";
    expect(await agreed(server.port, only(suite))).toBe(`TLSv1.2 ${suite}`);
    const client = await Client.tls(server.port);
    expect((await client.review(podReview())).status).toBe(200);
    client.close();
  });
}
