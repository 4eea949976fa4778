/** Parses variables in the webhook's URL: `/inject/cluster/c1/net/n1`, and an older form. */
import type { Behaviours } from "./compat.ts";
import { CLUSTER_VARIABLE, NETWORK_VARIABLE } from "./names.ts";
import type { StringMap } from "./pod.ts";

const OLD_MARK = ":ENV:";
const NAMES: ReadonlyMap<string, string> = new Map([
  ["cluster", CLUSTER_VARIABLE],
  ["net", NETWORK_VARIABLE],
]);

/** Returns the variables of a decoded path, ignoring malformed parts. */
export function urlEnv(
  path: string,
  { behaviours, warn }: {
    behaviours: Pick<Behaviours, "urlSlash">;
    warn: (message: string) => void;
  },
): StringMap {
  const rest = path.replace(/\/$/, "").split("/").slice(2).join("/");
  if (rest === "") return {};
  const env: [string, string][] = [];
  if (rest.startsWith(OLD_MARK)) {
    for (const pair of rest.split(OLD_MARK)) {
      const at = pair.indexOf("=");
      if (at > 0) env.push([variable(pair.slice(0, at)), pair.slice(at + 1)]);
    }
    return Object.fromEntries(env);
  }
  const parts = rest.split("/");
  for (let i = 0; i + 1 < parts.length; i += 2) {
    const value = behaviours.urlSlash ? parts[i + 1].replaceAll("--slash--", "/") : parts[i + 1];
    const name = variable(parts[i]);
    if (name !== "") env.push([name, value]);
  }
  if (parts.length % 2 !== 0) {
    warn(`Odd number of inject env entries, ignore the last key ${parts.at(-1)}\n`);
  }
  return Object.fromEntries(env);
}

function variable(key: string): string {
  return NAMES.get(key) ?? key.toUpperCase();
}
