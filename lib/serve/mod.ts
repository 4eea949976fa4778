/**
 * The server process: its settings, the sources of its configuration, its view of the cluster, its
 * certificates and its life cycle. `lib/server` has the listener and the routes.
 */

import type { Host } from "../host/mod.ts";
import type { Build } from "./_run.ts";
import type { ServeSettings } from "./_settings.ts";

export { factRights } from "./_facts.ts";
export { SERVE_FLAGS } from "./_flags.ts";
export {
  flagsInForce,
  PLAYGROUND_PORT,
  readSettings,
  type ServeArgs,
  type ServeSettings,
} from "./_settings.ts";

/** Serves until a signal arrives; throws if the server cannot start. */
export async function runServer(
  settings: ServeSettings,
  options: { readonly host: Host; readonly program: Build },
): Promise<number> {
  // Loaded on demand, so that other commands do not pay for it.
  const { runServer } = await import("./_run.ts");
  return await runServer(settings, options);
}
