/** Returns the result of a call of lib/config, or Istio's error for the same text. */
import { ConfigError } from "../../lib/config/config_error.ts";

export function outcome(call: () => unknown): unknown {
  try {
    return call();
  } catch (error) {
    if (error instanceof ConfigError) return `error: ${error.original}`;
    throw error;
  }
}

/** Reports whether a value is deeply frozen. */
export function isFrozen(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(isFrozen);
}
