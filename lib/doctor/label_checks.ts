/**
 * Finds injection labels that have no effect: misspelt ones, ones on the wrong kind of object, and values
 * that no selector matches. Nothing else reports them: the pods just start without a sidecar.
 */

import { editDistance } from "../data/edit_distance.ts";
import { INJECT_LABEL, INJECTION_LABEL, REVISION_LABEL } from "../webhook/configuration.ts";
import type { DoctorFacts, Labels } from "./facts.ts";
import { type Finding, Report } from "./finding.ts";

/** The labels that have an effect, with their valid values; an empty list allows any value. */
type Known = Readonly<Record<string, readonly string[]>>;

const NAMESPACE_LABELS: Known = {
  [INJECTION_LABEL]: ["enabled", "disabled"],
  [REVISION_LABEL]: [],
};
const POD_LABELS: Known = { [INJECT_LABEL]: ["true", "false"], [REVISION_LABEL]: [] };

/** Finds two typos: `istio-injecton`, `Istio_injectoin`. Istio's other labels differ by more. */
const MAX_DISTANCE = 2;

/** A common prefix of this length identifies a label: `istio-inject`, `istio.io/revision`. */
const MIN_PREFIX = 10;

interface Problem {
  readonly what: string;
  /** The labels to change; `null` removes a label. */
  readonly labels: Readonly<Record<string, string | null>>;
}

export function checkLabels({ namespaces, workloads }: DoctorFacts): Finding[] {
  if (namespaces.length + workloads.length === 0) return [];
  const found = [
    ...namespaces.flatMap(({ name, labels }) => {
      const report = new Report("labels", `Namespace ${name}`);
      for (const problem of problemsOf(labels, NAMESPACE_LABELS)) {
        const changes = Object.entries(problem.labels)
          .map(([key, value]) => value === null ? `${key}-` : `${key}=${value}`);
        report.warn(
          problem.what,
          `kubectl label --overwrite namespace ${name} ${changes.join(" ")}`,
        );
      }
      return report.problems();
    }),
    ...workloads.flatMap(({ kind, namespace, name, labels }) => {
      const report = new Report("labels", `${kind} ${namespace}/${name}`);
      for (const problem of problemsOf(labels, POD_LABELS)) {
        const patch = { spec: { template: { metadata: { labels: problem.labels } } } };
        report.warn(
          `in its pod template, ${problem.what}`,
          `kubectl -n ${namespace} patch ${kind.toLowerCase()} ${name} --type=merge ` +
            `-p '${JSON.stringify(patch)}'`,
        );
      }
      return report.problems();
    }),
  ];
  if (found.length > 0) return found;
  const count = `${namespaces.length} namespaces and ${workloads.length} workloads`;
  return new Report("labels", count).orOk("no misspelt injection labels");
}

function problemsOf(labels: Labels, known: Known): Problem[] {
  return Object.entries(labels).flatMap(([key, value]) => {
    if (Object.hasOwn(known, key)) {
      const values = known[key];
      if (values.length === 0 || values.includes(value)) return [];
      const meant = meantValue(value, values);
      return [{
        what: `label ${key} has the value ${
          JSON.stringify(value)
        }, which has no effect: it must be ${
          values.map((one) => JSON.stringify(one)).join(" or ")
        }`,
        labels: { [key]: meant },
      }];
    }
    const meant = meantKey(key, known);
    if (meant === undefined) return [];
    // A namespace can have the right label beside the wrong one.
    const isThere = Object.hasOwn(labels, meant);
    return [{
      what: `label ${key} has no effect: did you mean ${meant}?`,
      labels: {
        [key]: null,
        ...(isThere ? {} : { [meant]: meantValue(value, known[meant]) }),
      },
    }];
  });
}

/** Returns the label that was probably meant, or undefined if the key resembles none. */
function meantKey(key: string, known: Known): string | undefined {
  // The right label on the wrong kind of object.
  if (key === INJECT_LABEL) return INJECTION_LABEL;
  if (key === INJECTION_LABEL) return INJECT_LABEL;
  const given = plain(key);
  return Object.keys(known).find((candidate) => {
    const wanted = plain(candidate);
    if (Math.abs(given.length - wanted.length) > MAX_DISTANCE) {
      const shorter = Math.min(given.length, wanted.length);
      return shorter >= MIN_PREFIX && given.slice(0, shorter) === wanted.slice(0, shorter);
    }
    return editDistance(given, wanted) <= MAX_DISTANCE;
  });
}

/** Returns the value that was probably meant: `enabled` for `true`. */
function meantValue(value: string, values: readonly string[]): string {
  if (values.length === 0 || values.includes(value)) return value;
  const [yes, no] = values;
  return /^(?:f|n|off|0|dis)/i.test(value) ? no : yes;
}

function plain(key: string): string {
  return key.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
}
