/** What Go's YAML library says about a text that is no YAML. */

/** `yaml: line 2: …`; undefined where it would find nothing wrong. */
export function yamlErrorText(_text: string): string | undefined {
  return undefined;
}
