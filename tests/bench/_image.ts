/** The size of the image, where buildah is there to build it. */
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { arch, tmpdir } from "node:os";
import { spawnSync } from "node:child_process";
import { inPath } from "../_programs.ts";

const ROOT = `${import.meta.dirname}/../..`;
const BUILD_MS = 120_000;

/** Megabytes of it on an empty base, which is what we add to whichever base is taken. */
export function imageMegabytes(
  executable: string,
  say: (line: string) => void,
): number | undefined {
  const buildah = inPath("buildah");
  if (buildah === undefined) return undefined;
  const platform = arch() === "arm64" ? "arm64" : "amd64";
  const folder = mkdtempSync(`${tmpdir()}/outrigger-image-`);
  const name = `localhost/outrigger-bench-${process.pid}`;
  const run = (...args: string[]) =>
    spawnSync(buildah, ["--storage-driver=vfs", ...args], {
      cwd: folder,
      encoding: "utf8",
      timeout: BUILD_MS,
    });
  try {
    mkdirSync(`${folder}/dist`);
    cpSync(executable, `${folder}/dist/outrigger-linux-${platform}`);
    cpSync(`${ROOT}/Containerfile`, `${folder}/Containerfile`);
    const args = ["--build-arg=BASE=scratch", `--platform=linux/${platform}`, `--tag=${name}`];
    const built = run("build", "--isolation=chroot", ...args, ".");
    if (built.status !== 0) {
      say(`no image: ${built.stderr?.trim().split("\n").at(-1) ?? "buildah failed"}`);
      return undefined;
    }
    const found = run("inspect", "--type=image", "--format={{.FromImageID}}", name);
    if (found.status !== 0) return undefined;
    const sizes = run("images", "--json", name);
    const [{ size }] = JSON.parse(sizes.stdout) as { size: string }[];
    const [, digits, unit] = /^([\d.]+) ?([kMG]?)B/.exec(size) ?? [];
    const factor = { "": 1, k: 1e3, M: 1e6, G: 1e9 }[unit] ?? NaN;
    return Number(digits) * factor / 1024 / 1024;
  } finally {
    run("rmi", "--force", name);
    rmSync(folder, { recursive: true, force: true });
  }
}
