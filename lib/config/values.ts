/**
 * Parses the values, the `values` key of the config map `istio-sidecar-injector`. Templates see them
 * untyped; the few that the code itself reads must have the right type.
 */
import { ConfigError } from "./config_error.ts";
import { readYaml } from "./_read_yaml.ts";
import type { MeshField, MeshMessage, MeshType } from "./mesh_schema.ts";
import { decodeProtoJson, ProtoJsonError } from "./proto_json.ts";

/** The values the code reads; absent strings are empty. */
export interface TypedValues {
  readonly hub: string;
  /** The tag as YAML parses it: `1.10` is a number. An absent tag is ""; null stays null. */
  readonly tag: unknown;
  readonly variant: string;
  readonly proxyImage: string;
  readonly proxyInitImage: string;
  readonly clusterName: string;
  readonly network: string;
  readonly holdApplicationUntilProxyStarts: boolean;
  readonly rewriteAppHTTPProbe: boolean;
}

export interface Values {
  /**
   * All values, for templates. Not frozen, unlike every other result of this folder, because a template may
   * `set` a key in it.
   */
  readonly untyped: Record<string, unknown>;
  readonly typed: TypedValues;
}

const TEXT: MeshType = { kind: "string" };
const FLAG: MeshType = { kind: "wrapper", of: "bool" };

/** The part of Istio's schema that is read. Its order is the order of errors. */
const SCHEMA = message("Values", {
  global: nested("GlobalConfig", {
    hub: TEXT,
    multiCluster: nested("MultiClusterConfig", { clusterName: TEXT }),
    network: TEXT,
    proxy: nested("ProxyConfig", { image: TEXT, holdApplicationUntilProxyStarts: FLAG }),
    proxy_init: nested("ProxyInitConfig", { image: TEXT }),
    variant: TEXT,
  }),
  sidecarInjectorWebhook: nested("SidecarInjectorConfig", { rewriteAppHTTPProbe: FLAG }),
});

interface Shape {
  readonly global?: {
    readonly hub?: string;
    readonly multiCluster?: { readonly clusterName?: string };
    readonly network?: string;
    readonly proxy?: {
      readonly image?: string;
      readonly holdApplicationUntilProxyStarts?: boolean;
    };
    readonly proxy_init?: { readonly image?: string };
    readonly variant?: string;
  };
  readonly sidecarInjectorWebhook?: { readonly rewriteAppHTTPProbe?: boolean };
}

/**
 * Parses values as YAML or JSON; an empty text has no values. Throws a {@link ConfigError}.
 *
 * @example
 * ```ts
 * parseValues('{"global": {"hub": "docker.io/istio", "tag": 1.10}}').typed.tag; // 1.1
 * ```
 */
export function parseValues(text: string): Values {
  const value = readYaml(text, { what: "values", original: failed }) ?? {};
  let read: Shape;
  try {
    read = decodeProtoJson(SCHEMA, value);
  } catch (error) {
    if (!(error instanceof ProtoJsonError)) throw error;
    throw new ConfigError("bad_type", `Cannot read values: ${error.message}`, {
      original: failed(error.message),
      cause: error,
    });
  }
  const { global = {}, sidecarInjectorWebhook = {} } = read;
  return Object.freeze({
    untyped: value as Record<string, unknown>,
    typed: Object.freeze({
      hub: global.hub ?? "",
      tag: tagOf(value),
      variant: global.variant ?? "",
      proxyImage: global.proxy?.image ?? "",
      proxyInitImage: global.proxy_init?.image ?? "",
      clusterName: global.multiCluster?.clusterName ?? "",
      network: global.network ?? "",
      holdApplicationUntilProxyStarts: global.proxy?.holdApplicationUntilProxyStarts ?? false,
      rewriteAppHTTPProbe: sidecarInjectorWebhook.rewriteAppHTTPProbe ?? false,
    }),
  });
}

function failed(reason: string): string {
  return `could not parse configuration values: ${reason}`;
}

/** Returns `global.tag`, the one value that may have any type. */
function tagOf(values: object): unknown {
  const global = member(values, "global") ?? {};
  const tag = member(global, "tag");
  return tag === undefined ? "" : tag;
}

function member(object: object, key: string): unknown {
  return Object.hasOwn(object, key) ? (object as Record<string, unknown>)[key] : undefined;
}

function nested(name: string, fields: Readonly<Record<string, MeshType>>): MeshType {
  return { kind: "message", message: message(name, fields) };
}

/** Describes a message of the operator's API, whose fields have the same name in proto files and JSON. */
function message(name: string, fields: Readonly<Record<string, MeshType>>): MeshMessage {
  return {
    name: `istio.operator.v1alpha1.${name}`,
    goName: `apis.${name}`,
    legacy: false,
    fields: Object.entries(fields).map(([json, type]): MeshField => ({
      json,
      proto: json,
      go: json[0].toUpperCase() + json.slice(1),
      type,
    })),
  };
}
