/** The state of an execution: its position, its output, and its limits. */
import { type Budget, BudgetError } from "../../data/budget.ts";
import { byteLength } from "../../data/bytes.ts";
import { quote } from "../strconv.ts";
import { lineAt, placeAt, TemplateError, type TemplateErrorCode } from "./errors.ts";
import { Recording } from "./_recording.ts";
import { type ActionNode, type Node, printNode } from "./nodes.ts";

/** Limits of an execution. A webhook needs them; Go only limits the depth. */
export interface TemplateLimits {
  /** Characters of output. Default 4 Mi, because an object in etcd has at most 1.5 MiB. */
  readonly outputLength: number;
  /**
   * Nested template calls. Default 1,000, where Go allows 100,000, because each takes a dozen stack
   * frames.
   */
  readonly depth: number;
  /**
   * Nodes executed. Default 1 million, which take a quarter of a second. Istio's sidecar template
   * has some hundreds.
   */
  readonly steps: number;
}

export const DEFAULT_LIMITS: TemplateLimits = {
  outputLength: 4 * 1024 * 1024,
  depth: 1000,
  steps: 1_000_000,
};

/** Units of the budget for a step: a statement with its functions, in code that is not compiled yet. */
const STEP_UNITS = 5;
/** Steps between two visits to the budget. */
const CHARGED_AT_ONCE = 64;
/** What functions do to shorter arguments is part of their step. */
const SMALL = 1024;
/** Characters or items that a function gets through in the time of a step. */
const LENGTH_PER_STEP = 256;

export class State {
  readonly output = new Recording();
  /** The last visited node, which errors name. */
  node: Node | undefined;
  /** The function being called, which errors that it throws name. */
  callNode: Node | undefined;
  callName = "";
  dot: unknown;
  /**
   * Whether dot is an element of type `interface {}`, which Go's errors then name instead of the
   * type of the value.
   */
  dotIsInterface = false;
  /** Two entries for each variable: its value, and whether it is an `interface {}`. */
  vars: unknown[] = [];
  /** Whether the last evaluated field is an element of type `interface {}`. */
  fieldIsInterface = false;
  /** The piped value for the current command, which a method takes as its last argument. */
  final: unknown;
  template: string;
  depth = 0;
  steps = 0;
  readonly limits: TemplateLimits;
  readonly #budget: Budget;
  /** Steps that the budget knows of, and how many there may be until it is told again. */
  #charged = 0;
  #chargeAt: number;
  readonly #name: string;
  readonly #source: string;

  constructor(
    name: string,
    source: string,
    { limits, budget }: { limits: TemplateLimits; budget: Budget },
  ) {
    this.template = this.#name = name;
    this.#source = source;
    this.limits = limits;
    this.#budget = budget;
    this.#chargeAt = Math.min(CHARGED_AT_ONCE, limits.steps);
  }

  /** Throws Go's error for the current node. */
  fail(message: string, code: TemplateErrorCode = "exec", cause?: unknown): never {
    if (!this.node) {
      throw new TemplateError(code, `template: ${this.template}: ${message}`, { cause });
    }
    const { pos } = this.node;
    const lineStart = this.#source.lastIndexOf("\n", pos - 1) + 1;
    const line = pos === 0 ? 1 : lineAt(this.#source, pos);
    const column = byteLength(this.#source.slice(lineStart, pos));
    throw new TemplateError(
      code,
      `template: ${this.#name}:${line}:${column}: executing ${quote(this.template)} ` +
        `at <${printNode(this.node)}>: ${message}`,
      { place: placeAt(this.#source, pos), cause },
    );
  }

  /** Throws a template error for any error that the execution threw. */
  rethrow(error: unknown): never {
    if (error instanceof TemplateError || error instanceof BudgetError) throw error;
    // The stack overflowed, or a string is too long.
    if (error instanceof RangeError) {
      this.fail(`execution exceeds the limits of the runtime: ${error.message}`, "limit", error);
    }
    this.node = this.callNode;
    const message = error instanceof Error ? error.message : String(error);
    this.fail(`error calling ${this.callName}: ${message}`, "exec", error);
  }

  /** Writes text of the template. */
  writeText(text: string, id: number): void {
    this.output.addText(text, id);
    this.#checkLength();
  }

  /** Writes a value that an action printed. */
  writeValue(text: string, action: ActionNode): void {
    this.output.addValue(text, action);
    this.#checkLength();
  }

  #checkLength(): void {
    if (this.output.length > this.limits.outputLength) {
      this.fail(`output exceeds ${this.limits.outputLength} characters`, "limit");
    }
  }

  /** Counts executed nodes. */
  step(count: number): void {
    this.steps += count;
    if (this.steps > this.#chargeAt) this.charge();
  }

  /** Counts work that a function does on a text or list of so many characters or items. */
  size(length: number): void {
    if (length > SMALL) this.step(Math.ceil(length / LENGTH_PER_STEP));
  }

  /** Counts a call of a function whose work does not follow from the size of its arguments. */
  spend(units: number): void {
    this.charge();
    this.#budget.spend(units, `function ${quote(this.callName)}`);
  }

  /** Tells the budget of the steps since last time. */
  charge(): void {
    if (this.steps > this.limits.steps) {
      this.fail(`execution exceeds ${this.limits.steps} steps`, "limit");
    }
    this.#budget.spend((this.steps - this.#charged) * STEP_UNITS, "rendering a template");
    this.#charged = this.steps;
    this.#chargeAt = Math.min(this.steps + CHARGED_AT_ONCE, this.limits.steps);
  }
}
