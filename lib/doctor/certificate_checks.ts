/** Whether the API server trusts whom it reaches: the serving certificate, its names, the caBundle. */

import type { ConfigurationLike } from "../webhook/match.ts";
import {
  argumentOf,
  type CertificateFact,
  type DoctorFacts,
  injectorEntries,
  nameOf,
  type ObjectLike,
  servedBy,
  type Target,
  targetOf,
  targetsOf,
} from "./facts.ts";
import { type Finding, Report } from "./finding.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** Whoever renews certificates by themselves does so earlier than this. */
const SOON_DAYS = 7;

export function checkCertificates(facts: DoctorFacts): Finding[] {
  const targets = targetsOf(facts);
  return facts.certificates.flatMap((certificate) => {
    const { namespace, name, problem, names } = certificate;
    const report = new Report("certificate", `Secret ${namespace}/${name}`);
    const renew = renewal(certificate, facts);
    if (problem !== undefined) {
      report.error(`it holds no usable certificate: ${problem}`, renew);
      return report.orOk("");
    }
    const days = ((certificate.notAfter ?? 0) - facts.now) / DAY_MS;
    if (days < 0) report.error(`it expired ${day(certificate.notAfter)}`, renew);
    else if ((certificate.notBefore ?? 0) > facts.now) {
      report.error(`it is not valid before ${day(certificate.notBefore)}`, renew);
    } else if (days < SOON_DAYS) {
      report.warn(`it expires in ${Math.floor(days)} days, on ${day(certificate.notAfter)}`, renew);
    }
    for (const target of targets.filter((one) => one.namespace === namespace)) {
      const wanted = `${target.name}.${target.namespace}.svc`;
      if (names.some((given) => covers(given, wanted))) continue;
      report.error(
        `the API server asks for ${wanted}, and it is for ${names.join(", ") || "no name"}`,
        renew,
      );
    }
    return report.orOk(`for ${names.join(", ")}, until ${day(certificate.notAfter)}`);
  });
}

/** A name, or one with a star for its first part. */
function covers(given: string, wanted: string): boolean {
  if (given.toLowerCase() === wanted) return true;
  return given.startsWith("*.") && wanted.slice(wanted.indexOf(".")) === given.slice(1);
}

function day(time: number | undefined): string {
  return new Date(time ?? 0).toISOString().slice(0, 10);
}

function renewal({ namespace, name }: CertificateFact, { deployments }: DoctorFacts): string {
  const own = deployments.find((one) =>
    one.metadata.namespace === namespace && argumentOf(one, "tls-secret") === name
  );
  // With --tls=auto a Secret that is gone is made anew, and the caBundle with it.
  return own === undefined
    ? `kubectl -n ${namespace} get secret ${name} -o yaml`
    : `kubectl -n ${namespace} delete secret ${name}`;
}

export function checkBundles(facts: DoctorFacts): Finding[] {
  return facts.webhooks.filter((one) => injectorEntries(one).length > 0)
    .flatMap((configuration) => checkBundle(configuration, facts));
}

function checkBundle(
  configuration: ConfigurationLike & ObjectLike,
  facts: DoctorFacts,
): Finding[] {
  const report = new Report("ca_bundle", `MutatingWebhookConfiguration ${nameOf(configuration)}`);
  const told = new Set<string>();
  for (const entry of injectorEntries(configuration)) {
    const target = targetOf(entry);
    const { caBundle = "" } = (entry.clientConfig ?? {}) as { caBundle?: string };
    const fillsIn = isAutomatic(target, facts) || hasIssuer(configuration);
    const problem = bundleProblem(caBundle, { target, facts, fillsIn });
    if (problem === undefined || told.has(problem)) continue;
    told.add(problem);
    report.error(problem, refresh(target, facts));
  }
  const isFilled = injectorEntries(configuration).every(({ clientConfig }) =>
    ((clientConfig ?? {}) as { caBundle?: string }).caBundle
  );
  return report.orOk(
    isFilled
      ? "the API server trusts what is served"
      : hasIssuer(configuration)
      ? "filled in by cert-manager"
      : "filled in by the injector",
  );
}

function bundleProblem(
  bundle: string,
  { target, facts, fillsIn }: {
    readonly target: Target | undefined;
    readonly facts: DoctorFacts;
    readonly fillsIn: boolean;
  },
): string | undefined {
  if (bundle === "") {
    if (!facts.isLive && fillsIn) return undefined;
    return fillsIn
      ? "it is empty: it has not been filled in yet, and the API server trusts nobody"
      : "it is empty, and nobody fills it in: the API server trusts nobody";
  }
  let pem: string;
  try {
    pem = atob(bundle);
  } catch {
    return "it is not base64";
  }
  if (!pem.includes("-----BEGIN CERTIFICATE-----")) return "it contains no certificate";
  const served = facts.certificates.filter(({ namespace, problem }) =>
    namespace === target?.namespace && problem === undefined
  );
  return served.length === 0 || served.some(({ isTrustedBy }) => isTrustedBy(pem))
    ? undefined
    : "none of its authorities signed the certificate that is served";
}

function deploymentOf(target: Target | undefined, facts: DoctorFacts): ObjectLike | undefined {
  const service = facts.services.find(({ metadata }) =>
    metadata.namespace === target?.namespace && metadata.name === target?.name
  );
  return service && servedBy(service, facts.deployments).at(0);
}

/** Whether the injector keeps the caBundle: of its own authority, or of that of a file. */
function isAutomatic(target: Target | undefined, facts: DoctorFacts): boolean {
  const deployment = deploymentOf(target, facts);
  return deployment !== undefined &&
    (argumentOf(deployment, "tls") === "auto" ||
      argumentOf(deployment, "caCertFile") !== undefined);
}

/** Whether cert-manager keeps the caBundle. */
function hasIssuer({ metadata: { annotations = {} } }: ObjectLike): boolean {
  return Object.keys(annotations).some((name) => /^cert-manager\.io\/inject-/.test(name));
}

function refresh(target: Target | undefined, facts: DoctorFacts): string {
  const deployment = deploymentOf(target, facts);
  return deployment === undefined
    ? "outrigger webhook generate --ca-file ca.crt | kubectl apply -f -"
    : `kubectl -n ${deployment.metadata.namespace} rollout restart deployment/${deployment.metadata.name}`;
}
