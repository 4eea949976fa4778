/** What this build is: the version from deno.json, and the commit that `deno task build` writes in. */

import config from "../../deno.json" with { type: "json" };

/** Put in place of this name by `bun build --define`; not there when the sources are run. */
declare const OUTRIGGER_COMMIT: string | undefined;

export const VERSION: string = config.version;

export const COMMIT: string = typeof OUTRIGGER_COMMIT === "string" ? OUTRIGGER_COMMIT : "unknown";
