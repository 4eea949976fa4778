/** What a call of lib/config gives, or what Istio says about the same text. */
import { ConfigError } from "../../lib/config/config_error.ts";

export function outcome(call: () => unknown): unknown {
  try {
    return call();
  } catch (error) {
    if (error instanceof ConfigError) return `error: ${error.original}`;
    throw error;
  }
}

/** Whether nothing of a value can be changed. */
export function isFrozen(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(isFrozen);
}
