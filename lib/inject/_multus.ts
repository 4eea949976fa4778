/** Adds a network to the annotation that Multus reads, a comma-separated list or JSON. */
import { decodeJson } from "../go/json.ts";
import { trimSpace } from "../go/strings.ts";
import { FunctionError } from "../go/value.ts";

export interface MultusOptions {
  /** Up to 1.22 a network `namespace/name` became a single name in JSON. */
  readonly minor: number;
  readonly warn: (message: string) => void;
}

/**
 * Appends a network unless it is listed. JSON is edited as text to keep its formatting; an empty list
 * therefore becomes `[, {…}]`, as in the original.
 */
export function appendMultusNetwork(
  current: string,
  network: string,
  { minor, warn }: MultusOptions,
): string {
  if (current === "") return network;
  if (!current.includes("]")) {
    const present = current.split(",").some((item) => trimSpace(item) === network);
    return present ? current : `${current}, ${network}`;
  }
  const knowsNamespaces = minor >= 23;
  const [name, namespace] = knowsNamespaces ? qualified(network) : [network, ""];
  const networks = readNetworks(current, warn);
  if (networks === undefined) return current;
  const present = networks.some((item) =>
    item?.name === name && (!knowsNamespaces || (item.namespace ?? "") === namespace)
  );
  if (present) return current;
  const at = current.lastIndexOf("]");
  const added = `{"name": "${name}"${namespace === "" ? "" : `, "namespace": "${namespace}"`}}`;
  return `${current.slice(0, at)}, ${added}${current.slice(at)}`;
}

/** Splits `namespace/name`; drops everything after a second slash. */
function qualified(network: string): [name: string, namespace: string] {
  const [first, second] = network.split("/");
  return second === undefined ? [first, ""] : [second, first];
}

type Network = Readonly<Record<string, unknown>> | null;

function readNetworks(json: string, warn: (message: string) => void): Network[] | undefined {
  const fail = (reason: string) => {
    warn(`Unable to unmarshal Multus Network annotation JSON value: ${reason}`);
    return undefined;
  };
  try {
    const value = decodeJson(json);
    if (!Array.isArray(value)) return fail("not a list");
    const isNetwork = (item: unknown) => typeof item === "object" && !Array.isArray(item);
    return value.every(isNetwork) ? value : fail("an item is not an object");
  } catch (error) {
    if (error instanceof FunctionError) return fail(error.message);
    throw error;
  }
}
