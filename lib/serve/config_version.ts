/** The name of a configuration: the same texts have the same one everywhere, in a server and on a desk. */

import { createCrypto } from "../host/crypto.ts";
import type { EngineSources } from "../inject/engine.ts";

/** Letters of the hash; as many as commits and images are told by. */
const LENGTH = 12;

export function configVersion({ config, values, mesh }: EngineSources): string {
  const text = new TextEncoder().encode(JSON.stringify([config, values, mesh]));
  return createCrypto().hash("sha256", text).toHex().slice(0, LENGTH);
}
