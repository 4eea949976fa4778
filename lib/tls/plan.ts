/**
 * Plans the next step for a certificate and its CA: nothing, or one step that leaves clients with a
 * trusted certificate at every moment. Pure: the content of the Secret in, a step out.
 *
 * A CA is replaced in three steps, each one an update of the Secret:
 *
 * 1. `announce`: the next CA is added to the trusted CAs but signs nothing yet. The serving certificate is
 *    renewed at the same time, because the old CA's key is removed.
 * 2. `issue`, once every caBundle has held both CAs for {@link PROPAGATION_MS}: the new CA signs the
 *    serving certificate.
 * 3. `retire`, once the last certificate of the old CA has expired: the old CA is removed. A replica that
 *    is late or cut off from the API server stays trusted until its certificate expires. Replicas need not
 *    know of each other.
 */

import type { CertificateFacts } from "../host/mod.ts";
import type { KeyPair } from "./authority.ts";
import { issuerOf, type SecretReading, type TlsState } from "./secret_state.ts";
import type { ServingCertificate } from "./serving.ts";

export type Step =
  /** Check again at that time, or when something changes. */
  | { readonly kind: "nothing"; readonly at: number }
  /** The next CA is not in every caBundle yet. */
  | { readonly kind: "wait"; readonly ms: number }
  /** Create a new CA and a certificate. */
  | { readonly kind: "create" }
  | { readonly kind: "announce"; readonly state: TlsState }
  | { readonly kind: "issue"; readonly state: Signing }
  | { readonly kind: "retire"; readonly state: TlsState };

/** A state whose CA key is available; its serving certificate may be missing. */
export interface Signing extends Omit<TlsState, "serving" | "signer"> {
  readonly serving?: ServingCertificate;
  readonly signer: KeyPair;
}

export interface PlanFacts {
  /** The content of the Secret; undefined if there is none. */
  readonly reading: SecretReading | undefined;
  /** The state that this replica last served, if it is still valid. */
  readonly memory: TlsState | undefined;
  /** The names that the certificate must have. */
  readonly names: readonly string[];
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Returns how long every caBundle has held these CAs, or undefined if one does not. */
  readonly heldMs: (authorities: readonly CertificateFacts[]) => number | undefined;
}

/**
 * The time for a new caBundle to reach every API server. We see the state of one; the others, and the
 * component of each that calls webhooks, learn of it through watches, usually within milliseconds. Ten
 * seconds is a wide margin and costs nothing in a process that happens every eight months.
 */
export const PROPAGATION_MS = 10_000;

/** How often to check whether an announced CA is in every caBundle. */
const LOOK_AGAIN_MS = 1_000;

/** Returns the next step. */
export function planStep(facts: PlanFacts): Step {
  const { reading, memory, now } = facts;
  // A Secret that another tool manages is served unchanged; that tool renews it.
  if (reading !== undefined && !reading.isOurs) return { kind: "nothing", at: Infinity };
  const state = reading?.state;
  if (state === undefined) return repair(reading, memory);
  return renewal(state, facts) ?? cleaning(state, now);
}

/** Plans for a Secret that is missing or cannot be served. */
function repair(reading: SecretReading | undefined, memory: TlsState | undefined): Step {
  // Keep serving what clients trust now, and announce the next CA in the regular way. So deleting the
  // Secret replaces the CA without an outage.
  if (memory !== undefined) return { kind: "announce", state: memory };
  if (reading?.signer === undefined) return { kind: "create" };
  const { authorities, signer } = reading;
  return { kind: "issue", state: { authorities, signer } };
}

function renewal(state: TlsState, { names, now, heldMs }: PlanFacts): Step | undefined {
  const { serving, signer, authorities } = state;
  if (signer === undefined) return { kind: "announce", state };
  if (issuerOf(serving, authorities)!.pem !== signer.certificate) {
    const held = heldMs(authorities);
    if (held !== undefined && held >= PROPAGATION_MS) {
      return { kind: "issue", state: { ...state, signer } };
    }
    return { kind: "wait", ms: held === undefined ? LOOK_AGAIN_MS : PROPAGATION_MS - held };
  }
  if (renewAt(authorities.at(-1)!) <= now) return { kind: "announce", state };
  const isNamed = names.every((name) => serving.facts.names.includes(name));
  return renewAt(serving.facts) <= now || !isNamed
    ? { kind: "issue", state: { ...state, signer } }
    : undefined;
}

function cleaning(state: TlsState, now: number): Step {
  const { serving, authorities } = state;
  const due = retirement(state);
  if (due <= now) return { kind: "retire", state };
  const at = Math.min(renewAt(serving.facts), renewAt(authorities.at(-1)!), due);
  return { kind: "nothing", at };
}

/** Returns when all CAs but the last can be removed, or Infinity if there is only one. */
function retirement({ authorities, retireAfter }: TlsState): number {
  const old = authorities.slice(0, -1);
  if (old.length === 0) return Infinity;
  // Without a recorded time: certificates expire no later than the CA that signed them.
  return retireAfter ?? Math.max(...old.map(({ notAfter }) => notAfter));
}

/** Returns when to renew a certificate: with a third of its lifetime left. */
export function renewAt({ notBefore, notAfter }: CertificateFacts): number {
  return notAfter - (notAfter - notBefore) / 3;
}
