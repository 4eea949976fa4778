/**
 * Reads and writes the Secret that all replicas share:
 *
 * ```
 * tls.crt, tls.key   the serving certificate and its key
 * ca.crt             the CAs for the caBundle, oldest first
 * ca.key             the key of the last CA, which signs the next certificate
 * retire-after       until when a certificate of an earlier CA may be in use
 * ```
 *
 * The state of a rotation is entirely in these fields, so any replica can take the next step, and one that
 * dies between two steps leaves nothing behind.
 */

import { decodeBase64, encodeBase64 } from "../data/base64.ts";
import {
  CertificateError,
  type CertificateFacts,
  isKeyOf,
  isSignedBy,
  readCertificates,
} from "../host/mod.ts";
import type { KubeObject } from "../kube/client.ts";
import type { KeyPair } from "./authority.ts";
import { checkMaterial, type ServingCertificate, TlsError } from "./serving.ts";

export interface TlsState {
  readonly serving: ServingCertificate;
  /** The trusted CAs, oldest first. */
  readonly authorities: readonly CertificateFacts[];
  /** The CA that signs the next certificate; undefined if its key is missing. */
  readonly signer?: KeyPair;
  /** When the last certificate of an earlier CA expires, in milliseconds since 1970. */
  readonly retireAfter?: number;
}

/** The content of a Secret, valid or not. */
export interface SecretReading {
  /** Whether Outrigger manages the Secret. */
  readonly isOurs: boolean;
  /** The valid state; if it is absent, `failure` is set. */
  readonly state?: TlsState;
  readonly failure?: TlsError;
  /** Set even if the serving certificate is not valid. */
  readonly authorities: readonly CertificateFacts[];
  readonly signer?: KeyPair;
}

/** The label of Secrets that Outrigger manages. It changes no Secret without it. */
export const OURS = { "app.kubernetes.io/managed-by": "outrigger" } as const;

/** Names a Secret in error messages. */
export function secretLabel(namespace: string, name: string): string {
  return `of Secret ${JSON.stringify(`${namespace}/${name}`)}`;
}

export function readSecret(
  secret: KubeObject,
  { label, now }: { readonly label: string; readonly now: number },
): SecretReading {
  const isOurs = isMarked(secret);
  const text = textsOf(secret);
  const authorities = quietly(() => readCertificates(text("ca.crt"))) ?? [];
  const signer = signerOf(authorities, { key: text("ca.key"), now });
  const part = { isOurs, authorities, ...(signer === undefined ? {} : { signer }) };
  try {
    const material = { certificates: text("tls.crt"), key: text("tls.key") };
    const serving = checkMaterial(material, { certificate: label, now });
    // A Secret of another tool may omit the CA. Ours must contain it, or clients would not trust it.
    if (isOurs && issuerOf(serving, authorities) === undefined) {
      throw new TlsError(
        "unusable",
        `Cannot load certificate ${label}: ca.crt does not contain the CA that signed it`,
      );
    }
    const retireAfter = Date.parse(text("retire-after"));
    const state = {
      serving,
      authorities,
      ...(signer === undefined ? {} : { signer }),
      ...(Number.isNaN(retireAfter) ? {} : { retireAfter }),
    };
    return { ...part, state };
  } catch (error) {
    if (!(error instanceof TlsError)) throw error;
    return { ...part, failure: error };
  }
}

/** Returns the Secret for a state. */
export function writeSecret(
  { serving, authorities, signer, retireAfter }: TlsState,
  name: { readonly namespace: string; readonly name: string },
): KubeObject {
  return {
    metadata: { ...name, labels: OURS },
    type: "kubernetes.io/tls",
    data: {
      "tls.crt": encodeBase64(serving.material.certificates),
      "tls.key": encodeBase64(serving.material.key),
      "ca.crt": encodeBase64(bundleOf(authorities)),
      ...(signer === undefined ? {} : { "ca.key": encodeBase64(signer.key) }),
      ...(retireAfter === undefined
        ? {}
        : { "retire-after": encodeBase64(new Date(retireAfter).toISOString()) }),
    },
  };
}

/** Returns the CAs in PEM, as for the caBundle. */
export function bundleOf(authorities: readonly CertificateFacts[]): string {
  return authorities.map(({ pem }) => pem).join("");
}

/** Returns the CA that signed the serving certificate. */
export function issuerOf(
  { facts }: ServingCertificate,
  authorities: readonly CertificateFacts[],
): CertificateFacts | undefined {
  return authorities.find(({ pem }) => isSignedBy(facts.pem, pem));
}

function signerOf(
  authorities: readonly CertificateFacts[],
  { key, now }: { key: string; now: number },
): KeyPair | undefined {
  const newest = authorities.at(-1);
  if (newest === undefined || !newest.isAuthority || newest.notAfter <= now) return undefined;
  return quietly(() => isKeyOf(key, newest.pem)) ? { certificate: newest.pem, key } : undefined;
}

function isMarked({ metadata }: KubeObject): boolean {
  const labels = (metadata.labels ?? {}) as Record<string, unknown>;
  return Object.entries(OURS).every(([key, value]) =>
    Object.hasOwn(labels, key) && labels[key] === value
  );
}

function textsOf(secret: KubeObject): (key: string) => string {
  const data = (secret.data ?? {}) as Record<string, unknown>;
  return (key) => {
    const value = Object.hasOwn(data, key) ? data[key] : undefined;
    // The API server ensures that this is base64.
    return typeof value === "string" ? decodeBase64(value) : "";
  };
}

/** Returns undefined for invalid PEM, which is reported or repaired elsewhere. */
function quietly<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof CertificateError) return undefined;
    throw error;
  }
}
