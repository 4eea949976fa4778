/** What a check found: how bad, about what, in a sentence, and the command that mends it. */

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
  /** The object it is about, as in `Service outrigger-system/outrigger`. */
  readonly about: string;
  readonly what: string;
  /** A command to paste; absent where all is well. */
  readonly fix?: string;
}

/** Findings of one check about one object. */
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

  /** What is wrong, and nothing where nothing is. */
  problems(): Finding[] {
    return this.#found;
  }

  /** All of it; where nothing is wrong, that. */
  orOk(what: string): Finding[] {
    if (this.#found.length === 0) this.#add("ok", what);
    return this.#found;
  }

  #add(level: Level, what: string, fix?: string): void {
    const finding = { check: this.#check, level, about: this.#about, what };
    this.#found.push(fix === undefined ? finding : { ...finding, fix });
  }
}
