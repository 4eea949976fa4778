/** `outrigger serve` as a whole: its flags, and the real program under good and bad weather. */
import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { runCli } from "../../lib/cli/mod.ts";
import { memoryHost } from "../_memory_host.ts";
import { Client } from "../server/_client.ts";
import { podReview } from "../server/_serving.ts";
import { pair } from "../tls/_pairs.ts";
import { CONFIG, type Program, programFiles, runProgram, startProgram } from "./_program.ts";
import { until } from "./_until.ts";

async function run(args: string, env: Record<string, string> = {}) {
  const host = memoryHost({ env });
  const code = await runCli(args.split(" ").filter(Boolean), host);
  return { code, ...host.out };
}

async function plain(program: Program, path: string) {
  const client = await Client.plain(program.plainPort);
  const answer = await client.request(path);
  client.close();
  return answer;
}

/** The label that a pod gets now. */
async function labelOf(client: Client): Promise<string | undefined> {
  const { response } = JSON.parse((await client.review(podReview())).body);
  const patch = new TextDecoder().decode(Uint8Array.fromBase64(response.patch));
  return /"which":"([^"]*)"/.exec(patch)?.[1];
}

describe("serve --print-config", () => {
  const rows = async (args: string, env = {}) => {
    const { code, stdout } = await run(`serve --print-config ${args}`, env);
    expect(code).toBe(0);
    return new Map(
      stdout.trim().split("\n").map((line) => {
        const [name, value, ...from] = line.split(/ {2,}/);
        return [name, `${value} ${from.join(" ")}`];
      }),
    );
  };

  test("has the standalone injector's defaults", async () => {
    const found = await rows("");
    for (
      const [name, value] of [
        ["--meshConfig", "/etc/istio/config/mesh"],
        ["--injectConfig", "/etc/istio/inject/config"],
        ["--injectValues", "/etc/istio/inject/values"],
        ["--tlsCertFile", "/etc/istio/certs/cert-chain.pem"],
        ["--tlsKeyFile", "/etc/istio/certs/key.pem"],
        ["--caCertFile", "/etc/istio/certs/root-cert.pem"],
        ["--port", 443],
        ["--monitoringPort", 15014],
        ["--playground", -1],
        ["--playground-config", false],
        ["--healthCheckInterval", "0"],
        ["--healthCheckFile", ""],
        ["--kubeconfig", ""],
        ["--webhookConfigName", "istio-sidecar-injector"],
        ["--webhookName", "sidecar-injector.istio.io"],
        ["--reconcileWebhookConfig", false],
      ]
    ) expect([name, found.get(String(name))]).toEqual([name, `${JSON.stringify(value)} default`]);
  });

  test("tells flags from variables from defaults", async () => {
    const found = await rows("--port 8443 --log-format=text", {
      OUTRIGGER_PORT: "1",
      REVISION: "canary",
      ENABLE_NATIVE_SIDECARS: "true",
      PLATFORM: "openshift",
      COMPLIANCE_POLICY: "fips-140-3",
      CLUSTER_ID: "c1",
      OUTRIGGER_DRAIN: "5s",
    });
    expect(found.get("--port")).toBe("8443 flag");
    expect(found.get("--log-format")).toBe('"text" flag');
    expect(found.get("--revision")).toBe('"canary" $REVISION');
    expect(found.get("--native-sidecars")).toBe('"true" $ENABLE_NATIVE_SIDECARS');
    expect(found.get("--platform")).toBe('"openshift" $PLATFORM');
    expect(found.get("--compliance-policy")).toBe('"fips-140-3" $COMPLIANCE_POLICY');
    expect(found.get("--cluster-id")).toBe('"c1" $CLUSTER_ID');
    expect(found.get("--drain")).toBe('"5s" $OUTRIGGER_DRAIN');
    expect(found.get("--address")).toBe('"" default');
  });

  test("shows what --dev changes, and that it changes nothing that was given", async () => {
    const found = await rows("--dev --drain 3s");
    expect(found.get("--port")).toBe("15017 --dev");
    expect(found.get("--config-source")).toBe('"embedded" --dev');
    expect(found.get("--drain")).toBe('"3s" flag');
    expect((await rows("--dev --injectConfig x")).get("--config-source")).toBe('"files" default');
  });

  test("takes no embedded config with --dev where a ConfigMap is named", async () => {
    const found = await rows("--dev --inject-configmap x");
    expect(found.get("--config-source")).toBe('"files" default');
    const { code, stderr } = await run("serve --dev --inject-configmap x");
    expect(code).toBe(1);
    expect(stderr).toBe(
      'outrigger: Cannot read ConfigMap "istio-system/x" without a cluster: ' +
        "--kubeconfig is not set\n",
    );
  });

  test("is reached by flags alone, as the standalone injector's manifests have them", async () => {
    const line = "--caCertFile=/ca --tlsCertFile=/c --tlsKeyFile=/k --injectConfig=/i " +
      "--meshConfig=/m --healthCheckInterval=2s --healthCheckFile=/health " +
      "--reconcileWebhookConfig=true --log_output_level=all:debug --print-config";
    for (const args of [line, `-- ${line}`]) {
      const { code, stdout } = await run(args);
      expect(code).toBe(0);
      expect(stdout).toMatch(/^--healthCheckFile +"\/health" +flag$/m);
    }
  });
});

describe("wrong usage", () => {
  test.each([
    ["--drain soon", 'Flag "--drain" expects a duration such as 20s or 1m30s, got "soon".'],
    ["--drain -5s", 'Flag "--drain" expects a duration of at least 0, got "-5s".'],
    ["--port 70000", 'Flag "--port" expects a port from 0 to 65535, got "70000".'],
    ["--max-requests 0", 'Flag "--max-requests" expects an integer of at least 1, got "0".'],
    ["--log_output_level loud", 'Flag "--log_output_level" expects one of debug, info,'],
    [
      "--compat 2.0",
      'Flag "--compat" expects a version of Istio, as in 1.22 or 0.8, or today, got "2.0".',
    ],
    ["--context kind-kind", 'Flag "--context" requires --dev.'],
    ["--dev --dev-host 10.0.0.1", 'Flag "--dev-host" requires --context.'],
    ["--log-format xml", 'Flag "--log-format" expects json or text, got "xml".'],
    [
      "--inject-configmap a --injectConfig b",
      'Flags "--inject-configmap" and "--injectConfig" are mutually exclusive.',
    ],
    [
      "--mesh-configmap a --meshConfig b",
      'Flags "--mesh-configmap" and "--meshConfig" are mutually exclusive.',
    ],
    [
      "--inject-configmap a --config-source embedded",
      'Flags "--inject-configmap" and "--config-source embedded" are mutually exclusive',
    ],
    ["--injectconfig x", 'Unknown flag "--injectconfig": did you mean "--injectConfig"?'],
  ])("serve %s", async (args, message) => {
    const { code, stderr } = await run(`serve ${args}`);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});

describe("probe", () => {
  const probe = async (args: string, now: number) => {
    const host = memoryHost({ files: { "/health": "ok" }, now: Date.UTC(2026, 0, 2, 3, 4, 5) });
    const { stat } = host;
    const info = await stat("/health");
    host.setNow(host.now() + now);
    const code = await runCli(["probe", ...args.split(" ").filter(Boolean)], {
      ...host,
      stat: (path) => path === "/health" ? Promise.resolve(info) : stat(path),
    });
    return { code, out: host.out.stdout, err: host.out.stderr };
  };

  test.each([
    ["--probe-path=/health --interval=4s", 4_010, 0, "OK\n"],
    [
      "--probe-path /health --interval 4s",
      4_011,
      1,
      "fail on inspecting path /health: file /health is too old (last modified time " +
      "2026-01-02 03:04:05 +0000 UTC, should be within 4s)\n",
    ],
    [
      "--probe-path=/none --interval=4s",
      0,
      1,
      "fail on inspecting path /none: stat /none: no such file or directory\n",
    ],
    ["--probe-path=/health", 0, 2, "outrigger: some options are not valid\n"],
    ["--interval=4s", 0, 2, "outrigger: some options are not valid\n"],
    ["--probe-path=/health --interval=soon", 0, 2, "outrigger: some options are not valid\n"],
  ])("%s after %d ms is %d", async (args, age, code, text) => {
    const found = await probe(args, age);
    expect({ code: found.code, text: found.out + found.err }).toEqual({ code, text });
  });
});

describe("the program", () => {
  test("with --dev prints a line for curl that works as pasted", async () => {
    // As `deno task dev` starts it: the variable, and no command.
    const args = ["--port=0", "--monitoringPort=0", "--log-format=json"];
    await using program = await startProgram(args, { env: { OUTRIGGER_DEV: "true" } });
    await until(() => program.output().includes("\npage "));
    const line = program.output().split("\n").find((line) => line.startsWith("curl "))!;
    const ran = Bun.spawnSync(["bash", "-c", line]);
    const { response } = JSON.parse(ran.stdout.toString());
    expect(response).toMatchObject({ uid: "try-it", allowed: true, patchType: "JSONPatch" });
    for (const path of ["/healthz", "/readyz", "/metrics"]) {
      expect(program.output()).toContain(`http://localhost:${program.plainPort}${path}`);
      expect((await plain(program, path)).status).toBe(200);
    }
    const page = /^page {5}(http:\S+)$/m.exec(program.output())?.[1] ?? "";
    const answer = await fetch(page.replace("localhost", "127.0.0.1"));
    expect(await answer.text()).toContain("Outrigger playground");
    program.kill("SIGINT");
    expect(await program.exited).toBe(0);
  });

  test.each([
    [
      "no config",
      ["--injectConfig=/nowhere/config"],
      'Cannot read "/nowhere/config": no such file',
    ],
    ["no certificate", ["--tlsCertFile=/nowhere/tls.crt"], 'Cannot read "/nowhere/tls.crt"'],
    ["no port", ["--port=1", "--address=203.0.113.1"], "Cannot listen on 203.0.113.1, port 1"],
  ])("with %s ends with code 1 and says why", async (_, flags, message) => {
    using files = await programFiles();
    const { code, output } = await runProgram(["serve", ...files.flags, ...flags]);
    expect(output).toContain(message);
    expect(code).toBe(1);
  });

  test("reloads config and certificate, each for itself, and tells of it", async () => {
    using files = await programFiles();
    await using program = await startProgram(["serve", ...files.flags]);
    const client = await Client.tls(program.port, { ca: files.certificate.authority });
    expect(await labelOf(client)).toBe("one");

    files.write("values", "which: two");
    await until(async () => await labelOf(client) === "two");

    files.write("config", "policy: enabled\ntemplates: {sidecar: '{{ if }}'}\n");
    const refused = await program.line(({ message }) => message === "configuration rejected");
    expect(refused).toMatchObject({ level: "error", file: `${files.directory}/config`, line: 2 });
    expect(await labelOf(client)).toBe("two");
    const ready = await plain(program, "/readyz");
    expect(ready.status).toBe(200);
    expect(JSON.parse(ready.body).config.failure).toContain("still serving version");
    expect((await plain(program, "/metrics")).body).toContain("\noutrigger_config_failing 1\n");

    // A bad config does not keep a good certificate out.
    const next = await pair("next", { now: Date.now(), days: 40 });
    files.write("tls.crt", next.material.certificates);
    files.write("tls.key", next.material.key);
    await until(async () => {
      const fresh = await Client.tls(program.port, { ca: next.authority }).catch(() => undefined);
      fresh?.close();
      return fresh !== undefined;
    });
    const { body } = await plain(program, "/metrics");
    const seconds = Number(/^outrigger_certificate_expiry_seconds (\S+)$/m.exec(body)?.[1]);
    expect(seconds / 86_400).toBeCloseTo(40, 1);
    expect(body).toContain('outrigger_reloads_total{what="config",result="refused"} 1');
    expect(await labelOf(client)).toBe("two");
    client.close();
  });

  test.each(["deny", "warn", "off"])("guards the structure of templates: %s", async (mode) => {
    using files = await programFiles();
    files.write(
      "config",
      CONFIG.replace('"{{ .Values.which }}"', "{{ index .ObjectMeta.Annotations `a` }}"),
    );
    const flags = [...files.flags, `--structure-guard=${mode}`];
    await using program = await startProgram(["serve", ...flags]);
    const client = await Client.tls(program.port, { ca: files.certificate.authority });
    const object = {
      metadata: { name: "web", annotations: { a: "x\nspec: {hostPID: true} #" } },
      spec: { containers: [{ name: "app" }] },
    };
    const { response } = JSON.parse((await client.review(podReview({ object }))).body);
    client.close();
    const { body: metrics } = await plain(program, "/metrics");
    const said = 'annotation "a" changes the structure of the YAML that template "sidecar" renders';
    const count = mode === "warn" ? 1 : 0;
    expect(metrics).toContain(`\noutrigger_structure_changes_total ${count}\n`);
    if (mode === "deny") {
      expect(response).toMatchObject({
        allowed: false,
        auditAnnotations: { reason: "structure" },
        status: { message: expect.stringContaining(said) },
      });
      expect(await program.line(({ message }) => message === "pod denied"))
        .toMatchObject({ reason: "structure", error: expect.stringContaining(said) });
      expect(metrics).toContain('decision="denied",reason="structure"} 1\n');
      return;
    }
    expect(response).toMatchObject({ allowed: true });
    expect(response.warnings?.[0] ?? "").toContain(mode === "warn" ? said : "");
    if (mode === "warn") {
      await program.line((line) => String(line.message).startsWith("structure guard: "));
    }
    expect(program.output().includes("structure guard")).toBe(mode === "warn");
  });

  test("takes a template between delimiters of its own", async () => {
    using files = await programFiles();
    files.write(
      "config",
      `policy: enabled
template: |
  containers:
  - name: istio-proxy
    image: << valueOrDefault .ObjectMeta.Name "none" >>:{{ [[
`,
    );
    const delims = ["--left-delim=<<", "--right-delim=>>"];
    await using program = await startProgram(["serve", ...files.flags, ...delims]);
    const client = await Client.tls(program.port, { ca: files.certificate.authority });
    const { body } = await client.review(podReview());
    const patch = new TextDecoder().decode(Uint8Array.fromBase64(JSON.parse(body).response.patch));
    expect(patch).toContain(":{{ [[");
    expect(patch).not.toContain("<<");
    client.close();
  });

  test("writes its health file for as long as it means to stay", async () => {
    using files = await programFiles();
    const health = `${files.directory}/health`;
    await using program = await startProgram([
      ...files.flags,
      `--healthCheckFile=${health}`,
      "--healthCheckInterval=50ms",
      "--drain=0s",
    ]);
    // Each writing begins with an empty file.
    const written = async () => await Bun.file(health).exists() && await Bun.file(health).text();
    await until(async () => await written() === "ok");
    const probed = await runProgram(["probe", `--probe-path=${health}`, "--interval=10s"]);
    expect(probed).toEqual({ code: 0, output: "OK\n" });
    program.kill("SIGTERM");
    expect(await program.exited).toBe(0);
    writeFileSync(health, "gone");
  });
});

/** 10,000 by this variable: each side then needs as many file descriptors (`ulimit -n`). */
const CONNECTIONS = Number(process.env.OUTRIGGER_TEST_CONNECTIONS ?? 2_000);

test(`${CONNECTIONS} connections to the program are all kept and all answered`, async () => {
  using files = await programFiles();
  await using program = await startProgram(["serve", ...files.flags, "--drain=0s"]);
  const gauge = async (name: string) => {
    const { body } = await plain(program, "/metrics");
    return Number(new RegExp(`^${name} (\\S+)$`, "m").exec(body)?.[1]);
  };
  const clients: Client[] = [];
  const failures: string[] = [];
  const inTurns = async (one: (index: number) => Promise<unknown>) => {
    let next = 0;
    await Promise.all(Array.from({ length: 100 }, async () => {
      while (next < CONNECTIONS) await one(next++).catch(({ message }) => failures.push(message));
    }));
  };
  const started = performance.now();
  const memory = await gauge("process_resident_memory_bytes");
  const review = async (client: Client) =>
    expect((await client.review(podReview())).status).toBe(200);
  await inTurns(async () => {
    const client = await Client.tls(program.port);
    clients.push(client);
    // At once: the server closes a connection that sends no request for 10 s, and opening them all
    // may take longer on a busy machine.
    await review(client);
  });
  expect(await gauge("outrigger_connections")).toBeGreaterThanOrEqual(CONNECTIONS);
  await inTurns((index) => review(clients[index]));
  const more = (await gauge("process_resident_memory_bytes") - memory) / CONNECTIONS / 1024;
  console.log(
    `${clients.length} connections, ${failures.length} failures, ` +
      `${((performance.now() - started) / 1000).toFixed(1)} s, ${more.toFixed(0)} KiB each`,
  );
  expect(failures).toEqual([]);
  program.kill("SIGTERM");
  expect(await program.exited).toBe(0);
  clients.forEach((client) => client.close());
}, 180_000);

/** Requests without pause, on connections that are kept, to whichever of the programs is ready. */
function load(programs: readonly Program[], { workers }: { workers: number }) {
  const tally = { requests: 0, closedAfterAnswer: 0, failures: [] as string[] };
  let isOver = false;
  const ready = new Set(programs);
  /** As endpoints of a Service: somewhat behind the truth. */
  const watching = Promise.all(programs.map(async (program) => {
    while (!isOver && ready.has(program)) {
      const answer = await plain(program, "/readyz").catch(() => undefined);
      if (answer?.status !== 200) ready.delete(program);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }));
  const working = Promise.all(Array.from({ length: workers }, async (_, worker) => {
    let client: Client | undefined;
    while (!isOver) {
      const choice = [...ready];
      // Nobody is left to ask.
      if (client === undefined && choice.length === 0) break;
      try {
        client ??= await Client.tls(choice[worker % choice.length].port);
        const { status, headers } = await client.review(podReview());
        if (status !== 200) tally.failures.push(`status ${status}`);
        if (headers.connection === "close") {
          tally.closedAfterAnswer++;
          client.close();
          client = undefined;
        }
      } catch (error) {
        tally.failures.push((error as Error).message);
        client = undefined;
      }
      tally.requests++;
    }
    client?.close();
  }));
  return {
    tally,
    async end() {
      isOver = true;
      await Promise.all([watching, working]);
    },
  };
}

describe("the program's end", () => {
  test("SIGTERM under load fails no request", async () => {
    using files = await programFiles();
    const args = ["serve", ...files.flags, "--drain=1500ms"];
    const programs = await Promise.all([startProgram(args), startProgram(args)]);
    await using leaving = programs[0];
    await using staying = programs[1];
    // Connections that were used and now are not: no reason to wait for them.
    const idle = await Promise.all([0, 1, 2].map(() => Client.tls(leaving.port)));
    for (const client of idle) await client.review(podReview());
    const { tally, end } = load(programs, { workers: 6 });
    await until(() => tally.requests > 100);
    const before = tally.requests;
    leaving.kill("SIGTERM");
    const signalled = performance.now();
    expect(await leaving.exited).toBe(0);
    const took = performance.now() - signalled;
    await until(() => tally.requests > before + 100);
    await end();
    console.log(
      `SIGTERM under load: ${tally.requests} requests, ${tally.failures.length} failed, ` +
        `${tally.closedAfterAnswer} connections handed over, ended after ${took.toFixed(0)} ms`,
    );
    expect(tally.failures).toEqual([]);
    expect(tally.closedAfterAnswer).toBeGreaterThan(0);
    expect(took).toBeGreaterThanOrEqual(1_400);
    expect(leaving.output()).toContain('"message":"stopped"');
    expect((await plain(staying, "/readyz")).status).toBe(200);
  });

  test("while it drains it is alive, not ready, and still serves", async () => {
    using files = await programFiles();
    await using program = await startProgram(["serve", ...files.flags, "--drain=1m"]);
    const kept = await Client.tls(program.port);
    expect((await kept.review(podReview())).headers.connection).not.toBe("close");
    program.kill("SIGTERM");
    await program.line(({ message }) => message === "draining");
    const ready = await plain(program, "/readyz");
    expect(ready.status).toBe(503);
    expect(JSON.parse(ready.body)).toMatchObject({ ready: false, draining: true });
    expect((await plain(program, "/healthz")).status).toBe(200);
    for (const client of [kept, await Client.tls(program.port)]) {
      const answer = await client.review(podReview());
      expect([answer.status, answer.headers.connection]).toEqual([200, "close"]);
      await client.closed;
    }
    // Whoever asks twice does not want to wait.
    program.kill("SIGINT");
    expect(await program.exited).toBe(0);
  });

  test("SIGKILL and a new start on the same port", async () => {
    using files = await programFiles();
    await using first = await startProgram(["serve", ...files.flags]);
    const { tally, end } = load([first], { workers: 4 });
    await until(() => tally.requests > 50);
    const port = first.port;
    first.kill("SIGKILL");
    await first.exited;
    await end();
    const started = performance.now();
    await using second = await startProgram(["serve", ...files.flags, `--port=${port}`]);
    const client = await Client.tls(second.port);
    expect(await labelOf(client)).toBe("one");
    console.log(`served again ${(performance.now() - started).toFixed(0)} ms after SIGKILL`);
    expect(second.port).toBe(port);
    client.close();
  });
});
