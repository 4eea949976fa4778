/**
 * All functions of sprig 3.3's `TxtFuncMap`, one file per family. The clock, local zone,
 * randomness, environment, network and cryptography come from the host.
 */

import { FunctionError, type FunctionMap, goFunction } from "../value.ts";
import type { SprigHost } from "./_host.ts";
import { withCosts } from "./_costs.ts";
import { conversionFunctions } from "./conversion.ts";
import { cryptoFunctions } from "./crypto.ts";
import { dateFunctions } from "./date.ts";
import { defaultFunctions } from "./defaults.ts";
import { dictFunctions } from "./dicts.ts";
import { encodingFunctions } from "./encoding.ts";
import { envFunctions } from "./env.ts";
import { listFunctions } from "./lists.ts";
import { mathFunctions } from "./math.ts";
import { networkFunctions } from "./network.ts";
import { pathFunctions } from "./path.ts";
import { randomFunctions } from "./random.ts";
import { reflectFunctions } from "./reflect.ts";
import { regexFunctions } from "./regex.ts";
import { semverFunctions } from "./semver.ts";
import { stringListFunctions } from "./string_lists.ts";
import { stringFunctions } from "./strings.ts";
import { urlFunctions } from "./url.ts";

export type { CryptoHost, HashName, KeyKind, ScryptOptions, SprigHost } from "./_host.ts";

/** The families that need no host. */
const PURE_FAMILIES: FunctionMap = {
  ...conversionFunctions,
  ...defaultFunctions,
  ...dictFunctions,
  ...encodingFunctions,
  ...listFunctions,
  ...mathFunctions,
  ...pathFunctions,
  ...reflectFunctions,
  ...semverFunctions,
  ...stringListFunctions,
  ...urlFunctions,
};

/** The names of functions whose result depends only on their arguments. */
export const PURE_SPRIG_FUNCTIONS: ReadonlySet<string> = new Set([
  ...Object.keys(PURE_FAMILIES),
  ...Object.keys(stringFunctions({ randomBytes: () => new Uint8Array() })),
  "fail",
].filter((name) => name !== "shuffle"));

/** Returns all of sprig's functions. */
export function sprigFunctions(host: SprigHost): FunctionMap {
  return withCosts({
    ...PURE_FAMILIES,
    ...cryptoFunctions(host),
    ...dateFunctions(host),
    ...envFunctions(host),
    ...networkFunctions(host),
    ...randomFunctions(host),
    ...regexFunctions(host),
    ...stringFunctions(host),
    fail: goFunction("string", (message: string) => {
      throw new FunctionError(message);
    }),
  });
}
