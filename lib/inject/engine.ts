/**
 * The engine: config, values and mesh config made ready for any number of pods. Building one fails
 * as a whole, so that whoever has an engine has one that works; a change means building another.
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
  /** Text of the injection config. */
  readonly config: string;
  /** Text of the values, YAML or JSON; "" for none. */
  readonly values: string;
  /** Text of the mesh config; "" for the defaults. */
  readonly mesh: string;
}

export interface EngineOptions {
  /** sprig's functions, which need a host. */
  readonly sprig: FunctionMap;
  readonly revision?: string;
  readonly compat?: CompatVersion;
  /** Settings of the process, by the names istiod reads. */
  readonly env?: (name: string) => string | undefined;
  readonly warn?: (message: string) => void;
  /** What becomes of pods that would change a template's structure. Default `deny`. */
  readonly structureGuard?: StructureGuard;
  /** Is told of all that happens inside, one pod after the other. */
  readonly trace?: InjectionTrace;
  /**
   * Whether what was worked out for one pod serves the next. Without, each pod takes the long way, with
   * the same result: for tests, and for those who watch. On unless set to false.
   */
  readonly caches?: boolean;
}

/** What the cluster looks like at the moment of a request. */
export interface ClusterFacts {
  /** `undefined` where there is no cluster to ask. */
  readonly nodes?: readonly Node[];
  /** Annotations of a namespace, for OpenShift's ranges. */
  readonly namespaceAnnotations?: (namespace: string) => StringMap | undefined;
  readonly proxyConfigs?: readonly ProxyConfigResource[];
}

export interface Engine extends InjectionSettings {
  /** Whether what was worked out for one pod may serve the next. */
  readonly caches: boolean;
  /** Runs something and notes what it tells the log, which hears it as well. */
  overhear<T>(told: string[], run: () => T): T;
  readonly config: InjectionConfig;
  readonly meshConfig: MeshConfig;
  readonly isOpenShift: boolean;
  /** `ENABLE_NATIVE_SIDECARS`. */
  readonly nativeSetting: string | undefined;
}

/** Throws a ConfigError or TemplateError that says what is wrong with which source. */
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
        // A shape that was learnt from a pod that only got a warning would let the next one pass without.
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
