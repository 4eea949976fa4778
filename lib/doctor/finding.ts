/** The result of a check: a level, the object, a sentence, and a command that fixes the problem. */

export type Level = "ok" | "warn" | "error";

export type CheckId =
  | "webhook"
  | "service"
  | "endpoints"
  | "certificate"
  | "ca_bundle"
  | "selectors"
  | "labels"
  | "failure_policy"
  | "timeout"
  | "access"
  | "config"
  | "versions"
  | "leftovers";

export interface Finding {
  readonly check: CheckId;
  readonly level: Level;
  /** The object: `Service outrigger-system/outrigger`. */
  readonly about: string;
  readonly what: string;
  /** A command that fixes the problem; absent at level ok. */
  readonly fix?: string;
}

/** Collects the findings of one check about one object. */
export class Report {
  readonly #check: CheckId;
  readonly #about: string;
  readonly #found: Finding[] = [];

  constructor(check: CheckId, about: string) {
    this.#check = check;
    this.#about = about;
  }

  error(what: string, fix: string): void {
    this.#add("error", what, fix);
  }

  warn(what: string, fix: string): void {
    this.#add("warn", what, fix);
  }

  /** Returns the problems found. */
  problems(): Finding[] {
    return this.#found;
  }

  /** Returns the problems found, or one finding at level ok if there are none. */
  orOk(what: string): Finding[] {
    if (this.#found.length === 0) this.#add("ok", what);
    return this.#found;
  }

  #add(level: Level, what: string, fix?: string): void {
    const finding = { check: this.#check, level, about: this.#about, what };
    this.#found.push(fix === undefined ? finding : { ...finding, fix });
  }
}
