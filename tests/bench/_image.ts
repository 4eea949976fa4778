/** The size of the image, where buildah is there to build it. */
import { cpSync, mkdirSync } from "node:fs";
import { arch } from "node:os";
import { inPath } from "../_programs.ts";
import { openBuilder } from "../image/_buildah.ts";

const CONTAINERFILE = `${import.meta.dirname}/../../Containerfile`;

/** Megabytes of it on an empty base, which is what we add to whichever base is taken. */
export function imageMegabytes(
  executable: string,
  say: (line: string) => void,
): number | undefined {
  if (inPath("buildah") === undefined || process.getuid?.() !== 0) return undefined;
  const platform = arch() === "arm64" ? "arm64" : "amd64";
  using builder = openBuilder();
  const { folder, buildah } = builder;
  const place = `${folder}/image/linux-${platform}/usr/local/bin`;
  mkdirSync(place, { recursive: true });
  cpSync(executable, `${place}/outrigger`);
  try {
    buildah(
      "build",
      "--isolation=chroot",
      "--build-arg=BASE=scratch",
      `--platform=linux/${platform}`,
      `--file=${CONTAINERFILE}`,
      "--tag=localhost/outrigger-bench",
      `${folder}/image`,
    );
    const [{ size }] = JSON.parse(buildah("images", "--json", "localhost/outrigger-bench")) as {
      size: string;
    }[];
    return megabytesOf(size);
  } catch (error) {
    say(`no image: ${error instanceof Error ? error.message.trim().split("\n").at(-1) : error}`);
    return undefined;
  }
}

/** Of what buildah prints, as in `118 MB`. */
export function megabytesOf(size: string): number {
  const [, digits, unit] = /^([\d.]+) ?([kKMG]?)i?B/.exec(size) ?? [];
  const factor = { "": 1, k: 1e3, K: 1e3, M: 1e6, G: 1e9 }[unit] ?? NaN;
  return Number(digits) * factor / 1024 ** 2;
}
