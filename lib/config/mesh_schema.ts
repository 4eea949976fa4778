/**
 * Describes the messages of Istio's mesh config as linked descriptors: Go and JSON names, types and oneofs,
 * in declaration order. proto_json.ts reads and writes JSON by them; Go templates see them as structs.
 *
 * There are schemas for today's Istio and for older versions, which had fields since removed. The only
 * values here are the code's own defaults of ProxyConfig.
 */
import { ENUM_TABLE, MESSAGE_TABLE } from "./_mesh_table.ts";

export interface MeshEnum {
  /** For example `istio.mesh.v1alpha1.ProxyConfig.InboundInterceptionMode`. */
  readonly name: string;
  /** For example `v1alpha1.ProxyConfig_InboundInterceptionMode`. */
  readonly goName: string;
  readonly numbers: ReadonlyMap<string, number>;
  readonly names: ReadonlyMap<number, string>;
}

export type WrapperKind = "bool" | "int32" | "uint32" | "int64";

export type MeshType =
  | { readonly kind: "string" | "bool" | "int32" | "uint32" | "double" }
  | { readonly kind: "duration" | "struct" }
  /** A wrapper message of google.protobuf, which tells zero from absent. */
  | { readonly kind: "wrapper"; readonly of: WrapperKind }
  | { readonly kind: "enum"; readonly enum: MeshEnum }
  | { readonly kind: "message"; readonly message: MeshMessage }
  | { readonly kind: "list" | "map"; readonly elem: MeshType };

export interface MeshField {
  readonly json: string;
  /** The proto file's name, such as `config_path`; JSON may use it too. */
  readonly proto: string;
  readonly go: string;
  /** The Go name of the field's oneof. */
  readonly oneof?: string;
  readonly type: MeshType;
}

export interface MeshMessage {
  /** For example `istio.mesh.v1alpha1.ProxyConfig`. */
  readonly name: string;
  /** For example `v1alpha1.ProxyConfig`. */
  readonly goName: string;
  /** Set up to 1.8, whose protobuf library told empty lists from absent ones and marshalled differently. */
  readonly legacy: boolean;
  readonly fields: readonly MeshField[];
}

export interface MeshSchema {
  readonly meshConfig: MeshMessage;
  readonly proxyConfig: MeshMessage;
  /** Messages by their proto name. */
  readonly messages: ReadonlyMap<string, MeshMessage>;
}

/** Proto names that are not the snake_case form of the JSON name. */
const PROTO_NAMES: Readonly<Record<string, string>> = {
  consecutive5xxErrors: "consecutive_5xx_errors",
  enable64bitTraceId: "enable_64bit_trace_id",
  matchExpressions: "matchExpressions",
  matchLabels: "matchLabels",
  meshMTLS: "mesh_mTLS",
};

/**
 * Fields of Istio 1.1 to 1.7 that no longer exist: the message, the field they follow ("" for the start),
 * and the fields. Their positions are those of the old proto files, so that JSON keeps its order.
 */
const LEGACY_FIELDS: readonly (readonly [message: string, after: string, fields: string])[] = [
  [
    "mesh.MeshConfig",
    "",
    "mixerCheckServer:s mixerReportServer:s disablePolicyChecks:b disableMixerHttpReports:b" +
    " policyCheckFailOpen:b sidecarToTelemetrySessionAffinity:b",
  ],
  [
    "mesh.MeshConfig",
    "ingressSelector",
    "authPolicy:%mesh.MeshConfig.AuthPolicy rdsRefreshDelay:dur",
  ],
  ["mesh.MeshConfig", "defaultConfig", "mtlsExcludedServices:[]s mixerAddress:s"],
  [
    "mesh.MeshConfig",
    "inboundTrafficPolicy",
    "enableClientSidePolicyCheck:b sdsUdsPath:s sdsRefreshDelay:dur",
  ],
  ["mesh.MeshConfig", "enableAutoMtls", "enableSdsTokenMount:b sdsUseK8sSaJwt:b"],
  [
    "mesh.MeshConfig",
    "dnsRefreshRate",
    "disableReportBatch:b reportBatchMaxEntries:u32 reportBatchMaxTime:dur",
  ],
  ["mesh.MeshConfig", "certificates", "thriftConfig:mesh.MeshConfig.ThriftConfig"],
  ["mesh.ProxyConfig", "drainDuration", "parentShutdownDuration:dur"],
  ["mesh.ProxyConfig", "zipkinAddress", "connectTimeout:dur"],
  ["mesh.Tracing.Lightstep", "accessToken", "secure:b cacertPath:s"],
];

/** Fields by the minor version, from 1.10 on, that introduced them. Older versions ignore them. */
const SINCE: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  "mesh.PrivateKeyProvider": { qat: 17 },
  "mesh.PrivateKeyProvider.CryptoMb": { fallback: 21 },
  "mesh.PrivateKeyProvider.QAT": { fallback: 21 },
  "mesh.ProxyConfig": {
    image: 12,
    tracingServiceName: 13,
    privateKeyProvider: 14,
    runtimeValues: 14,
    proxyHeaders: 19,
    fileFlushInterval: 29,
    fileFlushMinSizeKb: 29,
    statsCompression: 29,
    connectionSettings: 31,
  },
  "mesh.ProxyConfig.ProxyHeaders": {
    setCurrentClientCertDetails: 24,
    preserveHttp1HeaderCase: 25,
    xForwardedHost: 28,
    xForwardedPort: 28,
  },
  "mesh.Topology": { proxyProtocol: 19 },
  "mesh.Tracing": { enableIstioTags: 25 },
  "net.ReadinessProbe": { grpc: 25 },
};

/** Enum values by the minor version that introduced them. */
const VALUES_SINCE: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  "mesh.ProxyConfig.InboundInterceptionMode": { NONE: 14 },
};

/** The newest minor version in {@link SINCE}. */
const NEWEST = Math.max(...Object.values(SINCE).flatMap((fields) => Object.values(fields)));

const LEGACY_MESSAGES = "mesh.MeshConfig.ThriftConfig rateLimitUrl:s rateLimitTimeout:dur";
const LEGACY_ENUMS = "mesh.MeshConfig.AuthPolicy NONE=0 MUTUAL_TLS=1";

const PACKAGES: Readonly<Record<string, string>> = {
  mesh: "istio.mesh.v1alpha1",
  net: "istio.networking.v1alpha3",
  beta: "istio.networking.v1beta1",
};

/**
 * Splits a table into entries, each an array of words. Entries start in the first column; continuation
 * lines are indented.
 */
function entries(table: string): string[][] {
  return table.trim().replaceAll("\n ", " ").split("\n").map((line) => line.split(" "));
}

/** Expands `mesh.ProxyConfig.TracingServiceName` to its proto and Go names. */
function names(short: string): { name: string; goName: string } {
  const [prefix, ...path] = short.split(".");
  const pkg = PACKAGES[prefix];
  const version = pkg.slice(pkg.lastIndexOf(".") + 1);
  return { name: `${pkg}.${path.join(".")}`, goName: `${version}.${path.join("_")}` };
}

function readEnums(table: string): Map<string, MeshEnum> {
  return new Map(
    entries(table).map(([short, ...words]) => {
      const values = words.map((word): [string, number] => {
        const [name, number] = word.split("=");
        return [name, Number(number)];
      });
      const numbers = new Map(values);
      const byNumber = new Map(values.map(([name, number]) => [number, name]));
      return [short, { ...names(short), numbers, names: byNumber }];
    }),
  );
}

function without(from: MeshEnum, isNew: (value: string) => boolean): MeshEnum {
  const values = [...from.numbers].filter(([name]) => !isNew(name));
  const names = new Map(values.map(([name, number]) => [number, name]));
  return { ...from, numbers: new Map(values), names };
}

const SIMPLE: ReadonlyMap<string, MeshType> = new Map<string, MeshType>([
  ["s", { kind: "string" }],
  ["b", { kind: "bool" }],
  ["i32", { kind: "int32" }],
  ["u32", { kind: "uint32" }],
  ["f64", { kind: "double" }],
  ["dur", { kind: "duration" }],
  ["struct", { kind: "struct" }],
  ["b?", { kind: "wrapper", of: "bool" }],
  ["i32?", { kind: "wrapper", of: "int32" }],
  ["u32?", { kind: "wrapper", of: "uint32" }],
  ["i64?", { kind: "wrapper", of: "int64" }],
]);

function readSchema(
  rows: ReadonlyMap<string, readonly string[]>,
  enums: ReadonlyMap<string, MeshEnum>,
  legacy: boolean,
): MeshSchema {
  const done = new Map<string, MeshMessage>();

  function resolve(text: string): MeshType {
    const simple = SIMPLE.get(text);
    if (simple !== undefined) return simple;
    if (text.startsWith("[]")) return { kind: "list", elem: resolve(text.slice(2)) };
    if (text.startsWith("{}")) return { kind: "map", elem: resolve(text.slice(2)) };
    if (text.startsWith("%")) return { kind: "enum", enum: enums.get(text.slice(1))! };
    return { kind: "message", message: message(text) };
  }

  function message(short: string): MeshMessage {
    const known = done.get(short);
    if (known !== undefined) return known;
    const row = rows.get(short);
    if (row === undefined) throw new Error(`Cannot read the mesh table: no message "${short}"`);
    const fields: MeshField[] = [];
    const made: MeshMessage = { ...names(short), legacy, fields };
    done.set(short, made);
    for (const word of row) fields.push(readField(word, resolve));
    return made;
  }

  for (const short of rows.keys()) message(short);
  return {
    meshConfig: done.get("mesh.MeshConfig")!,
    proxyConfig: done.get("mesh.ProxyConfig")!,
    messages: new Map([...done.values()].map((message) => [message.name, message])),
  };
}

function readField(word: string, resolve: (text: string) => MeshType): MeshField {
  const [json, rest] = word.split(":");
  const [type, oneof] = rest.split("|");
  return {
    json,
    proto: PROTO_NAMES[json] ?? json.replace(/[A-Z]/g, (letter) => "_" + letter.toLowerCase()),
    go: json[0].toUpperCase() + json.slice(1),
    oneof,
    type: resolve(type),
  };
}

function readRows(table: string): Map<string, string[]> {
  return new Map(entries(table).map(([name, ...fields]) => [name, fields]));
}

/** The messages of the current Istio version. */
export const MESH_SCHEMA: MeshSchema = readSchema(
  readRows(MESSAGE_TABLE),
  readEnums(ENUM_TABLE),
  false,
);

const schemas = new Map<string, MeshSchema>();

/**
 * Returns the messages of Istio 1.`minor` (0 for 0.8), by default today's. Versions up to 1.8 have today's
 * fields and the removed ones; later versions have the fields of their time. `concurrency` was a plain
 * number until 1.6, so that templates could say `gt .ProxyConfig.Concurrency 0`; `parentShutdownDuration`
 * was removed in 1.17.
 */
export function meshSchema(minor = Infinity): MeshSchema {
  if (minor >= NEWEST) return MESH_SCHEMA;
  const era = minor < 7 ? "number" : minor < 9 ? "wrapper" : String(minor);
  let schema = schemas.get(era);
  if (schema !== undefined) return schema;
  const legacy = minor < 9;
  const rows = new Map([...readRows(MESSAGE_TABLE), ...readRows(LEGACY_MESSAGES)]);
  for (const [message, since] of legacy ? [] : Object.entries(SINCE)) {
    const isNew = (word: string) => (since[word.split(":")[0]] ?? 0) > minor;
    rows.set(message, rows.get(message)!.filter((word) => !isNew(word)));
  }
  for (const [message, after, fields] of LEGACY_FIELDS) {
    if (!legacy && (after !== "drainDuration" || minor >= 17)) continue;
    const row = rows.get(message)!;
    const at = row.findIndex((word) => word.startsWith(`${after}:`)) + 1;
    rows.set(message, [...row.slice(0, at), ...fields.split(" "), ...row.slice(at)]);
  }
  if (legacy) rows.set("mesh.ProxyConfig", legacyProxyConfig(rows.get("mesh.ProxyConfig")!, era));
  const enums = new Map([...readEnums(ENUM_TABLE), ...readEnums(LEGACY_ENUMS)]);
  for (const [name, since] of legacy ? [] : Object.entries(VALUES_SINCE)) {
    enums.set(name, without(enums.get(name)!, (value) => (since[value] ?? 0) > minor));
  }
  schema = readSchema(rows, enums, legacy);
  schemas.set(era, schema);
  return schema;
}

/**
 * Returns the fields from before `serviceCluster` joined a oneof and, in older eras, before `concurrency`
 * became a wrapper.
 */
function legacyProxyConfig(row: readonly string[], era: string): string[] {
  return row.filter((word) => !word.startsWith("tracingServiceName:")).map((word) => {
    if (word.startsWith("serviceCluster:")) return "serviceCluster:s";
    return era === "number" && word.startsWith("concurrency:") ? "concurrency:i32" : word;
  });
}

/** The built-in defaults of Istio's ProxyConfig, as canonical JSON. */
export const DEFAULT_PROXY_CONFIG: Readonly<Record<string, unknown>> = Object.freeze({
  configPath: "./etc/istio/proxy",
  binaryPath: "/usr/local/bin/envoy",
  serviceCluster: "istio-proxy",
  drainDuration: "45s",
  discoveryAddress: "istiod.istio-system.svc:15012",
  proxyAdminPort: 15000,
  controlPlaneAuthPolicy: "MUTUAL_TLS",
  statNameLength: 189,
  statusPort: 15020,
  terminationDrainDuration: "5s",
});
