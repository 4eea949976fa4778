import { describe, expect, test } from "bun:test";
import {
  CHECKED_ANNOTATIONS,
  multiError,
  validateAnnotations,
} from "../../lib/inject/annotations.ts";

describe("validateAnnotations() refuses", () => {
  const quantity = "quantities must match the regular expression " +
    "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
  const traffic = "traffic.sidecar.istio.io";
  const invalid = (text: string) => `strconv.ParseUint: parsing "${text}": invalid syntax`;
  const range = (text: string) => `strconv.ParseUint: parsing "${text}": value out of range`;
  const cidr = (text: string, why: string) =>
    `IPRanges invalid: failed parsing cidr '${text}': netip.ParsePrefix("${text}"): ${why}`;
  const ports = (name: string, text: string, why: string) =>
    `${name} invalid: failed parsing port '${text}': failed parsing port '${text}': ${why}`;
  const config = (...messages: string[]) =>
    `${messages.length} error${messages.length === 1 ? "" : "s"} occurred:\n\t* ${
      messages.join("\n\t* ")
    }\n\n`;
  const port = (number: number) => `port number ${number} must be in the range 1..65535`;
  const rows: [name: string, value: string, want: string][] = [
    [
      "sidecar.istio.io/interceptionMode",
      "redirect",
      "interceptionMode invalid, use REDIRECT,TPROXY,NONE: redirect",
    ],
    [
      "status.sidecar.istio.io/port",
      "",
      `excludeInboundPorts invalid: failed parsing port '': ${invalid("")}`,
    ],
    [
      "status.sidecar.istio.io/port",
      " 65536 ",
      `excludeInboundPorts invalid: failed parsing port ' 65536 ': ${range("65536")}`,
    ],
    ["readiness.status.sidecar.istio.io/initialDelaySeconds", " 1", invalid(" 1")],
    ["readiness.status.sidecar.istio.io/periodSeconds", "4294967296", range("4294967296")],
    ["readiness.status.sidecar.istio.io/failureThreshold", "-1", invalid("-1")],
    [`${traffic}/includeOutboundIPRanges`, "bad", `include${cidr("bad", "no '/'")}`],
    [
      `${traffic}/includeOutboundIPRanges`,
      "10.0.0.0/8, 1.2.3.4/5",
      `include${cidr(" 1.2.3.4/5", 'ParseAddr(" 1.2.3.4"): unexpected character (at " 1.2.3.4")')}`,
    ],
    [`${traffic}/excludeOutboundIPRanges`, "*", `exclude${cidr("*", "no '/'")}`],
    [
      `${traffic}/excludeOutboundIPRanges`,
      "10.0.0.0/33",
      `exclude${cidr("10.0.0.0/33", "prefix length out of range")}`,
    ],
    [
      `${traffic}/includeInboundPorts`,
      "70000",
      ports("includeInboundPorts", "70000", range("70000")),
    ],
    [`${traffic}/excludeInboundPorts`, "80,,90", ports("excludeInboundPorts", "", invalid(""))],
    [`${traffic}/excludeOutboundPorts`, "*", ports("excludeOutboundPorts", "*", invalid("*"))],
    [`${traffic}/excludeInterfaces`, "eth0,,b", "empty interface name"],
    [
      `${traffic}/kubevirtInterfaces`,
      "a23456789012345é",
      'interface name "a23456789012345é" too long (max 15 chars)',
    ],
    [
      "istio.io/reroute-virtual-interfaces",
      "0eth",
      'interface name "0eth" contains invalid characters',
    ],
    [
      "prometheus.istio.io/merge-metrics",
      "yes",
      'strconv.ParseBool: parsing "yes": invalid syntax',
    ],
    ["sidecar.istio.io/proxyCPU", "", quantity],
    ["sidecar.istio.io/proxyMemory", "1x", quantity],
    ["sidecar.istio.io/proxyCPULimit", "1ee3", "unable to parse quantity's suffix"],
    ["sidecar.istio.io/proxyMemoryLimit", "1\n", "value contains control characters"],
    [
      "proxy.istio.io/config",
      "bad: [",
      "failed to convert to apply proxy config: yaml: line 1: did not find expected node content",
    ],
    [
      "proxy.istio.io/config",
      "statusPort: [1]",
      "failed to convert to apply proxy config: json: cannot unmarshal array into Go value of type int32",
    ],
    ["proxy.istio.io/config", "configPath: ''", config("config path must be set")],
    [
      "proxy.istio.io/config",
      "binaryPath: ''\nserviceCluster: ''\ndrainDuration: 1.5s\ndiscoveryAddress: ''\nproxyAdminPort: 0\nstatusPort: 99999",
      config(
        "binary path must be set",
        "service cluster must be specified",
        "drain time only supports durations to seconds precision",
        "discovery address must be set to the proxy discovery service",
        `invalid proxy admin port: ${port(0)}`,
        `invalid status port: ${port(99999)}`,
      ),
    ],
    [
      "proxy.istio.io/config",
      "drainDuration: 0s\ndiscoveryAddress: x",
      config(
        "invalid drain duration: duration must be greater than 1ms",
        'invalid discovery address: unable to split "x": address x: missing port in address',
      ),
    ],
    [
      "proxy.istio.io/config",
      "discoveryAddress: x_y:80\ncontrolPlaneAuthPolicy: INHERIT",
      config(
        'invalid discovery address: "x_y" is not a valid hostname or an IP address',
        'invalid authentication policy: unrecognized control plane auth policy "INHERIT"',
      ),
    ],
    [
      "proxy.istio.io/config",
      "tracing: {lightstep: {}}",
      config(
        "invalid lightstep config: address is required",
        'invalid lightstep config: invalid lightstep address: unable to split "": missing port in address',
        "invalid lightstep config: access token is required",
      ),
    ],
    [
      "proxy.istio.io/config",
      "tracing: {zipkin: {address: 'zip:x'}, tlsSettings: {mode: MUTUAL}}",
      config(
        'invalid zipkin config: port (x) is not a number: strconv.Atoi: parsing "x": invalid syntax',
        "invalid tracing TLS config: client certificate required for mutual tls",
        "invalid tracing TLS config: private key required for mutual tls",
      ),
    ],
    [
      "proxy.istio.io/config",
      "statsdUdpAddress: '[::1'\nenvoyMetricsService: {address: 'a:0'}",
      config(
        'invalid statsd udp address "[::1": unable to split "[::1": address [::1: missing \']\' in address',
        `invalid envoy metrics service address "a:0": ${port(0)}`,
      ),
    ],
    [
      "proxy.istio.io/config",
      "privateKeyProvider: {}",
      config(
        "invalid private key provider configuration: private key provider configuration is required",
        "invalid private key provider configuration: unknown private key provider",
      ),
    ],
    [
      "proxy.istio.io/config",
      "privateKeyProvider: {qat: {pollDelay: 0s}}\nconnectionSettings: {httpMaxConcurrentStreams: 0}",
      config(
        "invalid private key provider configuration: pollDelay must be non zero",
        "invalid connection settings: http_max_concurrent_streams must be positive",
      ),
    ],
  ];
  for (const [name, value, want] of rows) {
    test(`${name}: ${JSON.stringify(value)}`, () => {
      expect(validateAnnotations(Object.freeze({ [name]: value }))).toEqual([
        `invalid value '${value}' for annotation '${name}': ${want}`,
      ]);
    });
  }
});

describe("validateAnnotations() accepts", () => {
  const rows: [name: string, ...values: string[]][] = [
    ["sidecar.istio.io/interceptionMode", "REDIRECT", "TPROXY", "NONE"],
    ["status.sidecar.istio.io/port", "0", "15020", " 80 ", "\u00a080", "65535"],
    ["readiness.status.sidecar.istio.io/periodSeconds", "0", "4294967295", "007"],
    ["traffic.sidecar.istio.io/includeOutboundIPRanges", "", "*", "10.0.0.0/8,::1/128"],
    ["traffic.sidecar.istio.io/excludeOutboundIPRanges", "", "::ffff:1.2.3.4/96", "1.2.3.4/0"],
    ["traffic.sidecar.istio.io/includeInboundPorts", "", "*", " ", "80, 90 ,0"],
    ["traffic.sidecar.istio.io/excludeInboundPorts", "", " 80 , 90 "],
    ["traffic.sidecar.istio.io/includeOutboundPorts", "anything"],
    ["traffic.sidecar.istio.io/kubevirtInterfaces", "", "eth0, a_b.c-d "],
    ["prometheus.istio.io/merge-metrics", "1", "t", "TRUE", "False"],
    ["sidecar.istio.io/proxyCPU", "100m", "-5", "1.5Gi", "1e3"],
    [
      "proxy.istio.io/config",
      "",
      "unknown: 1",
      "statusPort: 1",
      "tracing: {datadog: {address: '$(HOST_IP):8126'}}",
      "discoveryAddress: '[::1]:80'",
      "tracingServiceName: 0",
      "concurrency: 0",
    ],
    ["other", "'"],
  ];
  for (const [name, ...values] of rows) {
    for (const value of values) {
      test(`${name}: ${JSON.stringify(value)}`, () => {
        expect(validateAnnotations({ [name]: value })).toEqual([]);
      });
    }
  }

  test("a pod without annotations", () => expect(validateAnnotations()).toEqual([]));

  test("names that every JavaScript object has", () => {
    expect(validateAnnotations({ toString: "x", constructor: "y" })).toEqual([]);
  });
});

test("CHECKED_ANNOTATIONS lists every check", () => expect(CHECKED_ANNOTATIONS.length).toBe(19));

test("validateAnnotations() is fast for a long value", () => {
  const value = `80${" ".repeat(250_000)}x`;
  expect(validateAnnotations({ "status.sidecar.istio.io/port": value })).toHaveLength(1);
});

describe("multiError()", () => {
  const rows: [messages: string[], want: string][] = [
    [["a"], "1 error occurred:\n\t* a\n\n"],
    [["a", "b"], "2 errors occurred:\n\t* a\n\t* b\n\n"],
    [[multiError(["a"])], "1 error occurred:\n\t* 1 error occurred:\n\t* a\n\n\n\n"],
  ];
  for (const [messages, want] of rows) {
    test(JSON.stringify(messages), () => expect(multiError(messages)).toBe(want));
  }
});
