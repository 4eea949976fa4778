/**
 * What the page has at hand: the config that ships, and examples that each show one thing. An example says
 * only what is not as shipped.
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
    note: "What the shipped sidecar template makes of a plain Deployment.",
    texts: { manifest: CART },
  },
  {
    id: "probes",
    title: "Probes and metrics",
    note: "HTTP, TCP and gRPC probes go through the agent; so does Prometheus.",
    texts: { manifest: PROBES },
  },
  {
    id: "native",
    title: "A native sidecar",
    note: "The sidecar is an init container that stays, so a Job can end.",
    texts: { manifest: NATIVE },
    settings: { nativeSidecars: true },
  },
  {
    id: "gateway",
    title: "A gateway",
    note: "An annotation asks for another template, which fills in the image.",
    texts: { manifest: GATEWAY },
  },
  {
    id: "several",
    title: "Several documents",
    note: "A stream with what holds pods and what doesn't. Choose the workload above the result.",
    texts: { manifest: SEVERAL },
  },
  {
    id: "not-injected",
    title: "Why not? Host network",
    note: "A pod on the host's network is never injected: its rules would be the node's.",
    texts: { manifest: HOST_NETWORK },
  },
  {
    id: "misplaced",
    title: "Why not? A label in the wrong place",
    note: "The Deployment has the label; its pods, which are what counts, don't.",
    texts: { manifest: MISPLACED },
    settings: { namespaceLabels: "" },
  },
  {
    id: "own-template",
    title: "A template of your own",
    note: "A small template beside the sidecar's: what it renders is merged into the pod by name.",
    texts: { manifest: BARE_POD, config: OWN_TEMPLATE },
    opens: "config",
  },
  {
    id: "broken-template",
    title: "A broken template",
    note: "The mistake is marked in the config, in Go's own words.",
    texts: { manifest: BARE_POD, config: BROKEN_TEMPLATE },
    opens: "config",
  },
  {
    id: "legacy",
    title: "Istio 1.1, [[ ]]",
    note: "One appended template, as clusters had it before 1.9.",
    texts: { manifest: OLD_POD, config: LEGACY_CONFIG, values: "", mesh: "" },
    settings: { compat: "1.1" },
  },
];

/** The texts that ship. */
export function shippedTexts(): Shipped {
  const { config, mesh } = defaultConfig();
  return { config: readable(config), values: COMMENTED_VALUES, mesh };
}

/** The same config without what is empty, and with the template first that most pods get. */
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
