/** Whom the API server asks about which pods, and what happens to them while nobody answers. */

import {
  INJECTION_LABEL,
  PRODUCT,
  PRODUCT_LABEL,
  REVISION_LABEL,
} from "../webhook/configuration.ts";
import type { ConfigurationLike, EntryLike } from "../webhook/match.ts";
import { matchWebhooks } from "../webhook/match.ts";
import {
  type DoctorFacts,
  injectorEntries,
  type Labels,
  nameOf,
  type ObjectLike,
  runsOutrigger,
  servedBy,
  targetOf,
  targetsOf,
  templateOf,
} from "./facts.ts";
import { type Finding, Report } from "./finding.ts";

type Configuration = ConfigurationLike & ObjectLike;

const KIND = "MutatingWebhookConfiguration";

/** Where nothing may wait for an injector: what the cluster itself runs on. */
const SYSTEM = "kube-system";

/** The API server's own; longer, and everything that makes pods stands still meanwhile. */
const LONGEST_SECONDS = 10;

export function checkWebhooks(facts: DoctorFacts): Finding[] {
  const configurations = facts.webhooks.filter((one) => injectorEntries(one).length > 0);
  if (configurations.length === 0) {
    const report = new Report("webhook", KIND);
    report.error(
      "there is none of an injector: nothing is injected",
      "outrigger webhook generate | kubectl apply -f -",
    );
    return report.orOk("");
  }
  return [
    ...configurations.flatMap((one) => checkForm(one)),
    ...checkSelectors(configurations, facts),
    ...configurations.flatMap((one) => checkFailure(one, facts)),
    ...configurations.flatMap((one) => checkTimeout(one)),
    ...checkLeftovers(configurations, facts),
  ];
}

function checkForm(configuration: Configuration): Finding[] {
  const report = new Report("webhook", `${KIND} ${nameOf(configuration)}`);
  const name = nameOf(configuration);
  for (const entry of injectorEntries(configuration)) {
    const { sideEffects, admissionReviewVersions } = entry as {
      sideEffects?: string;
      admissionReviewVersions?: readonly string[];
    };
    if (sideEffects !== "None" && sideEffects !== "NoneOnDryRun") {
      report.error(
        `${entry.name} has sideEffects ${sideEffects ?? "unset"}: dry runs fail`,
        set(name, { entry, configuration, field: "sideEffects", value: "None" }),
      );
    }
    if (!admissionReviewVersions?.some((version) => version === "v1" || version === "v1beta1")) {
      report.error(
        `${entry.name} takes reviews ${admissionReviewVersions?.join(", ") || "of no version"}, ` +
          "and v1 is what is answered",
        set(name, { entry, configuration, field: "admissionReviewVersions", value: ["v1"] }),
      );
    }
  }
  return report.orOk(`${injectorEntries(configuration).length} entries of an injector`);
}

function set(
  name: string,
  { entry, configuration, field, value }: {
    readonly entry: EntryLike;
    readonly configuration: Configuration;
    readonly field: string;
    readonly value: unknown;
  },
): string {
  const index = (configuration.webhooks ?? []).indexOf(entry);
  const patch = JSON.stringify([{ op: "add", path: `/webhooks/${index}/${field}`, value }]);
  return `kubectl patch mutatingwebhookconfiguration ${name} --type=json -p '${patch}'`;
}

/** Pods by the labels that selectors look at. */
function samplePods(configurations: readonly Configuration[]): Labels[] {
  const revisions = new Set(
    configurations.flatMap(({ metadata: { labels = {} } }) =>
      [labels["istio.io/rev"], labels["istio.io/tag"]].filter((name) => name !== undefined)
    ),
  );
  return [
    {},
    { "sidecar.istio.io/inject": "true" },
    ...[...revisions].map((name) => ({ "istio.io/rev": name })),
  ];
}

function checkSelectors(configurations: readonly Configuration[], facts: DoctorFacts): Finding[] {
  const pods = samplePods(configurations);
  /** Of each pair of configurations, the namespaces where both are called. */
  const overlaps = new Map<string, Set<string>>();
  const called = new Set<string>();
  for (const namespace of facts.namespaces) {
    for (const labels of pods) {
      const names = matchWebhooks(configurations, { namespace, pod: { labels, annotations: {} } })
        .filter(({ calls, isInjector }) => calls && isInjector)
        .map(({ configuration }) => configuration);
      for (const name of names) called.add(name);
      const [first, second] = [...new Set(names)];
      if (second === undefined) continue;
      const key = `${first}\n${second}`;
      overlaps.set(key, (overlaps.get(key) ?? new Set()).add(namespace.name));
    }
  }
  return [
    ...configurations.flatMap((configuration) => {
      const report = new Report("selectors", `${KIND} ${nameOf(configuration)}`);
      for (const entry of injectorEntries(configuration).filter(selectsAll)) {
        report.error(
          `${entry.name} has no selectors: every pod of the cluster waits for it`,
          `outrigger webhook generate${revisionFlag(configuration)} | kubectl apply -f -`,
        );
      }
      // Of manifests one cannot tell: the namespaces are elsewhere.
      if (facts.isLive && facts.namespaces.length > 0 && !called.has(nameOf(configuration))) {
        report.warn(
          `it selects pods of none of the ${facts.namespaces.length} namespaces`,
          `kubectl label namespace NAME ${labelFor(configuration)}`,
        );
      }
      return report.orOk("selects some pods, and not all");
    }),
    ...[...overlaps].flatMap(([key, namespaces]) => {
      const [first, second] = key.split("\n");
      const report = new Report("selectors", `${KIND} ${second}`);
      const some = [...namespaces].slice(0, 3).join(", ") + (namespaces.size > 3 ? ", …" : "");
      report.error(
        `it and ${first} are both called for pods of ${some}: they are injected twice`,
        `kubectl label namespace ${[...namespaces][0]} istio.io/rev- istio-injection-; ` +
          `kubectl delete mutatingwebhookconfiguration ${second}`,
      );
      return report.orOk("");
    }),
  ];
}

function selectsAll({ namespaceSelector, objectSelector }: EntryLike): boolean {
  const isEmpty = (selector: EntryLike["objectSelector"]) =>
    !selector || (Object.keys(selector.matchLabels ?? {}).length === 0 &&
      (selector.matchExpressions ?? []).length === 0);
  return isEmpty(namespaceSelector) && isEmpty(objectSelector);
}

function revisionFlag({ metadata: { labels = {} } }: Configuration): string {
  const revision = labels["istio.io/rev"];
  return revision === undefined || revision === "default" ? "" : ` --revision ${revision}`;
}

function labelFor({ metadata: { labels = {} } }: Configuration): string {
  const name = labels["istio.io/tag"] ?? labels["istio.io/rev"] ?? "default";
  return name === "default" ? "istio-injection=enabled" : `istio.io/rev=${name}`;
}

/** Pods that must start for the injector to start must not wait for the injector. */
function checkFailure(configuration: Configuration, facts: DoctorFacts): Finding[] {
  const about = `${KIND} ${nameOf(configuration)}`;
  const report = new Report("failure_policy", about);
  const regenerate = `outrigger webhook generate${
    revisionFlag(configuration)
  } | kubectl apply -f -`;
  const failing = injectorEntries(configuration).filter(({ failurePolicy = "Fail" }) =>
    failurePolicy === "Fail"
  );
  const only = { ...configuration, webhooks: failing };
  for (const { namespace, name } of targetsOf({ webhooks: [configuration] })) {
    const service = facts.services.find(({ metadata }) =>
      metadata.namespace === namespace && metadata.name === name
    );
    const own = service === undefined ? [] : servedBy(service, facts.deployments);
    for (const deployment of own) {
      const { labels = {}, annotations = {} } = templateOf(deployment).metadata ?? {};
      const isAsked = matchWebhooks([only], {
        namespace: namespaceOf(namespace, facts),
        pod: { labels, annotations },
      }).some(({ calls }) => calls);
      if (!isAsked) continue;
      report.error(
        `it is called for the injector's own pods (Deployment ${nameOf(deployment)}) and fails ` +
          "them while none runs: once all are gone, none comes back",
        regenerate,
      );
    }
  }
  const isSystemAsked = matchWebhooks([only], {
    namespace: namespaceOf(SYSTEM, facts),
    pod: { labels: {}, annotations: {} },
  }).some(({ calls }) => calls);
  if (isSystemAsked) {
    report.error(
      `it is called for pods of ${SYSTEM}, and fails them while nobody answers`,
      regenerate,
    );
  }
  const open = injectorEntries(configuration).find(({ failurePolicy }) =>
    failurePolicy === "Ignore"
  );
  if (open !== undefined) {
    report.warn(
      `${open.name} has failurePolicy Ignore: pods start without their sidecar while nobody ` +
        'answers ("outrigger explain" and "outrigger drift" find them)',
      set(nameOf(configuration), {
        entry: open,
        configuration,
        field: "failurePolicy",
        value: "Fail",
      }),
    );
  }
  return report.orOk("neither the injector nor kube-system waits for it");
}

function namespaceOf(name: string, { namespaces }: DoctorFacts) {
  return namespaces.find((one) => one.name === name) ?? { name, labels: {} };
}

function checkTimeout(configuration: Configuration): Finding[] {
  const report = new Report("timeout", `${KIND} ${nameOf(configuration)}`);
  let longest = 0;
  for (const entry of injectorEntries(configuration)) {
    const { timeoutSeconds = LONGEST_SECONDS } = entry as { timeoutSeconds?: number };
    longest = Math.max(longest, timeoutSeconds);
    if (timeoutSeconds <= LONGEST_SECONDS) continue;
    report.warn(
      `${entry.name} waits ${timeoutSeconds} s: so long hangs each pod while nobody answers`,
      set(nameOf(configuration), { entry, configuration, field: "timeoutSeconds", value: 5 }),
    );
  }
  return report.orOk(`${longest} s at most`);
}

/** Configurations whose injector is gone, and istiod's beside ours. */
function checkLeftovers(configurations: readonly Configuration[], facts: DoctorFacts): Finding[] {
  if (!facts.isLive) return [];
  const report = new Report("leftovers", KIND);
  const isOurs = (configuration: Configuration) =>
    configuration.metadata.labels?.[PRODUCT_LABEL] === PRODUCT ||
    targetsOf({ webhooks: [configuration] }).some(({ namespace, name }) =>
      facts.services.some((service) =>
        service.metadata.namespace === namespace && service.metadata.name === name &&
        servedBy(service, facts.deployments).some(runsOutrigger)
      )
    );
  const hasOurs = configurations.some(isOurs);
  for (const configuration of configurations.filter((one) => !isOurs(one))) {
    const name = nameOf(configuration);
    const remove = `kubectl delete mutatingwebhookconfiguration ${name}`;
    const missing = targetsOf({ webhooks: [configuration] }).find(({ namespace, name }) =>
      !facts.services.some(({ metadata }) =>
        metadata.namespace === namespace && metadata.name === name
      )
    );
    if (missing !== undefined) {
      report.error(
        `${name} calls ${missing.namespace}/${missing.name}, which is gone: its pods do not start`,
        remove,
      );
    } else if (hasOurs) {
      report.warn(
        `${name} of another injector is there beside ours`,
        `kubectl get namespaces -L ${INJECTION_LABEL},${REVISION_LABEL}`,
      );
    }
  }
  return report.orOk("no configuration of an injector that is gone");
}

/** Whether an entry asks with conditions that old API servers pass over. */
export function hasConditions(configuration: ConfigurationLike): boolean {
  return injectorEntries(configuration).some((entry) =>
    targetOf(entry) !== undefined && (entry.matchConditions ?? []).length > 0
  );
}
