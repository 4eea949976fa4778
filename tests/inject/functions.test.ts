import { describe, expect, test } from "bun:test";
import { compileTemplate } from "../../lib/go/template/mod.ts";
import { injectionFunctions, type InjectionFunctionsOptions } from "../../lib/inject/functions.ts";
import { sprigFunctions } from "../../lib/go/sprig/mod.ts";
import { testSprigHost } from "../go/_sprig_host.ts";
import { typedValue } from "../go/_typed.ts";

const SPRIG = sprigFunctions(testSprigHost());

/** Data under these keys has its own Go type. */
const TYPES: Readonly<Record<string, string>> = {
  meta: "metav1.ObjectMeta",
  containers: "[]corev1.Container",
  annotations: "map[string]string",
  labels: "map[string]string",
  duration: "*durationpb.Duration",
  proxy: "*meshconfig.ProxyConfig",
  mesh: "*meshconfig.MeshConfig",
};

function data(given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const typed = Object.entries(given).map(([key, value]) => [
    key,
    Object.hasOwn(TYPES, key) ? typedValue(TYPES[key], value) : value,
  ]);
  return Object.fromEntries(typed);
}

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) {
    Object.values(value).forEach(deepFreeze);
    Object.freeze(value);
  }
  return value;
}

/** Renders with sprig's and Istio's functions; an error returns its message, starting at the position. */
function render(
  source: string,
  given: Readonly<Record<string, unknown>> = {},
  options: InjectionFunctionsOptions = {},
): string {
  try {
    const functions = { ...SPRIG, ...injectionFunctions(options) };
    const template = compileTemplate(`{{ ${source} }}`, { name: "inject", functions });
    return template.execute(data(deepFreeze(given)));
  } catch (error) {
    return (error as Error).message.replace(/^.*? at /, "at ");
  }
}

/** A template's action, the original's output, and the data. */
type Row = [source: string, output: string, given?: Readonly<Record<string, unknown>>];

const PODS = [
  { name: "app", ports: [{ containerPort: 80 }, { containerPort: 53, protocol: "UDP" }] },
  { name: "istio-proxy", ports: [{ containerPort: 15090 }] },
  {
    name: "b",
    ports: [{ containerPort: 9, protocol: "SCTP" }, { containerPort: 8, protocol: "udp" }],
  },
  { name: "c" },
];
const META = { annotations: { a: "1", e: "" } };
const WITH_OTEL = {
  extensionProviders: [
    { name: "p", prometheus: {} },
    { name: "o", opentelemetry: { serviceAttributeEnrichment: "OTEL_SEMANTIC_CONVENTIONS" } },
  ],
};

const ROWS: Readonly<Record<string, readonly Row[]>> = {
  annotation: [
    ['annotation .meta "a" "d"', "1", { meta: META }],
    ['annotation .meta "e" "d"', "", { meta: META }],
    ['annotation .meta "zz" nil', "<nil>", { meta: META }],
    ['annotation .meta "zz" .n', "1e+06", { meta: META, n: 1000000 }],
    ['annotation .meta "constructor" "d"', "d", { meta: META }],
    ['annotation .meta "zz" (list 1 "b")', "[1 b]", { meta: {} }],
    [
      'annotation .m "a" "b"',
      "at <.m>: wrong type for value; expected v1.ObjectMeta; got map[string]interface {}",
      { m: {} },
    ],
  ],
  isset: [
    ['isset .annotations "e"', "true", { annotations: { e: "" } }],
    ['isset .annotations "toString"', "false", { annotations: { e: "" } }],
    ['isset .annotations "e"', "false", { annotations: null }],
    [
      'isset .m "a"',
      "at <.m>: wrong type for value; expected map[string]string; got map[string]interface {}",
      { m: { a: "" } },
    ],
  ],
  valueOrDefault: [
    ['valueOrDefault "" "d"', "d"],
    ['valueOrDefault .missing "d"', "d"],
    ['valueOrDefault 0 "d"', "0"],
    ['valueOrDefault false "d"', "false"],
    ['valueOrDefault (list) "d"', "[]"],
    ["valueOrDefault nil nil", "<no value>"],
  ],
  formatDuration: [
    ["formatDuration .duration", "1m0s", { duration: "60s" }],
    ["formatDuration .duration", "-1m30s", { duration: "-90s" }],
    ["formatDuration .duration", "1.5µs", { duration: "0.000001500s" }],
    ["formatDuration .duration", "0s", { duration: null }],
    ['formatDuration "5s"', 'at <"5s">: can\'t handle "5s" for arg of type *durationpb.Duration'],
  ],
  excludeInboundPort: [
    ['excludeInboundPort 15020 ""', "15020"],
    ['excludeInboundPort .n "80"', "80,8080", { n: 8080 }],
    ['excludeInboundPort "" " 80"', " 80"],
    ['excludeInboundPort 0 "80, 90"', "80, 90"],
    ['excludeInboundPort 90 "80,90"', "80,90"],
    ['excludeInboundPort 90 "80, 90"', "80,90,90"],
    ['excludeInboundPort " 7 " " 80 ,, 90"', "80,90,7"],
    ['excludeInboundPort .missing "80"', "80,<nil>"],
    ['excludeInboundPort "\\u00a07\\u0085" "1\\ufeff"', "1\ufeff,7"],
  ],
  "includeInboundPorts and applicationPorts": [
    ["includeInboundPorts .containers", "80,15090,8", { containers: PODS }],
    ["applicationPorts .containers", "80,8", { containers: PODS }],
    ["includeInboundPorts .containers", "", { containers: null }],
    ["includeInboundPorts .missing", ""],
    [
      "applicationPorts .l",
      "at <.l>: wrong type for value; expected []v1.Container; got []interface {}",
      { l: [] },
    ],
  ],
  "kubevirtInterfaces and excludeInterfaces": [
    ['kubevirtInterfaces "net1,net2"', "net1,net2"],
    ['excludeInterfaces " a"', " a"],
  ],
  toJSON: [
    ["toJSON .annotations", '{"a":"\\u003c\\u0026\\u003e","b":"é"}', {
      annotations: { b: "é", a: "<&>" },
    }],
    ["toJSON .annotations", "{}", { annotations: null }],
    ["toJSON nil", "{}"],
  ],
  fromJSON: [
    ['fromJSON "{\\"b\\":1,\\"a\\":[1.5,null]}"', "map[a:[1.5 <nil>] b:1]"],
    ['fromJSON "bad"', "{}"],
    ['fromJSON "1e400"', "{}"],
    ['fromJSON "null"', "<no value>"],
    ['(fromJSON "{\\"__proto__\\":1}").__proto__', "1"],
  ],
  structToJSON: [
    ["structToJSON nil", "{}"],
    ["structToJSON .containers", '[{"name":"app","image":"i","resources":{}}]', {
      containers: [{ image: "i", name: "app" }],
    }],
    ["structToJSON .annotations", "null", { annotations: null }],
    [
      'structToJSON (dict "a" "x\u0085\u2028\u2029\u007f\u009f\ufeff")',
      '{"a":"x\u0085\\u2028\\u2029\u007f\u009f\ufeff"}',
    ],
    ['structToJSON (dict "z" 1 "a" "<x>")', '{"a":"\\u003cx\\u003e","z":1}'],
  ],
  protoToJSON: [
    ["protoToJSON .proxy", "{}", {
      proxy: { statusPort: 15020, drainDuration: "45s", serviceCluster: "istio-proxy" },
    }],
    [
      "protoToJSON .proxy",
      '{"serviceCluster":"mine","drainDuration":"30s","proxyMetadata":{"A":"1","B":"2"}}',
      {
        proxy: { proxyMetadata: { B: "2", A: "1" }, drainDuration: "30s", serviceCluster: "mine" },
      },
    ],
    ["protoToJSON .proxy", '{"controlPlaneAuthPolicy":"INHERIT","concurrency":0,"tracing":{}}', {
      proxy: { tracing: {}, concurrency: 0, controlPlaneAuthPolicy: "INHERIT", proxyMetadata: {} },
    }],
    [
      "protoToJSON .proxy.Tracing",
      '{"stackdriver":{"maxNumberOfAttributes":"5"},"sampling":99.5}',
      {
        proxy: { tracing: { sampling: 99.5, stackdriver: { maxNumberOfAttributes: 5 } } },
      },
    ],
    ["protoToJSON .proxy.DrainDuration }} {{ protoToJSON .proxy.Concurrency", '"1.500s" 4', {
      proxy: { drainDuration: "1.5s", concurrency: 4 },
    }],
    ["protoToJSON .mesh", '{"defaultConfig":{"statusPort":15020}}', {
      mesh: { defaultConfig: { statusPort: 15020 } },
    }],
    ["protoToJSON .proxy", "{}", { proxy: null }],
    ["protoToJSON nil", "{}"],
    [
      "protoToJSON .annotations",
      "at <.annotations>: wrong type for value; expected protoreflect.ProtoMessage; got map[string]string",
      { annotations: {} },
    ],
  ],
  toYaml: [
    ["toYaml nil", "null\n"],
    ['toYaml (dict "y" true "a2" "15020" "a10" nil)', 'a2: "15020"\na10: null\n"y": true\n'],
    ["toYaml 9223372036854775807", "9223372036854775807\n"],
    ['toYaml (dict "a" 12345678901234567)', "a: 12345678901234567\n"],
    ['toYaml "1234567890123456789"', '"1234567890123456789"\n'],
    ["toYaml .meta", 'annotations:\n  a: "1"\n  e: ""\n', { meta: META }],
  ],
  indent: [
    ['indent 4 "a\\nb\\n\\nc\\n"', "a\n    b\n    \n    c\n    "],
    ['indent 0 "a\\nb"', "a\nb"],
    ['indent -1 "a\\nb"', "a\n b"],
    ['indent 1000000000 "a\\nb"', "a\n%!(NOVERB)%!(EXTRA string=, string=b)"],
    [
      'indent 1000000 (repeat 20 "\\n")',
      'at <indent 1000000 (repeat 20 "\\n")>: error calling indent: indentation exceeds 16777216 characters',
    ],
  ],
  directory: [
    ['directory "/etc/a/b.pem"', "/etc/a/"],
    ['directory "b.pem"', ""],
    ['directory "./x/../y"', "./x/../"],
  ],
  "contains and toLower": [
    ['contains "/" "a/b"', "true"],
    ['contains "a/b" "/"', "false"],
    ['toLower "İSTANBUL ΣΑΣ"', "istanbul σασ"],
    ['toLower "\\xffA"', "\ufffda"],
  ],
  "omit, strdict, mergeMaps and toJsonMap": [
    ['strdict "a" "b" "c"', "map[a:b c:]"],
    ['strdict "a" 1', "at <1>: expected string; found 1"],
    ['omit .annotations "a"', "map[b:2]", { annotations: { a: "1", b: "2" } }],
    ['omit nil "a" | structToJSON', "{}"],
    ["mergeMaps .annotations .labels", "map[a:2 b:3]", {
      annotations: { a: "1" },
      labels: { a: "2", b: "3" },
    }],
    ["mergeMaps | structToJSON", "null"],
    ["mergeMaps nil | structToJSON", "{}"],
    ['toJsonMap (strdict "a" "1") (strdict "a" "2")', '{"a":"2"}'],
    ["toJsonMap", "null"],
    ["toJsonMap .annotations", "{}", { annotations: null }],
    ['toJsonMap (strdict "__proto__" "x")', '{"__proto__":"x"}'],
    [
      'omit .m "a"',
      "at <.m>: wrong type for value; expected map[string]string; got map[string]interface {}",
      { m: {} },
    ],
  ],
  omitNil: [
    ["omitNil .x | toJson", '{"a":{"z":""},"b":[1,{"x":1}],"e":{},"el":[]}', {
      x: { b: [1, null, { x: 1 }], a: { z: "", y: null }, e: {}, el: [], gone: { deep: [null] } },
    }],
    ["omitNil .x | toJson", "null", { x: [null, { a: null }] }],
    ["omitNil .x", "5", { x: 5 }],
    ["omitNil .annotations", "map[a:]", { annotations: { a: "" } }],
    ["toYaml (omitNil .x)", "null\n", { x: { limits: { cpu: null } } }],
  ],
  appendMultusNetwork: [
    ['appendMultusNetwork "" "istio-cni"', "istio-cni"],
    ['appendMultusNetwork "a, istio-cni" "istio-cni"', "a, istio-cni"],
    ['appendMultusNetwork "a,b" "ns/istio-cni"', "a,b, ns/istio-cni"],
    ['appendMultusNetwork `[{"name":"x"}]` "istio-cni"', '[{"name":"x"}, {"name": "istio-cni"}]'],
    [
      'appendMultusNetwork `[{"name":"istio-cni","namespace":""}]` "istio-cni"',
      '[{"name":"istio-cni","namespace":""}]',
    ],
    [
      'appendMultusNetwork `[{"name":"istio-cni"}]` "ns/istio-cni"',
      '[{"name":"istio-cni"}, {"name": "istio-cni", "namespace": "ns"}]',
    ],
    ['appendMultusNetwork "[\\n]\\n" "a/b/c"', '[\n, {"name": "b", "namespace": "a"}]\n'],
    ['appendMultusNetwork "[bad]" "istio-cni"', "[bad]"],
    ['appendMultusNetwork "[1]" "istio-cni"', "[1]"],
    ['appendMultusNetwork "[null]" "istio-cni"', '[null, {"name": "istio-cni"}]'],
  ],
  otelResourceAttributes: [
    ['otelResourceAttributes .mesh nil nil "ns" .containers', "", { mesh: {}, containers: PODS }],
    ['otelResourceAttributes nil nil nil "ns" nil', ""],
    [
      'otelResourceAttributes .mesh nil nil "ns" .containers',
      "service.namespace=ns,service.version=1.21@sha256:abc,service.instance.id=ns.$(POD_NAME).app",
      {
        mesh: WITH_OTEL,
        containers: [{ name: "app", image: "reg:5000/nginx:1.21@sha256:abc" }],
      },
    ],
    [
      'otelResourceAttributes .mesh nil nil "ns" .containers',
      "service.namespace=ns,service.instance.id=ns.$(POD_NAME).app",
      {
        mesh: WITH_OTEL,
        containers: [{ name: "app", image: "reg:5000/nginx" }],
      },
    ],
    [
      'otelResourceAttributes .mesh .annotations .labels "" .containers',
      "service.namespace=n2,service.version=7,service.instance.id=id",
      {
        mesh: WITH_OTEL,
        annotations: {
          "resource.opentelemetry.io/service.namespace": "n2",
          "resource.opentelemetry.io/service.instance.id": "id",
        },
        labels: { "app.kubernetes.io/version": "7" },
        containers: PODS,
      },
    ],
  ],
};

for (const [name, rows] of Object.entries(ROWS)) {
  describe(name, () => {
    for (const [source, output, given] of rows) {
      test(`{{ ${source} }}${given ? ` with ${JSON.stringify(given)}` : ""}`, () => {
        expect(render(source, given)).toBe(output);
      });
    }
  });
}

describe("injectionFunctions()", () => {
  test("reads only the given environment", () => {
    const env = (name: string) => name === "A" ? "1" : name === "EMPTY" ? "" : undefined;
    expect(render('env "A" "d" }} {{ env "EMPTY" "d" }} {{ env "PATH" "d"', {}, { env })).toBe(
      "1 d d",
    );
    expect(render('env "PATH" "d"')).toBe("d");
  });

  const WARNINGS: [source: string, message: RegExp][] = [
    ['fromJSON "bad"', /^Unable to unmarshal bad$/],
    [
      'appendMultusNetwork "[bad]" "x"',
      /Multus Network annotation JSON value: invalid character 'b'/,
    ],
    ["protoToJSON nil", /nil message/],
  ];
  for (const [source, message] of WARNINGS) {
    test(`warns about {{ ${source} }}`, () => {
      const warnings: string[] = [];
      render(source, {}, { warn: (text) => warnings.push(text) });
      expect(warnings).toEqual([expect.stringMatching(message)]);
    });
  }

  test("strips the given defaults", () => {
    const proxyDefaults = { statusPort: 1, concurrency: 2 };
    const given = { proxy: { statusPort: 1, concurrency: 2, drainDuration: "45s" } };
    expect(render("protoToJSON .proxy", given, { proxyDefaults })).toBe('{"drainDuration":"45s"}');
    expect(render("protoToJSON .proxy", given, { minor: 4 })).toBe(
      '{"drainDuration":"45s","concurrency":2,"statusPort":1}',
    );
  });

  /** Functions by the versions that have and lack them. */
  const VERSIONS: [name: string, has: readonly number[], lacks: readonly number[]][] = [
    ["isset", [0, 1, 8, 30], []],
    ["contains", [2, 30], [0, 1]],
    ["render", [2, 10], [1, 14]],
    ["toLower", [4, 30], [2]],
    ["protoToJSON", [4, 30], [2]],
    ["env", [6, 30], [4]],
    ["appendMultusNetwork", [8, 30], [7]],
    ["toJson", [1, 18], [22, 30]],
    ["strdict", [18, 30], [14]],
    ["mergeMaps", [22, 30], [18]],
    ["omitNil", [29, 30], [26]],
    ["otelResourceAttributes", [30], [29]],
  ];
  for (const [name, has, lacks] of VERSIONS) {
    test(`${name} is in 1.${has.join(", 1.")}${lacks.length ? `, not in 1.${lacks.join(", 1.")}` : ""}`, () => {
      for (const minor of has) expect(injectionFunctions({ minor })).toHaveProperty(name);
      for (const minor of lacks) expect(injectionFunctions({ minor })).not.toHaveProperty(name);
    });
  }

  test("counts ports of all protocols up to 1.2", () => {
    const given = { containers: PODS };
    expect(render("includeInboundPorts .containers", given, { minor: 2 })).toBe("80,53,15090,9,8");
    expect(render("includeInboundPorts .containers", given, { minor: 4 })).toBe("80,15090,8");
  });

  test("accepts only strings for valueOrDefault in 1.1", () => {
    expect(render('valueOrDefault "" 5', {}, { minor: 1 })).toBe(
      "at <5>: expected string; found 5",
    );
  });

  test("does not split a network's namespace off before 1.24", () => {
    expect(render('appendMultusNetwork "[{}]" "ns/x"', {}, { minor: 22 })).toBe(
      '[{}, {"name": "ns/x"}]',
    );
  });

  test("renders with the caller's renderer, and prints nothing if it fails", () => {
    const renderer = (source: string) => {
      if (source === "bad") throw new Error("no");
      return `<${source}>`;
    };
    expect(render('render "x"', {}, { minor: 8, render: renderer })).toBe("<x>");
    expect(render('render "bad"', {}, { minor: 8, render: renderer })).toBe("");
  });
});
