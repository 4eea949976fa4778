/** Runs all checks: facts in, findings out. */

import { checkAccess } from "./access_checks.ts";
import { checkApiVersions } from "./api_version_checks.ts";
import { checkBundles, checkCertificates } from "./certificate_checks.ts";
import type { ConfigFact, DoctorFacts } from "./facts.ts";
import { type Finding, Report } from "./finding.ts";
import { checkLabels } from "./label_checks.ts";
import { checkServices } from "./service_checks.ts";
import { checkVersions } from "./version_checks.ts";
import { checkWebhooks } from "./webhook_checks.ts";

/** Returns the findings of all checks, in the order in which a request passes the checked objects. */
export function diagnose(facts: DoctorFacts): Finding[] {
  return [
    ...checkWebhooks(facts),
    ...checkLabels(facts),
    ...checkServices(facts),
    ...checkCertificates(facts),
    ...checkBundles(facts),
    ...facts.configs.flatMap(checkConfig),
    ...checkAccess(facts),
    ...checkVersions(facts),
    ...checkApiVersions(facts),
  ];
}

function checkConfig({ origin, error, warnings, fix }: ConfigFact): Finding[] {
  const report = new Report("config", origin);
  if (error !== undefined) report.error(error, fix);
  for (const warning of warnings) report.warn(warning, fix);
  return report.orOk("it is valid, its templates compile, and a sample pod is injected");
}
