/** The version of this build, from deno.json, and the commit, which `deno task build` sets. */

import config from "../../deno.json" with { type: "json" };

/** Defined by `bun build --define`; undefined when running from source. */
declare const OUTRIGGER_COMMIT: string | undefined;

export const VERSION: string = config.version;

export const COMMIT: string = typeof OUTRIGGER_COMMIT === "string" ? OUTRIGGER_COMMIT : "unknown";
