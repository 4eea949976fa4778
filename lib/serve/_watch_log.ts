/** What is said of a watch: why it fails, what holds meanwhile, and that it is in step again. */

import { ApiError } from "../kube/api_error.ts";
import type { Logger } from "../server/mod.ts";

export interface WatchLogOptions {
  readonly log: Pick<Logger, "debug" | "info" | "warn">;
  /** What holds meanwhile, asked at that moment. */
  readonly meanwhile: () => string;
}

export interface WatchLog {
  onFailure(message: string, error: unknown): void;
  onRecovery(): void;
}

export function watchLog(what: string, { log, meanwhile }: WatchLogOptions): WatchLog {
  let isLoud = false;
  return {
    onFailure(message, error) {
      // Custom resources that nobody installed are no trouble.
      const isAbsent = error instanceof ApiError && error.code === "not_found";
      isLoud ||= !isAbsent;
      const fields = { watch: what, error: message, meanwhile: meanwhile() };
      if (isAbsent) log.debug("watch failing", fields);
      else log.warn("watch failing", fields);
    },
    onRecovery() {
      if (isLoud) log.info("watch in step again", { watch: what });
      isLoud = false;
    },
  };
}
