/**
 * Credential plugins: a program that a kubeconfig names prints an ExecCredential, with a token, a
 * certificate, or both. It runs when credentials are first needed, when they expire, and when the server
 * refuses them.
 */

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

/** A plugin that asks somebody waits for a browser and a second factor; others wait for a server. */
const INTERACTIVE_MS = 5 * 60 * 1000;
const SILENT_MS = 60 * 1000;

/** Tokens and certificate chains have a few KB. */
const MAX_OUTPUT_BYTES = 1024 * 1024;

/** A certificate or token that is about to expire is not worth sending. */
const MARGIN_MS = 1000;

/** `undefined` where the user has none. */
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
  /** What it is told of the cluster, where it wants that. */
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
      `has apiVersion ${JSON.stringify(apiVersion)}, wanted is ${API_VERSIONS.join(" or ")}`,
    );
  }
  if (exec.text("command") === "") refuse("malformed", "has no command");
  const env = exec.maps("env").map((entry) => {
    const name = entry.text("name");
    if (name === "") refuse("malformed", "has a variable without a name");
    return [name, entry.text("value")];
  });
  // The older version has a default.
  const interactiveMode = exec.text("interactiveMode") ||
    (apiVersion.endsWith("v1beta1") ? "IfAvailable" : "");
  if (!["Never", "IfAvailable", "Always"].includes(interactiveMode)) {
    refuse(
      "malformed",
      `has interactiveMode ${JSON.stringify(interactiveMode)}, ` +
        "wanted is Never, IfAvailable or Always",
    );
  }
  return {
    apiVersion,
    // A bare name is looked for in PATH, any other from the kubeconfig's folder on.
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
      `${JSON.stringify(plugin.command)} wants to ask somebody, ` +
        "and standard input is not a terminal",
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
      ? `; ${visibleLine(plugin.installHint, MAX_SAID)}`
      : "";
    throw fail(`${error.message}${hint}`, error);
  }
  const name = JSON.stringify(plugin.command);
  if (result.code !== 0) {
    const said = visibleLine(result.stderr.trim().split("\n").at(-1) ?? "", MAX_SAID);
    const how = result.code === undefined ? "was killed" : `ended with code ${result.code}`;
    throw fail(`${name} ${how}${said === "" ? "" : `: ${said}`}`);
  }
  return readCredential(result.stdout, {
    plugin,
    whose: options.whose,
    fail: (reason) => fail(`${name} ${reason}`),
  });
}

async function clusterInfo({ cluster }: UserOptions): Promise<unknown> {
  const ca = await cluster.authorities();
  const config = cluster.fields.maps("extensions")
    .find((entry) => entry.text("name") === "client.authentication.k8s.io/exec")
    ?.get("extension");
  return {
    server: cluster.server,
    ...(cluster.serverName === "" ? {} : { "tls-server-name": cluster.serverName }),
    ...(cluster.insecure ? { "insecure-skip-tls-verify": true } : {}),
    ...(ca === undefined ? {} : { "certificate-authority-data": base64(ca) }),
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
    throw fail("printed no JSON");
  }
  const credential = mapOf(value);
  if (credential.kind !== "ExecCredential" || credential.apiVersion !== plugin.apiVersion) {
    throw fail(
      `printed ${JSON.stringify(credential.apiVersion)} ${JSON.stringify(credential.kind)}, ` +
        `wanted is ${JSON.stringify(plugin.apiVersion)} "ExecCredential"`,
    );
  }
  const status = mapOf(credential.status);
  const field = (key: string) => {
    const value = status[key] ?? "";
    if (typeof value !== "string") throw fail(`printed a ${key} that is no text`);
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
    throw fail("printed only one of a certificate and its key");
  }
  const expiration = field("expirationTimestamp");
  const expires = expiration === "" ? Infinity : Date.parse(expiration);
  if (Number.isNaN(expires)) throw fail("printed an expirationTimestamp that is no time");
  return {
    credentials: {
      ...(token === "" ? {} : { authorization: bearer(token, whose) }),
      ...(certificates === "" ? {} : { certificate: { certificates, key } }),
    },
    expires,
  };
}

/** Longest part of an error that a plugin or its configuration says. */
const MAX_SAID = 500;

function mapOf(value: unknown): Readonly<Record<string, unknown>> {
  const isMap = typeof value === "object" && value !== null && !Array.isArray(value);
  // No prototype: what is not there is not there.
  return Object.assign(Object.create(null), isMap ? value : {});
}

function base64(text: string): string {
  const bytes = new TextEncoder().encode(text);
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}
