/**
 * The programs of a real cluster: those of `KUBEBUILDER_ASSETS` where that is set, else etcd from the
 * system, installed if it can be, and a kube-apiserver built from `apiserver/`, once, into the user's cache.
 */

import { spawn, type SpawnOptions, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { accessSync, constants, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import process from "node:process";

export interface Binaries {
  readonly etcd: string;
  readonly apiServer: string;
  /** As in `kube-apiserver v1.35.4, etcd 3.4.23`. */
  readonly versions: string;
}

/** What is missing here; the message is one line for people. */
export class MissingError extends Error {
  override readonly name = "MissingError";
}

const SOURCES = join(import.meta.dirname!, "apiserver");

/** Two busy cores took 13 minutes, two idle ones take 4. */
const BUILD_MS = 30 * 60 * 1000;

export async function findBinaries(say: (line: string) => void): Promise<Binaries> {
  const assets = process.env.KUBEBUILDER_ASSETS;
  const etcd = assets ? join(assets, "etcd") : await findEtcd(say);
  const apiServer = assets ? join(assets, "kube-apiserver") : await findApiServer(say);
  for (const file of [etcd, apiServer]) {
    if (!isProgram(file)) throw new MissingError(`KUBEBUILDER_ASSETS is set, but has no ${file}`);
  }
  return { etcd, apiServer, versions: `${versionOf(apiServer)}, ${versionOf(etcd)}` };
}

async function findEtcd(say: (line: string) => void): Promise<string> {
  const found = inPath("etcd");
  if (found !== undefined) return found;
  const advice = "install etcd, or set KUBEBUILDER_ASSETS to a folder with etcd and kube-apiserver";
  if (process.getuid?.() !== 0 || inPath("apt-get") === undefined) {
    throw new MissingError(`etcd is missing: ${advice}`);
  }
  say("installing etcd with apt-get");
  const options: SpawnOptions = {
    stdio: ["ignore", "ignore", "inherit"],
    // The package would start a server of its own on etcd's usual ports.
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" },
  };
  const install = ["install", "-y", "-q", "--no-install-recommends", "etcd-server"];
  if (await run("apt-get", install, options) !== 0) {
    await run("apt-get", ["update", "-q"], options);
    await run("apt-get", install, options);
  }
  const installed = inPath("etcd");
  if (installed === undefined) throw new MissingError(`apt-get could not install etcd: ${advice}`);
  return installed;
}

async function findApiServer(say: (line: string) => void): Promise<string> {
  const texts = ["go.mod", "go.sum", "main.go"].map((name) => readFileSync(join(SOURCES, name)));
  const version = /k8s\.io\/kubernetes (v[\d.]+)/.exec(texts[0].toString())?.[1] ?? "";
  const hash = createHash("sha256");
  for (const text of texts) hash.update(text);
  const folder = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "outrigger", "e2e");
  const file = join(folder, `kube-apiserver-${version}-${hash.digest("hex").slice(0, 12)}`);
  if (isProgram(file)) return file;
  if (inPath("go") === undefined) {
    throw new MissingError(
      `Go is missing, to build kube-apiserver ${version}: install Go 1.25 or later, ` +
        "or set KUBEBUILDER_ASSETS to a folder with etcd and kube-apiserver",
    );
  }
  say(`building kube-apiserver ${version} (once; minutes)`);
  mkdirSync(folder, { recursive: true });
  const [major, minor] = version.slice(1).split(".");
  const set = Object.entries({ gitVersion: version, gitMajor: major, gitMinor: minor })
    .map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`);
  // Under another name first: a build that is cut short leaves nothing that looks like a program.
  const unfinished = `${file}.${process.pid}`;
  const code = await run(
    "go",
    ["build", "-trimpath", "-ldflags", ["-s", "-w", ...set].join(" "), "-o", unfinished, "."],
    { cwd: SOURCES, stdio: ["ignore", "inherit", "inherit"], timeout: BUILD_MS },
  );
  if (code !== 0) {
    rmSync(unfinished, { force: true });
    throw new MissingError(`kube-apiserver ${version} could not be built in ${SOURCES}`);
  }
  renameSync(unfinished, file);
  return file;
}

function run(command: string, args: string[], options: SpawnOptions): Promise<number | null> {
  return new Promise((resolve) => {
    const child = spawn(command, args, options);
    child.on("error", () => resolve(null));
    child.on("close", resolve);
  });
}

function versionOf(file: string): string {
  const { stdout } = spawnSync(file, ["--version"], { encoding: "utf8" });
  const [, name = "", version = ""] = /^(\w+)[\w ]*:? v?([\d.]+)/.exec(stdout ?? "") ?? [];
  return name === "Kubernetes" ? `kube-apiserver v${version}` : `${name} ${version}`;
}

function inPath(name: string): string | undefined {
  const folders = (process.env.PATH ?? "").split(delimiter);
  return folders.map((folder) => join(folder, name)).find(isProgram);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
