/** Logs the failures and recoveries of a watch. */

import { ApiError } from "../kube/api_error.ts";
import type { Logger } from "../server/mod.ts";

export interface WatchLogOptions {
  readonly log: Pick<Logger, "debug" | "info" | "warn">;
  /** Describes the behavior while the watch fails. Called on each failure. */
  readonly meanwhile: () => string;
  /** Whether most installations do not grant permission to watch it. */
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
      // It is normal that a CustomResourceDefinition is not installed.
      const isAbsent = error instanceof ApiError && error.code === "not_found";
      isLoud ||= !isAbsent;
      const fields = { watch: what, error: message, meanwhile: meanwhile() };
      const isNotGranted = isOptional && error instanceof ApiError && error.code === "forbidden";
      if (isAbsent) log.debug("watch failing", fields);
      else if (isNotGranted) log.info("watch not permitted", fields);
      else log.warn("watch failing", fields);
    },
    onRecovery() {
      if (isLoud) log.info("watch recovered", { watch: what });
      isLoud = false;
    },
  };
}
