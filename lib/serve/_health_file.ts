/** Writes the health file for `outrigger probe` at a fixed interval. */

import type { Clock, Host } from "../host/mod.ts";
import type { Logger } from "../server/mod.ts";
import type { ServeSettings } from "./_settings.ts";

export interface HealthFileContext {
  readonly host: Pick<Host, "writeFile">;
  readonly clock: Pick<Clock, "after">;
  readonly log: Pick<Logger, "warn">;
}

/** Starts writing after one interval, as Istio's injector does. Does nothing without an interval or a file. */
export function writeHealthFile(
  { healthCheckMs, healthCheckFile }: Pick<ServeSettings, "healthCheckMs" | "healthCheckFile">,
  { host, clock, log }: HealthFileContext,
): { close(): void } {
  if (healthCheckMs === 0 || healthCheckFile === "") return { close() {} };
  let isOpen = true;
  let cancel = () => {};
  const again = () => {
    if (isOpen) cancel = clock.after(healthCheckMs, write);
  };
  const write = () => {
    host.writeFile(healthCheckFile, "ok")
      .catch((error: Error) => log.warn("health file not written", { error: error.message }))
      .then(again);
  };
  again();
  return {
    close() {
      isOpen = false;
      cancel();
    },
  };
}
