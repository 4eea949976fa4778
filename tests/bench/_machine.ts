/** What was measured on and with, a line each. */
import { readFileSync } from "node:fs";
import { arch, cpus, loadavg, release, totalmem, type } from "node:os";
import { spawnSync } from "node:child_process";

export function describeMachine(): string[] {
  const module = readFileSync(`${import.meta.dirname}/peer/go.mod`, "utf8");
  const istio = /istio\.io\/istio (\S+)/.exec(module)?.[1] ?? "unknown";
  const go = spawnSync("go", ["env", "GOVERSION"], { encoding: "utf8" }).stdout?.trim();
  const commit = spawnSync("git", ["rev-parse", "--short=12", "HEAD"], { encoding: "utf8" });
  const memory = (totalmem() / 1024 ** 3).toFixed(0);
  return [
    `date: ${new Date().toISOString().slice(0, 16).replace("T", " ")} UTC, commit ${
      commit.stdout?.trim() || "unknown"
    }`,
    `machine: ${cpus().length} × ${cpus()[0].model.trim()}, ${memory} GB, ` +
    `${type()} ${release()} ${arch()}; load before the run ${loadavg()[0].toFixed(1)}`,
    `Istio: istio.io/istio ${istio}, built with ${go ?? "an unknown Go"}`,
    `Outrigger: compiled with Bun ${Bun.version}`,
  ];
}
