/** The flag `-o text|json|yaml`, and a printer for results in these formats. */

import { stringifyYaml } from "../yaml/mod.ts";
import type { Host } from "../host/mod.ts";
import type { StringFlag } from "./command.ts";

export const OUTPUT_FLAG = {
  name: "output",
  short: "o",
  type: "string",
  value: "FORMAT",
  description: "output format",
  choices: ["text", "json", "yaml"],
  default: "text",
} as const satisfies StringFlag;

export type OutputFormat = (typeof OUTPUT_FLAG.choices)[number];

export interface Result {
  /** Returns the text, with a trailing newline. */
  readonly text: () => string;
  /** The same result as data. */
  readonly value: unknown;
}

export async function printResult(
  { text, value }: Result,
  { host, format }: { host: Pick<Host, "stdout">; format: OutputFormat },
): Promise<void> {
  const texts: Readonly<Record<OutputFormat, () => string>> = {
    text,
    json: () => `${JSON.stringify(value, null, 2)}\n`,
    yaml: () => stringifyYaml(value),
  };
  await host.stdout.write(texts[format]());
}
