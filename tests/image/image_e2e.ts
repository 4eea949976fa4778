/**
 * The container image, built by the Containerfile on a base that is Debian's C library alone, and run as
 * its user. `deno task test:image` builds the executables first. Needs root, and no registry.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { mkdirSync, openSync, readdirSync, readlinkSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import config from "../../deno.json" with { type: "json" };
import { type Builder, makeBase, makeImage, openBuilder } from "./_buildah.ts";

const ROOT = join(import.meta.dirname!, "../..");
const USER = "65532:65532";
const PROGRAM = "/usr/local/bin/outrigger";
const BASE = "localhost/outrigger-test-base";
const IMAGE = "localhost/outrigger-test";

let builder: Builder;
/** The files of a container of the image. */
let root: string;

function build(name: string, ...flags: string[]): void {
  builder.buildah(
    ...["build", "-q", "--isolation", "chroot", "--pull-never", ...flags],
    ...["--build-arg", "REVISION=abc", "-t", name],
    ...["-f", join(ROOT, "Containerfile"), join(ROOT, "dist/image")],
  );
}

beforeAll(() => {
  builder = openBuilder();
  makeBase(builder, BASE);
  build(IMAGE, "--build-arg", `BASE=${BASE}`);
  const container = builder.buildah("from", "--pull-never", IMAGE).trim();
  root = builder.buildah("mount", container).trim();
  // What a runtime mounts there.
  mkdirSync(join(root, "proc"), { recursive: true });
});
afterAll(() => builder[Symbol.dispose]());

/** As a container runs it: the first process of its own, as the image's user, in the image's files. */
function inContainer(args: readonly string[]) {
  const command = [
    ...["--pid", "--fork", "--kill-child", "--mount", `--mount-proc=${join(root, "proc")}`],
    ...["chroot", `--userspec=${USER}`, root, ...args],
  ];
  const child = spawn("unshare", command, {
    env: { PATH: process.env.PATH },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  let wake = () => {};
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      output += chunk;
      wake();
    });
  }
  let isOver = false;
  const exited = new Promise<number | null>((resolve) =>
    child.on("close", (code) => {
      isOver = true;
      wake();
      resolve(code);
    })
  );
  return {
    pid: child.pid!,
    exited,
    output: () => output,
    async seen(pattern: RegExp): Promise<RegExpExecArray> {
      for (;;) {
        const found = pattern.exec(output);
        if (found !== null) return found;
        if (isOver) throw new Error(`It ended before ${pattern}:\n${output}`);
        await new Promise<void>((resolve) => wake = resolve);
      }
    },
  };
}

/** The one child of `unshare`: the first process of the container. */
async function firstProcess(parent: number): Promise<number> {
  const path = `/proc/${parent}/task/${parent}/children`;
  return Number((await Bun.file(path).text()).trim());
}

describe("the image", () => {
  test("is the executable, the old name for it, and the base", () => {
    const bin = join(root, "usr/local/bin");
    expect(readdirSync(bin).sort()).toEqual(["outrigger", "sidecar-injector"]);
    expect(readlinkSync(join(bin, "sidecar-injector"))).toBe("outrigger");
    expect(statSync(join(bin, "outrigger")).mode & 0o7777).toBe(0o755);
    expect(readdirSync(root).sort()).toEqual(
      [...new Set([...readdirSync(join(builder.folder, "base")), "usr", "proc"])].sort(),
    );
    const [{ size }] = JSON.parse(builder.buildah("images", "--json", IMAGE));
    const executable = statSync(join(bin, "outrigger")).size;
    console.log(`image: ${size}, of which the executable ${(executable / 1e6).toFixed(0)} MB`);
  });

  test("says what it is, and who it runs as", () => {
    const { config: made } = JSON.parse(builder.buildah("inspect", "--type=image", IMAGE)).OCIv1;
    expect(made).toMatchObject({ User: USER, Entrypoint: [PROGRAM] });
    expect(made.Env).toContain("BUN_JSC_useFTLJIT=0");
    expect(made.Labels).toMatchObject({
      "org.opencontainers.image.title": "outrigger",
      "org.opencontainers.image.licenses": "Apache-2.0",
      "org.opencontainers.image.version": config.version,
      "org.opencontainers.image.revision": "abc",
    });
  });

  test("runs as its user, on the C library alone, by both names", async () => {
    for (const name of [PROGRAM, "/usr/local/bin/sidecar-injector"]) {
      const container = inContainer([name, "version"]);
      expect({ code: await container.exited, output: container.output() }).toEqual({
        code: 0,
        output: expect.stringContaining(`outrigger ${config.version}\n`),
      });
    }
  });

  test("serves as the first process, writes nothing, and stops in order on SIGTERM", async () => {
    const before = filesOf(root);
    const container = inContainer([
      ...[PROGRAM, "serve", "--dev", "--log-format=json", "--port=0", "--monitoringPort=0"],
      ...["--drain=1s"],
    ]);
    const [, line] = await container.seen(/^(\{.*"message":"serving".*\})$/m);
    const { port, monitoringPort } = JSON.parse(line);
    const health = await fetch(`http://127.0.0.1:${monitoringPort}/readyz`);
    expect(health.status).toBe(200);
    const answer = await fetch(`https://127.0.0.1:${port}/inject`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        apiVersion: "admission.k8s.io/v1",
        kind: "AdmissionReview",
        request: {
          uid: "1",
          kind: { group: "", version: "v1", kind: "Pod" },
          operation: "CREATE",
          object: { metadata: { name: "a" }, spec: { containers: [{ name: "a", image: "a" }] } },
        },
      }),
      tls: { rejectUnauthorized: false },
    });
    const { response } = await answer.json() as { response: { allowed: boolean; patch?: string } };
    expect(response.allowed).toBe(true);
    expect(atob(response.patch!)).toContain("istio-proxy");
    const pid = await firstProcess(container.pid);
    const status = await Bun.file(`/proc/${pid}/status`).text();
    expect(/^NSpid:\s+\d+\s+(\d+)$/m.exec(status)?.[1]).toBe("1");
    expect(/^Uid:\s+(.*)$/m.exec(status)?.[1]).toBe("65532\t65532\t65532\t65532");
    process.kill(pid, "SIGTERM");
    expect(await container.exited).toBe(0);
    expect(container.output()).toContain('"message":"stopped"');
    expect(filesOf(root)).toEqual(before);
  });

  test("is made for arm64 too", () => {
    const base = `${BASE}-arm64`;
    const image = `${IMAGE}-arm64`;
    makeImage(builder, { name: base, arch: "arm64" });
    build(image, "--build-arg", `BASE=${base}`, "--platform", "linux/arm64");
    const { architecture } = JSON.parse(builder.buildah("inspect", "--type=image", image)).OCIv1;
    expect(architecture).toBe("arm64");
    const container = builder.buildah("from", "--pull-never", "--arch", "arm64", image).trim();
    const mounted = builder.buildah("mount", container).trim();
    // e_machine of the ELF header: AArch64 is 183.
    const header = new Uint8Array(20);
    readSync(openSync(join(mounted, PROGRAM), "r"), header);
    expect(new DataView(header.buffer).getUint16(18, true)).toBe(183);
  });
});

/** Every file and when it last changed. */
function filesOf(folder: string): string[] {
  return (readdirSync(folder, { recursive: true }) as string[]).sort()
    .map((name) => `${name} ${statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs}`);
}
