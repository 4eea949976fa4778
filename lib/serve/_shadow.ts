/**
 * The shadow configuration of `serve`: files that replace some of the served texts. It is reloaded when the
 * files change, and rebuilt when the files or the served texts change. Its errors are logged and do not
 * affect serving.
 */

import type { ReviewInjector } from "../admission/mod.ts";
import { type ConfigReload, type ConfigTexts, fileSource, openConfig } from "../config/reload.ts";
import type { Clock, Host } from "../host/mod.ts";
import type { EngineSources } from "../inject/mod.ts";
import type { Logger } from "../server/mod.ts";
import type { ServeSettings } from "./_settings.ts";

/** An injector for reviews, and the version of its configuration. */
export interface ShadowInjector extends ReviewInjector {
  readonly version: string;
}

export interface ShadowContext {
  readonly settings: Pick<ServeSettings, "shadowConfig" | "shadowValues" | "shadowMesh">;
  readonly host: Host;
  readonly clock: Clock;
  readonly log: Logger;
  readonly build: (sources: EngineSources) => ShadowInjector;
}

export interface ShadowConfig {
  /** Returns the shadow of the injector with these texts; `undefined` if it cannot be built. */
  injector(main: EngineSources): ShadowInjector | undefined;
  close(): void;
}

/** How often to retry while the files are missing or invalid. */
const RETRY_MS = 30_000;

/** Opens the shadow configuration in the background. Never throws. */
export function openShadow({ settings, host, clock, log, build }: ShadowContext): ShadowConfig {
  const { shadowConfig: config, shadowValues: values, shadowMesh: mesh } = settings;
  const given = { config, values, mesh };
  const files = Object.fromEntries(Object.entries(given).filter(([, path]) => path !== undefined));
  let reload: ConfigReload<ConfigTexts> | undefined;
  /** The last injector and the texts it was built from. */
  let built: { main: EngineSources; own: ConfigTexts; injector?: ShadowInjector } | undefined;
  let isClosed = false;
  let cancel = () => {};
  let lastFailure = "";

  const refuse = (error: unknown) => {
    const message = error instanceof Error ? error.message : String(error);
    if (message !== lastFailure) log.error("shadow configuration rejected", { error: message });
    lastFailure = message;
  };
  const open = async () => {
    try {
      const opened = await openConfig<ConfigTexts>({
        sources: [fileSource(files, { host, clock })],
        build: (texts) => texts,
        version: () => "",
        clock,
        onChange: () => {},
        onFailure: refuse,
      });
      if (isClosed) opened.close();
      else reload = opened;
    } catch (error) {
      refuse(error);
      if (!isClosed) cancel = clock.after(RETRY_MS, () => void open());
    }
  };
  void open();

  return {
    injector(main) {
      if (reload === undefined) return undefined;
      const own = reload.current().value;
      if (built?.main === main && built.own === own) return built.injector;
      const texts = Object.entries(own).filter(([name]) => Object.hasOwn(files, name));
      const sources: EngineSources = { ...main, ...Object.fromEntries(texts) };
      built = { main, own };
      try {
        const injector = build(sources);
        built = { main, own, injector };
        lastFailure = "";
        log.info("shadow configuration loaded", { version: injector.version });
      } catch (error) {
        refuse(error);
      }
      return built.injector;
    },
    close() {
      isClosed = true;
      cancel();
      reload?.close();
    },
  };
}
