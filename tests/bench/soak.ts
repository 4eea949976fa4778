/**
 * The real program under steady load for minutes: kept and fresh connections, good and broken configs,
 * new certificates all the while. No request may fail, and resident memory must stay within 5 % of its
 * median once it is warm. Not part of the tests:
 *
 *   bun tests/bench/soak.ts --minutes 10 --rate 100 --fresh 20 --rotate 1000 --configs 2000
 *
 * `--rotate 0 --configs 0` leaves the load alone, to tell what it takes from what reloads take.
 *
 * `OUTRIGGER_TEST_PROGRAM` names a compiled executable to be tried instead of the sources.
 */
import { parseArgs } from "node:util";
import { CONFIG, programFiles, startProgram } from "../cli/_program.ts";
import { Client } from "../server/_client.ts";
import { podReview } from "../server/_serving.ts";
import { pair } from "../tls/_pairs.ts";

const { values: flags } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    /** Requests a second on connections that are kept. */
    rate: { type: "string", default: "100" },
    /** Fresh TLS connections a second, one request each. */
    fresh: { type: "string", default: "20" },
    /** Milliseconds between two certificates. */
    rotate: { type: "string", default: "1000" },
    /** Milliseconds between two configs. */
    configs: { type: "string", default: "2000" },
  },
});

/** Share of the time after which memory counts. */
const WARM_UP = 0.25;
const ALLOWED_DRIFT = 0.05;
const SAMPLE_MS = 5_000;

const minutes = Number(flags.minutes);
using files = await programFiles();
await using program = await startProgram(["serve", ...files.flags, "--drain=0s"]);
const pairs = await Promise.all(
  ["soak a", "soak b", "soak c"].map((name) => pair(name, { now: Date.now() })),
);
const ca = [files.certificate.authority, ...pairs.map(({ authority }) => authority)];
const tally = { requests: 0, fresh: 0, rotations: 0, configs: 0, failures: [] as string[] };
const samples: number[] = [];
const started = performance.now();
const end = started + minutes * 60_000;
const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Runs so often a second, on time even where one run takes longer. */
async function steadily(perSecond: number, run: (count: number) => Promise<void>): Promise<void> {
  if (perSecond === 0) return;
  const begun = performance.now();
  for (let count = 0; performance.now() < end; count++) {
    const due = begun + count * 1000 / perSecond;
    if (due > performance.now()) await sleep(due - performance.now());
    await run(count).catch(({ message }) => tally.failures.push(message));
  }
}

async function ask(client: Client): Promise<void> {
  const object = {
    metadata: { generateName: "web-", labels: { app: "web", run: String(tally.requests) } },
    spec: {
      containers: [{ name: "app", image: "app", env: [{ name: "A", value: "x".repeat(500) }] }],
    },
  };
  const { status } = await client.review(podReview({ object }));
  if (status !== 200) throw new Error(`status ${status}`);
  tally.requests++;
}

const KEPT = 10;
const kept = Promise.all(Array.from({ length: KEPT }, async () => {
  const client = await Client.tls(program.port, { ca });
  await steadily(Number(flags.rate) / KEPT, () => ask(client));
  client.close();
}));

const FRESH = 20;
const fresh = Promise.all(
  Array.from({ length: FRESH }, () =>
    steadily(Number(flags.fresh) / FRESH, async () => {
      const client = await Client.tls(program.port, { ca });
      await ask(client);
      client.close();
      tally.fresh++;
    })),
);

const rotate = Number(flags.rotate);
const rotation = steadily(rotate === 0 ? 0 : 1000 / rotate, (count) => {
  const { material } = pairs[count % pairs.length];
  files.write("tls.crt", material.certificates);
  files.write("tls.key", material.key);
  tally.rotations++;
  return Promise.resolve();
});

const configs = Number(flags.configs);
const configuration = steadily(configs === 0 ? 0 : 1000 / configs, (count) => {
  // Every third is broken, and the one before it goes on serving.
  files.write("config", count % 3 === 2 ? "templates: [" : `${CONFIG}# ${count}\n`);
  tally.configs++;
  return Promise.resolve();
});

const sampling = steadily(1000 / SAMPLE_MS, async () => {
  const client = await Client.plain(program.plainPort);
  const { body } = await client.request("/metrics");
  client.close();
  const bytes = Number(/^process_resident_memory_bytes (\S+)$/m.exec(body)?.[1]);
  samples.push(bytes);
  if (samples.length % 12 === 0) {
    const minute = ((performance.now() - started) / 60_000).toFixed(1);
    console.log(
      `${minute.padStart(5)} min  ${mebibytes(bytes)}  ${tally.requests} requests  ` +
        `${tally.fresh} fresh  ${tally.failures.length} failed`,
    );
  }
});

await Promise.all([kept, fresh, rotation, configuration, sampling]);
const warm = samples.slice(Math.ceil(samples.length * WARM_UP));
const median = warm.toSorted((a, b) => a - b)[Math.floor(warm.length / 2)];
const drift = Math.max(...warm.map((bytes) => Math.abs(bytes - median) / median));
const seconds = (performance.now() - started) / 1000;
const log = program.output();
const taken = log.split('"message":"certificate loaded"').length - 1;
const refused = log.split('"message":"configuration rejected"').length - 1;
program.kill("SIGTERM");
const code = await program.exited;
console.log(
  `${seconds.toFixed(0)} s: ${tally.requests} requests (${
    (tally.requests / seconds).toFixed(0)
  }/s), ` +
    `${tally.fresh} fresh connections (${(tally.fresh / seconds).toFixed(0)}/s), ` +
    `${tally.failures.length} failed, ${taken} of ${tally.rotations} certificates taken, ` +
    `${tally.configs} configs of which ${refused} were refused, exit code ${code}`,
);
console.log(
  `memory: median ${mebibytes(median)}, from ${mebibytes(Math.min(...warm))} to ` +
    `${mebibytes(Math.max(...warm))}, at most ${(drift * 100).toFixed(1)} % off`,
);
/** Of each minute: a leak shows here, while single samples also show where the collector stood. */
const perMinute = Array.from({ length: Math.ceil(warm.length / 12) }, (_, minute) => {
  const part = warm.slice(minute * 12, minute * 12 + 12).toSorted((a, b) => a - b);
  return part[Math.floor(part.length / 2)];
});
console.log(`medians of the minutes: ${perMinute.map(mebibytes).join(", ")}`);
for (const failure of new Set(tally.failures)) console.log(`failure: ${failure}`);
const isGood = tally.failures.length === 0 && drift <= ALLOWED_DRIFT && code === 0;
process.exitCode = isGood ? 0 : 1;

function mebibytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}
