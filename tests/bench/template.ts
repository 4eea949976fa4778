/**
 * How fast a template renders: Istio's modern `sidecar` template on a stock pod, here and in Go's
 * own text/template with sprig, one after the other, several rounds in one run.
 *
 *     node_modules/.bin/bun tests/bench/template.ts
 *
 * Both are measured in processor time, so that a busy machine slows neither down. The Go program is
 * built once into the user's cache folder.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { parseYaml } from "../../lib/yaml/mod.ts";
import { parseMeshConfig } from "../../lib/config/mod.ts";
import { sprigFunctions } from "../../lib/go/sprig/mod.ts";
import { compileTemplate } from "../../lib/go/template/mod.ts";
import { injectionFunctions } from "../../lib/inject/functions.ts";
import { templateData } from "../../lib/inject/go_types.ts";
import { normalise } from "../../lib/kube/normalise.ts";
import { testSprigHost } from "../go/_sprig_host.ts";

const SECONDS = 2;
const ROUNDS = 5;
const HEAD = `${import.meta.dirname}/../../../shared/conformance/head`;
const CACHE = `${process.env.XDG_CACHE_HOME ?? `${process.env.HOME}/.cache`}/outrigger/bench`;

if (!existsSync(HEAD)) {
  console.log("template benchmark skipped: no ../shared/conformance beside the project");
  process.exit(0);
}

const settings = `${HEAD}/settings/${readFileSync(`${HEAD}/default.txt`, "utf8").trim()}`;
const config = parseYaml(readFileSync(`${settings}/config.yaml`, "utf8")) as {
  templates: { sidecar: string };
};
const values = JSON.parse(readFileSync(`${settings}/values.json`, "utf8"));
const { pod: sent } = JSON.parse(readFileSync(`${HEAD}/cases/hello/webhook-00.json`, "utf8"));
const pod = normalise("Pod", sent) as { metadata: object; spec: object };
const source = config.templates.sidecar;
const meshConfig = parseMeshConfig(readFileSync(`${settings}/mesh.yaml`, "utf8"));
const proxyConfig = meshConfig.defaultConfig;
const proxyImage = "example.com/istio/proxyv2:1.0";

const fields = {
  typeMeta: { kind: "Deployment", apiVersion: "apps/v1" },
  deploymentMeta: { name: "hello", namespace: "" },
  objectMeta: pod.metadata as Record<string, unknown>,
  spec: pod.spec as Record<string, unknown>,
  proxyConfig,
  meshConfig,
  values,
  revision: "default",
  nativeSidecars: true,
  proxyImage,
  proxyInitImage: proxyImage,
  proxyUID: 1337,
  proxyGID: 1337,
  inboundTrafficPolicyMode: "passthrough",
  compliancePolicy: "",
};
const functions = { ...sprigFunctions(testSprigHost()), ...injectionFunctions() };
const template = compileTemplate(source, { name: "inject", functions });

/** Renders for a while; executions a second of processor time. */
function ours(): number {
  const start = process.cpuUsage();
  const deadline = performance.now() + SECONDS * 1000;
  let count = 0;
  while (performance.now() < deadline) {
    for (let i = 0; i < 20; i++) template.execute(templateData(fields));
    count += 20;
  }
  const { user, system } = process.cpuUsage(start);
  return count / ((user + system) / 1e6);
}

mkdirSync(CACHE, { recursive: true });
const program = `${CACHE}/template_go`;
const build = Bun.spawnSync(["go", "build", "-o", program, "."], {
  cwd: `${import.meta.dirname}/template_go`,
  stderr: "inherit",
});
if (build.exitCode !== 0) throw new Error("Cannot build the Go baseline");
const input = `${CACHE}/input.json`;
const output = `${CACHE}/output.yaml`;
writeFileSync(
  input,
  JSON.stringify({
    template: source,
    values,
    pod,
    proxyConfig,
    meshConfig,
    proxyImage,
    nativeSidecars: true,
    seconds: SECONDS,
  }),
);

/** The same in Go, on one processor. */
function baseline(): number {
  const run = Bun.spawnSync([program, input, output], {
    env: { ...process.env, GOMAXPROCS: "1" },
    stderr: "inherit",
  });
  return Number(run.stdout.toString());
}

/** PROXY_CONFIG is the one place where the baseline's stand-in functions print more. */
const comparable = (text: string) => text.replace(/^ *\{.*\}$/gm, "{}");

baseline();
const rendered = template.execute(templateData(fields));
if (comparable(rendered) !== comparable(readFileSync(output, "utf8"))) {
  throw new Error("The two programs render different texts");
}
ours();
const rounds = Array.from({ length: ROUNDS }, () => ({ ours: ours(), go: baseline() }));
console.log(
  `sidecar template, ${source.length} bytes, stock pod, ${rendered.length} bytes rendered`,
);
console.log("round  outrigger/s       Go/s  ratio");
rounds.forEach(({ ours, go }, i) => {
  const columns = [ours.toFixed(0).padStart(11), go.toFixed(0).padStart(9)];
  console.log(`${String(i + 1).padStart(5)}  ${columns.join("  ")}  ${(ours / go).toFixed(2)}`);
});
const ratios = rounds.map(({ ours, go }) => ours / go).sort((a, b) => a - b);
console.log(`median ratio ${ratios[Math.floor(ROUNDS / 2)].toFixed(2)}`);
