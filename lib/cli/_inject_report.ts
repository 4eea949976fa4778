/** The report that `inject` writes to standard error, so that standard output contains only YAML. */

import { visible } from "../data/visible.ts";
import type { Host } from "../host/mod.ts";
import type { InjectedDocument, WorkloadResult } from "../inject/mod.ts";
import { Progress } from "./_progress.ts";

export interface ReportOptions {
  readonly host: Host;
  /** The expected number of documents, for the progress line. */
  readonly total: number;
  /** Whether the result is printed to the same terminal as the progress line. */
  readonly isTerminalTaken: boolean;
  /** Further warnings. More may be added while documents are injected. */
  readonly notes: string[];
}

export class Report {
  readonly #host: Host;
  readonly #progress: Progress;
  readonly #results: WorkloadResult[] = [];
  readonly #skips: string[] = [];
  readonly #notes: string[];

  constructor({ host, total, isTerminalTaken, notes }: ReportOptions) {
    this.#host = host;
    this.#notes = notes;
    this.#progress = new Progress(host, { total, what: "documents", isTerminalTaken });
  }

  /** Adds a document of a file, and updates the progress line. */
  async add(file: string, { results, warnings }: InjectedDocument): Promise<void> {
    this.#results.push(...results);
    this.addSkips(warnings);
    for (const { workload, decision } of results) {
      for (const warning of decision.warnings) {
        this.#notes.push(`${JSON.stringify(file)}, ${workload}: ${warning}`);
      }
    }
    await this.#progress.add();
  }

  /** Adds warnings about skipped workloads of a document that failed. */
  addSkips(warnings: readonly string[]): void {
    this.#skips.push(...warnings);
  }

  /** Clears the progress line and prints the warnings; skips have the format of istioctl. */
  async finish(): Promise<void> {
    let text = "";
    if (this.#skips.length > 0) text += `\n${this.#skips.map((skip) => `${skip}\n`).join("")}`;
    // A template may emit the same warning for every pod.
    for (const note of new Set(this.#notes)) text += `warning: ${note}\n`;
    await this.#progress.finish();
    if (text !== "") await this.#host.stderr.write(visible(text));
  }

  /** Returns a one-line summary. */
  summary(): string {
    return summaryOf(this.#results);
  }
}

/** Formats a summary such as `3 injected, 1 skipped (host network)`. */
export function summaryOf(results: readonly WorkloadResult[]): string {
  if (results.length === 0) return "nothing to inject";
  const skipped = results.filter(({ decision }) => !decision.inject);
  const injected = `${results.length - skipped.length} injected`;
  if (skipped.length === 0) return injected;
  const reasons = new Map<string, number>();
  for (const { decision: { reason } } of skipped) {
    const words = reason.replaceAll("_", " ");
    reasons.set(words, (reasons.get(words) ?? 0) + 1);
  }
  const listed = reasons.size === 1
    ? [...reasons.keys()]
    : [...reasons].map(([words, count]) => `${words} ${count}`);
  return `${injected}, ${skipped.length} skipped (${listed.join(", ")})`;
}
