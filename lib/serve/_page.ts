/**
 * Serves the playground page next to the webhook. It listens on loopback (in a pod, for `kubectl
 * port-forward`) and never on the port of the webhook. It shows the served configuration only if a flag
 * enables that, since values may contain secrets.
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

/** Opens the page; returns undefined if it is disabled. */
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
    // The default port is taken; use any free one.
    if (isAsked) throw error;
    return await openPage({ ...options, port: 0 });
  }
}
