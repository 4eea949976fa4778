/** Certificate rotation under load: no connection may be lost. */
import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import type { TLSSocket } from "node:tls";
import { createClock, createHost } from "../../lib/host/mod.ts";
import type { DevCertificate } from "../../lib/tls/dev_certificate.ts";
import { openCertificateFiles } from "../../lib/tls/files.ts";
import { Client } from "../server/_client.ts";
import { podReview, serving } from "../server/_serving.ts";
import { pair } from "./_pairs.ts";

const now = Date.now();
const pairs = await Promise.all(["a", "b", "c"].map((name) => pair(name, { now })));
const authorities = pairs.map(({ authority }) => authority);
const fingerprint = (client: Client) =>
  (client.socket as TLSSocket).getPeerCertificate().fingerprint256.replaceAll(":", "")
    .toLowerCase();

test("120 rotations lose no new connection, and each uses a certificate that was current", async () => {
  await using server = await serving({ secure: pairs[0].material });
  const keptOpen = await Client.tls(server.port, { ca: authorities });
  const tally = { fresh: 0, failed: 0 };
  const seen = new Set<string>();
  let isOver = false;
  const started = performance.now();
  const load = Promise.all(Array.from({ length: 4 }, async () => {
    while (!isOver) {
      try {
        // Clients trust exactly the three CAs.
        const client = await Client.tls(server.port, { ca: authorities });
        seen.add(fingerprint(client));
        const { status } = await client.review(podReview());
        if (status !== 200) tally.failed++;
        client.close();
      } catch {
        tally.failed++;
      }
      tally.fresh++;
    }
  }));
  let rotations = 0;
  while (rotations < 120) {
    rotations++;
    server.setSecure(pairs[rotations % 3].material);
    const before = tally.fresh;
    // Rotate after some connections with this certificate.
    while (tally.fresh < before + 3) await new Promise((resolve) => setTimeout(resolve, 1));
  }
  isOver = true;
  await load;
  const seconds = (performance.now() - started) / 1000;
  console.log(
    `${rotations} rotations, ${tally.fresh} fresh connections ` +
      `(${(tally.fresh / seconds).toFixed(0)}/s), ${tally.failed} failed`,
  );
  expect(tally.failed).toBe(0);
  expect([...seen].sort()).toEqual(pairs.map(({ facts }) => facts.fingerprint).sort());
  // A connection from before the first rotation still works.
  expect((await keptOpen.review(podReview())).status).toBe(200);
  keptOpen.close();
});

test("a changed mounted Secret is served within a second, despite failures in between", async () => {
  const directory = mkdtempSync(`${tmpdir()}/outrigger-tls-`);
  let version = 0;
  /** Writes files as the kubelet does: a new directory, and a link to it that is renamed into place. */
  const mount = (certificates: string, key: string) => {
    const name = `..v${++version}`;
    mkdirSync(`${directory}/${name}`);
    writeFileSync(`${directory}/${name}/tls.crt`, certificates);
    writeFileSync(`${directory}/${name}/tls.key`, key);
    symlinkSync(name, `${directory}/..tmp`);
    renameSync(`${directory}/..tmp`, `${directory}/..data`);
    if (version > 1) rmSync(`${directory}/..v${version - 1}`, { recursive: true });
  };
  const whole = ({ material }: DevCertificate) => mount(material.certificates, material.key);
  whole(pairs[0]);
  symlinkSync("..data/tls.crt", `${directory}/tls.crt`);
  symlinkSync("..data/tls.key", `${directory}/tls.key`);

  const failures: string[] = [];
  const live: { server?: Awaited<ReturnType<typeof serving>> } = {};
  const source = await openCertificateFiles(
    { certFile: `${directory}/tls.crt`, keyFile: `${directory}/tls.key` },
    {
      host: createHost(),
      clock: createClock(),
      onChange: ({ material }) => live.server?.setSecure(material),
      onFailure: ({ message }) => failures.push(message),
    },
  );
  const server = live.server = await serving({ secure: source.current().material });
  const served = async () => {
    const client = await Client.tls(server.port, { ca: authorities });
    const found = fingerprint(client);
    client.close();
    return found;
  };
  /** Waits for the certificate to be served and returns the milliseconds. */
  const until = async ({ facts }: DevCertificate) => {
    const started = performance.now();
    while (await served() !== facts.fingerprint) {
      expect(performance.now() - started).toBeLessThan(10_000);
    }
    return performance.now() - started;
  };
  const untilFailure = async (count: number) => {
    const deadline = performance.now() + 10_000;
    while (failures.length < count && performance.now() < deadline) await served();
    expect(failures).toHaveLength(count);
  };
  try {
    expect(await served()).toBe(pairs[0].facts.fingerprint);
    const times: number[] = [];
    for (const next of [pairs[1], pairs[2], pairs[0], pairs[1]]) {
      whole(next);
      times.push(await until(next));
    }
    console.log(`taken after ${times.map((time) => `${time.toFixed(0)} ms`).join(", ")}`);
    expect(Math.max(...times)).toBeLessThan(1_000);

    const { certificates, key } = pairs[2].material;
    mount(certificates, pairs[1].material.key);
    await untilFailure(1);
    mount(certificates.slice(0, 400), key);
    await untilFailure(2);
    expect(await served()).toBe(pairs[1].facts.fingerprint);
    whole(pairs[2]);
    await until(pairs[2]);
    expect(source.failure()).toBeUndefined();

    // The directory is removed and created again.
    rmSync(directory, { recursive: true });
    await untilFailure(3);
    expect(await served()).toBe(pairs[2].facts.fingerprint);
    mkdirSync(directory);
    writeFileSync(`${directory}/tls.crt`, pairs[0].material.certificates);
    writeFileSync(`${directory}/tls.key`, pairs[0].material.key);
    await until(pairs[0]);
  } finally {
    source.close();
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  }
});
