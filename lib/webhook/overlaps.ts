/**
 * Finds webhooks that select the same pods, which would inject them twice. It tries every combination of
 * the relevant labels, as `istioctl analyze` does.
 */

import { compileLabelSelector, type Labels, type LabelSelectorSpec } from "../config/mod.ts";
import { compareStrings } from "../data/bytes.ts";
import {
  INJECT_LABEL,
  INJECTION_LABEL,
  injectorEntries,
  REVISION_LABEL,
  type WebhookConfiguration,
} from "./configuration.ts";

type Matcher = (labels: Labels) => boolean;

interface Entry {
  /** `configuration/entry`. */
  readonly name: string;
  readonly isNew: boolean;
  readonly namespaces: Matcher;
  readonly pods: Matcher;
}

/** Returns a message for each overlap, in istioctl's words. */
export function overlapsOf(
  configuration: WebhookConfiguration,
  others: readonly WebhookConfiguration[],
): readonly string[] {
  const all = [configuration, ...others];
  const entries = all.flatMap((one) => entriesOf(one, one === configuration));
  const revisions = [...new Set(all.flatMap(revisionsOf))];
  const combine = (key: string, values: readonly (string | undefined)[]): Labels[] =>
    values.flatMap((value) =>
      [undefined, ...revisions].map((revision) => ({
        ...(value === undefined ? {} : { [key]: value }),
        ...(revision === undefined ? {} : { [REVISION_LABEL]: revision }),
      }))
    );
  const problems = new Map<string, Set<string>>();
  for (const namespace of combine(INJECTION_LABEL, [undefined, "enabled", "disabled"])) {
    const here = entries.filter(({ namespaces }) => namespaces(namespace));
    for (const pod of combine(INJECT_LABEL, [undefined, "true", "false"])) {
      const called = here.filter(({ pods }) => pods(pod));
      for (const { name } of called.filter(({ isNew }) => isNew)) {
        const found = problems.get(name) ?? new Set();
        called.forEach((other) => other.name === name || found.add(other.name));
        if (found.size > 0) problems.set(name, found);
      }
    }
  }
  return [...problems].sort(([a], [b]) => compareStrings(a, b)).map(([, found]) =>
    `Error [IST0139] (MutatingWebhookConfiguration ${configuration.metadata.name}) ` +
    `Webhook overlaps with others: [${[...found].sort(compareStrings).join(" ")}]. ` +
    "This may cause injection to occur twice."
  );
}

function entriesOf(configuration: WebhookConfiguration, isNew: boolean): Entry[] {
  return injectorEntries(configuration).map(({ name, namespaceSelector, objectSelector }) => ({
    name: `${configuration.metadata.name}/${name}`,
    isNew,
    namespaces: matcher(namespaceSelector),
    pods: matcher(objectSelector),
  }));
}

/** Compiles a selector. A missing one matches everything, as in the API server. */
function matcher(selector: LabelSelectorSpec = {}): Matcher {
  try {
    return compileLabelSelector(selector).matches;
  } catch {
    // The API server would reject it.
    return () => false;
  }
}

/** Returns the revisions that a configuration's label or selectors name. */
function revisionsOf(configuration: WebhookConfiguration): string[] {
  const { labels = {} } = configuration.metadata;
  const own = Object.hasOwn(labels, REVISION_LABEL) ? [labels[REVISION_LABEL]] : [];
  const selected = injectorEntries(configuration)
    .flatMap((
      { namespaceSelector = {}, objectSelector = {} },
    ) => [namespaceSelector, objectSelector])
    .flatMap(({ matchLabels = {}, matchExpressions = [] }) => [
      ...(Object.hasOwn(matchLabels, REVISION_LABEL) ? [matchLabels[REVISION_LABEL]] : []),
      ...matchExpressions.filter(({ key }) => key === REVISION_LABEL)
        .flatMap(({ values = [] }) => values),
    ]);
  return [...own, ...selected];
}
