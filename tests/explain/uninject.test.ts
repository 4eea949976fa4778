/**
 * Injection and its undoing: by hand for each thing that is put in, and over Istio's own test cases of all versions,
 * where what comes out is compared with what went in. Ends with a table.
 */
import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { equalJson } from "../../lib/data/json.ts";
import { parseYaml, stringifyYaml } from "../../lib/yaml/mod.ts";
import { createUninjector, type UninjectedWorkload } from "../../lib/explain/uninject.ts";
import { sprigFunctions } from "../../lib/go/sprig/mod.ts";
import { defaultConfig } from "../../lib/inject/default_config.ts";
import type { EngineSources } from "../../lib/inject/engine.ts";
import { createInjector, type InjectorSettings } from "../../lib/inject/injector.ts";
import { podOf } from "../../lib/inject/workloads.ts";
import { testSprigHost } from "../go/_sprig_host.ts";
import { casesOf, clusterFor, CONFORMANCE } from "../inject/_conformance.ts";
import { withShared } from "../_shared.ts";

const sprig = sprigFunctions(testSprigHost());
const SHIPPED = defaultConfig();
const injector = createInjector(SHIPPED, { sprig });
const inverse = createUninjector(SHIPPED, { sprig });

/** What comes back of a manifest that was injected, and the manifest as its type has it. */
function thereAndBack(text: string): { result: UninjectedWorkload; before: unknown } {
  const { output, results } = injector.kubeInject(text);
  const [{ results: [result] }] = [...inverse.uninject(output)];
  return { result, before: results[0].before };
}

const pod = (metadata: object, container: object = {}, spec: object = {}) =>
  stringifyYaml({
    kind: "Pod",
    metadata: { name: "p", ...metadata },
    spec: { containers: [{ name: "app", image: "app", ...container }], ...spec },
  });

describe("createUninjector() restores", () => {
  const cases: [string, string][] = [
    ["a plain pod", pod({})],
    [
      "labels and annotations of the user",
      pod({ labels: { app: "a" }, annotations: { note: "x" } }),
    ],
    ["annotations about injection", pod({ annotations: { "sidecar.istio.io/proxyCPU": "100m" } })],
    [
      "HTTP probes",
      pod({}, { livenessProbe: { httpGet: { path: "/x", port: 80 }, periodSeconds: 3 } }),
    ],
    [
      "HTTPS probes with headers",
      pod({}, {
        readinessProbe: {
          httpGet: { port: 443, scheme: "HTTPS", httpHeaders: [{ name: "a", value: "b" }] },
          timeoutSeconds: 4,
        },
      }),
    ],
    [
      "TCP and gRPC probes",
      pod({}, {
        livenessProbe: { tcpSocket: { port: 80 } },
        startupProbe: { grpc: { port: 81, service: "s" } },
      }),
    ],
    [
      "lifecycle hooks",
      pod({}, { lifecycle: { preStop: { httpGet: { path: "/bye", port: 80 } } } }),
    ],
    [
      "Prometheus annotations",
      pod({
        annotations: { "prometheus.io/port": "9090", "prometheus.io/scrape": "true" },
      }),
    ],
    [
      "volumes, pull secrets and a security context",
      pod({}, {
        volumeMounts: [{ name: "v", mountPath: "/v" }],
      }, {
        volumes: [{ name: "v", emptyDir: {} }],
        imagePullSecrets: [{ name: "s" }],
        securityContext: { runAsUser: 5 },
        initContainers: [{ name: "i", image: "i" }],
      }),
    ],
    [
      "a volume of the user under a template's name",
      pod({}, {
        volumeMounts: [{ name: "istio-data", mountPath: "/v" }],
      }, { volumes: [{ name: "istio-data", emptyDir: {} }] }),
    ],
    [
      "the user's own sidecar",
      pod({}, {}, {
        containers: [{ name: "app", image: "app" }, { name: "istio-proxy", image: "mine" }],
      }),
    ],
    [
      "the user's own sidecar with the template's image",
      pod({}, {}, {
        containers: [{ name: "app", image: "app" }, {
          name: "istio-proxy",
          image: "auto",
          resources: { limits: { cpu: "1" } },
        }],
      }),
    ],
    [
      "a Deployment",
      stringifyYaml({
        kind: "Deployment",
        metadata: { name: "d", labels: { x: "y" } },
        spec: { template: { spec: { containers: [{ name: "app", image: "app" }] } } },
      }),
    ],
    [
      "a CronJob",
      stringifyYaml({
        kind: "CronJob",
        metadata: { name: "c" },
        spec: {
          jobTemplate: {
            spec: { template: { spec: { containers: [{ name: "a", image: "a" }] } } },
          },
        },
      }),
    ],
  ];
  for (const [what, text] of cases) {
    test(what, () => {
      const { result, before } = thereAndBack(text);
      expect(result.after).toEqual(before as typeof result.after);
      expect(result).toMatchObject({ wasInjected: true, roundTrips: true, differences: [] });
    });
  }

  test("every workload of a List and of several documents, and keeps the others", () => {
    const list = stringifyYaml({ kind: "List", items: [parseYaml(pod({})), { kind: "Service" }] });
    const text = `${list}---\nkind: Service   # as it is\n---\n${pod({ labels: { a: "b" } })}`;
    const injected = injector.kubeInject(text).output;
    const documents = [...inverse.uninject(injected)];
    expect(documents.map(({ results }) => results.length)).toEqual([1, 0, 1]);
    expect(documents[1].output).toBe("kind: Service   # as it is\n");
    const back = injector.kubeInject(documents.map(({ output }) => output).join("---\n")).output;
    expect(back).toBe(injected);
  });
});

describe("createUninjector()", () => {
  test("keeps documents that were not injected, byte for byte", () => {
    for (const text of [pod({}), "kind: Pod   # odd\nspec: {}\n", "kind: Service\n", "a: b\n"]) {
      const [{ output, results }] = [...inverse.uninject(text)];
      expect(output).toBe(text);
      expect(results.every(({ wasInjected }) => !wasInjected)).toBe(true);
    }
  });

  test("notes what cannot be restored exactly", () => {
    const probe = {
      ports: [{ name: "web", containerPort: 80 }],
      livenessProbe: { httpGet: { port: 80 } },
    };
    const { result } = thereAndBack(pod({}, probe));
    expect(result.notes).toEqual([
      "A probe of container app gets port web, which may have been 80.",
    ]);
    expect(result.roundTrips).toBe(true);
  });

  test("reports differences if the config is not the one that injected", () => {
    const other = { ...SHIPPED, values: `${SHIPPED.values}` };
    const config = stringifyYaml({
      templates: { sidecar: "spec: {containers: [{name: istio-proxy, image: old}]}" },
    });
    const { output } = createInjector({ ...other, config }, { sprig }).kubeInject(pod({}));
    const [{ results: [result] }] = [...inverse.uninject(output)];
    expect(result).toMatchObject({ wasInjected: true, roundTrips: false });
    expect(result.differences.length).toBeGreaterThan(3);
    expect((result.after.spec as { containers: unknown[] }).containers.length).toBe(1);
  });

  test("handles an invalid status, overrides and variables", () => {
    const annotations = {
      "sidecar.istio.io/status": '{"containers":["istio-proxy"]}',
      "proxy.istio.io/overrides": "{",
      "prometheus.io/path": "/stats/prometheus",
    };
    const env = [{ name: "ISTIO_KUBE_APP_PROBERS", value: "[" }];
    const [{ results: [result] }] = [...inverse.uninject(pod({ annotations }, {}, {
      containers: [{ name: "app", image: "app" }, { name: "istio-proxy", env }],
    }))];
    expect(result.notes).toContain(
      "Probes are not restored: ISTIO_KUBE_APP_PROBERS of the sidecar is not valid.",
    );
    expect(result.notes[1]).toContain("annotation proxy.istio.io/overrides is not valid");
    const broken = pod({ annotations: { "sidecar.istio.io/status": "{" } });
    expect([...inverse.uninject(broken)][0].output).toBe(broken);
  });

  test("never changes its input, and survives hostile documents", () => {
    const hostile = '{"kind":"Pod","metadata":{"annotations":{"sidecar.istio.io/status":"{}",' +
      '"__proto__":"x"}},"spec":{"containers":null}}';
    const [{ results: [result] }] = [...inverse.uninject(hostile)];
    expect(result.wasInjected).toBe(true);
  });
});

/** Why an input of Istio's tests does not come back, by where the first difference in its pod is. */
const LOST: readonly (readonly [reason: string, where: RegExp])[] = [
  ["dnsConfig of the pod is overwritten, up to 1.7", /^\/spec\/dnsConfig/],
  ["the security context is replaced, or was what injection sets", /^\/spec\/securityContext/],
  [
    "the input was injected before",
    /^\/metadata\/(?:labels|annotations)$|tlsMode|sidecar\.istio\.io~1status/,
  ],
  ["JSON of networks is written anew", /k8s\.v1\.cni\.cncf\.io~1networks/],
  ["Prometheus keys may be spelled otherwise", /\/metadata\/annotations\/prometheus/],
  ["a probe's port may be its name or its number", /Probe\/(?:httpGet|tcpSocket)\/port$/],
  ["overrides and names don't tell a container's place", /^\/spec\/(?:init)?[cC]ontainers/],
];

/**
 * Every sixth case of each version, since all 1,569 workloads take minutes; UNINJECT_ALL=1 takes all. Then 1,216 of the
 * 1,234 outside of 1.1 come back as they were.
 */
const STRIDE = process.env.UNINJECT_ALL ? 1 : 6;

const VERSIONS = [
  ...["0.8.0", "1.0.9", "1.1.3", "1.2.10", "1.4.10", "1.6.14", "1.7.8", "1.8.6"],
  ...["1.10.6", "1.14.3", "1.18.7", "1.22.8", "1.24.6", "1.26.8", "1.29.6", "head"],
];

/** The least share of workloads that comes back as it was, and that is the same when injected again. */
const LEAST = 0.75;

function firstDifference(a: unknown, b: unknown, path = ""): string {
  const isTree = (value: unknown): value is Record<string, unknown> =>
    typeof value === "object" && value !== null;
  if (!isTree(a) || !isTree(b)) return path;
  for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
    if (equalJson(a[key], b[key])) continue;
    return firstDifference(a[key], b[key], `${path}/${key.replaceAll("/", "~1")}`);
  }
  return path;
}

withShared("conformance", "uninject of conformance", () => {
  const rows: string[] = [];
  for (const version of VERSIONS) {
    test(`gives back the inputs of Istio ${version}`, () => {
      const tools = new Map<
        string,
        [ReturnType<typeof createInjector>, ReturnType<typeof createUninjector>]
      >();
      const lost = new Map<string, number>();
      let [all, same, round] = [0, 0, 0];
      for (const conformance of casesOf(version).filter((_, i) => i % STRIDE === 0)) {
        const { settings, kubeInject, expectedError, env, directory } = conformance;
        if (!kubeInject || expectedError) continue;
        const key = JSON.stringify([settings, env]);
        let pair = tools.get(key);
        if (pair === undefined) {
          const read = (file: string) => {
            const path = `${CONFORMANCE}/${version}/settings/${settings}/${file}`;
            return existsSync(path) ? readFileSync(path, "utf8") : "";
          };
          const sources: EngineSources = {
            config: read("config.yaml"),
            values: read("values.json"),
            mesh: read("mesh.yaml"),
          };
          const options: InjectorSettings = {
            sprig,
            compat: version === "head"
              ? "today"
              : version === "0.8.0"
              ? -1
              : Number(version.split(".")[1]),
            env: (name) => Object.hasOwn(env, name) ? env[name] : undefined,
          };
          pair = [createInjector(sources, options), createUninjector(sources, options)];
          tools.set(key, pair);
        }
        const cluster = clusterFor(conformance);
        const text = readFileSync(`${directory}/input.yaml`, "utf8");
        const injected = pair[0].kubeInject(text, { cluster });
        const back = [...pair[1].uninject(injected.output, { cluster })].flatMap(({ results }) =>
          results
        );
        for (const [i, { decision, before }] of injected.results.entries()) {
          if (!decision.inject) continue;
          all++;
          if (back[i].roundTrips) round++;
          // Around the pod, the types of old versions wrote less than today's.
          const [was, is] = [podOf(before), podOf(back[i].after)];
          if (equalJson(was, is)) {
            same++;
            continue;
          }
          const where = firstDifference(was, is);
          const reason = LOST.find(([, pattern]) => pattern.test(where))?.[0] ??
            `not told: ${where}`;
          lost.set(reason, (lost.get(reason) ?? 0) + 1);
        }
      }
      rows.push(
        `${version.padEnd(8)} ${String(same).padStart(5)} ${String(round).padStart(6)} ${
          String(all).padStart(5)
        }   ${[...lost].map(([reason, count]) => `${count} ${reason}`).join("; ")}`,
      );
      expect([...lost.keys()].filter((reason) => reason.startsWith("not told"))).toEqual([]);
      expect(same / all).toBeGreaterThan(LEAST);
      expect(round / all).toBeGreaterThan(LEAST);
    });
  }
  afterAll(() => {
    console.log(["", "uninject  same  again   all   why not", ...rows, ""].join("\n"));
  });
});
