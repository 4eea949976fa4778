/** Waiting for what another process does. */
import { expect } from "bun:test";

/** Looks again and again, and lets others work in between. */
export async function until(what: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 15_000;
  while (!await what()) {
    expect(performance.now()).toBeLessThan(deadline);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
