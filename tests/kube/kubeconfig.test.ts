import { describe, expect, test } from "bun:test";
import type { Host, ProgramOptions, RunProgram } from "../../lib/host/mod.ts";
import {
  type Credentials,
  inClusterAccess,
  kubeconfigAccess,
  KubeconfigError,
} from "../../lib/kube/kubeconfig.ts";
import { memoryHost, type MemoryHostOptions } from "../_memory_host.ts";

const noPlugin: RunProgram = () => Promise.reject(new Error("no plugin should run"));

interface Options extends MemoryHostOptions {
  file?: string;
  context?: string;
  run?: RunProgram;
  isTerminal?: boolean;
}

function open({ file, context, run = noPlugin, isTerminal = false, ...options }: Options) {
  const memory = memoryHost(options);
  const host: Host = { ...memory, stdin: { ...memory.stdin, isTerminal } };
  return kubeconfigAccess({
    host,
    run,
    ...(file === undefined ? {} : { file }),
    ...(context === undefined ? {} : { context }),
  });
}

/** Returns a kubeconfig with one context. */
function config({ cluster = {}, user = {}, context = {} }: Record<string, unknown>): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "here",
    contexts: [{ name: "here", context: { cluster: "c", user: "u", ...context as object } }],
    clusters: [{ name: "c", cluster: { server: "https://one.test:6443", ...cluster as object } }],
    users: [{ name: "u", user }],
  });
}

const HOME = { HOME: "/home/me" };

function openOne(parts: Record<string, unknown>, options: Options = {}) {
  const files = { "/home/me/.kube/config": config(parts), ...options.files };
  return open({ env: HOME, ...options, files });
}

async function failure(work: Promise<unknown>): Promise<KubeconfigError> {
  try {
    await work;
  } catch (error) {
    if (error instanceof KubeconfigError) return error;
    throw error;
  }
  throw new Error("it did not fail");
}

const base64 = (text: string) => btoa(text);

describe("kubeconfigAccess() finds files", () => {
  const file = (server: string, current = "x") =>
    config({ cluster: { server } }).replaceAll('"here"', JSON.stringify(current));
  const files = {
    "/home/me/.kube/config": file("https://home.test"),
    "/a": file("https://a.test", "a"),
    "/b": file("https://b.test", "b"),
  };
  const rows: [what: string, options: Options, server: string][] = [
    ["in the home directory", { env: HOME }, "https://home.test"],
    ["from KUBECONFIG", { env: { ...HOME, KUBECONFIG: "/b" } }, "https://b.test"],
    [
      "from a list, the first of which wins",
      { env: { ...HOME, KUBECONFIG: "/a:/b" } },
      "https://a.test",
    ],
    [
      "from a list with missing files",
      { env: { ...HOME, KUBECONFIG: ":/none:/b::/b:" } },
      "https://b.test",
    ],
    [
      "given explicitly, which overrides KUBECONFIG",
      { env: { KUBECONFIG: "/a" }, file: "/b" },
      "https://b.test",
    ],
    [
      "in the home directory if KUBECONFIG is empty",
      { env: { ...HOME, KUBECONFIG: "" } },
      "https://home.test",
    ],
  ];
  test.each(rows)("%s", async (_, options, server) => {
    expect((await open({ ...options, files })).server).toBe(server);
  });

  const failures: [what: string, options: Options, message: string][] = [
    ["no home directory", {}, "Cannot find a kubeconfig: neither KUBECONFIG nor HOME is set"],
    [
      "no file in the home directory",
      { env: { HOME: "/home/you" } },
      'Cannot find a kubeconfig: no such file: "/home/you/.kube/config"',
    ],
    [
      "no file of a list",
      { env: { KUBECONFIG: "/x:/y" } },
      'Cannot find a kubeconfig: no such file: "/x", "/y"',
    ],
    ["a missing file", { file: "/x" }, 'Cannot read "/x": no such file or directory'],
  ];
  test.each(failures)("fails with %s", async (_, options, message) => {
    expect(await failure(open({ ...options, files }))).toMatchObject({
      code: "not_found",
      message,
    });
  });
});

describe("kubeconfigAccess() merges files", () => {
  const entry = (name: string, fields: object) => ({ name, ...fields });
  const first = {
    clusters: [entry("c", { cluster: { server: "https://first.test" } })],
    contexts: [entry("one", { context: { cluster: "c", user: "u", namespace: "ns" } })],
    "current-context": "",
  };
  const second = {
    clusters: [
      entry("c", { cluster: { server: "https://second.test", "insecure-skip-tls-verify": true } }),
    ],
    contexts: [
      entry("one", { context: { cluster: "other", user: "other" } }),
      entry("two", { context: { cluster: "c", user: "u" } }),
    ],
    users: [entry("u", { user: { token: "t" } })],
    "current-context": "two",
  };
  const options = {
    env: { KUBECONFIG: "/1:/2" },
    files: { "/1": JSON.stringify(first), "/2": JSON.stringify(second) },
  };

  test("the first definition of a name wins", async () => {
    expect(await open({ ...options, context: "one" })).toMatchObject({
      name: 'context "one"',
      server: "https://first.test",
      insecure: false,
      namespace: "ns",
    });
  });

  test("the first current-context wins", async () => {
    const access = await open(options);
    expect(access).toMatchObject({ name: 'context "two"', namespace: "default" });
    expect((await access.credentials()).headers).toEqual({ Authorization: "Bearer t" });
  });

  test("an empty file is ignored", async () => {
    const files = { ...options.files, "/0": "", "/00": "null\n" };
    const env = { KUBECONFIG: "/0:/00:/1:/2" };
    expect((await open({ env, files })).name).toBe('context "two"');
  });
});

describe("kubeconfigAccess() reads clusters", () => {
  const servers: [cluster: Record<string, unknown>, server: string][] = [
    [{ server: "https://a.test" }, "https://a.test"],
    [{ server: "https://a.test/" }, "https://a.test"],
    [{ server: "https://a.test:6443/k8s/c-1/?x#y" }, "https://a.test:6443/k8s/c-1"],
    [{ server: "http://127.0.0.1:8001" }, "http://127.0.0.1:8001"],
    [{ server: "a.test:8080" }, "http://a.test:8080"],
    [{ server: "a.test:6443", "insecure-skip-tls-verify": true }, "http://a.test:6443"],
    [{ server: "https://[::1]:6443" }, "https://[::1]:6443"],
  ];
  test.each(servers)("%j", async (cluster, server) => {
    expect((await openOne({ cluster })).server).toBe(server);
  });

  test("tls-server-name and insecure-skip-tls-verify", async () => {
    const cluster = { "tls-server-name": "api", "insecure-skip-tls-verify": true };
    expect(await openOne({ cluster })).toMatchObject({ serverName: "api", insecure: true });
    expect(await openOne({})).not.toHaveProperty("serverName");
  });

  const authorities: [cluster: Record<string, unknown>, ca: string | undefined][] = [
    [{}, undefined],
    [{ "certificate-authority-data": base64("PEM") }, "PEM"],
    [{ "certificate-authority": "/pki/ca.crt" }, "absolute"],
    [{ "certificate-authority": "pki/ca.crt" }, "relative to the config"],
  ];
  test.each(authorities)("%j", async (cluster, ca) => {
    const files = {
      "/pki/ca.crt": "absolute",
      "/home/me/.kube/pki/ca.crt": "relative to the config",
    };
    const access = await openOne({ cluster }, { files });
    expect((await access.credentials()).ca).toBe(ca);
  });
});

describe("kubeconfigAccess() reads users", () => {
  const files = {
    "/home/me/.kube/token": " from-file \n",
    "/home/me/.kube/tls.crt": "CERT",
    "/home/me/.kube/tls.key": "KEY",
  };
  const header = (Authorization: string) => ({ headers: { Authorization } });
  const rows: [user: Record<string, unknown>, credentials: Credentials][] = [
    [{}, { headers: {} }],
    [{ token: "abc" }, header("Bearer abc")],
    [{ tokenFile: "token" }, header("Bearer from-file")],
    [{ token: "abc", tokenFile: "token" }, header("Bearer from-file")],
    [{ token: "abc", tokenFile: "none" }, header("Bearer abc")],
    [
      { username: "me", password: "sü:ß" },
      header(`Basic ${btoa("me:s\u00c3\u00bc:\u00c3\u009f")}`),
    ],
    [{ username: "me" }, header(`Basic ${btoa("me:")}`)],
    [
      { "client-certificate-data": base64("C"), "client-key-data": base64("K") },
      { certificates: "C", key: "K", headers: {} },
    ],
    [
      { "client-certificate": "tls.crt", "client-key": "tls.key", token: "abc" },
      { certificates: "CERT", key: "KEY", ...header("Bearer abc") },
    ],
    [
      { "client-certificate": "tls.crt", "client-key-data": base64("K") },
      { certificates: "CERT", key: "K", headers: {} },
    ],
    [{ "client-key-data": base64("K") }, { headers: {} }],
    [
      { as: "jane", "as-uid": "7", "as-groups": ["a", "b"], "as-user-extra": { "x/y%": ["1"] } },
      {
        headers: {
          "Impersonate-User": "jane",
          "Impersonate-Uid": "7",
          "Impersonate-Group": ["a", "b"],
          "Impersonate-Extra-x%2Fy%25": ["1"],
        },
      },
    ],
  ];
  test.each(rows)("%j", async (user, credentials) => {
    const access = await openOne({ user }, { files });
    expect(await access.credentials()).toEqual(credentials);
  });

  test("a context needs no user", async () => {
    const access = await openOne({ context: { user: "" } });
    expect(await access.credentials()).toEqual({ headers: {} });
  });

  test("sends no credentials without TLS", async () => {
    const user = { token: "abc", as: "jane" };
    const access = await openOne({ cluster: { server: "http://a.test" }, user });
    expect(await access.credentials()).toEqual({ headers: { "Impersonate-User": "jane" } });
  });

  test("reads token and certificate again, and keeps the last token it could read", async () => {
    const user = { tokenFile: "t", "client-certificate": "cert", "client-key": "k" };
    const files = { "/c": config({ user }), "/t": "one", "/cert": "C1", "/k": "K" };
    const memory = memoryHost({ files });
    const access = await kubeconfigAccess({ host: memory, run: noPlugin, file: "/c" });
    expect(await access.credentials()).toMatchObject({
      certificates: "C1",
      headers: { Authorization: "Bearer one" },
    });
    await memory.writeFile("/t", "two");
    await memory.writeFile("/cert", "C2");
    expect(await access.credentials()).toMatchObject({
      certificates: "C2",
      headers: { Authorization: "Bearer two" },
    });
    memory.files.delete("/t");
    expect((await access.credentials()).headers).toEqual({ Authorization: "Bearer two" });
  });
});

describe("kubeconfigAccess() refuses", () => {
  const IN = 'kubeconfig "/home/me/.kube/config"';
  const CONTEXT = 'Cannot use context "here": ';
  const USER = 'Cannot use user "u": ';
  const rows: [parts: Record<string, unknown>, code: string, message: string][] = [
    [
      { cluster: { "proxy-url": "http://proxy.test" } },
      "unsupported",
      `${CONTEXT}its cluster is behind a proxy (proxy-url), which is not supported`,
    ],
    [
      { cluster: { server: "" } },
      "malformed",
      `${CONTEXT}its cluster has an invalid server ""`,
    ],
    [
      { cluster: { server: "ftp://a.test" } },
      "malformed",
      `${CONTEXT}its cluster has an invalid server "ftp://a.test"`,
    ],
    [
      { cluster: { "certificate-authority": "a", "certificate-authority-data": "YQ==" } },
      "malformed",
      `${CONTEXT}its cluster has both certificate-authority and certificate-authority-data`,
    ],
    [
      { cluster: { "certificate-authority": "a", "insecure-skip-tls-verify": true } },
      "malformed",
      `${CONTEXT}its cluster has both a certificate authority and insecure-skip-tls-verify`,
    ],
    [
      { cluster: { "certificate-authority-data": "?" } },
      "malformed",
      `Cannot use ${IN}: key "clusters[0].cluster.certificate-authority-data" is not base64`,
    ],
    [
      { cluster: { server: 5 } },
      "malformed",
      `Cannot use ${IN}: key "clusters[0].cluster.server" must be a string, current type is number`,
    ],
    [
      { cluster: { "insecure-skip-tls-verify": "yes" } },
      "malformed",
      `Cannot use ${IN}: key "clusters[0].cluster.insecure-skip-tls-verify" must be true or ` +
      "false, current type is string",
    ],
    [{ context: { cluster: "" } }, "malformed", `${CONTEXT}it names no cluster`],
    [
      { context: { user: "toString" } },
      "malformed",
      `${CONTEXT}its user "toString" is not in "/home/me/.kube/config"`,
    ],
    [
      { user: { "auth-provider": { name: "gcp" } } },
      "unsupported",
      `${USER}its auth-provider "gcp" is not supported; use a credential plugin`,
    ],
    [
      { user: { token: "a", password: "b" } },
      "malformed",
      `${USER}it has both a token and a password`,
    ],
    [
      { user: { "client-certificate": "a", "client-certificate-data": "YQ==" } },
      "malformed",
      `${USER}it has both client-certificate and client-certificate-data`,
    ],
    [
      { user: { "client-certificate": "a" } },
      "malformed",
      `${USER}it has a client certificate but no client key`,
    ],
    [
      { user: { "as-groups": ["g"] } },
      "malformed",
      `${USER}it has as-uid, as-groups or as-user-extra without as`,
    ],
    [
      { user: { as: "a\r\nAuthorization: x" } },
      "bad_credentials",
      'Cannot use the impersonation settings of user "u": contains characters that are not allowed in a header',
    ],
  ];
  test.each(rows)("%j", async (parts, code, message) => {
    expect(await failure(openOne(parts))).toMatchObject({ code, message });
  });

  test("a token that is not allowed in a header, without showing it", async () => {
    const error = await failure(openOne({ user: { token: "se\ncret" } }));
    expect(error).toMatchObject({
      code: "bad_credentials",
      message:
        'Cannot use the token of user "u": contains characters that are not allowed in a header',
    });
  });

  const texts: [text: string, message: RegExp][] = [
    ["- a", /^Cannot use kubeconfig "\/c": it must be a map, current type is list$/],
    ["a: [", /^Cannot read "\/c" at line 1, column \d+: /],
    ["clusters: {}", /"\/c": key "clusters" must be a list, current type is map$/],
    ["users: [5]", /"\/c": key "users\[0\]" must be a map, current type is number$/],
    ["users: [{name: a}, {name: a}]", /"\/c": users contains "a" twice$/],
    ["kind: Pod", /"\/c": its kind is "Pod", not "Config"$/],
    ["current-context: x", /^Cannot use context "x": it is not in "\/c"; there are none$/],
    [
      "contexts: [{name: b}, {name: a}]",
      /^Cannot choose a context from "\/c": current-context is not set; available: "a", "b"$/,
    ],
  ];
  test.each(texts)("%j", async (text, message) => {
    expect((await failure(open({ files: { "/c": text }, file: "/c" }))).message).toMatch(message);
  });
});

describe("credential plugins", () => {
  const V1 = "client.authentication.k8s.io/v1";
  const BETA = "client.authentication.k8s.io/v1beta1";
  const exec = (fields: Record<string, unknown> = {}) => ({
    user: { exec: { apiVersion: V1, command: "login", interactiveMode: "IfAvailable", ...fields } },
  });
  const credential = (status: unknown, apiVersion = V1) =>
    JSON.stringify({ apiVersion, kind: "ExecCredential", status });

  /** Prints each text in turn, then repeats the last one. */
  function plugin(...outputs: string[]) {
    const calls: { command: string; options: ProgramOptions }[] = [];
    const run: RunProgram = (command, options) => {
      const stdout = outputs[Math.min(calls.length, outputs.length - 1)];
      calls.push({ command, options });
      return Promise.resolve({ code: 0, stdout, stderr: "" });
    };
    const info = () => JSON.parse(calls.at(-1)?.options.env?.KUBERNETES_EXEC_INFO ?? "null");
    return { run, calls, info };
  }

  test("provide a token, a certificate, or both", async () => {
    const both = { token: "t", clientCertificateData: "C", clientKeyData: "K" };
    const access = await openOne(exec(), plugin(credential(both)));
    expect(await access.credentials()).toEqual({
      certificates: "C",
      key: "K",
      headers: { Authorization: "Bearer t" },
    });
  });

  test("run with their arguments and variables, relative to the kubeconfig's directory", async () => {
    const fields = { command: "bin/login", args: ["a", "$b"], env: [{ name: "N", value: "v" }] };
    const { run, calls, info } = plugin(credential({ token: "t" }));
    await (await openOne(exec(fields), { run })).credentials();
    expect(calls[0]).toMatchObject({
      command: "/home/me/.kube/bin/login",
      options: { args: ["a", "$b"], env: { N: "v" }, interactive: false },
    });
    expect(info()).toEqual({
      apiVersion: V1,
      kind: "ExecCredential",
      spec: { interactive: false },
    });
  });

  test("run at the first request, and once for concurrent requests", async () => {
    const { run, calls } = plugin(credential({ token: "t" }));
    const access = await openOne(exec(), { run });
    expect(calls).toHaveLength(0);
    await Promise.all([access.credentials(), access.credentials()]);
    await access.credentials();
    expect(calls).toHaveLength(1);
  });

  test("run again when credentials expire, and when the server refuses them", async () => {
    const expiring = { token: "1", expirationTimestamp: "2026-01-01T00:10:00Z" };
    const { run, calls } = plugin(credential(expiring), credential({ token: "2" }));
    const memory = memoryHost({
      files: { "/c": config(exec()) },
      now: Date.UTC(2026, 0, 1),
    });
    const access = await kubeconfigAccess({ host: memory, run, file: "/c" });
    await access.credentials();
    memory.setNow(Date.UTC(2026, 0, 1, 0, 9));
    expect((await access.credentials()).headers).toEqual({ Authorization: "Bearer 1" });
    memory.setNow(Date.UTC(2026, 0, 1, 0, 10));
    expect((await access.credentials()).headers).toEqual({ Authorization: "Bearer 2" });
    expect(calls).toHaveLength(2);
    await access.credentials({ renew: true });
    expect(calls).toHaveLength(3);
  });

  test("receive the cluster if provideClusterInfo is set", async () => {
    const { run, info } = plugin(credential({ token: "t" }, BETA));
    const cluster = {
      "certificate-authority-data": base64("PEM"),
      "tls-server-name": "api",
      extensions: [
        { name: "other", extension: 1 },
        { name: "client.authentication.k8s.io/exec", extension: { audience: "me" } },
      ],
    };
    const parts = { ...exec({ apiVersion: BETA, provideClusterInfo: true }), cluster };
    await (await openOne(parts, { run })).credentials();
    expect(info().spec.cluster).toEqual({
      server: "https://one.test:6443",
      "tls-server-name": "api",
      "certificate-authority-data": base64("PEM"),
      config: { audience: "me" },
    });
  });

  const modes: [mode: string | undefined, isTerminal: boolean, interactive: boolean][] = [
    ["Never", true, false],
    ["IfAvailable", true, true],
    ["IfAvailable", false, false],
    ["Always", true, true],
    [undefined, true, true],
  ];
  test.each(modes)("interactiveMode %s, a terminal %p: %p", async (mode, isTerminal, expected) => {
    const { run, calls, info } = plugin(credential({ token: "t" }, BETA));
    const fields = { apiVersion: BETA, interactiveMode: mode };
    await (await openOne(exec(fields), { run, isTerminal })).credentials();
    expect(calls[0].options.interactive).toBe(expected);
    expect(info().spec.interactive).toBe(expected);
  });

  test("are not used if there is a token", async () => {
    const { user } = exec();
    const access = await openOne({ user: { ...user, token: "t" } });
    expect((await access.credentials()).headers).toEqual({ Authorization: "Bearer t" });
  });

  test("are validated even if a token is used", async () => {
    const { user } = exec({ command: "" });
    const { message } = await failure(openOne({ user: { ...user, token: "t" } }));
    expect(message).toBe('Cannot use user "u": its credential plugin has no command');
  });

  const refused: [fields: Record<string, unknown>, reason: string][] = [
    [
      { apiVersion: "client.authentication.k8s.io/v1alpha1" },
      'has apiVersion "client.authentication.k8s.io/v1alpha1", ' +
      `must be ${V1} or ${BETA}`,
    ],
    [{ command: "" }, "has no command"],
    [{ env: [{ value: "a" }] }, "has an environment variable without a name"],
    [
      { interactiveMode: "" },
      'has interactiveMode "", must be Never, IfAvailable or Always',
    ],
  ];
  test.each(refused)("are refused: %j", async (fields, reason) => {
    const { message } = await failure(openOne(exec(fields)));
    expect(message).toBe(`Cannot use user "u": its credential plugin ${reason}`);
  });

  const failed: [output: string, reason: string][] = [
    ["hello", '"login" did not print JSON'],
    ["[]", `"login" printed undefined undefined, must be "${V1}" "ExecCredential"`],
    [
      credential({ token: "t" }, BETA),
      `"login" printed "${BETA}" "ExecCredential", must be "${V1}" "ExecCredential"`,
    ],
    [credential(null), '"login" printed neither a token nor a certificate'],
    [credential({ token: 5 }), '"login" printed a token that is not a string'],
    [
      credential({ clientKeyData: "K" }),
      '"login" printed a certificate without its key, or a key without its certificate',
    ],
    [
      credential({ token: "t", expirationTimestamp: "soon" }),
      '"login" printed an expirationTimestamp that is not a time',
    ],
  ];
  test.each(failed)("fail: %s", async (output, reason) => {
    const access = await openOne(exec(), plugin(output));
    expect(await failure(access.credentials())).toMatchObject({
      code: "plugin_failed",
      message: `Cannot get the credentials of user "u": ${reason}`,
    });
  });

  test("fail with their last line of output", async () => {
    const run: RunProgram = () =>
      Promise.resolve({ code: 1, stdout: "", stderr: "usage\n\x1b[31mnot logged in\n" });
    const access = await openOne(exec(), { run });
    expect((await failure(access.credentials())).message).toBe(
      'Cannot get the credentials of user "u": "login" exited with code 1: \\u001b[31mnot logged in',
    );
  });

  test("that are interactive fail without a terminal", async () => {
    const access = await openOne(exec({ interactiveMode: "Always" }));
    expect((await failure(access.credentials())).message).toBe(
      'Cannot get the credentials of user "u": "login" is interactive, ' +
        "but standard input is not a terminal",
    );
  });

  test("that are missing fail with their install hint", async () => {
    const { runProgram } = await import("../../lib/host/mod.ts");
    const access = await openOne(
      exec({ command: "no-such-plugin", installHint: "get it\nfrom us" }),
      { run: runProgram },
    );
    expect((await failure(access.credentials())).message).toBe(
      'Cannot get the credentials of user "u": Cannot run "no-such-plugin": no such program; ' +
        "get it from us",
    );
  });
});

describe("inClusterAccess()", () => {
  const FOLDER = "/var/run/secrets/kubernetes.io/serviceaccount";
  const env = { KUBERNETES_SERVICE_HOST: "10.0.0.1", KUBERNETES_SERVICE_PORT: "443" };
  const files = {
    [`${FOLDER}/token`]: "t1\n",
    [`${FOLDER}/ca.crt`]: "CA1",
    [`${FOLDER}/namespace`]: "mesh\n",
  };

  test("reads the files that the kubelet mounts", async () => {
    const access = await inClusterAccess(memoryHost({ env, files }));
    expect(access).toMatchObject({
      server: "https://10.0.0.1:443",
      namespace: "mesh",
      insecure: false,
    });
    expect(await access.credentials()).toEqual({
      ca: "CA1",
      headers: { Authorization: "Bearer t1" },
    });
  });

  test("brackets an IPv6 address", async () => {
    const host = memoryHost({ env: { ...env, KUBERNETES_SERVICE_HOST: "fd00::1" }, files });
    expect((await inClusterAccess(host)).server).toBe("https://[fd00::1]:443");
  });

  test("rereads the token and CA, and keeps the last readable ones", async () => {
    const host = memoryHost({ env, files });
    const access = await inClusterAccess(host);
    await host.writeFile(`${FOLDER}/token`, "t2");
    await host.writeFile(`${FOLDER}/ca.crt`, "CA2");
    const renewed = { ca: "CA2", headers: { Authorization: "Bearer t2" } };
    expect(await access.credentials()).toEqual(renewed);
    host.files.clear();
    expect(await access.credentials()).toEqual(renewed);
  });

  test("is refused outside a cluster", async () => {
    expect((await failure(inClusterAccess(memoryHost({ files })))).message).toBe(
      "Cannot use the service account: not running in a pod, KUBERNETES_SERVICE_HOST " +
        "and KUBERNETES_SERVICE_PORT are not set",
    );
  });
});
