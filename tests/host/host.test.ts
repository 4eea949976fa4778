import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MAX_READ_BYTES } from "../../lib/host/_streams.ts";
import { createHost, type Host, HostError, type HostErrorCode } from "../../lib/host/mod.ts";
import { memoryHost } from "../_memory_host.ts";

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "outrigger-host-"));
});
afterAll(() => rm(root, { recursive: true }));

/** The real one and the one tests use must agree, or tests prove nothing. */
const hosts: [string, () => Host][] = [
  ["createHost()", createHost],
  ["memoryHost()", () => memoryHost({ files: { [`${root}/b/c`]: "", [`${root}/a.txt`]: "ä" } })],
];

async function codeOf(work: Promise<unknown>): Promise<HostErrorCode | "no error"> {
  try {
    await work;
    return "no error";
  } catch (error) {
    if (error instanceof HostError) return error.code;
    throw error;
  }
}

describe.each(hosts)("%s", (_name, make) => {
  beforeAll(async () => {
    await mkdir(join(root, "b"), { recursive: true });
    await writeFile(join(root, "b/c"), "");
    await writeFile(join(root, "a.txt"), "ä");
  });

  test("reads a file as text and as bytes", async () => {
    const host = make();
    expect(await host.readText(`${root}/a.txt`)).toBe("ä");
    expect([...await host.readBytes(`${root}/a.txt`)]).toEqual([0xc3, 0xa4]);
  });

  test("lists a directory by name, with kinds", async () => {
    expect(await make().readDir(root)).toEqual([
      { name: "a.txt", kind: "file" },
      { name: "b", kind: "directory" },
    ]);
  });

  test("stat() tells kind and size, and undefined where there is nothing", async () => {
    const host = make();
    expect(await host.stat(`${root}/a.txt`)).toMatchObject({ kind: "file", size: 2 });
    expect(await host.stat(`${root}/b`)).toMatchObject({ kind: "directory" });
    expect(await host.stat(`${root}/none`)).toBeUndefined();
  });

  test("writeFile() makes a file, and replaces it", async () => {
    const host = make();
    await host.writeFile(`${root}/b/new`, "long text");
    await host.writeFile(`${root}/b/new`, new Uint8Array([104, 105]));
    expect(await host.readText(`${root}/b/new`)).toBe("hi");
    await rm(join(root, "b/new"), { force: true });
  });

  test("a missing file and a directory are errors with a code and a sentence", async () => {
    const host = make();
    expect(await codeOf(host.readText(`${root}/none`))).toBe("not_found");
    expect(await codeOf(host.readBytes(`${root}/b`))).toBe("wrong_kind");
    expect(await codeOf(host.readDir(`${root}/none`))).toBe("not_found");
    expect(await codeOf(host.readDir(`${root}/a.txt`))).toBe("wrong_kind");
    expect(host.readText(`${root}/none`)).rejects.toThrow(
      `Cannot read ${JSON.stringify(`${root}/none`)}: no such file or directory`,
    );
  });

  test("watchDirectory() tells of a written file, and no more once ended", async () => {
    const host = make();
    const told: (string | undefined)[] = [];
    const first = Promise.withResolvers<void>();
    const stop = host.watchDirectory(`${root}/b`, {
      onChange(name) {
        told.push(name);
        first.resolve();
      },
      onError: first.reject,
    });
    await host.writeFile(`${root}/b/seen`, "1");
    await first.promise;
    stop();
    expect(told).toContain("seen");
    const before = told.length;
    await host.writeFile(`${root}/b/seen`, "2");
    expect(told.length).toBe(before);
    await rm(join(root, "b/seen"), { force: true });
  });

  test("randomBytes() gives as many as asked, past the quota of one call too", () => {
    expect(make().randomBytes(0).length).toBe(0);
    const bytes = make().randomBytes(200_000);
    expect(bytes.length).toBe(200_000);
    expect(bytes.subarray(-1000).some((byte) => byte !== 0)).toBe(true);
  });
});

describe("createHost()", () => {
  test("names the runtime and the platform", () => {
    const { name, version, platform } = createHost().runtime;
    expect(name).toBe("bun");
    expect(version).toBe(Bun.version);
    expect(platform).toBe(`${process.platform}/${process.arch}`);
  });

  test("env() finds variables, and nothing that is merely on a prototype", () => {
    const host = createHost();
    expect(host.env("PATH")).toBe(process.env.PATH);
    expect(host.env("OUTRIGGER_NOT_SET")).toBeUndefined();
    expect(host.env("toString")).toBeUndefined();
  });

  test("refuses text that is not UTF-8, and keeps a byte order mark", async () => {
    const host = createHost();
    await writeFile(join(root, "latin1"), new Uint8Array([0xe4]));
    await writeFile(join(root, "bom"), "\ufeffa");
    expect(await codeOf(host.readText(join(root, "latin1")))).toBe("not_text");
    expect(await host.readText(join(root, "bom"))).toBe("\ufeffa");
  });

  test("refuses to read without end", async () => {
    expect(await codeOf(createHost().readBytes("/dev/zero"))).toBe("too_large");
    expect(MAX_READ_BYTES).toBe(67108864);
  });

  test("sees a mounted ConfigMap change, which is a swap of the ..data link", async () => {
    const mount = join(root, "mount");
    await mkdir(join(mount, "..1"), { recursive: true });
    await mkdir(join(mount, "..2"));
    await writeFile(join(mount, "..1/config"), "old");
    await writeFile(join(mount, "..2/config"), "new");
    await symlink("..1", join(mount, "..data"));
    await symlink("..data/config", join(mount, "config"));
    const host = createHost();
    const changed = Promise.withResolvers<void>();
    const stop = host.watchDirectory(mount, {
      onChange: (name) => name === "..data" && changed.resolve(),
      onError: changed.reject,
    });
    expect(await host.readText(join(mount, "config"))).toBe("old");
    await symlink("..2", join(mount, "..data_tmp"));
    await rename(join(mount, "..data_tmp"), join(mount, "..data"));
    await changed.promise;
    stop();
    expect(await host.readText(join(mount, "config"))).toBe("new");
  });

  test("watching what is not there is an error at once", () => {
    expect(() => createHost().watchDirectory(join(root, "none"), { onChange() {}, onError() {} }))
      .toThrow(HostError);
  });

  test("onSignal() delivers a signal until taken off", async () => {
    const host = createHost();
    const got = Promise.withResolvers<void>();
    const off = host.onSignal("SIGHUP", got.resolve);
    process.kill(process.pid, "SIGHUP");
    await got.promise;
    off();
    expect(process.listenerCount("SIGHUP")).toBe(0);
  });
});
