/**
 * The compiled executable against reviews made to hurt it: how long each takes, what it takes of processor and
 * memory, and how long an ordinary review sent beside it waits. Prints a table, writes it to HOSTILE.md, and exits
 * with 1 where a row is over a limit. See README.md.
 *
 *     deno task bench:hostile [--only TEXT] [--rounds 3] [--out FILE]
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { parseArgs } from "node:util";
import { createDevCertificate } from "../../lib/tls/dev_certificate.ts";
import { describeMachine } from "./_machine.ts";
import { HOSTILE_INPUTS, type HostileInput } from "./_hostile_inputs.ts";
import type { SendOrder, SendResult } from "./_hostile_sender.ts";
import { median } from "./_report.ts";
import { fillReview, reviewText } from "./_review.ts";
import { measuredSettings, writeSettings } from "./_settings.ts";

const { values: flags } = parseArgs({
  options: {
    /** Only inputs with this text in their names. */
    only: { type: "string", default: "" },
    /** Fresh processes that each input is sent to; medians count. */
    rounds: { type: "string", default: "3" },
    out: { type: "string" },
  },
});

/** What no review may take: issue 17. */
const MAX_MS = 250;
const MAX_MB = 100;
const FLOOD_CLIENTS = 4;
const FLOOD_MS = 2_000;
/** Ordinary reviews that a process has answered before its idle memory is read. */
const WARM_UP = 200;
/** How long after an answer its memory still counts. */
const AFTERMATH_MS = 150;

const ROOT = `${import.meta.dirname}/../..`;
const PROGRAM = process.env.OUTRIGGER_TEST_PROGRAM ?? `${ROOT}/dist/outrigger`;
if (!existsSync(PROGRAM)) {
  console.error('The executable is missing: run "deno task build" first');
  process.exit(2);
}

const tls = { rejectUnauthorized: false };
const folder = mkdtempSync(`${tmpdir()}/outrigger-hostile-`);
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
const settings = measuredSettings();
writeSettings(settings, folder);
const { material } = await createDevCertificate({ now: Date.now() });
writeFileSync(`${folder}/tls.crt`, material.certificates);
writeFileSync(`${folder}/tls.key`, material.key);

const ordinary = reviewText({
  name: "shop",
  namespace: "shop",
  labels: { app: "shop", "sidecar.istio.io/inject": "true" },
  spec: { containers: [{ name: "app", image: "app", ports: [{ containerPort: 8080 }] }] },
});
let sent = 0;

/** One ordinary review, of a workload that nobody has seen; milliseconds until its answer. */
async function ordinaryReview(url: string): Promise<number> {
  const body = fillReview(ordinary, ++sent).replaceAll("shop", `shop${sent}`);
  const started = performance.now();
  const answer = await fetch(url, {
    method: "POST",
    body,
    tls,
    headers: { "content-type": "application/json" },
  });
  const { response } = await answer.json();
  if (!response.allowed || response.patch === undefined) throw new Error("not injected");
  return performance.now() - started;
}

interface Target extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
}

async function startTarget(): Promise<Target> {
  const child = Bun.spawn([
    PROGRAM,
    "serve",
    ...["--address=127.0.0.1", "--port=0", "--monitoringPort=-1", "--drain=0s"],
    ...[`--injectConfig=${folder}/config.yaml`, `--injectValues=${folder}/values.json`],
    ...[`--meshConfig=${folder}/mesh.yaml`, "--revision=default"],
    ...[`--tlsCertFile=${folder}/tls.crt`, `--tlsKeyFile=${folder}/tls.key`],
  ], {
    env: { PATH: process.env.PATH ?? "", ENABLE_NATIVE_SIDECARS: "true", BUN_JSC_useFTLJIT: "0" },
    stdout: "pipe",
    stderr: "pipe",
  });
  let log = "";
  let found = (_port: number) => {};
  const port = new Promise<number>((resolve) => found = resolve);
  // The log has to be read, or the program would wait to write it.
  const read = async (stream: ReadableStream<Uint8Array>) => {
    for await (const chunk of stream) {
      if (log.length > 100_000) continue;
      log += new TextDecoder().decode(chunk);
      const serving = /"message":"serving".*?"port":(\d+)/.exec(log);
      if (serving !== null) found(Number(serving[1]));
    }
  };
  void read(child.stdout);
  void read(child.stderr);
  const url = `https://127.0.0.1:${await port}/inject`;
  for (let i = 0; i < WARM_UP; i++) await ordinaryReview(url);
  await Bun.sleep(AFTERMATH_MS);
  return {
    url,
    pid: child.pid,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}

/** Processor time of all threads in milliseconds, and how long the main thread waited for a core. */
function scheduled(pid: number): { cpu: number; queued: number } {
  const read = (thread: number | string) =>
    readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ");
  const cpu = readdirSync(`/proc/${pid}/task`).reduce(
    (sum, thread) => sum + Number(read(thread)[0]),
    0,
  );
  return { cpu: cpu / 1e6, queued: Number(read(pid)[1]) / 1e6 };
}

function megabytes(pid: number, what: "VmRSS" | "VmHWM"): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(new RegExp(`^${what}:\\s+(\\d+) kB$`, "m").exec(status)?.[1]) / 1024;
}

interface Measured {
  readonly ms: number;
  readonly cpu: number;
  /** Milliseconds that the program waited for a core, because something else ran on the machine. */
  readonly queued: number;
  readonly mb: number;
  /** The longest that an ordinary review waited, and the same without the time that the program had no core. */
  readonly wait: number;
  readonly ownWait: number;
  readonly answer: string;
}

async function measure(body: string, order: Pick<SendOrder, "clients" | "milliseconds">) {
  await using target = await startTarget();
  const { pid, url } = target;
  const worker = new Worker(new URL("./_hostile_sender.ts", import.meta.url).href);
  const idle = megabytes(pid, "VmRSS");
  // Forgets the most memory that was ever resident.
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
  let over = false;
  let before = scheduled(pid);
  let wait = 0;
  let ownWait = 0;
  const result = new Promise<SendResult>((resolve, reject) => {
    worker.onerror = ({ message }) => reject(new Error(message));
    worker.onmessage = ({ data }) => {
      if (data === "ready") before = scheduled(pid);
      else resolve(data);
    };
  });
  worker.postMessage({ url, body, ...order } satisfies SendOrder);
  const beside = (async () => {
    while (!over) {
      const start = scheduled(pid).queued;
      const ms = await ordinaryReview(url);
      wait = Math.max(wait, ms);
      ownWait = Math.max(ownWait, ms - (scheduled(pid).queued - start));
      await Bun.sleep(5);
    }
  })().catch(() => {});
  const sent = await result;
  const after = scheduled(pid);
  await Bun.sleep(AFTERMATH_MS);
  over = true;
  // After a timeout the program may still be at it.
  await Promise.race([beside, Bun.sleep(1_000)]);
  worker.terminate();
  return {
    ms: order.milliseconds === 0 ? Math.max(...sent.milliseconds) : median(sent.milliseconds),
    cpu: after.cpu - before.cpu,
    queued: after.queued - before.queued,
    mb: megabytes(pid, "VmHWM") - idle,
    wait: sent.status === 0 ? Infinity : wait,
    ownWait: sent.status === 0 ? Infinity : ownWait,
    answer: answerText(sent),
  };
}

function answerText({ status, answer }: SendResult): string {
  if (status !== 200) return `${status || answer.slice(0, 40)}`;
  const allowed = /"allowed":(true|false)/.exec(answer)?.[1];
  const reason = /"reason":"([^"]*)"/.exec(answer)?.[1];
  const patch = answer.includes("patchType") ? ", patch" : "";
  return `${allowed === "false" ? "denied" : "allowed"}: ${reason}${patch}`;
}

const HEADINGS = [
  "input",
  "bytes",
  "answer",
  "ms",
  "of them without a core",
  "CPU ms",
  "MB above idle",
  "ordinary waits ms",
  "of them with a core",
];
const rows: { cells: string[]; isOver: boolean }[] = [];

function print(input: string, bytes: number, measured: readonly Measured[], isFlood = false) {
  const of = (key: "ms" | "cpu" | "queued" | "mb" | "wait" | "ownWait") =>
    median(measured.map((one) => one[key]));
  const [ms, queued, mb, wait, ownWait] = [
    of("ms"),
    of("queued"),
    of("mb"),
    of("wait"),
    of("ownWait"),
  ];
  // A machine that does other things as well would make every row look slow.
  const isOver = mb > MAX_MB || ownWait > MAX_MS || (!isFlood && ms - queued > MAX_MS);
  const numbers = [ms, queued, of("cpu"), mb, wait, ownWait].map((number) => number.toFixed(0));
  const cells = [input, String(bytes), measured[0].answer, ...numbers];
  rows.push({ cells, isOver });
  console.log(`${isOver ? "OVER " : "     "}${cells.join(" | ")}`);
}

const wanted = HOSTILE_INPUTS.filter(({ name }) => name.includes(flags.only));
const rounds = Number(flags.rounds);
const results: { input: HostileInput; body: string; cpu: number }[] = [];
for (const input of wanted) {
  const body = input.body();
  const measured: Measured[] = [];
  for (let i = 0; i < rounds; i++) {
    measured.push(await measure(body, { clients: 1, milliseconds: 0 }));
  }
  print(input.name, new TextEncoder().encode(body).length, measured);
  results.push({ input, body: "", cpu: median(measured.map(({ ms }) => ms)) });
}
const worst = results.toSorted((a, b) => b.cpu - a.cpu)[0];
if (worst !== undefined) {
  const body = worst.input.body();
  const flood = await measure(body, { clients: FLOOD_CLIENTS, milliseconds: FLOOD_MS });
  const name = `${FLOOD_CLIENTS} clients for ${FLOOD_MS / 1000} s: ${worst.input.name}`;
  print(name, new TextEncoder().encode(body).length, [flood], true);
}

const over = rows.filter(({ isOver }) => isOver).length;
const verdict = over === 0
  ? `All ${rows.length} rows are within ${MAX_MS} ms and ${MAX_MB} MB.`
  : `${over} of ${rows.length} rows are over ${MAX_MS} ms or ${MAX_MB} MB.`;
console.log(verdict);

const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
const escaped = (text: string) => text.replaceAll("|", "\\|");
const text = [
  "# Hostile reviews",
  "",
  "Written by `deno task bench:hostile`; see README.md.",
  "",
  ...describeMachine().filter((line) => !line.startsWith("Istio")).map((line) => `- ${line}`),
  `- settings: ${settings.title}; median of ${rounds} fresh processes`,
  "",
  line(HEADINGS),
  line(HEADINGS.map((_, i) => i === 0 || i === 2 ? "---" : "---:")),
  ...rows.map(({ cells, isOver }) => line([...cells.map(escaped), ...(isOver ? ["over"] : [])])),
  "",
  verdict,
  "",
].join("\n");
const out = flags.out ?? (flags.only === "" ? `${import.meta.dirname}/HOSTILE.md` : undefined);
if (out !== undefined) writeFileSync(out, text);
process.exit(over === 0 ? 0 : 1);
