/** Carries out a step of `plan.ts`: a state in, the next state out, with new keys where needed. */

import { readCertificates, readKeyPair } from "../host/mod.ts";
import { createAuthority, issueCertificate, type KeyPair } from "./authority.ts";
import type { Signing, Step } from "./plan.ts";
import { issuerOf, type TlsState } from "./secret_state.ts";
import type { ServingCertificate } from "./serving.ts";

export interface StepOptions {
  /** The names of the certificate. */
  readonly names: readonly string[];
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly authorityLifetimeMs: number;
  readonly certificateLifetimeMs: number;
}

/** A step that changes something. */
export type Action = Exclude<Step, { readonly kind: "nothing" | "wait" }>;

/**
 * Limits the trusted CAs, besides the one that signed the serving certificate. Deleting the Secret
 * repeatedly must not fill the caBundle.
 */
const MAX_OTHERS = 3;

/** Returns the state after a step. */
export async function takeStep(step: Action, options: StepOptions): Promise<TlsState> {
  switch (step.kind) {
    case "create": {
      const { now, authorityLifetimeMs: lifetimeMs } = options;
      const signer = await createAuthority({ now, lifetimeMs });
      const authorities = readCertificates(signer.certificate);
      return { serving: await issue(signer, options), authorities, signer };
    }
    case "announce":
      return await announce(step.state, options);
    case "issue": {
      const { serving: old, authorities, signer } = step.state;
      // During a rollout another replica may need other names: keep those that exist.
      const names = [...new Set([...options.names, ...missing(old, options)])];
      const serving = await issue(signer, { ...options, names });
      const retireAfter = endOfOthers(step.state);
      return {
        serving,
        authorities,
        signer,
        ...(retireAfter === undefined ? {} : { retireAfter }),
      };
    }
    case "retire": {
      const { serving, authorities, signer } = step.state;
      return { serving, authorities: authorities.slice(-1), signer };
    }
  }
}

async function announce(state: TlsState, options: StepOptions): Promise<TlsState> {
  const { now, authorityLifetimeMs: lifetimeMs } = options;
  const issuer = issuerOf(state.serving, state.authorities);
  const next = await createAuthority({ now, lifetimeMs });
  // Renew now, because the old CA's key is removed with this step.
  const canRenew = state.signer !== undefined && state.signer.certificate === issuer?.pem;
  const serving = canRenew ? await issue(state.signer!, options) : state.serving;
  const valid = state.authorities.filter(({ notAfter }) => notAfter > now);
  const others = valid.filter(({ pem }) => pem !== issuer?.pem).slice(-MAX_OTHERS);
  const kept = valid.filter((one) => one.pem === issuer?.pem || others.includes(one));
  const { retireAfter } = state;
  return {
    serving,
    authorities: [...kept, ...readCertificates(next.certificate)],
    signer: next,
    ...(retireAfter === undefined ? {} : { retireAfter }),
  };
}

async function issue(
  authority: KeyPair,
  { names, now, certificateLifetimeMs: lifetimeMs }: StepOptions,
): Promise<ServingCertificate> {
  const { certificate, key } = await issueCertificate(authority, { now, lifetimeMs, names });
  return {
    material: { certificates: certificate, key },
    facts: readKeyPair(certificate, key),
  };
}

/** Returns the names of a certificate that is replaced because it lacks others. */
function missing(old: ServingCertificate | undefined, { names }: StepOptions): readonly string[] {
  if (old === undefined || names.every((name) => old.facts.names.includes(name))) return [];
  return old.facts.names;
}

/** Returns when the last certificate of an earlier CA expires, or undefined if that is not known. */
function endOfOthers({ serving, authorities, signer, retireAfter }: Signing): number | undefined {
  const others = authorities.filter(({ pem }) => pem !== signer.certificate);
  if (others.length === 0 || serving === undefined) return undefined;
  if (issuerOf(serving, others) === undefined) return retireAfter;
  return Math.max(retireAfter ?? 0, serving.facts.notAfter);
}
