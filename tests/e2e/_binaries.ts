/**
 * The programs of a real cluster: those of `KUBEBUILDER_ASSETS` where that is set, else etcd from the
 * system, installed if it can be, and a kube-apiserver built from `apiserver/`, once, into the user's cache.
 */

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { goProgram, isProgram, MissingError, type Say, systemProgram } from "../_programs.ts";

export { MissingError };

export interface Binaries {
  readonly etcd: string;
  readonly apiServer: string;
  /** As in `kube-apiserver v1.35.4, etcd 3.4.23`. */
  readonly versions: string;
}

const SOURCES = join(import.meta.dirname!, "apiserver");

export async function findBinaries(say: Say): Promise<Binaries> {
  const assets = process.env.KUBEBUILDER_ASSETS;
  const etcd = assets ? join(assets, "etcd") : await findEtcd(say);
  const apiServer = assets ? join(assets, "kube-apiserver") : await findApiServer(say);
  for (const file of [etcd, apiServer]) {
    if (!isProgram(file)) throw new MissingError(`KUBEBUILDER_ASSETS is set, but has no ${file}`);
  }
  return { etcd, apiServer, versions: `${versionOf(apiServer)}, ${versionOf(etcd)}` };
}

function findEtcd(say: Say): Promise<string> {
  return systemProgram({
    name: "etcd",
    package: "etcd-server",
    advice: "install etcd, or set KUBEBUILDER_ASSETS to a folder with etcd and kube-apiserver",
  }, say);
}

function findApiServer(say: Say): Promise<string> {
  const module = readFileSync(join(SOURCES, "go.mod"), "utf8");
  const version = /k8s\.io\/kubernetes (v[\d.]+)/.exec(module)?.[1] ?? "";
  const [major, minor] = version.slice(1).split(".");
  return goProgram({
    name: `kube-apiserver ${version}`,
    folder: SOURCES,
    files: ["go.mod", "go.sum", "main.go"],
    ldflags: Object.entries({ gitVersion: version, gitMajor: major, gitMinor: minor })
      .map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`),
    cache: "e2e",
    takes: "minutes",
    advice: "install Go 1.25 or later, " +
      "or set KUBEBUILDER_ASSETS to a folder with etcd and kube-apiserver",
  }, say);
}

function versionOf(file: string): string {
  const { stdout } = spawnSync(file, ["--version"], { encoding: "utf8" });
  const [, name = "", version = ""] = /^(\w+)[\w ]*:? v?([\d.]+)/.exec(stdout ?? "") ?? [];
  return name === "Kubernetes" ? `kube-apiserver v${version}` : `${name} ${version}`;
}
