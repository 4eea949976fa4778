/**
 * Builds the modern engine: config, values and mesh config prepared for any number of pods. Any error fails
 * the whole build. An engine is immutable; to change its sources, build another.
 */
import {
  type InjectionConfig,
  type MeshConfig,
  parseInjectionConfig,
  parseMeshConfig,
  parseValues,
  type ProxyConfigResource,
} from "../config/mod.ts";
import { meshSchema } from "../config/mesh_schema.ts";
import type { FunctionMap } from "../go/value.ts";
import { parseGoBool } from "./_go_bool.ts";
import { behavioursOf, type CompatVersion } from "./compat.ts";
import { injectionFunctions } from "./functions.ts";
import type { InjectionSettings } from "./inject_pod.ts";
import { meshDefaults } from "./mesh_defaults.ts";
import type { Node } from "./native.ts";
import type { StringMap } from "./pod.ts";
import { renderingTemplates } from "./rendering_templates.ts";
import type { StructureGuard } from "./structure_guard.ts";
import { compileTemplates } from "./template_set.ts";
import type { InjectionTrace } from "./trace.ts";

export interface EngineSources {
  /** The injection config. */
  readonly config: string;
  /** The values, as YAML or JSON; "" for none. */
  readonly values: string;
  /** The mesh config; "" for the defaults. */
  readonly mesh: string;
}

export interface EngineOptions {
  /** sprig's functions, which need a host. */
  readonly sprig: FunctionMap;
  readonly revision?: string;
  readonly compat?: CompatVersion;
  /** Process settings, by istiod's variable names. */
  readonly env?: (name: string) => string | undefined;
  readonly warn?: (message: string) => void;
  /** The response to pods that would change a template's structure. Default `deny`. */
  readonly structureGuard?: StructureGuard;
  /** Receives all internal steps, one pod after the other. */
  readonly trace?: InjectionTrace;
  /**
   * Reuses intermediate results between pods. Disabling it gives the same results more slowly, for tests
   * and tracing. Default true.
   */
  readonly caches?: boolean;
}

/** The state of the cluster at the time of a request. */
export interface ClusterFacts {
  /** Undefined if there is no cluster to query. */
  readonly nodes?: readonly Node[];
  /** Returns a namespace's annotations, for OpenShift's ranges. */
  readonly namespaceAnnotations?: (namespace: string) => StringMap | undefined;
  readonly proxyConfigs?: readonly ProxyConfigResource[];
}

export interface Engine extends InjectionSettings {
  /** Whether results may be reused between pods. */
  readonly caches: boolean;
  /** Runs a function and collects the messages it logs, which are still logged. */
  overhear<T>(told: string[], run: () => T): T;
  readonly config: InjectionConfig;
  readonly meshConfig: MeshConfig;
  readonly isOpenShift: boolean;
  /** The value of `ENABLE_NATIVE_SIDECARS`. */
  readonly nativeSetting: string | undefined;
}

/** Builds an engine. Throws a ConfigError or TemplateError that names the bad source. */
export function createEngine(sources: EngineSources, options: EngineOptions): Engine {
  const { env = () => undefined, compat = "today", structureGuard = "deny", trace } = options;
  const caches = options.caches !== false && trace === undefined;
  let listener: string[] | undefined;
  const warn = (message: string) => {
    listener?.push(message);
    options.warn?.(message);
  };
  const config = parseInjectionConfig(sources.config);
  for (const warning of config.warnings) warn(warning);
  const behaviours = behavioursOf(compat);
  const minor = compat === "today" ? undefined : compat;
  const schema = meshSchema(minor);
  const defaults = meshDefaults(behaviours);
  const proxyDefaults = defaults.defaultConfig;
  const functions = { env, warn, minor, proxyDefaults };
  return {
    config,
    templates: behaviours.renderFunction
      ? renderingTemplates(config.templates, { sprig: options.sprig, functions, trace })
      : compileTemplates(config.templates, {
        functions: { ...options.sprig, ...injectionFunctions(functions) },
        trace,
        // A shape learned from a pod that only caused a warning would let the next pod pass without one.
        caches: caches && structureGuard !== "warn",
      }),
    values: parseValues(sources.values),
    meshConfig: parseMeshConfig(sources.mesh, defaults, { schema }),
    meshSchema: schema,
    revision: options.revision ?? "",
    compliancePolicy: env("COMPLIANCE_POLICY") ?? "",
    behaviours,
    minor,
    tcpProbes: !behaviours.probesTcpSwitch ||
      parseGoBool(env("REWRITE_TCP_PROBES") ?? "") !== false,
    structureGuard,
    warn,
    ...(trace ? { trace } : {}),
    caches,
    overhear(told, run) {
      listener = told;
      try {
        return run();
      } finally {
        listener = undefined;
      }
    },
    isOpenShift: env("PLATFORM") === "openshift",
    nativeSetting: env("ENABLE_NATIVE_SIDECARS"),
  };
}
