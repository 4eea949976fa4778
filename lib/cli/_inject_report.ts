/** What `inject` tells on standard error, so that standard output is YAML and nothing else. */

import { visible } from "../data/visible.ts";
import type { Host } from "../host/mod.ts";
import type { InjectedDocument, WorkloadResult } from "../inject/mod.ts";
import { Progress } from "./_progress.ts";

export interface ReportOptions {
  readonly host: Host;
  /** Documents to come, for the progress line. */
  readonly total: number;
  /** Whether YAML or a diff goes to the terminal that the line would be on. */
  readonly isTerminalTaken: boolean;
  /** Things the user should know besides; more may come in while documents are injected. */
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

  /** Takes in one document of a file, and moves the progress line on. */
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

  /** Warnings about workloads left alone, where their document failed later on. */
  addSkips(warnings: readonly string[]): void {
    this.#skips.push(...warnings);
  }

  /** Takes the progress line away and prints the warnings: skips in the form that istioctl has. */
  async finish(): Promise<void> {
    let text = "";
    if (this.#skips.length > 0) text += `\n${this.#skips.map((skip) => `${skip}\n`).join("")}`;
    // A template may say the same for every pod.
    for (const note of new Set(this.#notes)) text += `warning: ${note}\n`;
    await this.#progress.finish();
    if (text !== "") await this.#host.stderr.write(visible(text));
  }

  /** One line about all of it. */
  summary(): string {
    return summaryOf(this.#results);
  }
}

/** As in `3 injected, 1 skipped (host network)`. */
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
