/**
 * How eagerly the runtime compiles what runs often. The executable starts out reluctant (see
 * `--compile-jit-policy` in deno.json): reading configuration is code that runs once, and compiling it
 * took as much of the processor as running it did.
 */

/** The part of Bun that this is about; other runtimes have no such thing. */
interface Compiling {
  readonly unsafe?: { setJITPolicy?(scale: number): void };
}

/** From now on as eagerly as ever: what runs from here on will run again. */
export function compileEagerly(): void {
  const { Bun } = globalThis as { Bun?: Compiling };
  Bun?.unsafe?.setJITPolicy?.(1);
}
