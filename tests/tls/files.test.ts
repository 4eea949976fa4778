/** Certificate files that change under a running server: which take effect, which are reported. */
import { describe, expect, test } from "bun:test";
import { openCertificateFiles } from "../../lib/tls/files.ts";
import { type ServingCertificate, TlsError } from "../../lib/tls/serving.ts";
import { memoryHost } from "../_memory_host.ts";
import { fakeClock } from "../server/_fake_clock.ts";
import { NOW, pair } from "./_pairs.ts";

const FILES = { certFile: "/tls/tls.crt", keyFile: "/tls/tls.key" };
const DAY_MS = 86_400_000;

const [first, second] = await Promise.all([pair("first"), pair("second")]);
const expired = await pair("expired", { now: NOW - 60 * DAY_MS });

async function opened(options: { clientCaFile?: string; fail?: () => void } = {}) {
  const host = memoryHost({
    files: {
      "/tls/tls.crt": first.material.certificates,
      "/tls/tls.key": first.material.key,
      "/tls/ca.crt": first.authority,
    },
  });
  const clock = fakeClock(NOW);
  const taken: ServingCertificate[] = [];
  const failures: string[] = [];
  const { clientCaFile } = options;
  const source = await openCertificateFiles({ ...FILES, clientCaFile }, {
    host,
    clock,
    onChange(certificate) {
      options.fail?.();
      taken.push(certificate);
    },
    onFailure: ({ message }) => failures.push(message),
  });
  const write = async (certificates: string, key?: string) => {
    await host.writeFile("/tls/tls.crt", certificates);
    if (key !== undefined) await host.writeFile("/tls/tls.key", key);
  };
  return { host, clock, source, taken, failures, write };
}

const STILL = "; still serving the one that expires on 2026-02-01";

describe("openCertificateFiles()", () => {
  test("uses a new pair within a second, and once", async () => {
    const { clock, source, taken, failures, write } = await opened();
    expect(source.current().facts).toEqual(first.facts);
    await write(second.material.certificates, second.material.key);
    await clock.advance(1_000);
    expect(source.current().material).toEqual(second.material);
    await clock.advance(60_000);
    expect(taken).toHaveLength(1);
    expect(failures).toEqual([]);
    source.close();
    expect(clock.waiting()).toBe(0);
  });

  test("uses a pair whose files change one after the other, without a report", async () => {
    const { clock, source, taken, failures, write } = await opened();
    await write(second.material.certificates);
    await clock.advance(150);
    await write(second.material.certificates, second.material.key);
    await clock.advance(1_000);
    expect(source.current().material).toEqual(second.material);
    expect({ taken: taken.length, failures }).toEqual({ taken: 1, failures: [] });
  });

  test("finds changes that the watch misses", async () => {
    const { host, clock, source } = await opened();
    host.files.set("/tls/tls.crt", new TextEncoder().encode(second.material.certificates));
    host.files.set("/tls/tls.key", new TextEncoder().encode(second.material.key));
    await clock.advance(10_000);
    expect(source.current().material).toEqual(second.material);
  });

  const { certificates, key } = second.material;
  test.each([
    [
      "another's key",
      certificates,
      first.material.key,
      'Cannot reload certificate "/tls/tls.crt": the key does not match the certificate',
    ],
    [
      "an expired pair",
      expired.material.certificates,
      expired.material.key,
      'Cannot reload certificate "/tls/tls.crt": expired on 2025-12-03',
    ],
    [
      "half a certificate",
      certificates.slice(0, 300),
      key,
      'Cannot reload certificate "/tls/tls.crt": a certificate is truncated',
    ],
    [
      "half a key",
      certificates,
      key.slice(0, 60),
      'Cannot reload certificate "/tls/tls.crt": the private key is invalid',
    ],
    [
      "an empty certificate",
      "",
      key,
      'Cannot reload certificate "/tls/tls.crt": it contains no certificate',
    ],
    [
      "an empty key",
      certificates,
      "",
      'Cannot reload certificate "/tls/tls.crt": it contains no private key',
    ],
    [
      "a truncated chain",
      certificates + certificates.slice(0, 200),
      key,
      'Cannot reload certificate "/tls/tls.crt": a certificate is truncated',
    ],
    [
      "no PEM at all",
      "hello",
      key,
      'Cannot reload certificate "/tls/tls.crt": it contains no certificate',
    ],
    [
      "an invalid certificate",
      "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
      key,
      'Cannot reload certificate "/tls/tls.crt": a certificate in it is invalid',
    ],
  ])("keeps the old one instead of %s, and reports it once", async (_, bad, badKey, message) => {
    const { clock, source, taken, failures, write } = await opened();
    await write(bad, badKey);
    await clock.advance(35_000);
    expect(source.current().material).toEqual(first.material);
    expect(taken).toEqual([]);
    expect(failures).toHaveLength(1);
    expect(failures[0]).toStartWith(message);
    expect(failures[0]).toEndWith(STILL);
    expect(source.failure()).toBe(failures[0]);
    // A valid pair is used afterwards.
    await write(second.material.certificates, second.material.key);
    await clock.advance(1_000);
    expect(source.current().material).toEqual(second.material);
    expect(source.failure()).toBeUndefined();
  });

  test("keeps the old one while the files are missing, and recovers when they return", async () => {
    const { host, clock, source, failures, write } = await opened();
    host.files.delete("/tls/tls.crt");
    await clock.advance(30_000);
    expect(failures).toEqual([`Cannot read "/tls/tls.crt": no such file or directory${STILL}`]);
    await write(first.material.certificates, first.material.key);
    await clock.advance(1_000);
    expect(source.failure()).toBeUndefined();
    expect(source.current().facts).toEqual(first.facts);
  });

  test("keeps the old one if the listener refuses the new one", async () => {
    const fail = () => {
      throw new Error("no");
    };
    const { clock, source, failures, write } = await opened({ fail });
    await write(second.material.certificates, second.material.key);
    await clock.advance(1_000);
    expect(source.current().material).toEqual(first.material);
    expect(failures).toEqual([`no${STILL}`]);
  });

  test("uses a new client CA with the rest", async () => {
    const { host, clock, source, failures } = await opened({ clientCaFile: "/tls/ca.crt" });
    await host.writeFile("/tls/ca.crt", second.authority);
    await clock.advance(1_000);
    expect(source.current().material.clientCa).toBe(second.authority);
    await host.writeFile("/tls/ca.crt", "nothing");
    await clock.advance(1_000);
    expect(source.current().material.clientCa).toBe(second.authority);
    expect(failures[0]).toStartWith('Cannot reload certificate "/tls/ca.crt": it contains no');
  });

  test.each([
    ["is absent", undefined, "unreadable"],
    ["is expired", expired, "expired"],
  ])("does not begin with a pair that %s", async (_, given, code) => {
    const files: Record<string, string> = given === undefined
      ? {}
      : { "/tls/tls.crt": given.material.certificates, "/tls/tls.key": given.material.key };
    const clock = fakeClock(NOW);
    const opening = openCertificateFiles(FILES, {
      host: memoryHost({ files }),
      clock,
      onChange() {},
      onFailure() {},
    });
    const error = await opening.then(() => undefined, (error) => error);
    expect(error).toBeInstanceOf(TlsError);
    expect(error.code).toBe(code);
    expect(clock.waiting()).toBe(0);
  });
});
