/** Measures template coverage, by line and branch, while pods are injected. */
import {
  type BranchNode,
  type ListNode,
  placeAt,
  printNode,
  type StatementNode,
  type TemplateTrace,
  type TreeSet,
} from "../go/template/mod.ts";

export interface BranchCoverage {
  /** The branch, for example `if .Values.global.proxy.privileged` or `else of if …`. */
  readonly text: string;
  /** The offset in the template. */
  readonly offset: number;
  readonly line: number;
  readonly taken: boolean;
}

export interface TemplateCoverage {
  /** "" for the template of a legacy config. */
  readonly template: string;
  readonly lines: { readonly total: number; readonly covered: number };
  readonly branches: { readonly total: number; readonly taken: number };
  readonly untaken: readonly BranchCoverage[];
}

export class CoverageCounter {
  /** Statement numbers in text order, so that a template compiled twice is counted once. */
  readonly #numbers = new Map<ListNode | StatementNode, number>();
  readonly #counts = new Map<number, number>();
  #trees: TreeSet | undefined;

  readonly trace: TemplateTrace = {
    trees: (trees) => {
      this.#trees ??= trees;
      let number = 0;
      const visit = (list: ListNode) => {
        this.#numbers.set(list, number++);
        for (const node of list.nodes) {
          this.#numbers.set(node, number++);
          if (!("list" in node)) continue;
          visit(node.list);
          if (node.elseList) visit(node.elseList);
        }
      };
      for (const tree of trees.values()) visit(tree);
    },
    list: (list) => this.#add(list),
    statement: (node) => this.#add(node),
  };

  #add(node: ListNode | StatementNode): void {
    const number = this.#numbers.get(node);
    if (number !== undefined) this.#counts.set(number, this.#count(node) + 1);
  }

  #count(node: ListNode | StatementNode): number {
    return this.#counts.get(this.#numbers.get(node) ?? -1) ?? 0;
  }

  /** Returns the coverage so far of the template with this text. */
  result(template: string, text: string): TemplateCoverage {
    const [total, covered] = [new Set<number>(), new Set<number>()];
    const branches: BranchCoverage[] = [];
    const visit = (list: ListNode) => {
      for (const node of list.nodes) {
        const ran = this.#count(node) > 0;
        for (const line of linesOf(node, text)) {
          total.add(line);
          if (ran) covered.add(line);
        }
        if (!("list" in node)) continue;
        branches.push(...this.#branches(node, text));
        visit(node.list);
        if (node.elseList) visit(node.elseList);
      }
    };
    for (const tree of this.#trees?.values() ?? []) visit(tree);
    const untaken = branches.filter(({ taken }) => !taken);
    return {
      template,
      lines: { total: total.size, covered: covered.size },
      branches: { total: branches.length, taken: branches.length - untaken.length },
      untaken,
    };
  }

  /** Lists both outcomes of a branch; without an else, the second one skips it. */
  #branches(node: BranchNode, text: string): BranchCoverage[] {
    const what = `${node.type} ${printNode(node.pipe)}`;
    const at = { offset: node.pos, line: placeAt(text, node.pos).line };
    const runs = this.#count(node);
    const inner = this.#count(node.list);
    // A range body runs once per item, so only its first item counts.
    const past = node.elseList ? this.#count(node.elseList) > 0 : runs > inner;
    return [
      { text: what, ...at, taken: inner > 0 },
      ...(node.type === "range" && !node.elseList
        ? []
        : [{ text: `else of ${what}`, ...at, taken: past }]),
    ];
  }
}

/** Returns the lines that a statement starts on or writes from, without those of its branches. */
function linesOf(node: StatementNode, text: string): number[] {
  const { line } = placeAt(text, node.pos);
  if (node.type !== "text") return [line];
  return node.text.split("\n").flatMap((part, i) => part.trim() === "" ? [] : [line + i]);
}
