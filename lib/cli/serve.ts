/** `outrigger serve`: the admission webhook. */

import {
  flagsInForce,
  readSettings,
  runServer,
  SERVE_FLAGS,
  type ServeArgs,
} from "../serve/mod.ts";
import { COMMIT, VERSION } from "./_build.ts";
import { table } from "./_terminal.ts";
import { defineCommand, type Flag } from "./command.ts";

export const serve = defineCommand({
  name: "serve",
  takesBareFlags: true,
  isServer: true,
  summary: "serve the admission webhook that injects sidecars into pods",
  usage: "[flags]",
  description: "Answers AdmissionReviews (v1 and v1beta1) over HTTPS at /inject, with health and " +
    "metrics at /healthz, /readyz and /metrics. Configuration and certificates are read from " +
    "files, or config maps of the cluster, and read again when they change; what is broken is told, and the last good one " +
    "goes on serving.\n\n" +
    "Takes the flags of Istio's standalone injector (1.1 to 1.4), also without the word serve. " +
    "Times are written as in Go: 300ms, 20s, 1m30s.",
  flags: SERVE_FLAGS,
  positionals: [],
  examples: [
    { line: "outrigger serve --dev", note: "try it: prints a line for curl" },
    {
      line: "outrigger serve --port 15017 --injectConfig /etc/inject --injectValues /etc/inject " +
        "--meshConfig /etc/mesh --tlsCertFile /etc/tls/tls.crt --tlsKeyFile /etc/tls/tls.key",
      note: "in a pod, with config maps and a secret mounted",
    },
    {
      line: "outrigger serve --inject-configmap istio-sidecar-injector --mesh-configmap istio",
      note: "with the config maps of an Istio installation, watched",
    },
    { line: "outrigger serve --dev --print-config", note: "what would be in force, and why" },
  ],
  async run(args, host) {
    const settings = readSettings(args);
    if (args.flags["print-config"]) {
      const flags: readonly Flag[] = SERVE_FLAGS;
      await host.stdout.write(printSettings(args, (name) => {
        const flag = flags.find((flag) => flag.name === name);
        return flag?.type === "list" ? "" : flag?.env ?? "";
      }));
      return 0;
    }
    return await runServer(settings, { host, program: { version: VERSION, commit: COMMIT } });
  },
});

/** What is in force and where it came from, a line each. */
function printSettings(args: ServeArgs, variableOf: (flag: string) => string): string {
  const inForce: Readonly<Record<string, unknown>> = flagsInForce(args);
  const given: Readonly<Record<string, unknown>> = args.flags;
  const rows = Object.entries(args.sources).filter(([name]) => name !== "print-config").map(
    ([name, source]) => {
      const from = inForce[name] !== given[name]
        ? "--dev"
        : source === "environment"
        ? `$${variableOf(name)}`
        : source;
      return [`--${name}`, JSON.stringify(inForce[name] ?? ""), from];
    },
  );
  return table(rows);
}
