/** Builds the injectors of a server from its settings and the texts of its configuration. */

import type { ConfigTexts } from "../config/reload.ts";
import { sprigFunctions } from "../go/sprig/mod.ts";
import { createSprigHost, type Host } from "../host/mod.ts";
import { createInjector, type Injector } from "../inject/mod.ts";
import type { Logger } from "../server/mod.ts";
import type { ServeSettings } from "./_settings.ts";

export interface InjectorBuilderOptions {
  readonly settings: ServeSettings;
  readonly host: Host;
  readonly log: Pick<Logger, "warn">;
}

export interface InjectorBuilder {
  /** Builds an injector of the texts that the settings name. */
  read(texts: ConfigTexts): Injector;
  /** Builds an injector of texts that are complete, whatever the settings name. */
  complete(texts: ConfigTexts): Injector;
}

/** Caps the distinct warnings that one configuration logs, and what is remembered of each. */
const MAX_WARNINGS = 1000;
const MAX_WARNING = 2048;

export function injectorBuilder(
  { settings, host, log }: InjectorBuilderOptions,
): InjectorBuilder {
  const env = (name: string) => host.env(name);
  const sprig = sprigFunctions(createSprigHost(host, { env }));
  const { revision, compat, leftDelim, rightDelim, clusterId, stamp, variables } = settings;
  const { acceptYamlReviews, structureGuard } = settings;
  const common = {
    ...{ revision, compat, leftDelim, rightDelim, clusterId, stamp, sprig, env, tried: true },
    ...{ acceptYamlReviews, structureGuard },
    variables: Object.fromEntries(variables),
  };
  const build = (texts: Partial<ConfigTexts>) => {
    // Log each warning once per configuration, not once per pod.
    const told = new Set<string>();
    const warn = (message: string) => {
      const text = message.slice(0, MAX_WARNING);
      if (told.size >= MAX_WARNINGS || told.has(text)) return;
      told.add(text);
      log.warn(text.trim());
    };
    return createInjector(texts, { ...common, warn });
  };
  return {
    read: ({ config, values, mesh }) =>
      build(settings.configSource === "embedded" ? { values, mesh } : { config, values, mesh }),
    complete: build,
  };
}
