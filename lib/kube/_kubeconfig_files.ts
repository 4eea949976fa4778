/**
 * Finds and merges kubeconfig files as kubectl does: the given file, else those in `KUBECONFIG`, else
 * `~/.kube/config`. If several files define a name, the first one wins.
 */

import { parseYaml, YamlError } from "../yaml/mod.ts";
import { type Host, HostError } from "../host/mod.ts";
import { KubeconfigError } from "./_access.ts";
import { Fields } from "./_fields.ts";

export interface Kubeconfig {
  /** Empty if no context is current. */
  readonly currentContext: string;
  readonly contexts: ReadonlyMap<string, Fields>;
  readonly clusters: ReadonlyMap<string, Fields>;
  readonly users: ReadonlyMap<string, Fields>;
  /** The files, quoted, for error messages. */
  readonly source: string;
}

export async function readKubeconfig(
  file: string | undefined,
  host: Pick<Host, "env" | "readText">,
): Promise<Kubeconfig> {
  const files = file === undefined ? defaultFiles(host) : [file];
  const found: Fields[] = [];
  for (const path of files) {
    const text = await readIfThere(path, { host, isOptional: file === undefined });
    if (text !== undefined) found.push(parse(text, path));
  }
  if (found.length === 0) throw noFiles(files);
  return {
    currentContext: found.map((config) => config.text("current-context")).find(Boolean) ?? "",
    contexts: byName(found, { list: "contexts", key: "context" }),
    clusters: byName(found, { list: "clusters", key: "cluster" }),
    users: byName(found, { list: "users", key: "user" }),
    source: found.map((config) => JSON.stringify(config.file)).join(", "),
  };
}

function defaultFiles(host: Pick<Host, "env">): string[] {
  const named = host.env("KUBECONFIG");
  if (named) return [...new Set(named.split(":").filter(Boolean))];
  const home = host.env("HOME");
  return home ? [`${home}/.kube/config`] : [];
}

async function readIfThere(
  path: string,
  { host, isOptional }: { host: Pick<Host, "readText">; isOptional: boolean },
): Promise<string | undefined> {
  try {
    return await host.readText(path);
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    if (isOptional && error.code === "not_found") return undefined;
    const code = error.code === "not_found" ? "not_found" : "malformed";
    throw new KubeconfigError(code, error.message, { cause: error });
  }
}

function noFiles(files: readonly string[]): KubeconfigError {
  const reason = files.length === 0
    ? "neither KUBECONFIG nor HOME is set"
    : `no such file: ${files.map((file) => JSON.stringify(file)).join(", ")}`;
  return new KubeconfigError("not_found", `Cannot find a kubeconfig: ${reason}`);
}

function parse(text: string, file: string): Fields {
  let value: unknown;
  try {
    value = parseYaml(text, { name: file });
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw new KubeconfigError("malformed", error.message, { cause: error });
  }
  const config = new Fields(value, { file });
  const kind = config.text("kind");
  if (kind === "" || kind === "Config") return config;
  throw new KubeconfigError(
    "malformed",
    `Cannot use kubeconfig ${JSON.stringify(file)}: its kind is ${
      JSON.stringify(kind)
    }, not "Config"`,
  );
}

function byName(
  configs: readonly Fields[],
  { list, key }: { readonly list: string; readonly key: string },
): Map<string, Fields> {
  const all = new Map<string, Fields>();
  for (const config of configs) {
    const own = new Map<string, Fields>();
    for (const entry of config.maps(list)) {
      const name = entry.text("name");
      if (own.has(name)) {
        throw new KubeconfigError(
          "malformed",
          `Cannot use kubeconfig ${JSON.stringify(config.file)}: ` +
            `${list} contains ${JSON.stringify(name)} twice`,
        );
      }
      own.set(name, entry.map(key) ?? new Fields({}, { file: config.file }));
    }
    for (const [name, entry] of own) {
      if (!all.has(name)) all.set(name, entry);
    }
  }
  return all;
}
