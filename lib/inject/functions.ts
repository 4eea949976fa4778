/**
 * Implements the functions that Istio adds to its injection templates, with the argument types and quirks
 * of the original: today's set, and those of older versions.
 *
 * Pure: the environment is passed in as a lookup, and warnings go to a callback.
 */
import {
  DEFAULT_PROXY_CONFIG,
  MESH_SCHEMA,
  type MeshMessage,
  meshSchema,
} from "../config/mesh_schema.ts";
import { encodeProtoJson, type MessageJson } from "../config/proto_json.ts";
import { setKey } from "../data/map.ts";
import { parseYaml, stringifyYaml } from "../yaml/mod.ts";
import { sprint, sprintf } from "../go/fmt.ts";
import { decodeJson, encodeJson } from "../go/json.ts";
import { trimSpace } from "../go/strings.ts";
import { formatDuration } from "../go/time.ts";
import {
  FunctionError,
  type FunctionMap,
  type GoFunction,
  goFunction,
  isPlainMap,
  stringMap,
  Typed,
} from "../go/value.ts";
import { appendMultusNetwork } from "./_multus.ts";
import { otelResourceAttributes } from "./_otel.ts";
import {
  CONTAINERS,
  durationNanoseconds,
  messagePointer,
  OBJECT_META,
  PROTO_DURATION,
  PROTO_MESSAGE,
  protoValue,
} from "./go_types.ts";

export interface InjectionFunctionsOptions {
  /** Looks up environment variables for templates. */
  readonly env?: (name: string) => string | undefined;
  /** Receives what the original logs as a warning. */
  readonly warn?: (message: string) => void;
  /**
   * Selects the functions of Istio 1.`minor` (0 for 0.8); defaults to today's. Up to 1.8 there are no
   * others; later ones are added to sprig's.
   */
  readonly minor?: number;
  /** Renders a template with the caller's data, for the old function `render`. */
  readonly render?: (source: string) => string;
  /** ProxyConfig defaults that protoToJSON omits, as canonical JSON. */
  readonly proxyDefaults?: MessageJson;
}

type Strings = Readonly<Record<string, string>> | null;
type Containers = readonly Readonly<Record<string, unknown>>[] | null;

/** The first and last minor version with each function; functions not listed exist in all. */
const VERSIONS: Readonly<Record<string, readonly [from: number, until?: number]>> = {
  contains: [2],
  render: [2, 13],
  toLower: [4],
  structToJSON: [4],
  protoToJSON: [4],
  env: [6],
  appendMultusNetwork: [8],
  // Replaced by sprig's toJson, which accepts any value.
  toJson: [0, 18],
  omit: [18],
  strdict: [18],
  toJsonMap: [18],
  excludeInterfaces: [15],
  mergeMaps: [21],
  omitNil: [28],
  otelResourceAttributes: [30],
};

/** Greater than every minor version. */
const TODAY = Infinity;

/**
 * Returns the functions for a template, to be added to sprig's (without sprig's up to Istio 1.8).
 *
 * @example
 * ```ts
 * compileTemplate("{{ toLower `POD` }}", { name: "inject", functions: injectionFunctions() });
 * ```
 */
export function injectionFunctions(options: InjectionFunctionsOptions = {}): FunctionMap {
  const minor = options.minor ?? TODAY;
  const functions: Record<string, GoFunction> = {};
  for (const [name, fn] of Object.entries(allFunctions(options, minor))) {
    const [from, until = TODAY] = VERSIONS[name] ?? [0];
    if (minor >= from && minor <= until) functions[name] = fn;
  }
  return functions;
}

function allFunctions(options: InjectionFunctionsOptions, minor: number): FunctionMap {
  const { env = () => undefined, warn = () => {} } = options;
  const texts = new WeakMap<object, string>();
  const toJSON = goFunction(
    "map[string]string",
    (map: Strings) => map === null ? "{}" : printedJson(encodeJson(stringMap(map))),
  );
  // Up to 1.2, ports of protocols other than TCP were included.
  const ports = (containers: Containers) => portsOf(containers, minor < 4);
  return {
    formatDuration: goFunction(
      "duration",
      (duration: unknown) => formatDuration(durationNanoseconds(duration)),
      { duration: PROTO_DURATION },
    ),
    isset: goFunction(
      "map[string]string, string",
      (map: Strings, key: string) => map !== null && Object.hasOwn(map, key),
    ),
    excludeInboundPort: goFunction("any, string", excludeInboundPort),
    includeInboundPorts: goFunction("containers", ports, { containers: CONTAINERS }),
    applicationPorts: goFunction(
      "containers",
      (containers: Containers) =>
        ports(containers?.filter(({ name }) => name !== "istio-proxy") ?? null),
      { containers: CONTAINERS },
    ),
    kubevirtInterfaces: goFunction("string", (text: string) => text),
    excludeInterfaces: goFunction("string", (text: string) => text),
    annotation: goFunction("meta, string, any", annotation, { meta: OBJECT_META }),
    valueOrDefault: goFunction(
      minor < 2 ? "string, string" : "any, any",
      (value: unknown, other: unknown) => value === "" || value === null ? other : value,
    ),
    toJSON,
    toJson: toJSON,
    fromJSON: goFunction("string", (text: string) => fromJson(text, warn)),
    structToJSON: goFunction("any", (value: unknown) => structToJson(value, warn)),
    protoToJSON: goFunction(
      "proto",
      (value: Typed | null) => protoToJson(value, options, texts),
      { proto: PROTO_MESSAGE },
    ),
    toYaml: goFunction("any", (value: unknown) => toYaml(value, warn)),
    indent: goFunction("int, string", indent),
    directory: goFunction("string", (path: string) => path.slice(0, path.lastIndexOf("/") + 1)),
    contains: goFunction("string, string", (part: string, text: string) => text.includes(part)),
    toLower: goFunction("string", toLower),
    appendMultusNetwork: goFunction(
      "string, string",
      (current: string, network: string) => appendMultusNetwork(current, network, { minor, warn }),
    ),
    env: goFunction("string, string", (name: string, other: string) => env(name) || other),
    omit: goFunction("map[string]string, ...string", omit),
    strdict: goFunction("...string", strdict),
    toJsonMap: goFunction(
      "...map[string]string",
      (...maps: Strings[]) => printedJson(encodeJson(mergeMaps(...maps))),
    ),
    mergeMaps: goFunction("...map[string]string", mergeMaps),
    omitNil: goFunction("any", omitNil),
    otelResourceAttributes: goFunction(
      "mesh, map[string]string, map[string]string, string, containers",
      otelResourceAttributes,
      { mesh: messagePointer(meshSchema(minor).meshConfig), containers: CONTAINERS },
    ),
    render: goFunction("string", (source: string) => {
      try {
        return options.render?.(source) ?? "";
      } catch (error) {
        warn(`Unable to render ${source}: ${error instanceof Error ? error.message : error}`);
        return "";
      }
    }),
  };
}

/** Adds a port to a list. As in the original, items are compared before they are trimmed. */
function excludeInboundPort(port: unknown, list: string): string {
  const added = trimSpace(typeof port === "string" ? port : sprint([port]));
  if (added === "" || added === "0") return list;
  const items = list.split(",");
  if (items.includes(added)) return list;
  return [...items.map(trimSpace).filter((item) => item !== ""), added].join(",");
}

function portsOf(containers: Containers, all: boolean): string {
  const ports: unknown[] = [];
  for (const container of containers ?? []) {
    const list = Object.hasOwn(container, "ports") ? container.ports : undefined;
    for (const { containerPort = 0, protocol } of (list ?? []) as Record<string, unknown>[]) {
      if (all || (protocol !== "UDP" && protocol !== "SCTP")) ports.push(containerPort);
    }
  }
  return ports.join(",");
}

function annotation(
  meta: Readonly<Record<string, unknown>>,
  name: string,
  other: unknown,
): string {
  const annotations = (Object.hasOwn(meta, "annotations") ? meta.annotations : null) as Strings;
  if (annotations && Object.hasOwn(annotations, name)) return annotations[name];
  return typeof other === "string" ? other : sprint([other]);
}

function fromJson(text: string, warn: (message: string) => void): unknown {
  try {
    return decodeJson(text);
  } catch (error) {
    if (!(error instanceof FunctionError)) throw error;
    warn(`Unable to unmarshal ${text}`);
    return "{}";
  }
}

function structToJson(value: unknown, warn: (message: string) => void): string {
  if (value === null) return "{}";
  // No escaping needed: Istio and the API server both reject port names with control characters.
  return marshal(value, warn) ?? "{}";
}

/**
 * Escapes characters that YAML reads as line breaks or rejects, so that a JSON text stays on one line.
 * Istio prints most of them raw; the decoded value is the same.
 */
function printedJson(json: string): string {
  return json.replace(
    UNPRINTED,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** DEL and C1 controls including U+0085, and the line separators. */
const UNPRINTED = /[\x7f-\x9f\u2028\u2029]/g;

/** Returns the JSON of a value; warns and returns undefined if it has none. */
function marshal(value: unknown, warn: (message: string) => void): string | undefined {
  try {
    return encodeJson(value);
  } catch (error) {
    if (!(error instanceof FunctionError)) throw error;
    warn(`Unable to marshal value: ${error.message}`);
    return undefined;
  }
}

/** Matches numbers that JSON.parse would round. */
const LONG_NUMBER = /\d{16}/;

function toYaml(value: unknown, warn: (message: string) => void): string {
  const json = marshal(value, warn);
  if (json === undefined) return "";
  // JSON is YAML, and the YAML reader keeps long integers exact.
  const plain = LONG_NUMBER.test(json) ? parseYaml(json, { bigints: true }) : JSON.parse(json);
  return stringifyYaml(plain);
}

/** Formats a message as JSON. Caches the text, since nearly all pods share one ProxyConfig. */
function protoToJson(
  value: Typed | null,
  options: InjectionFunctionsOptions,
  texts: WeakMap<object, string>,
): string {
  const found = value === null ? undefined : protoValue(value);
  if (found === undefined) {
    options.warn?.("Unable to marshal a nil message");
    return "{}";
  }
  const { message } = found;
  if (message === undefined) return printedJson(encodeJson(found.json));
  const json = found.json as MessageJson;
  let text = texts.get(json);
  if (text === undefined) {
    const { minor = TODAY, proxyDefaults = DEFAULT_PROXY_CONFIG } = options;
    const strips = minor >= 6 && isProxyConfig(message);
    const shown = strips ? withoutDefaults(json, proxyDefaults) : json;
    text = printedJson(encodeProtoJson(message, shown));
    texts.set(json, text);
  }
  return text;
}

function isProxyConfig(message: MeshMessage): boolean {
  return message.name === MESH_SCHEMA.proxyConfig.name;
}

/** The fields that are compared with the defaults. */
const STRIPPED: ReadonlySet<string> = new Set([
  "configPath",
  "binaryPath",
  "controlPlaneAuthPolicy",
  "serviceCluster",
  "drainDuration",
  "parentShutdownDuration",
  "terminationDrainDuration",
  "discoveryAddress",
  "envoyMetricsService",
  "envoyAccessLogService",
  "tracing",
  "proxyAdminPort",
  "statNameLength",
  "statusPort",
  "concurrency",
]);

function withoutDefaults(json: MessageJson, defaults: MessageJson): MessageJson {
  const out: Record<string, unknown> = {};
  for (const key of Object.keys(json)) {
    const value = json[key];
    if (STRIPPED.has(key) && Object.hasOwn(defaults, key) && sameJson(value, defaults[key])) {
      continue;
    }
    if (key === "proxyMetadata" && Object.keys(value as object).length === 0) continue;
    out[key] = value;
  }
  return out;
}

/** Reports whether canonical JSON is equal; keys are in declaration order, so comparing text is enough. */
function sameJson(a: unknown, b: unknown): boolean {
  return a === b || (typeof a === "object" && JSON.stringify(a) === JSON.stringify(b));
}

/** Indents every line except the first, including blank lines. */
function indent(spaces: number, text: string): string {
  const lines = text.split("\n");
  if (lines.length === 1) return text;
  // The original pads with fmt's width, which may be negative and is limited.
  const width = Math.abs(spaces);
  if (width > MAX_WIDTH) {
    return [lines[0], ...lines.slice(1).map((line) => sprintf(`%${spaces}s%s`, ["", line]))].join(
      "\n",
    );
  }
  if (width * lines.length > MAX_INDENT) {
    throw new FunctionError(`indentation exceeds ${MAX_INDENT} characters`);
  }
  return lines.join("\n" + " ".repeat(width));
}

/** The widest field of Go's fmt. */
const MAX_WIDTH = 1_000_000;
/** Limits the padding to 16 Mi characters, which no pod needs. */
const MAX_INDENT = 16 * 1024 * 1024;

/** Lower-cases like Go: rune by rune, without a final sigma, one rune for each. */
function toLower(text: string): string {
  // deno-lint-ignore no-control-regex -- every ASCII character, controls included
  if (/^[\x00-\x7f]*$/.test(text)) return text.toLowerCase();
  let out = "";
  for (const char of text) {
    out += /\p{Cs}/u.test(char)
      ? "\ufffd"
      : String.fromCodePoint(char.toLowerCase().codePointAt(0)!);
  }
  return out;
}

/** Copies entries, including keys such as `__proto__`. */
function copyInto(target: Record<string, string>, source: Strings) {
  for (const key of Object.keys(source ?? {})) setKey(target, key, source![key]);
}

function omit(map: Strings, ...keys: string[]): Typed {
  const out: Record<string, string> = {};
  copyInto(out, map);
  for (const key of keys) delete out[key];
  return stringMap(out);
}

function strdict(...pairs: string[]): Typed {
  const out: Record<string, string> = {};
  for (let i = 0; i < pairs.length; i += 2) setKey(out, pairs[i], pairs[i + 1] ?? "");
  return stringMap(out);
}

function mergeMaps(...maps: Strings[]): Typed {
  if (maps.length === 0) return stringMap(null);
  const out: Record<string, string> = {};
  for (const map of maps) copyInto(out, map);
  return stringMap(out);
}

/** Removes nils at any depth. A container that becomes empty is removed too; one that was empty stays. */
function omitNil(value: unknown): unknown {
  if (Array.isArray(value)) {
    const out = value.map(omitNil).filter((item) => item !== null);
    return out.length === 0 && value.length > 0 ? null : out;
  }
  if (!isPlainMap(value)) return value;
  const entries = Object.entries(value);
  const out: Record<string, unknown> = {};
  let kept = 0;
  for (const [key, item] of entries) {
    const inner = omitNil(item);
    if (inner === null) continue;
    kept++;
    setKey(out as Record<string, string>, key, inner as string);
  }
  return kept === 0 && entries.length > 0 ? null : out;
}
