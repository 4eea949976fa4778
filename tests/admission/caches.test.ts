/** Answers with all caches must equal answers without, byte for byte, for any pod. */
import { describe, expect, test } from "bun:test";
import type { EngineSources } from "../../lib/inject/engine.ts";
import { CHECKED_ANNOTATIONS } from "../../lib/inject/annotations.ts";
import { defaultConfig } from "../../lib/inject/default_config.ts";
import { ODD_VALUES } from "../_odd_values.ts";
import { randomPod } from "../fuzz/_pods.ts";
import { Random } from "../fuzz/_random.ts";
import { type Doors, istioSettings, newToken, openDoors, reviewOf, withToken } from "./_doors.ts";

type Json = Record<string, unknown>;

/** Each place gets one odd value of so many, each value some of the places. 1 is all, and takes minutes. */
const STRIDE = Number(process.env.ODD_STRIDE ?? 13);

const CONFIGS: readonly (readonly [name: string, sources: EngineSources | undefined])[] = [
  ["our templates", defaultConfig()],
  ["Istio's templates", istioSettings()],
];

function expectSame(doors: Doors, pod: unknown, asked?: { path?: string; namespace?: string }) {
  const body = reviewOf(pod, asked);
  expect(doors.fast(body, asked).body).toBe(doors.slow(body, asked).body);
}

/** Returns the label and annotation keys that a config's templates name. */
function keysIn({ config }: EngineSources): string[] {
  const named = config.matchAll(
    /[`"\\]([a-z][a-z0-9.-]*\.[a-z]+\/[A-Za-z0-9._-]+|app|version)[`"\\]/g,
  );
  return [...new Set([...[...named].map(([, key]) => key), ...CHECKED_ANNOTATIONS])];
}

/** Sets a value in a pod, one place at a time. */
function placesFor(sources: EngineSources): [name: string, put: (value: string) => Json][] {
  const app = { name: "app", image: "app:1", ports: [{ name: "http", containerPort: 80 }] };
  const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web-abc", controller: true };
  const metadata = {
    generateName: "web-abc-",
    labels: { app: "web", "pod-template-hash": "abc" },
    ownerReferences: [owner],
  };
  const meta = (more: Json) => ({
    metadata: { ...metadata, ...more },
    spec: { containers: [app] },
  });
  const container = (more: Json) => ({
    metadata,
    spec: {
      containers: [{ ...app, ...more }, { name: "two" }],
      initContainers: [{ name: "init" }],
    },
  });
  const spec = (more: Json) => ({ metadata, spec: { containers: [app], ...more } });
  return [
    ...keysIn(sources).flatMap((key): [string, (value: string) => Json][] => [
      [`annotation ${key}`, (value) => meta({ annotations: { [key]: value } })],
      [`label ${key}`, (value) => meta({ labels: { ...metadata.labels, [key]: value } })],
    ]),
    ["name", (name) => ({ metadata: { name }, spec: { containers: [app] } })],
    ["generateName", (generateName) => meta({ generateName })],
    ["namespace", (namespace) => meta({ namespace })],
    ["owner's name", (name) => meta({ ownerReferences: [{ ...owner, name: `${name}-abc` }] })],
    ["owner's kind", (kind) => meta({ ownerReferences: [{ ...owner, kind }] })],
    ["owner's API", (apiVersion) => meta({ ownerReferences: [{ ...owner, apiVersion }] })],
    ["container's name", (name) => container({ name })],
    ["image", (image) => container({ image })],
    ["port's name", (name) => container({ ports: [{ name, containerPort: 80 }] })],
    ["port's protocol", (protocol) => container({ ports: [{ protocol, containerPort: 80 }] })],
    ["probe", (path) => container({ readinessProbe: { httpGet: { path, port: "http" } } })],
    ["probe's port", (port) => container({ livenessProbe: { tcpSocket: { port } } })],
    ["variable", (value) => container({ env: [{ name: "A", value }] })],
    ["service account", (serviceAccountName) => spec({ serviceAccountName })],
    ["node", (nodeName) => spec({ nodeName })],
    ["pull secret", (name) => spec({ imagePullSecrets: [{ name }] })],
    ["volume", (name) => spec({ volumes: [{ name }] })],
    ["sidecar's image", (image) => spec({ containers: [app, { name: "istio-proxy", image }] })],
    ["sidecar's variable", (value) => {
      const env = [{ name: "PILOT_CERT_PROVIDER", value }];
      return spec({ containers: [app, { name: "istio-proxy", env }] });
    }],
  ];
}

for (const [name, sources] of CONFIGS) {
  if (sources === undefined) continue;
  describe(`with ${name}`, () => {
    test("odd values give equal answers in every place", () => {
      const both = ["true", "false"].map((native) =>
        openDoors(sources, { ENABLE_NATIVE_SIDECARS: native })
      );
      const places = placesFor(sources);
      expect(places.length).toBeGreaterThan(80);
      for (const [place, [, put]] of places.entries()) {
        const doors = both[place % 2];
        // Fine values first, so that there is something to be taken for; and after, for what odd ones left.
        for (const value of ["fine", "5", "true"]) doors.fast(reviewOf(put(value)));
        const odd = ODD_VALUES.filter((_, i) => (i + place) % STRIDE === 0);
        for (const [i, value] of [...odd, "other", "7"].entries()) {
          expectSame(doors, i % 2 === 0 ? put(value) : withToken(put(value), newToken()));
        }
      }
    }, 120_000);

    test("random pods give equal answers, with cold and warm caches", () => {
      const doors = openDoors(sources);
      const random = new Random(11);
      const pods = Array.from({ length: 60 }, () => randomPod(random));
      for (let round = 0; round < 3; round++) {
        for (const { pod, path, namespace } of pods) {
          const isReplica = round > 0 && Array.isArray((pod.spec as Json)?.containers);
          const token = newToken();
          expectSame(doors, isReplica ? withToken(pod, token) : pod, { path, namespace });
        }
      }
    }, 120_000);
  });
}
