/**
 * Records, for each injected pod, the stages, the data, and which template statement wrote which
 * output.
 */
import type { StatementNode, TemplateTrace, TreeSet } from "../go/template/mod.ts";
import type { Typed } from "../go/value.ts";
import {
  type InjectionTrace,
  type Pod,
  type Stage,
  type TemplateFacts,
  templateFacts,
} from "../inject/mod.ts";

/** The part of a rendered text that a statement wrote. */
export interface Segment {
  readonly node: StatementNode;
  readonly start: number;
  readonly end: number;
}

export interface Rendering {
  /** The template's name; "" for the template of a legacy config. */
  readonly template: string;
  readonly text: string;
  /** In text order, without gaps. */
  readonly segments: readonly Segment[];
}

/** The record of one pod. */
export interface PodRecord {
  readonly stages: readonly { readonly stage: Stage; readonly pod: Pod }[];
  readonly renderings: readonly Rendering[];
  readonly data?: Typed;
}

interface OpenRecord extends PodRecord {
  readonly stages: { readonly stage: Stage; readonly pod: Pod }[];
  readonly renderings: Rendering[];
  data?: Typed;
}

export class Recording {
  /** In the order of injection. */
  readonly pods: PodRecord[] = [];
  readonly #trees = new Map<string, TreeSet>();
  readonly #facts = new Map<string, TemplateFacts>();
  #open: OpenRecord | undefined;
  #segments: Segment[] = [];

  readonly trace: InjectionTrace = {
    stage: (stage, pod) => {
      if (stage === "original") {
        this.#open = { stages: [], renderings: [] };
        this.pods.push(this.#open);
      }
      this.#open?.stages.push({ stage, pod });
    },
    data: (data) => {
      if (this.#open) this.#open.data = data;
      this.#segments = [];
    },
    rendered: (template, text) => {
      this.#open?.renderings.push({ template, text, segments: this.#segments });
      this.#segments = [];
    },
    template: (name): TemplateTrace => ({
      trees: (trees) => void this.#trees.set(name, trees),
      list: () => {},
      statement: (node, { start, end }) => {
        const prints = node.type === "text" || node.type === "action";
        if (prints && end > start) this.#segments.push({ node, start, end });
      },
    }),
  };

  /** Returns the facts about a template's source. */
  facts(template: string): TemplateFacts | undefined {
    const known = this.#facts.get(template);
    const trees = this.#trees.get(template);
    if (known !== undefined || trees === undefined) return known;
    const facts = templateFacts(trees, MAIN);
    this.#facts.set(template, facts);
    return facts;
  }
}

/** The name under which the injector compiles every template. */
const MAIN = "inject";
