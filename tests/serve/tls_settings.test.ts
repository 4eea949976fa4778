/** Where the certificate comes from and whose caBundle is kept, by the flags of `serve`. */
import { describe, expect, test } from "bun:test";
import { parseArgs } from "../../lib/cli/_parse_args.ts";
import { readSettings, type ServeArgs } from "../../lib/serve/_settings.ts";
import { serve } from "../../lib/cli/serve.ts";
import { AUTHORITY_LIFETIME_MS, CERTIFICATE_LIFETIME_MS } from "../../lib/tls/authority.ts";

function tls(line: string) {
  const argv = line.split(" ").filter(Boolean);
  const parsed = parseArgs(serve, { argv, env: () => undefined });
  if (parsed.help) throw new Error("no help was asked for");
  return readSettings(parsed.args as unknown as ServeArgs).tls;
}

const CLASSIC = { revision: "default", unlabelled: "istio-sidecar-injector" };
const only = (configuration: string, webhook = "sidecar-injector.istio.io") => ({
  revision: "default",
  only: { configuration, webhook },
});

describe("serve's certificate", () => {
  test("by default is of files, with the lifetimes of lib/tls for those that are made", () => {
    expect(tls("")).toMatchObject({
      source: "files",
      certificateLifetimeMs: CERTIFICATE_LIFETIME_MS,
      authorityLifetimeMs: AUTHORITY_LIFETIME_MS,
    });
  });

  test("--tls auto is for the Service, and for names besides", () => {
    expect(tls("--tls auto --service s --namespace n --tls-name 10.0.0.1").names).toEqual([
      "s.n.svc",
      "s.n.svc.cluster.local",
      "s.n",
      "s",
      "10.0.0.1",
    ]);
  });

  test("--dev makes one, unless another is asked for", () => {
    expect(tls("--dev").source).toBe("dev");
    expect(tls("--dev --tls files").source).toBe("files");
  });

  const rows: [line: string, selection: unknown][] = [
    ["", undefined],
    ["--tls auto", { revision: "default" }],
    ["--tls auto --revision canary", { revision: "canary" }],
    ["--tls auto --reconcileWebhookConfig=false", undefined],
    ["--dev", undefined],
    ["--caCertFile /ca.pem", CLASSIC],
    ["--reconcileWebhookConfig", CLASSIC],
    ["--caCertFile /ca.pem --reconcileWebhookConfig=false", undefined],
    ["--webhookConfigName mine", only("mine")],
    ["--tls auto --webhookConfigName mine --webhookName hook", only("mine", "hook")],
    ["--webhookName hook", only("istio-sidecar-injector", "hook")],
  ];
  test.each(rows)("serve %s: keeps the caBundle of %p", (line, selection) => {
    expect(tls(line).selection as unknown).toEqual(selection);
  });

  test.each([
    [
      "--tls auto --tls-ca-lifetime 1h --tls-cert-lifetime 30m",
      'Flag "--tls-ca-lifetime" expects at least three times --tls-cert-lifetime, got 1h and 30m.',
    ],
    ["--tls auto --tls-cert-lifetime 0s", 'Flag "--tls-ca-lifetime" expects at least three times'],
    ["--tls-cert-lifetime x", 'Flag "--tls-cert-lifetime" expects a duration such as 20s or 1m30s'],
    ["--tls auto --clientCAFile /x", 'Flag "--clientCAFile" requires --tls files.'],
  ])("%s is wrong usage", (line, message) => {
    expect(() => tls(line)).toThrow(message);
  });
});
