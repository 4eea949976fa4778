/** A delay that an AbortSignal can cut short. */

import type { Clock } from "../host/mod.ts";

export function wait(
  milliseconds: number,
  { clock, signal }: { readonly clock: Pick<Clock, "after">; readonly signal?: AbortSignal },
): Promise<void> {
  if (signal?.aborted) return Promise.resolve();
  return new Promise((resume) => {
    const end = () => {
      cancel();
      signal?.removeEventListener("abort", end);
      resume();
    };
    const cancel = clock.after(milliseconds, end);
    signal?.addEventListener("abort", end);
  });
}
