/** Checks that the API server trusts the injector: the serving certificate, its names, the caBundle. */

import { decodeBase64 } from "../data/base64.ts";
import { DAY_MS } from "../data/durations.ts";
import { injectorEntries } from "../webhook/configuration.ts";
import type { ConfigurationLike } from "../webhook/match.ts";
import {
  argumentOf,
  type CertificateFact,
  deploymentsOf,
  type DoctorFacts,
  nameOf,
  type ObjectLike,
  type Target,
  targetOf,
  targetsOf,
} from "./facts.ts";
import { type Finding, Report } from "./finding.ts";

/** Automatic renewal happens earlier than this. */
const SOON_DAYS = 7;

export function checkCertificates(facts: DoctorFacts): Finding[] {
  const targets = targetsOf(facts);
  return facts.certificates.flatMap((certificate) => {
    const { namespace, name, problem, names } = certificate;
    const report = new Report("certificate", `Secret ${namespace}/${name}`);
    const renew = renewal(certificate, facts);
    if (problem !== undefined) {
      report.error(`it contains no usable certificate: ${problem}`, renew);
      return report.orOk("");
    }
    const days = ((certificate.notAfter ?? 0) - facts.now) / DAY_MS;
    if (days < 0) report.error(`it expired on ${day(certificate.notAfter)}`, renew);
    else if ((certificate.notBefore ?? 0) > facts.now) {
      report.error(`it is not valid before ${day(certificate.notBefore)}`, renew);
    } else if (days < SOON_DAYS) {
      report.warn(`it expires in ${Math.floor(days)} days, on ${day(certificate.notAfter)}`, renew);
    }
    for (const target of targets.filter((one) => one.namespace === namespace)) {
      const wanted = `${target.name}.${target.namespace}.svc`;
      if (names.some((given) => covers(given, wanted))) continue;
      report.error(
        `it is not valid for ${wanted}, which the API server verifies, only for ` +
          (names.join(", ") || "no names"),
        renew,
      );
    }
    return report.orOk(`valid for ${names.join(", ")} until ${day(certificate.notAfter)}`);
  });
}

/** Reports whether a certificate name, possibly a wildcard, matches a DNS name. */
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
  // With --tls=auto a deleted Secret is created again, and the caBundle updated.
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
      ? "the API server trusts the serving certificate"
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
      ? "the caBundle is empty: it has not been filled in yet, and the API server trusts no certificate"
      : "the caBundle is empty and will not be filled in: the API server trusts no certificate";
  }
  let pem: string;
  try {
    pem = decodeBase64(bundle);
  } catch {
    return "the caBundle is not base64";
  }
  if (!pem.includes("-----BEGIN CERTIFICATE-----")) return "the caBundle contains no certificate";
  const served = facts.certificates.filter(({ namespace, problem }) =>
    namespace === target?.namespace && problem === undefined
  );
  return served.length === 0 || served.some(({ isTrustedBy }) => isTrustedBy(pem))
    ? undefined
    : "no CA in the caBundle signed the serving certificate";
}

/** Reports whether the injector keeps the caBundle, with a CA of its own or from a file. */
function isAutomatic(target: Target | undefined, facts: DoctorFacts): boolean {
  const [deployment] = deploymentsOf(target, facts);
  return deployment !== undefined &&
    (argumentOf(deployment, "tls") === "auto" ||
      argumentOf(deployment, "caCertFile") !== undefined);
}

/** Reports whether cert-manager keeps the caBundle. */
function hasIssuer({ metadata: { annotations = {} } }: ObjectLike): boolean {
  return Object.keys(annotations).some((name) => /^cert-manager\.io\/inject-/.test(name));
}

function refresh(target: Target | undefined, facts: DoctorFacts): string {
  const [deployment] = deploymentsOf(target, facts);
  return deployment === undefined
    ? "outrigger webhook generate --ca-file ca.crt | kubectl apply -f -"
    : `kubectl -n ${deployment.metadata.namespace} rollout restart deployment/${deployment.metadata.name}`;
}
