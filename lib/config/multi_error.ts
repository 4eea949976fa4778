/**
 * Formats several errors as one, like the multierror library that Istio uses. A single error is its text; a
 * collected error stays a list and prints as one, even with a single entry.
 */

/** One error, or a list of errors. */
export type Failure = string | readonly string[];

/**
 * Formats a list of errors.
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

/** Formats an error or a list of errors. */
export function failureText(failure: Failure): string {
  return typeof failure === "string" ? failure : multiError(failure);
}

/** Prefixes an error, or each error in a list. */
export function prefixFailure(failure: Failure, prefix: string): Failure {
  // hashicorp/errwrap substitutes `{{err}}`, and a prefix that quotes user input may contain it too.
  const fill = (message: string) => `${prefix} {{err}}`.replaceAll("{{err}}", () => message);
  return typeof failure === "string" ? fill(failure) : failure.map(fill);
}

/** Joins failures. A single failure does not become a list. */
export function joinFailures(failures: readonly (Failure | undefined)[]): Failure | undefined {
  const given = failures.filter((failure) => failure !== undefined);
  return given.length > 1 ? given.flat() : given[0];
}
