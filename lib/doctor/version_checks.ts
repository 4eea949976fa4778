/** Versions that must fit: the API server's and the webhook's features, kubelets and native sidecars, ours. */

import { type DoctorFacts, minorOf, nameOf, servedBy, targetsOf, templateOf } from "./facts.ts";
import { type Finding, Report } from "./finding.ts";
import { hasConditions } from "./webhook_checks.ts";

/** From here on match conditions are on by default; before, they are dropped in silence. */
const CONDITIONS_SINCE = 28;
/** From here on kubelets run sidecars that are init containers. */
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
      `${apiServer} knows no matchConditions: mirror pods are asked about too`,
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
        "sidecars are ordinary ones until all are not",
      "kubectl get nodes",
    );
  }
  const kind = old.length === 0 ? "native" : "ordinary";
  return report.orOk(`${versions}: ${kind} sidecars`);
}

/** The image's tag against the program that looks. */
function checkOwn(facts: DoctorFacts): Finding[] {
  const { version, services, deployments } = facts;
  const own = targetsOf(facts).flatMap(({ namespace, name }) => {
    const service = services.find(({ metadata }) =>
      metadata.namespace === namespace && metadata.name === name
    );
    return service === undefined ? [] : servedBy(service, deployments);
  });
  return [...new Set(own)].flatMap((deployment) => {
    const report = new Report("versions", `Deployment ${nameOf(deployment)}`);
    for (const { name, image = "" } of templateOf(deployment).spec?.containers ?? []) {
      const [, tag] = /\/?outrigger:v?(\d[^@]*)(?:@|$)/.exec(image) ?? [];
      if (tag === undefined) continue;
      if (tag === version) return report.orOk(`runs ${tag}, as this program is`);
      report.warn(
        `it runs ${tag}, and this program is ${version}: what one says of the other may not hold`,
        `kubectl -n ${deployment.metadata.namespace} set image deployment/${deployment.metadata.name} ` +
          `${name}=${image.replace(tag, version)}`,
      );
      return report.orOk("");
    }
    return [];
  });
}
