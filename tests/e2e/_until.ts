/** Waiting for what another process does: the one place of the tests where time is real. */

const PAUSE_MS = 20;

/** Gives the first value that is not undefined, or fails with what was waited for. */
export async function until<T>(
  what: string,
  look: () => T | undefined | Promise<T | undefined>,
  ms = 10_000,
): Promise<T> {
  const deadline = performance.now() + ms;
  for (;;) {
    const value = await look();
    if (value !== undefined) return value;
    if (performance.now() > deadline) throw new Error(`Not within ${ms / 1000} s: ${what}`);
    await new Promise((resume) => setTimeout(resume, PAUSE_MS));
  }
}
