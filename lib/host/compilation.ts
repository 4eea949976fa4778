/**
 * The JIT policy of the runtime. The executable starts with a reluctant policy (see `--compile-jit-policy`
 * in deno.json), because startup code runs once, and compiling it took as much CPU time as running it.
 */

/** The part of Bun's API used here; other runtimes have no equivalent. */
interface Compiling {
  readonly unsafe?: { setJITPolicy?(scale: number): void };
}

/** Restores the default JIT policy, for code that runs repeatedly. */
export function compileEagerly(): void {
  const { Bun } = globalThis as { Bun?: Compiling };
  Bun?.unsafe?.setJITPolicy?.(1);
}
