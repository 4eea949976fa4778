/** buildah in a storage of its own, and a base to build on: both are gone with the test. */

import { type SpawnOptions, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";

export interface Builder extends Disposable {
  readonly folder: string;
  /** Runs `buildah`, and gives what it printed; throws where it fails. */
  buildah(...args: string[]): string;
}

export function openBuilder(): Builder {
  if (process.getuid?.() !== 0) throw new Error("Building the image in the test needs root");
  if (spawnSync("buildah", ["--version"]).status !== 0) install("buildah");
  const folder = mkdtempSync(join(tmpdir(), "outrigger-image-"));
  const storage = ["--root", join(folder, "storage"), "--runroot", join(folder, "run")];
  return {
    folder,
    // vfs needs no support of the kernel's; it copies, which is slower and does no harm here.
    buildah: (...args) => run("buildah", ["--storage-driver", "vfs", ...storage, ...args]),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Debian's C library and nothing else, as an image of this name. No registry is asked. */
export function makeBase({ folder, buildah }: Builder, name: string): void {
  const files = join(folder, "base");
  mkdirSync(files);
  run("apt-get", ["download", "-q", "libc6"], { cwd: folder });
  const archive = readdirSync(folder).find((name) => name.endsWith(".deb"))!;
  run("dpkg", ["-x", join(folder, archive), files]);
  // Where all of it is under /usr, the places that programs look for are links.
  for (const place of ["lib", "lib64"]) {
    if (!existsSync(join(files, place)) && existsSync(join(files, "usr", place))) {
      symlinkSync(`usr/${place}`, join(files, place));
    }
  }
  makeImage({ folder, buildah }, {
    name,
    files,
    arch: process.arch === "arm64" ? "arm64" : "amd64",
  });
}

/** An image of files, for a platform that need not be this machine's. */
export function makeImage(
  { buildah }: Pick<Builder, "folder" | "buildah">,
  { name, files, arch }: { readonly name: string; readonly files?: string; readonly arch: string },
): void {
  const container = buildah("from", "--arch", arch, "scratch").trim();
  if (files !== undefined) buildah("copy", "-q", container, files, "/");
  buildah("config", "--arch", arch, container);
  buildah("commit", "-q", container, name);
  buildah("rm", container);
}

function install(name: string): void {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const args = ["install", "-y", "-q", "--no-install-recommends", name];
  if (spawnSync("apt-get", args, { env }).status === 0) return;
  run("apt-get", ["update", "-q"], { env });
  run("apt-get", args, { env });
}

export function run(command: string, args: readonly string[], options: SpawnOptions = {}): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    ...options,
    encoding: "utf8",
    maxBuffer: 16 * 1024 * 1024,
  });
  if (status === 0) return stdout;
  throw new Error(`${command} ${args.join(" ")}: ${error?.message ?? `${stdout}${stderr}`}`);
}
