/** Issued certificates, read back with the runtime's X.509 parser. */
import { describe, expect, test } from "bun:test";
import { X509Certificate } from "node:crypto";
import {
  AUTHORITY_LIFETIME_MS,
  CERTIFICATE_LIFETIME_MS,
  createAuthority,
  createSigningRequest,
  issueCertificate,
  serviceNames,
} from "../../lib/tls/authority.ts";
import {
  isForName,
  isKeyOf,
  isSignedBy,
  readCertificates,
  readKeyPair,
} from "../../lib/host/mod.ts";
import { NOW } from "./_pairs.ts";

const MINUTE_MS = 60_000;
const names = serviceNames("injector", "mesh");
const authority = await createAuthority({ now: NOW, lifetimeMs: AUTHORITY_LIFETIME_MS });
const other = await createAuthority({ now: NOW, lifetimeMs: AUTHORITY_LIFETIME_MS });
const issued = await issueCertificate(authority, {
  now: NOW,
  lifetimeMs: CERTIFICATE_LIFETIME_MS,
  names,
});

describe("createAuthority()", () => {
  test("creates a CA that can sign, with its own key and name", () => {
    const [facts] = readCertificates(authority.certificate);
    expect(facts.isAuthority).toBe(true);
    expect(isKeyOf(authority.key, authority.certificate)).toBe(true);
    expect(isSignedBy(authority.certificate, authority.certificate)).toBe(true);
    const subject = (pem: string) => new X509Certificate(pem).subject;
    expect(subject(other.certificate)).not.toBe(subject(authority.certificate));
    expect(subject(authority.certificate)).toMatch(/^O=outrigger\nCN=outrigger-ca-[0-9a-f]{16}$/);
  });

  test("is valid from five minutes ago, for its lifetime", () => {
    const [{ notBefore, notAfter }] = readCertificates(authority.certificate);
    expect({ notBefore, notAfter }).toEqual({
      notBefore: NOW - 5 * MINUTE_MS,
      notAfter: NOW + AUTHORITY_LIFETIME_MS,
    });
  });
});

describe("issueCertificate()", () => {
  test("creates a pair signed by the CA and by no other", () => {
    expect(readKeyPair(issued.certificate, issued.key).isAuthority).toBe(false);
    expect(isSignedBy(issued.certificate, authority.certificate)).toBe(true);
    expect(isSignedBy(issued.certificate, other.certificate)).toBe(false);
    expect(isSignedBy(authority.certificate, issued.certificate)).toBe(false);
    expect(isKeyOf(authority.key, issued.certificate)).toBe(false);
  });

  test("is valid for the names of the Service and for no others", () => {
    const certificate = new X509Certificate(issued.certificate);
    expect(certificate.keyUsage).toEqual(["1.3.6.1.5.5.7.3.1"]);
    const rows: [name: string, isFor: boolean][] = [
      ["injector.mesh.svc", true],
      ["injector.mesh.svc.cluster.local", true],
      ["injector.mesh", true],
      ["injector", true],
      ["injector.other.svc", false],
      ["127.0.0.1", false],
      ["mesh.svc", false],
    ];
    for (const [name, isFor] of rows) {
      expect([name, isForName(issued.certificate, name)]).toEqual([name, isFor]);
    }
  });

  test("accepts IP addresses", async () => {
    const validity = { now: NOW, lifetimeMs: MINUTE_MS };
    const { certificate } = await issueCertificate(authority, {
      ...validity,
      names: ["localhost", "127.0.0.1", "::1"],
    });
    for (const name of ["localhost", "127.0.0.1", "::1"]) {
      expect(isForName(certificate, name)).toBe(true);
    }
    // A tenth of this short lifetime, not five minutes.
    expect(readCertificates(certificate)[0].notBefore).toBe(NOW - MINUTE_MS / 10);
  });

  test("never outlives its CA", async () => {
    const late = NOW + AUTHORITY_LIFETIME_MS - MINUTE_MS;
    const { certificate } = await issueCertificate(authority, {
      now: late,
      lifetimeMs: CERTIFICATE_LIFETIME_MS,
      names,
    });
    expect(readCertificates(certificate)[0].notAfter).toBe(NOW + AUTHORITY_LIFETIME_MS);
  });

  test("need not be shortened: a CA is replaced while it outlasts any certificate", () => {
    expect(AUTHORITY_LIFETIME_MS / 3).toBeGreaterThan(CERTIFICATE_LIFETIME_MS);
  });

  test("has positive serial numbers of 16 random bytes", async () => {
    const serials = await Promise.all(Array.from({ length: 20 }, async () => {
      const { certificate } = await issueCertificate(authority, {
        now: NOW,
        lifetimeMs: MINUTE_MS,
        names: ["a"],
      });
      return new X509Certificate(certificate).serialNumber;
    }));
    expect(new Set(serials).size).toBe(20);
    for (const serial of serials) expect(serial).toMatch(/^[4-7][0-9A-F]{31}$/);
  });
});

test("createSigningRequest() contains the names, the subject and a signature by its key", async () => {
  await import("reflect-metadata");
  const { Pkcs10CertificateRequest, SubjectAlternativeNameExtension: Alternatives } = await import(
    "@peculiar/x509"
  );
  const subject = "O=system:nodes, CN=system:node:injector.mesh.svc";
  const { request, key } = await createSigningRequest({ names, subject });
  const read = new Pkcs10CertificateRequest(request);
  expect(await read.verify()).toBe(true);
  expect(read.subject).toBe(subject);
  const [alternatives] = read.extensions.filter((one) => one instanceof Alternatives);
  expect(alternatives.names.toJSON().map(({ value }) => value)).toEqual(names);
  expect(key).toStartWith("-----BEGIN PRIVATE KEY-----\n");
});
