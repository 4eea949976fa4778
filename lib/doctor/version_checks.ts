/** Checks versions: of the API server for match conditions, of kubelets for native sidecars, and our own. */

import { type DoctorFacts, injectorsOf, minorOf, nameOf, templateOf } from "./facts.ts";
import { type Finding, Report } from "./finding.ts";
import { hasConditions } from "./webhook_checks.ts";

/** The first minor version with matchConditions on by default; earlier ones drop the field silently. */
const CONDITIONS_SINCE = 28;
/** The first minor version of kubelets for which native sidecars are used. */
const NATIVE_SINCE = 33;

export function checkVersions(facts: DoctorFacts): Finding[] {
  return [...checkApiServer(facts), ...checkKubelets(facts), ...checkOwn(facts)];
}

function checkApiServer({ apiServer, webhooks }: DoctorFacts): Finding[] {
  if (apiServer === undefined) return [];
  const report = new Report("versions", "API server");
  const minor = minorOf(apiServer);
  if (minor !== undefined && minor < CONDITIONS_SINCE && webhooks.some(hasConditions)) {
    report.warn(
      `${apiServer} does not support matchConditions: the webhook is also called for mirror pods`,
      "kubectl version",
    );
  }
  return report.orOk(apiServer);
}

function checkKubelets({ kubelets }: DoctorFacts): Finding[] {
  if (kubelets.length === 0) return [];
  const report = new Report("versions", "kubelets");
  const old = kubelets.filter((version) => (minorOf(version) ?? 0) < NATIVE_SINCE);
  const versions = [...new Set(kubelets)].sort().join(", ");
  if (old.length > 0 && old.length < kubelets.length) {
    report.warn(
      `${old.length} of ${kubelets.length} are older than 1.${NATIVE_SINCE} (${versions}): ` +
        "native sidecars are not used until all kubelets support them",
      "kubectl get nodes",
    );
  }
  return report.orOk(`${versions}: ${old.length === 0 ? "native" : "regular"} sidecars`);
}

/** Compares the image's tag with the version of this program. */
function checkOwn(facts: DoctorFacts): Finding[] {
  const { version } = facts;
  return injectorsOf(facts).flatMap((deployment) => {
    const report = new Report("versions", `Deployment ${nameOf(deployment)}`);
    for (const { name, image = "" } of templateOf(deployment).spec?.containers ?? []) {
      const [, tag] = /\/?outrigger:v?(\d[^@]*)(?:@|$)/.exec(image) ?? [];
      if (tag === undefined) continue;
      if (tag === version) return report.orOk(`runs ${tag}, the version of this program`);
      report.warn(
        `it runs ${tag}, but this program is ${version}: these findings may not apply to it`,
        `kubectl -n ${deployment.metadata.namespace} set image deployment/${deployment.metadata.name} ` +
          `${name}=${image.replace(tag, version)}`,
      );
      return report.orOk("");
    }
    return [];
  });
}
