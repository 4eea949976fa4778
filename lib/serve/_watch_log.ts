/** What is said of a watch: why it fails, what holds meanwhile, and that it is in step again. */

import { ApiError } from "../kube/api_error.ts";
import type { Logger } from "../server/mod.ts";

export interface WatchLogOptions {
  readonly log: Pick<Logger, "debug" | "info" | "warn">;
  /** What holds meanwhile, asked at that moment. */
  readonly meanwhile: () => string;
  /** Whether most installations do without the right to watch it. */
  readonly isOptional?: boolean;
}

export interface WatchLog {
  onFailure(message: string, error: unknown): void;
  onRecovery(): void;
}

export function watchLog(what: string, options: WatchLogOptions): WatchLog {
  const { log, meanwhile, isOptional = false } = options;
  let isLoud = false;
  return {
    onFailure(message, error) {
      // Custom resources that nobody installed are no trouble.
      const isAbsent = error instanceof ApiError && error.code === "not_found";
      isLoud ||= !isAbsent;
      const fields = { watch: what, error: message, meanwhile: meanwhile() };
      const isNotGranted = isOptional && error instanceof ApiError && error.code === "forbidden";
      if (isAbsent) log.debug("watch failing", fields);
      else if (isNotGranted) log.info("watch not permitted", fields);
      else log.warn("watch failing", fields);
    },
    onRecovery() {
      if (isLoud) log.info("watch in step again", { watch: what });
      isLoud = false;
    },
  };
}
