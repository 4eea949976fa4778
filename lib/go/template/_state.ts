/** One execution of a compiled template: where it is, what it has written, how much it may do. */
import { byteLength } from "../bytes.ts";
import { quote } from "../strconv.ts";
import { FunctionError } from "../value.ts";
import { lineAt, placeAt, TemplateError, type TemplateErrorCode } from "./errors.ts";
import { Recording } from "./_recording.ts";
import { type ActionNode, type Node, printNode } from "./nodes.ts";

/** Bounds of an execution. Go has none of these but the depth; a webhook needs them. */
export interface TemplateLimits {
  /** Characters of output. Default 4 MiB: an etcd object may have 1.5 MiB, its YAML some more. */
  readonly outputLength: number;
  /**
   * Template calls inside each other. Default 1,000, where Go allows 100,000: each takes a dozen
   * frames of the JavaScript stack.
   */
  readonly depth: number;
  /**
   * Nodes walked. Default 1 million, a quarter of a second of work; Istio's sidecar template takes
   * some hundreds.
   */
  readonly steps: number;
}

export const DEFAULT_LIMITS: TemplateLimits = {
  outputLength: 4 * 1024 * 1024,
  depth: 1000,
  steps: 1_000_000,
};

export class State {
  /** The output, in parts. */
  readonly output = new Recording();
  /** The node visited last: what an error is said to be at. */
  node: Node | undefined;
  /** The function being called, for what it may throw. */
  callNode: Node | undefined;
  callName = "";
  dot: unknown;
  /**
   * Whether dot came out of a container of `interface {}`: Go's errors then name that type instead
   * of the value's.
   */
  dotIsInterface = false;
  /** Two slots a variable: its value, and the same fact as `dotIsInterface`. */
  vars: unknown[] = [];
  /** Whether the field evaluated last came out of a container of `interface {}`. */
  fieldIsInterface = false;
  /** What came down the pipe to the command under way; a method at its end takes it. */
  final: unknown;
  template: string;
  depth = 0;
  steps = 0;
  readonly limits: TemplateLimits;
  readonly #name: string;
  readonly #source: string;

  constructor(name: string, source: string, limits: TemplateLimits) {
    this.template = this.#name = name;
    this.#source = source;
    this.limits = limits;
  }

  /** Stops with Go's words for an error at the current node. */
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

  /** Turns whatever was thrown during the execution into a template error. */
  rethrow(error: unknown): never {
    if (error instanceof TemplateError) throw error;
    if (error instanceof FunctionError) {
      this.node = this.callNode;
      this.fail(`error calling ${this.callName}: ${error.message}`, "exec", error);
    }
    // The only RangeErrors that can occur here: the stack is used up, or a string is too long.
    if (error instanceof RangeError) {
      this.fail(`too much for one template: ${error.message}`, "limit", error);
    }
    this.node = this.callNode;
    const message = error instanceof Error ? error.message : String(error);
    this.fail(`error calling ${this.callName}: ${message}`, "exec", error);
  }

  /** Writes a text of the source, which has an id. */
  writeText(text: string, id: number): void {
    this.output.addText(text, id);
    this.#checkLength();
  }

  /** Writes what an action printed. */
  writeValue(text: string, action: ActionNode): void {
    this.output.addValue(text, action);
    this.#checkLength();
  }

  #checkLength(): void {
    if (this.output.length > this.limits.outputLength) {
      this.fail(`output exceeds ${this.limits.outputLength} characters`, "limit");
    }
  }

  /** Counts work done. */
  step(count: number): void {
    this.steps += count;
    if (this.steps > this.limits.steps) {
      this.fail(`execution exceeds ${this.limits.steps} steps`, "limit");
    }
  }
}
