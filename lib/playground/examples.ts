/**
 * The bundled config and the examples, each of which shows one feature. An example only lists the
 * texts and settings that differ from the bundled ones.
 */
import { parseInjectionConfig } from "../config/mod.ts";
import { COMMENTED_VALUES, defaultConfig, LEGACY_CONFIG } from "../inject/mod.ts";
import {
  BARE_POD,
  BROKEN_TEMPLATE,
  CART,
  GATEWAY,
  HOST_NETWORK,
  MISPLACED,
  NATIVE,
  OLD_POD,
  OWN_TEMPLATE,
  PROBES,
  SEVERAL,
} from "./_example_texts.ts";
import type { Example, Shipped } from "./protocol.ts";

export const EXAMPLES: readonly Example[] = [
  {
    id: "deployment",
    title: "A Deployment",
    note: "A plain Deployment with the default sidecar template.",
    texts: { manifest: CART },
  },
  {
    id: "probes",
    title: "Probes and metrics",
    note: "HTTP, TCP and gRPC probes and Prometheus metrics go through the agent.",
    texts: { manifest: PROBES },
  },
  {
    id: "native",
    title: "A native sidecar",
    note: "The sidecar is an init container that keeps running, so a Job can complete.",
    texts: { manifest: NATIVE },
    settings: { nativeSidecars: true },
  },
  {
    id: "gateway",
    title: "A gateway",
    note: "An annotation selects the gateway template, which sets the image.",
    texts: { manifest: GATEWAY },
  },
  {
    id: "several",
    title: "Several documents",
    note: "A stream with and without workloads. Choose a workload above the result.",
    texts: { manifest: SEVERAL },
  },
  {
    id: "not-injected",
    title: "Why not? Host network",
    note:
      "Pods on the host network are never injected: the sidecar's rules would apply to the node.",
    texts: { manifest: HOST_NETWORK },
  },
  {
    id: "misplaced",
    title: "Why not? A label in the wrong place",
    note: "The Deployment has the label, but its pod template does not.",
    texts: { manifest: MISPLACED },
    settings: { namespaceLabels: "" },
  },
  {
    id: "own-template",
    title: "A custom template",
    note:
      "A small template in addition to the sidecar template. Its output is merged into the pod by name.",
    texts: { manifest: BARE_POD, config: OWN_TEMPLATE },
    opens: "config",
  },
  {
    id: "broken-template",
    title: "A broken template",
    note: "The error is marked in the config, with Go's own message.",
    texts: { manifest: BARE_POD, config: BROKEN_TEMPLATE },
    opens: "config",
  },
  {
    id: "legacy",
    title: "Istio 1.1, [[ ]]",
    note: "A single appended template, as in Istio before 1.9.",
    texts: { manifest: OLD_POD, config: LEGACY_CONFIG, values: "", mesh: "" },
    settings: { compat: "1.1" },
  },
];

/** The bundled texts. */
export function shippedTexts(): Shipped {
  const { config, mesh } = defaultConfig();
  return { config: readable(config), values: COMMENTED_VALUES, mesh };
}

/** Formats the config without empty fields, with the most common template first. */
function readable(config: string): string {
  const { policy, templates } = parseInjectionConfig(config);
  const names = Object.keys(templates).sort((a, b) =>
    Number(b === "sidecar") - Number(a === "sidecar")
  );
  const blocks = names.map((name) =>
    `  ${name}: |\n${templates[name].replace(/^(?=.)/gm, "    ")}`
  );
  return `policy: ${policy}\ndefaultTemplates: [sidecar]\ntemplates:\n${blocks.join("")}`;
}
