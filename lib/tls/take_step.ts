/** Does what `plan.ts` says: a state out of a state, with new keys where they are due. */

import { readCertificates, readKeyPair } from "../host/mod.ts";
import { createAuthority, issueCertificate, type KeyPair } from "./authority.ts";
import type { Signing, Step } from "./plan.ts";
import { issuerOf, type TlsState } from "./secret_state.ts";
import type { ServingCertificate } from "./serving.ts";

export interface StepOptions {
  /** Names of the certificate. */
  readonly names: readonly string[];
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly authorityLifetimeMs: number;
  readonly certificateLifetimeMs: number;
}

/** A step that changes something. */
export type Action = Exclude<Step, { readonly kind: "nothing" | "wait" }>;

/**
 * How many authorities are trusted at most, besides the one that signed what is served: deleting the
 * Secret again and again must not fill the caBundle.
 */
const MAX_OTHERS = 3;

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
      // Another replica may still want a name that we do not: during a rollout both get theirs.
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
  // The last chance to do so: from now on the key of the authority is nowhere.
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

/** The names of a certificate that is replaced for the sake of others that it lacks. */
function missing(old: ServingCertificate | undefined, { names }: StepOptions): readonly string[] {
  if (old === undefined || names.every((name) => old.facts.names.includes(name))) return [];
  return old.facts.names;
}

/** When the last certificate of authorities before the newest ends; `undefined` where nobody knows. */
function endOfOthers({ serving, authorities, signer, retireAfter }: Signing): number | undefined {
  const others = authorities.filter(({ pem }) => pem !== signer.certificate);
  if (others.length === 0 || serving === undefined) return undefined;
  if (issuerOf(serving, others) === undefined) return retireAfter;
  return Math.max(retireAfter ?? 0, serving.facts.notAfter);
}
