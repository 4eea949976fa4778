/** Changes pods as earlier injections, mistakes and other webhooks do. */
import { type Mood, randomAnnotations, randomLabels } from "./_annotations.ts";
import { type Json, randomContainer, randomPorts, randomProbe } from "./_containers.ts";
import type { Random } from "./_random.ts";

/** Adds the annotation with the user's settings of injected containers. */
export function addOverrides(random: Random, pod: Json, mood: Mood): void {
  const container = (name: string) => {
    const all = randomContainer(random, name, mood);
    return { ...Object.fromEntries(random.some(Object.entries(all), 6)), name };
  };
  const good = {
    containers: random.maybe(
      0.8,
      () => random.some(["istio-proxy", "app1", "extra"], 2).map(container),
    ),
    initContainers: random.maybe(
      0.4,
      () => random.some(["istio-init", "istio-proxy", "extra2"], 2).map(container),
    ),
  };
  annotate(
    pod,
    "proxy.istio.io/overrides",
    random.chance(0.9) ? JSON.stringify(good) : random.pick([
      "",
      "{",
      "null",
      "[]",
      '{"containers":5}',
      '{"containers":[{"name":5}]}',
      '{"containers":[{}]}',
      '{"x":1}',
      '{"containers":[{"name":"istio-proxy","resources":{"limits":{"cpu":"zz"}}}]}',
      "{}x",
      '{"Containers":[{"Name":"istio-proxy"}]}',
    ]),
  );
}

/** Adds the annotation that records an earlier injection. */
export function addStatus(random: Random, pod: Json, mood: Mood): void {
  const lists = {
    initContainers: random.pick([
      null,
      ["istio-init"],
      ["istio-init", "istio-proxy"],
      ["init1"],
      [],
    ]),
    containers: random.pick([null, ["istio-proxy"], ["app1"], ["istio-proxy", "nope"]]),
    volumes: random.pick([null, ["istio-envoy", "istio-data"]]),
    imagePullSecrets: random.pick([null, ["barSecret"]]),
    revision: "default",
  };
  const bad = ["", "{", "null", "{}", "5", '"x"', '{"version":"1","containers":["istio-proxy"]}'];
  annotate(
    pod,
    "sidecar.istio.io/status",
    random.chance(mood.bad + 0.1) ? random.pick(bad) : JSON.stringify(lists),
  );
  if (random.chance(0.4)) {
    annotate(pod, "prometheus.io/port", "15020");
    annotate(pod, "prometheus.io/path", "/stats/prometheus");
    annotate(pod, "prometheus.io/scrape", "true");
  }
}

function annotate(pod: Json, name: string, value: string): void {
  const metadata = pod.metadata as { annotations?: Record<string, string> };
  (metadata.annotations ??= {})[name] = value;
}

/** Sets a random field to a value of the wrong type. */
export function spoil(random: Random, pod: Json): void {
  const wrong = random.pick<unknown>([
    5,
    "x",
    true,
    [],
    {},
    1.5,
    -1,
    1e20,
    [1],
    { a: 1 },
    "1.5",
    null,
  ]);
  let at: Json = pod;
  for (let depth = 0; depth < 8; depth++) {
    const keys = Object.keys(at).filter((key) => at[key] !== undefined);
    if (keys.length === 0) return;
    const key = random.pick(keys);
    const value = at[key];
    if (typeof value !== "object" || value === null || random.chance(0.15)) {
      at[key] = wrong;
      return;
    }
    at = value as Json;
  }
}

/** Returns an injected pod with a change, to be injected again. */
export function disturb(random: Random, pod: Json): Json {
  const copy = structuredClone(pod) as {
    metadata: { annotations?: Record<string, string>; labels?: Record<string, string> };
    spec: { containers?: Json[]; initContainers?: Json[] };
  };
  const { metadata, spec } = copy;
  const mood = { bad: 0 };
  const steps: readonly (() => void)[] = [
    () => {},
    () => {},
    () => Object.assign(metadata.annotations ??= {}, randomAnnotations(random, mood)),
    () => Object.assign(metadata.labels ??= {}, randomLabels(random)),
    () => spec.containers?.push(compact(randomContainer(random, "late", mood)) as Json),
    () => spec.containers?.reverse(),
    () => spec.initContainers?.reverse(),
    () => void spec.containers?.pop(),
    () => spec.containers?.forEach((one) => one.ports = randomPorts(random)),
    () =>
      spec.containers?.forEach((one) => one.readinessProbe = compact(randomProbe(random, mood))),
    () => delete metadata.annotations?.["sidecar.istio.io/status"],
    () => delete metadata.annotations?.["proxy.istio.io/overrides"],
  ];
  random.pick(steps)();
  return compact(copy) as Json;
}

/** Removes `undefined` values. */
export function compact(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
