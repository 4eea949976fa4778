/**
 * What the server serves with: an injector of three texts, made ready and tried on a pod. Building one
 * fails as a whole, so that whoever has one has one that works.
 */

import type { ReviewInjector } from "../admission/mod.ts";
import { parseInjectionConfig, parseValues } from "../config/mod.ts";
import type { FunctionMap } from "../go/value.ts";
import { defaultConfig } from "../inject/default_config.ts";
import type { EngineSources } from "../inject/engine.ts";
import { createInjector } from "../inject/injector.ts";
import { CLUSTER_VARIABLE, TEMPLATES } from "../inject/names.ts";
import type { Pod } from "../inject/pod.ts";
import { selectTemplates } from "../inject/render.ts";
import { stamped } from "../compare/stamp.ts";
import { configVersion } from "./config_version.ts";
import type { ServeSettings } from "./_settings.ts";

export interface BuildInjectorOptions {
  readonly settings: Pick<
    ServeSettings,
    | "configSource"
    | "revision"
    | "compat"
    | "variables"
    | "leftDelim"
    | "rightDelim"
    | "acceptYamlReviews"
    | "stamp"
    | "clusterId"
  >;
  readonly sprig: FunctionMap;
  readonly env: (name: string) => string | undefined;
  readonly warn: (message: string) => void;
}

/** What a cluster is called that nobody named. */
const DEFAULT_CLUSTER = "Kubernetes";

export interface ServedInjector extends ReviewInjector {
  /** What it was made of. */
  readonly sources: EngineSources;
}

/** From here on a review had to say what it is. */
const KIND_REQUIRED_SINCE = 7;

/** Throws a ConfigError, a TemplateError, or an InjectionError where the sample pod does not render. */
export function buildInjector(
  texts: EngineSources,
  { settings, sprig, env, warn }: BuildInjectorOptions,
): ServedInjector {
  const { revision, compat, variables, leftDelim, rightDelim } = settings;
  const sources = effectiveSources(texts, settings);
  const injector = createInjector(sources, {
    sprig,
    revision,
    compat,
    leftDelim,
    rightDelim,
    env: (name) => variables.get(name) || env(name),
    warn,
  });
  for (const nodes of SAMPLE_NODES) {
    injector.admit({ object: SAMPLE_POD, namespace: "default", proxyEnv: {} }, { nodes });
  }
  const version = settings.stamp ? configVersion(sources) : undefined;
  const { defaultTemplates: defaults, aliases } = parseInjectionConfig(sources.config);
  const { clusterName } = parseValues(sources.values).typed;
  const own = settings.clusterId ?? (clusterName || DEFAULT_CLUSTER);
  return {
    sources,
    kindRequired: !injector.isLegacy || (compat !== "today" && compat >= KIND_REQUIRED_SINCE),
    acceptsYaml: settings.acceptYamlReviews,
    // Istio's servers of that time answered GET with a body.
    acceptsGet: injector.isLegacy,
    keepsNames: injector.keepsNames,
    warn,
    urlEnv: injector.urlEnv,
    admit(request, cluster) {
      // What is known is known of our own cluster; a URL may speak for another.
      const of = request.proxyEnv[CLUSTER_VARIABLE] || clusterName || own;
      const plain = injector.admit(request, of === own ? cluster : {});
      const admission = version === undefined ? plain : stamped(plain, version);
      if (admission.patch === undefined || injector.isLegacy) return admission;
      const templates = selectTemplates(askedFor(request.object), { defaults, aliases });
      return { ...admission, templates };
    },
  };
}

/** What is injected with: of an embedded config, values and mesh config of files lie over what ships. */
export function effectiveSources(
  texts: EngineSources,
  { configSource }: Pick<ServeSettings, "configSource">,
): EngineSources {
  if (configSource !== "embedded") return texts;
  const shipped = defaultConfig({ values: texts.values });
  return { ...shipped, mesh: texts.mesh || shipped.mesh };
}

/** Just enough of a pod to tell its templates; it has been injected, so it is one. */
function askedFor(object: unknown): Pod {
  const annotation = (object as Pod).metadata?.annotations?.[TEMPLATES];
  const annotations = annotation === undefined ? {} : { [TEMPLATES]: annotation };
  return { metadata: { annotations }, spec: {} } as Pod;
}

/** Sidecars that are native and such that are not. */
const SAMPLE_NODES = [[], [{ name: "old", kubeletVersion: "v1.28.0" }]];

/** A pod that every template should be able to inject. */
const SAMPLE_POD = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name: "outrigger-sample",
    namespace: "default",
    labels: { app: "sample", "sidecar.istio.io/inject": "true" },
    annotations: { "sidecar.istio.io/inject": "true" },
  },
  spec: {
    containers: [{
      name: "app",
      image: "sample",
      ports: [{ containerPort: 8080 }],
      readinessProbe: { httpGet: { path: "/ready", port: 8080 } },
    }],
  },
};
