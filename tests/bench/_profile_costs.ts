/** What a sampling profile says of the time spent: shares by file, by function, and by function with all it calls. */
import type { Profiler } from "node:inspector";

export interface Costs {
  /** Innermost file of lib/ on the stack. */
  readonly stages: ReadonlyMap<string, number>;
  readonly functions: ReadonlyMap<string, number>;
  readonly inclusive: ReadonlyMap<string, number>;
}

export interface CostsOptions {
  /** Only samples below one of these functions count; the rest is the caller's own. */
  readonly inside: readonly string[];
}

type Profile = Pick<Profiler.Profile, "nodes" | "samples" | "timeDeltas">;

/** Shares of the time, each from 0 to 1. */
export function costsOf(profile: Profile, { inside }: CostsOptions): Costs {
  const parents = new Map<number, number>();
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  for (const { id, children = [] } of profile.nodes) {
    for (const child of children) parents.set(child, id);
  }
  const stages = new Map<string, number>();
  const functions = new Map<string, number>();
  const inclusive = new Map<string, number>();
  let whole = 0;
  profile.samples?.forEach((id, i) => {
    const frames = stackOf(id, parents).map((id) => nodes.get(id)!.callFrame);
    const outermost = frames.findLastIndex(({ functionName }) => inside.includes(functionName));
    if (outermost < 0) return;
    const stack = frames.slice(0, outermost + 1);
    const spent = profile.timeDeltas?.[i] ?? 1;
    whole += spent;
    const stage = stack.map(({ url }) => fileOf(url)).find((file) => file.startsWith("lib/"));
    add(stages, stage ?? "elsewhere", spent);
    add(functions, nameOf(stack[0]), spent);
    for (const name of new Set(stack.map(nameOf))) add(inclusive, name, spent);
  });
  const shares = (times: Map<string, number>) =>
    new Map([...times].map(([name, time]) => [name, whole === 0 ? 0 : time / whole]));
  return { stages: shares(stages), functions: shares(functions), inclusive: shares(inclusive) };
}

/** From the innermost out. */
function stackOf(id: number, parents: ReadonlyMap<number, number>): number[] {
  const stack = [];
  for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) stack.push(at);
  return stack;
}

function nameOf({ functionName, url, lineNumber }: Profiler.Profile["nodes"][number]["callFrame"]) {
  const file = fileOf(url);
  return `${functionName || "(anonymous)"}${file === "" ? "" : ` ${file}:${lineNumber + 1}`}`;
}

/** From `lib/` or the package's name on. */
function fileOf(url: string): string {
  const inPackage = /node_modules\/(?:\.deno\/[^/]+\/node_modules\/)?(.*)$/.exec(url)?.[1];
  if (inPackage !== undefined) return inPackage;
  return /\/(lib\/.*)$/.exec(url)?.[1] ?? url.slice(url.lastIndexOf("/") + 1);
}

function add(times: Map<string, number>, name: string, time: number): void {
  times.set(name, (times.get(name) ?? 0) + time);
}
