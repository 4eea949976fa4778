/** Checks which pods the API server calls the injector for, and what happens while no injector responds. */

import {
  DEFAULT_REVISION,
  INJECT_LABEL,
  INJECTION_LABEL,
  injectorEntries,
  PRODUCT,
  PRODUCT_LABEL,
  REVISION_LABEL,
  TAG_LABEL,
} from "../webhook/configuration.ts";
import type { ConfigurationLike, EntryLike } from "../webhook/match.ts";
import { matchWebhooks } from "../webhook/match.ts";
import {
  deploymentsOf,
  type DoctorFacts,
  type Labels,
  nameOf,
  type ObjectLike,
  runsOutrigger,
  serviceOf,
  targetOf,
  targetsOf,
  templateOf,
} from "./facts.ts";
import { type Finding, Report } from "./finding.ts";

type Configuration = ConfigurationLike & ObjectLike;

const KIND = "MutatingWebhookConfiguration";

/** The namespace whose pods must not wait for an injector, because the cluster depends on them. */
const SYSTEM = "kube-system";

/** The API server's default timeout. A longer one blocks controllers that create pods. */
const LONGEST_SECONDS = 10;

export function checkWebhooks(facts: DoctorFacts): Finding[] {
  const configurations = facts.webhooks.filter((one) => injectorEntries(one).length > 0);
  if (configurations.length === 0) {
    const report = new Report("webhook", KIND);
    report.error(
      "no configuration calls an injector: no pod is injected",
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
        `${entry.name} has sideEffects ${sideEffects ?? "unset"}: dry-run requests fail`,
        set(name, { entry, configuration, field: "sideEffects", value: "None" }),
      );
    }
    if (!admissionReviewVersions?.some((version) => version === "v1" || version === "v1beta1")) {
      report.error(
        `${entry.name} accepts review versions ${
          admissionReviewVersions?.join(", ") || "(none)"
        }, but the injector supports v1 and v1beta1`,
        set(name, { entry, configuration, field: "admissionReviewVersions", value: ["v1"] }),
      );
    }
  }
  return report.orOk(`${injectorEntries(configuration).length} injector webhooks`);
}

/** Returns a command that sets a field of a webhook. */
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

/** Returns the label sets that distinguish pods for the selectors. */
function samplePods(configurations: readonly Configuration[]): Labels[] {
  const revisions = new Set(
    configurations.flatMap(({ metadata: { labels = {} } }) =>
      [labels[REVISION_LABEL], labels[TAG_LABEL]].filter((name) => name !== undefined)
    ),
  );
  return [
    {},
    { [INJECT_LABEL]: "true" },
    ...[...revisions].map((name) => ({ [REVISION_LABEL]: name })),
  ];
}

function checkSelectors(configurations: readonly Configuration[], facts: DoctorFacts): Finding[] {
  const pods = samplePods(configurations);
  /** For each pair of configurations, the namespaces where both are called. */
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
          `${entry.name} has no selectors: it is called for every pod in the cluster`,
          `outrigger webhook generate${revisionFlag(configuration)} | kubectl apply -f -`,
        );
      }
      // Manifests do not contain the namespaces of workloads.
      if (facts.isLive && facts.namespaces.length > 0 && !called.has(nameOf(configuration))) {
        report.warn(
          `it selects no pods in any of the ${facts.namespaces.length} namespaces`,
          `kubectl label namespace NAME ${labelFor(configuration)}`,
        );
      }
      return report.orOk("selects some pods, but not all");
    }),
    ...[...overlaps].flatMap(([key, namespaces]) => {
      const [first, second] = key.split("\n");
      const report = new Report("selectors", `${KIND} ${second}`);
      const some = [...namespaces].slice(0, 3).join(", ") + (namespaces.size > 3 ? ", …" : "");
      report.error(
        `this configuration and ${first} are both called for pods in ${some}: they are injected twice`,
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
  const revision = labels[REVISION_LABEL] ?? DEFAULT_REVISION;
  return revision === DEFAULT_REVISION ? "" : ` --revision ${revision}`;
}

function labelFor({ metadata: { labels = {} } }: Configuration): string {
  const name = labels[TAG_LABEL] ?? labels[REVISION_LABEL] ?? DEFAULT_REVISION;
  return name === DEFAULT_REVISION ? `${INJECTION_LABEL}=enabled` : `${REVISION_LABEL}=${name}`;
}

/** Checks that the injector's own pods and kube-system do not depend on the injector. */
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
  for (const target of targetsOf({ webhooks: [configuration] })) {
    for (const deployment of deploymentsOf(target, facts)) {
      const { labels = {}, annotations = {} } = templateOf(deployment).metadata ?? {};
      const isCalled = matchWebhooks([only], {
        namespace: namespaceOf(target.namespace, facts),
        pod: { labels, annotations },
      }).some(({ calls }) => calls);
      if (!isCalled) continue;
      report.error(
        `it is called for the injector's own pods (Deployment ${nameOf(deployment)}): ` +
          "if no injector runs, none can start",
        regenerate,
      );
    }
  }
  const isCalledForSystem = matchWebhooks([only], {
    namespace: namespaceOf(SYSTEM, facts),
    pod: { labels: {}, annotations: {} },
  }).some(({ calls }) => calls);
  if (isCalledForSystem) {
    report.error(
      `it is called for pods in ${SYSTEM}, which cannot start while no injector responds`,
      regenerate,
    );
  }
  const open = injectorEntries(configuration).find(({ failurePolicy }) =>
    failurePolicy === "Ignore"
  );
  if (open !== undefined) {
    report.warn(
      `${open.name} has failurePolicy Ignore: pods start without a sidecar while no injector ` +
        'responds ("outrigger explain" and "outrigger drift" find them)',
      set(nameOf(configuration), {
        entry: open,
        configuration,
        field: "failurePolicy",
        value: "Fail",
      }),
    );
  }
  return report.orOk("neither the injector nor kube-system depends on it");
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
      `${entry.name} has timeoutSeconds ${timeoutSeconds}: each pod takes that long to fail while no ` +
        "injector responds",
      set(nameOf(configuration), { entry, configuration, field: "timeoutSeconds", value: 5 }),
    );
  }
  return report.orOk(`${longest} s at most`);
}

/** Finds configurations whose injector no longer exists, and those of other injectors beside ours. */
function checkLeftovers(configurations: readonly Configuration[], facts: DoctorFacts): Finding[] {
  if (!facts.isLive) return [];
  const report = new Report("leftovers", KIND);
  const isOurs = (configuration: Configuration) =>
    configuration.metadata.labels?.[PRODUCT_LABEL] === PRODUCT ||
    targetsOf({ webhooks: [configuration] }).some((target) =>
      deploymentsOf(target, facts).some(runsOutrigger)
    );
  const hasOurs = configurations.some(isOurs);
  for (const configuration of configurations.filter((one) => !isOurs(one))) {
    const name = nameOf(configuration);
    const remove = `kubectl delete mutatingwebhookconfiguration ${name}`;
    const missing = targetsOf({ webhooks: [configuration] })
      .find((target) => serviceOf(target, facts) === undefined);
    if (missing !== undefined) {
      report.error(
        `${name} calls Service ${missing.namespace}/${missing.name}, which does not exist: the pods ` +
          "that it selects cannot start",
        remove,
      );
    } else if (hasOurs) {
      report.warn(
        `${name} belongs to another injector`,
        `kubectl get namespaces -L ${INJECTION_LABEL},${REVISION_LABEL}`,
      );
    }
  }
  return report.orOk("no configuration without an injector");
}

/** Reports whether a webhook has matchConditions, which old API servers ignore. */
export function hasConditions(configuration: ConfigurationLike): boolean {
  return injectorEntries(configuration).some((entry) =>
    targetOf(entry) !== undefined && (entry.matchConditions ?? []).length > 0
  );
}
