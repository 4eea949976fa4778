/** What a kubeconfig says of a cluster: where its server is, and by what it is known. */

import type { Host } from "../host/mod.ts";
import { KubeconfigError } from "./_access.ts";
import type { Fields } from "./_fields.ts";

/** Its authorities are read when they are needed. */
export interface Cluster {
  readonly server: string;
  readonly serverName: string;
  readonly insecure: boolean;
  readonly fields: Fields;
  /** PEM; `undefined` for the machine's own. */
  authorities(): Promise<string | undefined>;
}

/** Throws a KubeconfigError for settings that contradict or cannot be kept to. */
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
    refuse("malformed", "has an authority and insecure-skip-tls-verify, which contradict");
  }
  const server = serverOf(fields) ??
    refuse("malformed", `has no usable server, but ${JSON.stringify(fields.text("server"))}`);
  return {
    server,
    serverName: fields.text("tls-server-name"),
    insecure,
    fields,
    authorities: async () =>
      data !== "" ? data : file === "" ? undefined : await host.readText(file),
  };
}

/** Without a scheme it is `http`, whatever else is said of TLS: that is how kubectl has it. */
function serverOf(fields: Fields): string | undefined {
  const text = fields.text("server");
  const url = URL.parse(text.includes("://") ? text : `http://${text}`);
  if (text === "" || url === null || !/^https?:$/.test(url.protocol)) return undefined;
  if (url.username !== "" || url.password !== "") return undefined;
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
}
