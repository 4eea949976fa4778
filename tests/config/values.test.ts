import { describe, expect, test } from "bun:test";
import { parseValues, type TypedValues } from "../../lib/config/values.ts";
import { outcome } from "./_outcome.ts";

const NOTHING: TypedValues = {
  hub: "",
  tag: "",
  variant: "",
  proxyImage: "",
  proxyInitImage: "",
  clusterName: "",
  network: "",
  holdApplicationUntilProxyStarts: false,
  rewriteAppHTTPProbe: false,
};

describe("parseValues() reads", () => {
  const rows: [text: string, want: Partial<TypedValues>][] = [
    ["", {}],
    ["null", {}],
    ["{}", {}],
    ["global: null", {}],
    ["global: {hub: h, variant: distroless, network: net}", {
      hub: "h",
      variant: "distroless",
      network: "net",
    }],
    ["global: {tag: 1.10}", { tag: 1.1 }],
    ["global: {tag: '1.10'}", { tag: "1.10" }],
    ["global: {tag: null}", { tag: null }],
    ["global: {tag: {a: 1}}", { tag: { a: 1 } }],
    ["global: {proxy: {image: p, holdApplicationUntilProxyStarts: true}}", {
      proxyImage: "p",
      holdApplicationUntilProxyStarts: true,
    }],
    ["global: {proxy_init: {image: i}}", { proxyInitImage: "i" }],
    ["global: {proxyInit: {image: i}}", {}],
    ["global: {multiCluster: {clusterName: c}}", { clusterName: "c" }],
    ["sidecarInjectorWebhook: {rewriteAppHTTPProbe: on}", { rewriteAppHTTPProbe: true }],
    ["global: {unknown: [1]}\nunknown: 5", {}],
    ["__proto__: {hub: h}", {}],
  ];
  for (const [text, want] of rows) {
    test(JSON.stringify(text), () => {
      expect(parseValues(text).typed).toEqual({ ...NOTHING, ...want });
    });
  }

  test("all values untyped for templates", () => {
    const text = '{"global": {"n": 1000000, "b": true, "x": null}, "list": [1, "a"]}';
    expect(parseValues(text).untyped).toEqual(JSON.parse(text));
    expect(parseValues("").untyped).toEqual({});
  });
});

describe("parseValues() refuses", () => {
  const mismatch = "could not parse configuration values: json: cannot unmarshal";
  const object = "Go value of type map[string]json.RawMessage";
  const rows: [text: string, want: string][] = [
    ["5", `${mismatch} number into ${object}`],
    ["[]", `${mismatch} array into ${object}`],
    ["global: x", `${mismatch} string into ${object}`],
    ["global: {hub: 5}", `${mismatch} number into Go value of type string`],
    ["global: {proxy: {image: true}}", `${mismatch} bool into Go value of type string`],
    [
      "sidecarInjectorWebhook: {rewriteAppHTTPProbe: 'true'}",
      `${mismatch} string into Go value of type bool`,
    ],
    [
      "a: b: c",
      "could not parse configuration values: yaml: mapping values are not allowed in this context",
    ],
  ];
  for (const [text, want] of rows) {
    test(text, () => expect(outcome(() => parseValues(text))).toBe(`error: ${want}`));
  }
});
