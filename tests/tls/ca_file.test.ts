import { expect, test } from "bun:test";
import { openCaFile } from "../../lib/tls/ca_file.ts";
import { memoryHost } from "../_memory_host.ts";
import { fakeClock } from "../server/_fake_clock.ts";

async function opened(files: Record<string, string>) {
  const host = memoryHost({ files });
  const clock = fakeClock();
  const failures: string[] = [];
  let changes = 0;
  const file = await openCaFile("/tls/ca.crt", {
    host,
    clock,
    onChange: () => changes++,
    onFailure: (message) => failures.push(message),
  });
  return { host, clock, file, failures, changes: () => changes };
}

test("openCaFile() reports changes within a second, and nothing else", async () => {
  const { host, clock, file, changes } = await opened({ "/tls/ca.crt": "one" });
  expect(file.bundle()).toBe("one");
  const before = changes();
  await host.writeFile("/tls/ca.crt", "two");
  await clock.advance(1_000);
  expect([file.bundle(), changes()]).toEqual(["two", before + 1]);
  await clock.advance(60_000);
  expect(changes()).toBe(before + 1);
  file.close();
  expect(clock.waiting()).toBe(0);
});

test("openCaFile() keeps the last content while the file is missing, and reports it once", async () => {
  const { host, clock, file, failures } = await opened({ "/tls/ca.crt": "one" });
  host.files.delete("/tls/ca.crt");
  await clock.advance(60_000);
  const message = 'Cannot read "/tls/ca.crt": no such file or directory';
  expect(failures).toEqual([message]);
  expect([file.bundle(), file.failure()]).toEqual(["one", message]);
  await host.writeFile("/tls/ca.crt", "two");
  await clock.advance(1_000);
  expect([file.bundle(), file.failure()]).toEqual(["two", undefined]);
});

test("openCaFile() starts without a file, and reads it once it exists", async () => {
  const { host, clock, file, failures } = await opened({});
  expect(file.bundle()).toBeUndefined();
  expect(failures).toHaveLength(1);
  await host.writeFile("/tls/ca.crt", "one");
  await clock.advance(11_000);
  expect(file.bundle()).toBe("one");
});
