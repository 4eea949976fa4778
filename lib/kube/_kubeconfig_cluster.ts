/** The cluster entry of a kubeconfig: the server's address, and how to verify its certificate. */

import type { Host } from "../host/mod.ts";
import { KubeconfigError } from "./_access.ts";
import type { Fields } from "./_fields.ts";

export interface Cluster {
  readonly server: string;
  readonly serverName: string;
  readonly insecure: boolean;
  readonly fields: Fields;
  /** Reads the CA (PEM); resolves to undefined for the system's CAs. */
  ca(): Promise<string | undefined>;
}

/** Reads a cluster entry. Throws a KubeconfigError for contradictory or unsupported settings. */
export function clusterOf(
  fields: Fields,
  { name, host }: { name: string; host: Pick<Host, "readText"> },
): Cluster {
  const refuse = (code: "malformed" | "unsupported", reason: string): never => {
    throw new KubeconfigError(code, `Cannot use ${name}: its cluster ${reason}`);
  };
  if (fields.text("proxy-url") !== "") {
    refuse("unsupported", "is behind a proxy (proxy-url), which is not supported");
  }
  const data = fields.decoded("certificate-authority-data");
  const file = fields.path("certificate-authority");
  const insecure = fields.flag("insecure-skip-tls-verify");
  if (data !== "" && file !== "") {
    refuse("malformed", "has both certificate-authority and certificate-authority-data");
  }
  if (insecure && (data !== "" || file !== "")) {
    refuse("malformed", "has both a certificate authority and insecure-skip-tls-verify");
  }
  const server = serverOf(fields) ??
    refuse("malformed", `has an invalid server ${JSON.stringify(fields.text("server"))}`);
  return {
    server,
    serverName: fields.text("tls-server-name"),
    insecure,
    fields,
    ca: async () => data !== "" ? data : file === "" ? undefined : await host.readText(file),
  };
}

/** Returns the server's URL. Without a scheme it is `http`, whatever the TLS settings, as in kubectl. */
function serverOf(fields: Fields): string | undefined {
  const text = fields.text("server");
  const url = URL.parse(text.includes("://") ? text : `http://${text}`);
  if (text === "" || url === null || !/^https?:$/.test(url.protocol)) return undefined;
  if (url.username !== "" || url.password !== "") return undefined;
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
}
