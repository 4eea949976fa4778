/**
 * The Secret that all replicas share, read and written: the pair that is served, the authorities that
 * callers are to trust, and the key of the newest of them, which signs what comes next.
 *
 * ```
 * tls.crt, tls.key   what is served
 * ca.crt             the authorities, oldest first: what belongs into the caBundle
 * ca.key             the key of the last of them
 * retire-after       until when a certificate of an authority before the last may be in use
 * ```
 *
 * Whatever a rotation has come to can be read off these, so any replica can take the next step, and
 * one that dies between two leaves nothing behind that another would need.
 */

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
  /** Oldest first. */
  readonly authorities: readonly CertificateFacts[];
  /** The authority that signs next; `undefined` where its key is not here. */
  readonly signer?: KeyPair;
  /** Milliseconds since 1970: later nobody serves what authorities before the last one signed. */
  readonly retireAfter?: number;
}

/** What a Secret holds, good or not. */
export interface SecretReading {
  /** Whether it is ours to change. */
  readonly isOurs: boolean;
  /** What can be served; absent where `failure` says why. */
  readonly state?: TlsState;
  readonly failure?: TlsError;
  /** These also where what is served is not good. */
  readonly authorities: readonly CertificateFacts[];
  readonly signer?: KeyPair;
}

/** Who changes only what has this label never changes another's. */
export const OURS = { "app.kubernetes.io/managed-by": "outrigger" } as const;

/** Where it is, for people. */
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
    // Of what others put there no authority need be known; of ours it must be, or nobody trusts it.
    if (isOurs && issuerOf(serving, authorities) === undefined) {
      throw new TlsError(
        "unusable",
        `Cannot load certificate ${label}: the authority that signed it is not in its ca.crt`,
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

/** The Secret that holds a state. */
export function writeSecret(
  { serving, authorities, signer, retireAfter }: TlsState,
  name: { readonly namespace: string; readonly name: string },
): KubeObject {
  const encode = (text: string) => new TextEncoder().encode(text).toBase64();
  return {
    metadata: { ...name, labels: OURS },
    type: "kubernetes.io/tls",
    data: {
      "tls.crt": encode(serving.material.certificates),
      "tls.key": encode(serving.material.key),
      "ca.crt": encode(bundleOf(authorities)),
      ...(signer === undefined ? {} : { "ca.key": encode(signer.key) }),
      ...(retireAfter === undefined
        ? {}
        : { "retire-after": encode(new Date(retireAfter).toISOString()) }),
    },
  };
}

/** What belongs into the caBundle. */
export function bundleOf(authorities: readonly CertificateFacts[]): string {
  return authorities.map(({ pem }) => pem).join("");
}

/** The authority that signed what is served. */
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
    // The API server takes nothing else than base64.
    return typeof value === "string" ? new TextDecoder().decode(Uint8Array.fromBase64(value)) : "";
  };
}

/** For what is told elsewhere, or mended. */
function quietly<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof CertificateError) return undefined;
    throw error;
  }
}
