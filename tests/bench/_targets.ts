/** The three that are measured, each a process of its own on the core for servers. */
import type { Subprocess } from "bun";
import { readFileSync, statSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { spawnPinned } from "./_children.ts";

/** Servers have the first core for themselves, generators the second. */
export const SERVER_CORE = "0";
export const GENERATOR_CORE = "1";

export const TARGETS = ["peer", "ours", "floor"] as const;
export type TargetName = typeof TARGETS[number];

/** Files and folders that the targets are started with. */
export interface Place {
  /** Programs by target. */
  readonly programs: Readonly<Record<TargetName, string>>;
  /** With config.yaml, values.json and mesh.yaml. */
  readonly settings: string;
  readonly certificate: string;
  readonly key: string;
  /** What the floor answers. */
  readonly answer: string;
}

export interface Target extends AsyncDisposable {
  readonly name: TargetName;
  /** As in `127.0.0.1:8443`. */
  readonly address: string;
  /** Of all its threads, since it started. */
  cpuSeconds(): number;
  peakMegabytes(): number;
}

const REVISION = "default";
const READY_MS = 30_000;
/** What `CLK_TCK` is on Linux. */
const TICKS = 100;

/** The command line of a target that will serve there. */
export function commandOf(name: TargetName, place: Place, port: number): string[] {
  const { programs, settings, certificate, key, answer } = place;
  const program = programs[name];
  switch (name) {
    case "peer":
      return [
        program,
        ...["-settings", settings, "-listen", `127.0.0.1:${port}`, "-revision", REVISION],
        ...["-cert", certificate, "-key", key],
      ];
    case "ours":
      return [
        program,
        "serve",
        ...["--address=127.0.0.1", `--port=${port}`, "--monitoringPort=-1"],
        ...[`--injectConfig=${settings}/config.yaml`, `--injectValues=${settings}/values.json`],
        ...[`--meshConfig=${settings}/mesh.yaml`, `--revision=${REVISION}`],
        ...[`--tlsCertFile=${certificate}`, `--tlsKeyFile=${key}`],
        // The peer's are off, too.
        ...["--log_output_level=none", "--drain=0s"],
      ];
    case "floor":
      return [program, String(port), certificate, key, answer];
  }
}

/** Starts it and waits for its first answer. */
export async function startTarget(name: TargetName, place: Place): Promise<Target> {
  const port = await freePort();
  const child = spawnPinned(SERVER_CORE, commandOf(name, place, port), { stdout: "ignore" });
  const address = `127.0.0.1:${port}`;
  try {
    await untilReady(name, { address, child });
  } catch (error) {
    await end(child);
    throw error;
  }
  return {
    name,
    address,
    cpuSeconds: () => cpuSeconds(child.pid),
    peakMegabytes: () => peakMegabytes(child.pid),
    [Symbol.asyncDispose]: () => end(child),
  };
}

async function untilReady(
  name: TargetName,
  { address, child }: { address: string; child: Subprocess },
): Promise<void> {
  const deadline = performance.now() + READY_MS;
  while (performance.now() < deadline && child.exitCode === null) {
    try {
      // Any answer will do: some of them know no path but one.
      await fetch(`https://${address}/healthz`, { tls: { rejectUnauthorized: false } });
      return;
    } catch {
      await Bun.sleep(20);
    }
  }
  throw new Error(`Cannot measure ${name}: it does not serve`);
}

async function end(child: Subprocess): Promise<void> {
  child.kill("SIGKILL");
  await child.exited;
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** From the line of /proc/PID/stat, whose second field is a name in parentheses that may hold anything. */
export function ticksOf(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [user, system] = fields.slice(11, 13).map(Number);
  return user + system;
}

function cpuSeconds(pid: number): number {
  return ticksOf(readFileSync(`/proc/${pid}/stat`, "utf8")) / TICKS;
}

function peakMegabytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}

export function megabytesOf(file: string): number {
  return statSync(file).size / 1024 / 1024;
}
