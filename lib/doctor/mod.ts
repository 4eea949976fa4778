/** What other rooms may use of lib/doctor. */

export { diagnose } from "./doctor.ts";
export {
  type AccessFact,
  type AccessNeed,
  argumentOf,
  type CertificateFact,
  type ConfigFact,
  deploymentsOf,
  type DoctorFacts,
  injectorsOf,
  nameOf,
  type ObjectLike,
  runsOutrigger,
  type SourceFact,
  targetOf,
  targetsOf,
  templateOf,
  type WorkloadFact,
} from "./facts.ts";
export type { Finding, Level } from "./finding.ts";
export { mayByManifests } from "./rbac.ts";
