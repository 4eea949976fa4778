/** Derives facts for `doctor` from objects, whether from a cluster or from files. */

import { decodeBase64 } from "../data/base64.ts";
import {
  argumentOf,
  type CertificateFact,
  type ConfigFact,
  type ObjectLike,
  templateOf,
  type WorkloadFact,
} from "../doctor/mod.ts";
import { sprigFunctions } from "../go/sprig/mod.ts";
import { type CompatVersion, createInjector, NATIVE_VARIABLE } from "../inject/mod.ts";
import {
  CertificateError,
  createSprigHost,
  type Host,
  isSignedBy,
  readCertificates,
} from "../host/mod.ts";

/** Returns the names of the Secrets that may hold the serving certificate of a Deployment. */
export function tlsSecretsOf(deployment: ObjectLike): string[] {
  const named = argumentOf(deployment, "tls-secret");
  if (named !== undefined) return [named];
  const { volumes = [] } = (templateOf(deployment).spec ?? {}) as {
    volumes?: readonly { readonly secret?: { readonly secretName?: string } }[];
  };
  return volumes.flatMap(({ secret }) => secret?.secretName ?? []);
}

/** The keys of a Secret that may hold the serving certificate. */
const CERTIFICATE_KEYS = ["tls.crt", "cert-chain.pem"];

/** Returns the facts about the certificate in a Secret; undefined if it contains none. */
export function certificateFact(secret: ObjectLike): CertificateFact | undefined {
  const { namespace = "", name = "" } = secret.metadata;
  const text = (key: string) => {
    const value = (secret.data as Record<string, unknown> | undefined)?.[key];
    if (typeof value === "string") return decodeBase64(value);
    const plain = (secret.stringData as Record<string, unknown> | undefined)?.[key];
    return typeof plain === "string" ? plain : undefined;
  };
  const chain = CERTIFICATE_KEYS.map(text).find((one) => one !== undefined);
  if (chain === undefined) return undefined;
  const place = { namespace, name };
  try {
    const [leaf, ...rest] = readCertificates(chain);
    const isTrustedBy = (bundle: string) => {
      try {
        return readCertificates(bundle).some((authority) =>
          [leaf, ...rest].some(({ pem, fingerprint }) =>
            fingerprint === authority.fingerprint || isSignedBy(pem, authority.pem)
          )
        );
      } catch (error) {
        if (error instanceof CertificateError) return false;
        throw error;
      }
    };
    return { ...place, ...leaf, isTrustedBy };
  } catch (error) {
    if (!(error instanceof CertificateError)) throw error;
    return { ...place, problem: error.message, names: [], isTrustedBy: () => false };
  }
}

/** The kinds whose pod template labels are checked. */
export const WORKLOADS: readonly string[] = ["Deployment", "StatefulSet", "DaemonSet"];

export function workloadFact(object: ObjectLike, kind: string): WorkloadFact {
  const { namespace = "default", name = "" } = object.metadata;
  return { kind, namespace, name, labels: templateOf(object).metadata?.labels ?? {} };
}

export interface ConfigObjects {
  readonly inject: ObjectLike;
  readonly mesh: ObjectLike | undefined;
  /** The version that the Deployment emulates. */
  readonly compat: CompatVersion;
}

/** Checks that an injector can be built from config maps, the same way as `serve` does. */
export function configFact({ inject, mesh, compat }: ConfigObjects, host: Host): ConfigFact {
  const { namespace, name } = inject.metadata;
  const text = (map: ObjectLike | undefined, key: string) => {
    const value = (map?.data as Record<string, unknown> | undefined)?.[key];
    return typeof value === "string" ? value : "";
  };
  const sources = {
    config: text(inject, "config"),
    values: text(inject, "values"),
    mesh: text(mesh, "mesh"),
  };
  const warnings = new Set<string>();
  const fact = {
    origin: `ConfigMap ${namespace}/${name}`,
    fix: `kubectl -n ${namespace} get configmap ${name} -o jsonpath='{.data.config}' ` +
      "> config.yaml; outrigger lint config.yaml",
  };
  try {
    if (sources.config === "") throw new Error('it has no key "config"');
    createInjector(sources, {
      compat,
      variables: { [NATIVE_VARIABLE]: "auto" },
      tried: true,
      sprig: sprigFunctions(createSprigHost(host, { env: () => undefined })),
      warn: (message) => void warnings.add(message.trim()),
    });
    return { ...fact, warnings: [...warnings] };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { ...fact, error: reason, warnings: [...warnings] };
  }
}
