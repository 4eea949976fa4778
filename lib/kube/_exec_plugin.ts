/**
 * Credential plugins. A kubeconfig names a program that prints an ExecCredential with a token, a
 * certificate, or both. It runs when credentials are first needed, when they expire, and when the server
 * refuses them.
 */

import { encodeBase64 } from "../data/base64.ts";
import { isMap } from "../data/map.ts";
import { visibleLine } from "../data/visible.ts";
import { HostError, type ProgramResult } from "../host/mod.ts";
import { bearer, KubeconfigError } from "./_access.ts";
import type { Fields } from "./_fields.ts";
import type { UserOptions } from "./_user_credentials.ts";

export interface PluginCredentials {
  readonly authorization?: string;
  readonly certificate?: { readonly certificates: string; readonly key: string };
}

export type Plugin = (options: { readonly renew: boolean }) => Promise<PluginCredentials>;

const API_VERSIONS = [
  "client.authentication.k8s.io/v1",
  "client.authentication.k8s.io/v1beta1",
];

/** Interactive plugins wait for a browser and a second factor; others wait only for a server. */
const INTERACTIVE_MS = 5 * 60 * 1000;
const SILENT_MS = 60 * 1000;

/** Tokens and certificate chains take a few KB. */
const MAX_OUTPUT_BYTES = 1024 * 1024;

/** The part of a plugin's own message that an error quotes, in characters. */
const MAX_WORDS = 500;

/** Renew credentials this long before they expire, so that they are still valid on arrival. */
const MARGIN_MS = 1000;

/** Returns the user's credential plugin, or undefined if the user has none. */
export function execPlugin(
  user: Fields,
  options: UserOptions & { readonly whose: string },
): Plugin | undefined {
  const exec = user.map("exec");
  if (exec === undefined) return undefined;
  const plugin = describe(exec, options);
  let held: { readonly credentials: PluginCredentials; readonly expires: number } | undefined;
  let running: Promise<PluginCredentials> | undefined;
  const renewed = async () => {
    held = await runPlugin(plugin, options);
    return held.credentials;
  };
  return ({ renew }) => {
    const isFresh = held !== undefined && options.host.now() < held.expires - MARGIN_MS;
    if (held !== undefined && isFresh && !renew) return Promise.resolve(held.credentials);
    running ??= renewed().finally(() => running = undefined);
    return running;
  };
}

interface Description {
  readonly apiVersion: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly interactiveMode: string;
  readonly installHint: string;
  /** Whether the plugin receives the cluster's address and CA. */
  readonly withCluster: boolean;
}

function describe(exec: Fields, { whose }: { readonly whose: string }): Description {
  const refuse = (code: "malformed" | "unsupported", reason: string): never => {
    throw new KubeconfigError(code, `Cannot use ${whose}: its credential plugin ${reason}`);
  };
  const apiVersion = exec.text("apiVersion");
  if (!API_VERSIONS.includes(apiVersion)) {
    refuse(
      "unsupported",
      `has apiVersion ${JSON.stringify(apiVersion)}, must be ${API_VERSIONS.join(" or ")}`,
    );
  }
  if (exec.text("command") === "") refuse("malformed", "has no command");
  const env = exec.maps("env").map((entry) => {
    const name = entry.text("name");
    if (name === "") refuse("malformed", "has an environment variable without a name");
    return [name, entry.text("value")];
  });
  // interactiveMode is required in v1 and defaults to IfAvailable in v1beta1.
  const interactiveMode = exec.text("interactiveMode") ||
    (apiVersion.endsWith("v1beta1") ? "IfAvailable" : "");
  if (!["Never", "IfAvailable", "Always"].includes(interactiveMode)) {
    refuse(
      "malformed",
      `has interactiveMode ${JSON.stringify(interactiveMode)}, ` +
        "must be Never, IfAvailable or Always",
    );
  }
  return {
    apiVersion,
    // A bare name is looked up in PATH; a path is relative to the kubeconfig's directory.
    command: exec.text("command").includes("/") ? exec.path("command") : exec.text("command"),
    args: exec.texts("args"),
    env: Object.fromEntries(env),
    interactiveMode,
    installHint: exec.text("installHint"),
    withCluster: exec.flag("provideClusterInfo"),
  };
}

async function runPlugin(
  plugin: Description,
  options: UserOptions & { readonly whose: string },
): Promise<{ credentials: PluginCredentials; expires: number }> {
  const fail = (reason: string, cause?: unknown) =>
    new KubeconfigError(
      "plugin_failed",
      `Cannot get the credentials of ${options.whose}: ${reason}`,
      { cause },
    );
  const isTerminal = options.host.stdin.isTerminal;
  if (plugin.interactiveMode === "Always" && !isTerminal) {
    throw fail(
      `${JSON.stringify(plugin.command)} is interactive, but standard input is not a terminal`,
    );
  }
  const interactive = plugin.interactiveMode !== "Never" && isTerminal;
  const info = {
    apiVersion: plugin.apiVersion,
    kind: "ExecCredential",
    spec: { interactive, ...(plugin.withCluster ? { cluster: await clusterInfo(options) } : {}) },
  };
  let result: ProgramResult;
  try {
    result = await options.run(plugin.command, {
      args: plugin.args,
      env: { ...plugin.env, KUBERNETES_EXEC_INFO: JSON.stringify(info) },
      interactive,
      timeoutMs: interactive ? INTERACTIVE_MS : SILENT_MS,
      maxOutputBytes: MAX_OUTPUT_BYTES,
    });
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    const hint = error.code === "not_found" && plugin.installHint !== ""
      ? `; ${visibleLine(plugin.installHint, MAX_WORDS)}`
      : "";
    throw fail(`${error.message}${hint}`, error);
  }
  const name = JSON.stringify(plugin.command);
  if (result.code !== 0) {
    const said = visibleLine(result.stderr.trim().split("\n").at(-1) ?? "", MAX_WORDS);
    const how = result.code === undefined ? "was killed" : `exited with code ${result.code}`;
    throw fail(`${name} ${how}${said === "" ? "" : `: ${said}`}`);
  }
  return readCredential(result.stdout, {
    plugin,
    whose: options.whose,
    fail: (reason) => fail(`${name} ${reason}`),
  });
}

async function clusterInfo({ cluster }: UserOptions): Promise<unknown> {
  const ca = await cluster.ca();
  const config = cluster.fields.maps("extensions")
    .find((entry) => entry.text("name") === "client.authentication.k8s.io/exec")
    ?.get("extension");
  return {
    server: cluster.server,
    ...(cluster.serverName === "" ? {} : { "tls-server-name": cluster.serverName }),
    ...(cluster.insecure ? { "insecure-skip-tls-verify": true } : {}),
    ...(ca === undefined ? {} : { "certificate-authority-data": encodeBase64(ca) }),
    ...(config === undefined ? {} : { config }),
  };
}

function readCredential(
  text: string,
  { plugin, whose, fail }: {
    readonly plugin: Description;
    readonly whose: string;
    readonly fail: (reason: string) => KubeconfigError;
  },
): { credentials: PluginCredentials; expires: number } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw fail("did not print JSON");
  }
  const credential = mapOf(value);
  if (credential.kind !== "ExecCredential" || credential.apiVersion !== plugin.apiVersion) {
    throw fail(
      `printed ${JSON.stringify(credential.apiVersion)} ${JSON.stringify(credential.kind)}, ` +
        `must be ${JSON.stringify(plugin.apiVersion)} "ExecCredential"`,
    );
  }
  const status = mapOf(credential.status);
  const field = (key: string) => {
    const value = status[key] ?? "";
    if (typeof value !== "string") throw fail(`printed a ${key} that is not a string`);
    return value;
  };
  const [token, certificates, key] = [
    field("token"),
    field("clientCertificateData"),
    field("clientKeyData"),
  ];
  if (token === "" && certificates === "" && key === "") {
    throw fail("printed neither a token nor a certificate");
  }
  if ((certificates === "") !== (key === "")) {
    throw fail("printed a certificate without its key, or a key without its certificate");
  }
  const expiration = field("expirationTimestamp");
  const expires = expiration === "" ? Infinity : Date.parse(expiration);
  if (Number.isNaN(expires)) throw fail("printed an expirationTimestamp that is not a time");
  return {
    credentials: {
      ...(token === "" ? {} : { authorization: bearer(token, whose) }),
      ...(certificates === "" ? {} : { certificate: { certificates, key } }),
    },
    expires,
  };
}

function mapOf(value: unknown): Readonly<Record<string, unknown>> {
  // Without a prototype, so that a missing key is never found on Object.prototype.
  return Object.assign(Object.create(null), isMap(value) ? value : {});
}
