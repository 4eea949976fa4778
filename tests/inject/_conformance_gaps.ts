/**
 * Known differences from Istio, all of them: `version/case/door` → why. One that passes after all
 * fails the run, so that this list never holds more than it must.
 */
export const GAPS: Readonly<Record<string, string>> = {
  "odd/0abeabe6f7.jsonl/563": "U+2028 in quotes is a line break to go-yaml, not to ours",
};
