/**
 * The page beside the server. It listens on this machine (in a pod: for `kubectl port-forward`) and never on
 * the webhook's port; what is served is on it only where that was asked for, since values may hold secrets.
 */

import { compatText, type EngineSources, NATIVE_VARIABLE } from "../inject/mod.ts";
import type { Host } from "../host/mod.ts";
import { type OpenPage, openPage, type OpenPageOptions } from "../playground/serve/open_page.ts";
import type { Logger } from "../server/mod.ts";
import type { ServeSettings } from "./_settings.ts";

export interface ServePlaygroundOptions {
  readonly settings: ServeSettings;
  readonly host: Host;
  readonly log: Logger;
  readonly version: string;
  readonly sources: () => EngineSources;
}

/** `undefined` where there is to be none. */
export async function openServerPage(
  { settings, host, log, version, sources }: ServePlaygroundOptions,
): Promise<OpenPage | undefined> {
  const { port, isAsked, showsConfig } = settings.playground;
  if (port === undefined) return undefined;
  const { revision, compat, variables } = settings;
  const options: OpenPageOptions = {
    address: "127.0.0.1",
    port,
    version,
    randomBytes: (count) => host.randomBytes(count),
    onError: (error) => log.error("page failed", { error: String(error) }),
    ...(showsConfig
      ? {
        served: () => ({
          ...sources(),
          settings: {
            revision,
            compat: compatText(compat),
            nativeSidecars: variables.get(NATIVE_VARIABLE) === "true",
          },
        }),
      }
      : {}),
  };
  try {
    return await openPage(options);
  } catch (error) {
    // Nobody asked for that port by name, so any other is as good.
    if (isAsked) throw error;
    return await openPage({ ...options, port: 0 });
  }
}
