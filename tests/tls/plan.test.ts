/** The next step for every state of a Secret. */
import { describe, expect, test } from "bun:test";
import { type CertificateFacts, readCertificates, readKeyPair } from "../../lib/host/mod.ts";
import { createAuthority, issueCertificate, type KeyPair } from "../../lib/tls/authority.ts";
import { planStep, PROPAGATION_MS, renewAt, type Step } from "../../lib/tls/plan.ts";
import {
  bundleOf,
  readSecret,
  type SecretReading,
  type TlsState,
  writeSecret,
} from "../../lib/tls/secret_state.ts";
import { type Action, takeStep } from "../../lib/tls/take_step.ts";
import { NOW } from "./_pairs.ts";

const DAY_MS = 86_400_000;
const LIVES = { authorityLifetimeMs: 365 * DAY_MS, certificateLifetimeMs: 90 * DAY_MS };
const NAMES = ["injector.mesh.svc"];
const NAME = { namespace: "mesh", name: "tls" };

const make = (step: Action, now = NOW, names = NAMES) => takeStep(step, { names, now, ...LIVES });
const fresh = await make({ kind: "create" });
const announced = await make({ kind: "announce", state: fresh });
const issued = await make({ kind: "issue", state: { ...announced, signer: announced.signer! } });
const retired = await make({ kind: "retire", state: issued });

/** Returns the state as read from the Secret. */
function reading(state: TlsState, change: Record<string, string | undefined> = {}, now = NOW) {
  const secret = writeSecret(state, NAME);
  const data: Record<string, unknown> = { ...(secret.data as object) };
  for (const [key, text] of Object.entries(change)) {
    if (text === undefined) delete data[key];
    else data[key] = btoa(text);
  }
  return readSecret({ ...secret, data }, { label: "of Secret", now });
}

function step(
  found: SecretReading | undefined,
  { now = NOW, memory, names = NAMES, held }: {
    now?: number;
    memory?: TlsState;
    names?: readonly string[];
    held?: number;
  } = {},
) {
  return planStep({ reading: found, memory, names, now, heldMs: () => held });
}

const stays = (facts: CertificateFacts): Step => ({ kind: "nothing", at: renewAt(facts) });
const later = (state: TlsState) => renewAt(state.serving.facts);

describe("planStep()", () => {
  test("creates a CA if there is nothing, or nothing usable", () => {
    expect(step(undefined)).toEqual({ kind: "create" });
    const garbage = { "tls.crt": "x", "ca.crt": "y", "ca.key": "z" };
    expect(step(reading(fresh, garbage))).toEqual({ kind: "create" });
    expect(step(reading(fresh, { "tls.key": "x", "ca.key": "x" }))).toEqual({ kind: "create" });
    expect(step(reading(fresh, {}, NOW + 400 * DAY_MS), { now: NOW + 400 * DAY_MS })).toEqual({
      kind: "create",
    });
  });

  test("waits until a third of the certificate's lifetime is left, then issues another", () => {
    expect(step(reading(fresh))).toEqual(stays(fresh.serving.facts));
    expect(later(fresh) - NOW).toBeWithin(59 * DAY_MS, 61 * DAY_MS);
    expect(step(reading(fresh), { now: later(fresh) - 1 }).kind).toBe("nothing");
    expect(step(reading(fresh), { now: later(fresh) }).kind).toBe("issue");
  });

  test("issues a certificate with the required names, and keeps existing ones", async () => {
    const names = ["injector.mesh.svc", "injector.example.com"];
    const next = step(reading(fresh), { names });
    expect(next.kind).toBe("issue");
    const state = await make(next as Action, NOW, ["injector.example.com"]);
    expect(state.serving.facts.names.toSorted()).toEqual(names.toSorted());
    expect(step(reading(state), { names }).kind).toBe("nothing");
    expect(step(reading(state)).kind).toBe("nothing");
  });

  test("issues a certificate from the remaining CA", () => {
    for (const change of [{ "tls.crt": "x" }, { "tls.key": undefined }]) {
      expect(step(reading(fresh, change)).kind).toBe("issue");
    }
    const expired = NOW + 100 * DAY_MS;
    expect(step(reading(fresh, {}, expired), { now: expired }).kind).toBe("issue");
  });

  test("announces the next CA with a third of its lifetime left", async () => {
    const now = renewAt(fresh.authorities[0]);
    expect(now - NOW).toBeWithin(242 * DAY_MS, 245 * DAY_MS);
    const renew = { kind: "issue", state: { ...fresh, signer: fresh.signer! } } as const;
    const state = await make(renew, now - DAY_MS);
    expect(step(reading(state, {}, now), { now: now - 1 })).toEqual({ kind: "nothing", at: now });
    expect(step(reading(state, {}, now), { now }).kind).toBe("announce");
  });

  test("announces a CA if the key of the current one is lost", () => {
    for (const key of [undefined, "x", issued.serving.material.key]) {
      expect(step(reading(fresh, { "ca.key": key })).kind).toBe("announce");
    }
  });

  test("lets the announced CA sign once every caBundle has held it for a while", () => {
    const found = reading(announced);
    expect(step(found)).toEqual({ kind: "wait", ms: 1_000 });
    expect(step(found, { held: 4_000 })).toEqual({ kind: "wait", ms: PROPAGATION_MS - 4_000 });
    expect(step(found, { held: PROPAGATION_MS }).kind).toBe("issue");
  });

  test("retires the old CA when its last certificate has expired", () => {
    const end = announced.serving.facts.notAfter;
    expect(issued.retireAfter).toBe(end);
    expect(step(reading(issued), { now: end - 1 }).kind).toBe("issue");
    const renewed = reading({ ...issued, serving: issued.serving }, {}, end - 1);
    expect(step(renewed, { now: later(issued) - 1 })).toEqual(stays(issued.serving.facts));
    expect(step(reading(retired))).toEqual(stays(retired.serving.facts));
  });

  test("retires it when it has expired itself if no time was recorded", async () => {
    const old = await authority(NOW - 364 * DAY_MS);
    const state = {
      ...issued,
      authorities: [...readCertificates(old.certificate), ...fresh.authorities],
    };
    const withKey = { ...state, signer: fresh.signer, serving: fresh.serving };
    const found = (now: number) => reading(withKey, { "retire-after": undefined }, now);
    const end = NOW + DAY_MS;
    expect(step(found(NOW))).toEqual({ kind: "nothing", at: end });
    expect(step(found(end), { now: end }).kind).toBe("retire");
  });

  test("continues from the state it served if the Secret is missing or broken", async () => {
    for (const found of [undefined, reading(fresh, { "tls.crt": "x", "ca.crt": "" })]) {
      const next = step(found, { memory: fresh });
      expect(next).toEqual({ kind: "announce", state: fresh });
      const state = await make(next as Action);
      // Clients still trust the old CA, which signed the serving certificate.
      expect(bundleOf(state.authorities)).toStartWith(bundleOf(fresh.authorities));
      expect(step(reading(state), { memory: fresh })).toEqual({ kind: "wait", ms: 1_000 });
    }
  });

  test("does not touch Secrets of other tools", () => {
    const strangers = (change: Record<string, string>) => ({
      ...reading(fresh, change),
      isOurs: false,
    });
    for (const found of [strangers({}), strangers({ "tls.crt": "x" })]) {
      expect(step(found, { memory: fresh })).toEqual({ kind: "nothing", at: Infinity });
    }
  });
});

describe("takeStep()", () => {
  test("never serves a certificate that the CAs before or after the step did not sign", () => {
    const [first] = fresh.authorities;
    const second = announced.authorities[1];
    expect(announced.authorities).toEqual([first, second]);
    expect(issued.authorities).toEqual([first, second]);
    expect(retired.authorities).toEqual([second]);
    for (const state of [fresh, announced, issued, retired]) {
      expect(reading(state).failure).toBeUndefined();
      expect(readKeyPair(state.serving.material.certificates, state.serving.material.key).names)
        .toEqual(NAMES);
    }
  });

  test("renews the old CA's certificate while its key exists", () => {
    expect(announced.serving.facts.fingerprint).not.toBe(fresh.serving.facts.fingerprint);
    expect(announced.signer?.certificate).toBe(announced.authorities[1].pem);
  });

  test("limits the number of CAs, however often the Secret is deleted", async () => {
    let state = fresh;
    for (let i = 0; i < 10; i++) state = await make({ kind: "announce", state });
    expect(state.authorities.length).toBe(5);
    expect(reading(state).failure).toBeUndefined();
  });

  test("remembers when an old CA's certificates expire across renewals", async () => {
    const again = await make({ kind: "issue", state: { ...issued, signer: issued.signer! } });
    expect(again.retireAfter).toBe(issued.retireAfter!);
  });
});

describe("readSecret()", () => {
  test("reads what was written", () => {
    for (const state of [fresh, announced, issued, retired]) {
      expect(reading(state)).toMatchObject({ isOurs: true, state });
    }
  });

  test("accepts another tool's Secret without a CA, but not ours", async () => {
    const { state } = { ...fresh, state: fresh };
    expect(reading(state, { "ca.crt": "" }).failure?.message).toBe(
      "Cannot load certificate of Secret: ca.crt does not contain the CA that signed it",
    );
    const data = { ...(writeSecret(fresh, NAME).data as object), "ca.crt": "" };
    const found = readSecret({ metadata: NAME, data }, { label: "of Secret", now: NOW });
    expect(found).toMatchObject({ isOurs: false, state: { authorities: [] } });
    const other = await issueCertificate(await authority(NOW), {
      now: NOW,
      lifetimeMs: DAY_MS,
      names: NAMES,
    });
    expect(reading(fresh, { "tls.crt": other.certificate }).failure?.message).toBe(
      "Cannot load certificate of Secret: the key does not match the certificate",
    );
  });
});

function authority(now: number): Promise<KeyPair> {
  return createAuthority({ now, lifetimeMs: LIVES.authorityLifetimeMs });
}
