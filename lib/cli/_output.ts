/** The flag `-o text|json|yaml`, and what it prints: one result, for people or for programs. */

import { stringifyYaml } from "../yaml/mod.ts";
import type { Host } from "../host/mod.ts";
import type { StringFlag } from "./command.ts";

export const OUTPUT_FLAG = {
  name: "output",
  short: "o",
  type: "string",
  value: "FORMAT",
  description: "how to print it",
  choices: ["text", "json", "yaml"],
  default: "text",
} as const satisfies StringFlag;

export type OutputFormat = (typeof OUTPUT_FLAG.choices)[number];

export interface Result {
  /** For people, with its last line break; made only where it is asked for. */
  readonly text: () => string;
  /** The same as data: all of what the text says. */
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
