/**
 * Several errors as one, in the words of the library that Istio collects them with. A single error is
 * its text; once collected it stays a list, and prints as one even with a single entry.
 */

/** One error, or a list of them. */
export type Failure = string | readonly string[];

/**
 * The text of a list of errors.
 *
 * @example
 * ```ts
 * multiError(["a", "b"]); // "2 errors occurred:\n\t* a\n\t* b\n\n"
 * ```
 */
export function multiError(messages: readonly string[]): string {
  const count = messages.length === 1 ? "1 error" : `${messages.length} errors`;
  return `${count} occurred:\n\t${messages.map((message) => `* ${message}`).join("\n\t")}\n\n`;
}

/** The text of either. */
export function failureText(failure: Failure): string {
  return typeof failure === "string" ? failure : multiError(failure);
}

/** Puts a text and a space in front of an error, of each one in a list. */
export function prefixFailure(failure: Failure, prefix: string): Failure {
  // The original fills a form, and a prefix that quotes the user may hold the form's own mark.
  const fill = (message: string) => `${prefix} {{err}}`.replaceAll("{{err}}", () => message);
  return typeof failure === "string" ? fill(failure) : failure.map(fill);
}

/** Joins without making a list of a lone error. */
export function joinFailures(failures: readonly (Failure | undefined)[]): Failure | undefined {
  const given = failures.filter((failure) => failure !== undefined);
  return given.length > 1 ? given.flat() : given[0];
}
