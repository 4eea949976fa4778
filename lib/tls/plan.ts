/**
 * What is to be done next about a certificate and its authority: nothing, or one step that leaves
 * callers with something that works at every moment. Pure: a reading in, a step out.
 *
 * An authority is replaced in three steps, each a change of the Secret:
 *
 * 1. `announce`: the next authority is trusted beside the old one, and signs nothing yet. (What the old
 *    one serves is renewed with it: its key is gone afterwards.)
 * 2. `issue`, once every caBundle has held the two for {@link PROPAGATION_MS}: a certificate of the new one.
 * 3. `retire`, once the last certificate of the old one has expired. A replica that has not heard of the
 *    new one until then has nothing left to serve, whatever callers trust; one that is late, or cut off
 *    from the API server, is trusted all the while. No replica needs to be asked, or even be known.
 */

import type { CertificateFacts } from "../host/mod.ts";
import type { KeyPair } from "./authority.ts";
import { issuerOf, type SecretReading, type TlsState } from "./secret_state.ts";
import type { ServingCertificate } from "./serving.ts";

export type Step =
  /** Look again at that moment, or when something changes. */
  | { readonly kind: "nothing"; readonly at: number }
  /** The next authority is announced, and not everywhere yet. */
  | { readonly kind: "wait"; readonly ms: number }
  /** An authority and a certificate, out of nothing. */
  | { readonly kind: "create" }
  | { readonly kind: "announce"; readonly state: TlsState }
  | { readonly kind: "issue"; readonly state: Signing }
  | { readonly kind: "retire"; readonly state: TlsState };

/** A state that can sign; what it serves may be unusable. */
export interface Signing extends Omit<TlsState, "serving" | "signer"> {
  readonly serving?: ServingCertificate;
  readonly signer: KeyPair;
}

export interface PlanFacts {
  /** Of the Secret; `undefined` where there is none. */
  readonly reading: SecretReading | undefined;
  /** What we served last, where that is still good. */
  readonly memory: TlsState | undefined;
  /** Names that the certificate must have. */
  readonly names: readonly string[];
  /** Milliseconds since 1970. */
  readonly now: number;
  /** How long every caBundle of ours has held these authorities; `undefined` where one does not. */
  readonly heldMs: (authorities: readonly CertificateFacts[]) => number | undefined;
}

/**
 * We see what one API server has; others, and the part of each that calls webhooks, see it when their
 * own watches tell them: within milliseconds as a rule. Ten seconds are far more, and cost nothing in
 * something that happens every eight months.
 */
export const PROPAGATION_MS = 10_000;

/** How soon to look again at what is announced, where no event tells. */
const LOOK_AGAIN_MS = 1_000;

export function planStep(facts: PlanFacts): Step {
  const { reading, memory, now } = facts;
  // What others made is served as it is; renewing it is their work.
  if (reading !== undefined && !reading.isOurs) return { kind: "nothing", at: Infinity };
  const state = reading?.state;
  if (state === undefined) return repair(reading, memory);
  return renewal(state, facts) ?? cleaning(state, now);
}

/** There is no Secret, or none that can be served. */
function repair(reading: SecretReading | undefined, memory: TlsState | undefined): Step {
  // What callers trust now goes on being served, and the next authority comes in good order. So
  // whoever deletes the Secret gets a new authority, and nobody notices.
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

/** When authorities before the last can go: never where there are none. */
function retirement({ authorities, retireAfter }: TlsState): number {
  const old = authorities.slice(0, -1);
  if (old.length === 0) return Infinity;
  // Where nobody wrote it down: what they signed ends when they do, at the latest.
  return retireAfter ?? Math.max(...old.map(({ notAfter }) => notAfter));
}

/** With a third of its life left. */
export function renewAt({ notBefore, notAfter }: CertificateFacts): number {
  return notAfter - (notAfter - notBefore) / 3;
}
