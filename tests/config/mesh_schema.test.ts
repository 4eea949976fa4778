import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import {
  MESH_SCHEMA,
  type MeshField,
  type MeshMessage,
  meshSchema,
} from "../../lib/config/mesh_schema.ts";
import { makeMeshTable } from "./make_mesh_table.ts";
import { SHARED, withShared } from "../_shared.ts";

const GIVEN = `${SHARED}/schema/mesh.json`;
const TABLE = `${import.meta.dirname}/../../lib/config/_mesh_table.ts`;

function field(message: MeshMessage, json: string): MeshField | undefined {
  return message.fields.find((field) => field.json === json);
}

function names(message: MeshMessage): string[] {
  return message.fields.map(({ json }) => json);
}

withShared("schema/mesh.json", "_mesh_table.ts and the schema file", () => {
  test("_mesh_table.ts matches the generator's output", () => {
    const given = JSON.parse(readFileSync(GIVEN, "utf8"));
    expect(makeMeshTable(given)).toBe(readFileSync(TABLE, "utf8"));
  });
});

describe("MESH_SCHEMA", () => {
  const { proxyConfig, meshConfig, messages } = MESH_SCHEMA;

  test("names messages as the proto files and Go do", () => {
    const provider = messages.get("istio.mesh.v1alpha1.MeshConfig.ExtensionProvider");
    expect(provider?.goName).toBe("v1alpha1.MeshConfig_ExtensionProvider");
    expect(messages.get("istio.networking.v1beta1.ProxyImage")?.goName).toBe("v1beta1.ProxyImage");
    expect(proxyConfig.name).toBe("istio.mesh.v1alpha1.ProxyConfig");
  });

  const PROTO_NAMES: [MeshMessage, string, string][] = [
    [proxyConfig, "configPath", "config_path"],
    [proxyConfig, "statsdUdpAddress", "statsd_udp_address"],
    [meshConfig, "h2UpgradePolicy", "h2_upgrade_policy"],
    [meshConfig, "meshMTLS", "mesh_mTLS"],
    [messages.get("istio.mesh.v1alpha1.LabelSelector")!, "matchLabels", "matchLabels"],
    [
      messages.get("istio.networking.v1alpha3.OutlierDetection")!,
      "consecutive5xxErrors",
      "consecutive_5xx_errors",
    ],
  ];
  for (const [message, json, proto] of PROTO_NAMES) {
    test(`knows ${json} as ${proto}`, () => expect(field(message, json)?.proto).toBe(proto));
  }

  test("keeps declaration order and oneofs", () => {
    expect(names(proxyConfig).slice(0, 5)).toEqual([
      "configPath",
      "binaryPath",
      "serviceCluster",
      "tracingServiceName",
      "drainDuration",
    ]);
    expect(field(proxyConfig, "serviceCluster")?.oneof).toBe("ClusterName");
    expect(field(proxyConfig, "drainDuration")?.oneof).toBeUndefined();
  });

  test("links enums both ways", () => {
    const type = field(proxyConfig, "interceptionMode")!.type;
    if (type.kind !== "enum") throw new Error("not an enum");
    expect(type.enum.goName).toBe("v1alpha1.ProxyConfig_InboundInterceptionMode");
    expect(type.enum.numbers.get("TPROXY")).toBe(1);
    expect(type.enum.names.get(2)).toBe("NONE");
  });
});

describe("meshSchema()", () => {
  test("is today's schema without a version", () => {
    expect(meshSchema()).toBe(MESH_SCHEMA);
    expect(meshSchema(99)).toBe(MESH_SCHEMA);
  });

  const FIELDS: [minor: number, field: string, has: boolean][] = [
    [10, "image", false],
    [12, "image", true],
    [16, "parentShutdownDuration", true],
    [17, "parentShutdownDuration", false],
    [18, "proxyHeaders", false],
    [19, "proxyHeaders", true],
    [28, "statsCompression", false],
    [29, "statsCompression", true],
    [30, "connectionSettings", false],
    [31, "connectionSettings", true],
  ];
  for (const [minor, name, has] of FIELDS) {
    test(`has ${has ? "a" : "no"} ${name} in 1.${minor}`, () => {
      expect(names(meshSchema(minor).proxyConfig).includes(name)).toBe(has);
    });
  }

  test("keeps removed fields in declaration order", () => {
    const { proxyConfig, meshConfig } = meshSchema(1);
    const at = names(proxyConfig).indexOf("parentShutdownDuration");
    expect(names(proxyConfig).slice(at - 1, at + 2)).toEqual([
      "drainDuration",
      "parentShutdownDuration",
      "discoveryAddress",
    ]);
    expect(names(meshConfig)[0]).toBe("mixerCheckServer");
    expect(names(meshConfig)).toContain("enableSdsTokenMount");
    expect(names(MESH_SCHEMA.meshConfig)).not.toContain("enableSdsTokenMount");
  });

  const CONCURRENCY: [number, string][] = [[1, "int32"], [6, "int32"], [7, "wrapper"], [
    8,
    "wrapper",
  ]];
  for (const [minor, kind] of CONCURRENCY) {
    test(`has concurrency as ${kind} in 1.${minor}`, () => {
      expect(field(meshSchema(minor).proxyConfig, "concurrency")?.type.kind).toBe(kind as "int32");
    });
  }

  test("keeps parentShutdownDuration until 1.16, with today's library", () => {
    const { proxyConfig } = meshSchema(16);
    expect(names(proxyConfig)).toContain("parentShutdownDuration");
    expect(names(proxyConfig)).not.toContain("connectTimeout");
    expect(proxyConfig.legacy).toBe(false);
    expect(meshSchema(8).proxyConfig.legacy).toBe(true);
  });
});
