/**
 * Sprig 3.3, whole: the functions of its `TxtFuncMap`, by family. Everything ambient (clock, zone,
 * randomness, environment, network, cryptography) comes from the host.
 */

import { FunctionError, type FunctionMap, goFunction } from "../value.ts";
import type { SprigHost } from "./_host.ts";
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

/** All of sprig's functions. The map is plain: a caller may lay others over it. */
export function sprigFunctions(host: SprigHost): FunctionMap {
  return {
    ...conversionFunctions,
    ...cryptoFunctions(host),
    ...dateFunctions(host),
    ...defaultFunctions,
    ...dictFunctions,
    ...encodingFunctions,
    ...envFunctions(host),
    ...listFunctions,
    ...mathFunctions,
    ...networkFunctions(host),
    ...pathFunctions,
    ...randomFunctions(host),
    ...reflectFunctions,
    ...regexFunctions(host),
    ...semverFunctions,
    ...stringFunctions(host),
    ...stringListFunctions,
    ...urlFunctions,
    fail: goFunction("string", (message: string) => {
      throw new FunctionError(message);
    }),
    hello: goFunction("", () => "Hello!"),
  };
}
