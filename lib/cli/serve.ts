/** `outrigger serve`: runs the admission webhook. */

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
  summary: "run the admission webhook that injects sidecars into pods",
  usage: "[flags]",
  description:
    "Answers AdmissionReviews (v1 and v1beta1) over HTTPS at /inject, and serves /healthz, " +
    "/readyz and /metrics. Reads the configuration and certificates from files or from config maps, " +
    "and reloads them when they change. If a change is not valid, logs the error and continues with " +
    "the last good version.\n\n" +
    "Accepts the flags of Istio's standalone injector (1.1 to 1.4), also without the word serve. " +
    "Durations have Go's syntax: 300ms, 20s, 1m30s.",
  flags: SERVE_FLAGS,
  positionals: [],
  examples: [
    { line: "outrigger serve --dev", note: "try it on this machine; prints a curl command" },
    {
      line: "outrigger serve --port 15017 --injectConfig /etc/inject --injectValues /etc/inject " +
        "--meshConfig /etc/mesh --tlsCertFile /etc/tls/tls.crt --tlsKeyFile /etc/tls/tls.key",
      note: "run in a pod with mounted config maps and a mounted Secret",
    },
    {
      line: "outrigger serve --inject-configmap istio-sidecar-injector --mesh-configmap istio",
      note: "watch the config maps of an Istio installation",
    },
    {
      line: "outrigger serve --dev --print-config",
      note: "print the effective settings and where they come from",
    },
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

/** Formats the effective value of each flag and where it comes from, one per line. */
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
