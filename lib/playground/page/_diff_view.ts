/**
 * Shows the result next to the original, side by side if there is room, or unified. Unchanged parts
 * are collapsed.
 */
import { Change, type DiffConfig, MergeView, unifiedMergeView } from "@codemirror/merge";
import { type Extension, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, hoverTooltip } from "@codemirror/view";
import { lineChanges } from "../../data/text_diff.ts";
import { element } from "./_dom.ts";
import { editorBase } from "./_editor.ts";

/** The minimum width in pixels for two columns of YAML. */
const SIDE_BY_SIDE_PX = 640;

/** Diffs whole lines, like the command line: shared letters mean nothing in YAML. */
const DIFF: DiffConfig = {
  override(before, after) {
    const [old, now] = [lineStarts(before), lineStarts(after)];
    return lineChanges(before, after).map(({ oldStart, oldEnd, newStart, newEnd }) =>
      new Change(old[oldStart], old[oldEnd], now[newStart], now[newEnd])
    );
  },
};

/** Returns the offset of each line, and of the end of the text. */
function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  if (starts.at(-1) !== text.length) starts.push(text.length);
  return starts;
}

const COLLAPSE = { margin: 3, minSize: 6 };

export interface DiffTexts {
  readonly before: string;
  readonly after: string;
}

export interface DiffViewOptions {
  readonly nonce: string;
  /** Called when the cursor moves to a line of the result. */
  onLine(line: number): void;
  /** Returns the tooltip of a line. */
  hint(line: number): string | undefined;
}

const pinLine = StateEffect.define<number>();

/** The line whose origin is shown. */
const pinnedLine = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, { effects, state, changes }) {
    let now = marks.map(changes);
    for (const effect of effects) {
      if (!effect.is(pinLine)) continue;
      now = Decoration.set(
        Decoration.line({ class: "cm-origin-line" }).range(state.doc.line(effect.value).from),
      );
    }
    return now;
  },
  provide: (field) => EditorView.decorations.from(field),
});

export class DiffView {
  readonly #parent: HTMLElement;
  readonly #options: DiffViewOptions;
  #texts: DiffTexts | undefined;
  #isWhole = false;
  #isWide: boolean | undefined;
  #merge: MergeView | undefined;
  #unified: EditorView | undefined;

  constructor(parent: HTMLElement, options: DiffViewOptions) {
    this.#parent = parent;
    this.#options = options;
    new ResizeObserver(() => this.#layOut()).observe(parent);
  }

  /** Returns the editor with the result. */
  get result(): EditorView | undefined {
    return this.#merge?.b ?? this.#unified;
  }

  set(texts: DiffTexts): void {
    if (this.#texts?.before === texts.before && this.#texts.after === texts.after) return;
    this.#texts = texts;
    this.#build();
  }

  /** Sets whether unchanged lines are shown too. */
  setWhole(isWhole: boolean): void {
    this.#isWhole = isWhole;
    this.#build();
  }

  /** Marks a line and scrolls to it, because the origin panel takes space from the diff. */
  pin(line: number): void {
    const { result } = this;
    if (result === undefined || line > result.state.doc.lines) return;
    const { from } = result.state.doc.line(line);
    const scroll = EditorView.scrollIntoView(from, { y: "nearest", yMargin: 28 });
    result.dispatch({ effects: [pinLine.of(line), scroll] });
  }

  #layOut(): void {
    const { clientWidth } = this.#parent;
    if (clientWidth === 0 || clientWidth >= SIDE_BY_SIDE_PX === this.#isWide) return;
    this.#isWide = clientWidth >= SIDE_BY_SIDE_PX;
    if (this.#texts !== undefined) this.#build();
  }

  /** Creates the view anew, because collapsed lines are set when a view is created. */
  #build(): void {
    if (this.#texts === undefined || this.#isWide === undefined) return;
    const { before, after } = this.#texts;
    const { scrollTop } = this.#scroller() ?? { scrollTop: 0 };
    this.#merge?.destroy();
    this.#unified?.destroy();
    this.#merge = undefined;
    this.#unified = undefined;
    const watch: Extension = [
      pinnedLine,
      this.#hints(),
      EditorView.updateListener.of((update) => {
        if (!update.selectionSet) return;
        const { main } = update.state.selection;
        this.#options.onLine(update.state.doc.lineAt(main.head).number);
      }),
    ];
    const collapseUnchanged = this.#isWhole || before === after ? undefined : COLLAPSE;
    const shared = { collapseUnchanged, gutter: true, highlightChanges: false, diffConfig: DIFF };
    if (this.#isWide) {
      this.#merge = new MergeView({
        a: { doc: before, extensions: this.#base("Before") },
        b: { doc: after, extensions: [this.#base("After"), watch] },
        parent: this.#parent,
        ...shared,
      });
    } else {
      this.#unified = new EditorView({
        doc: after,
        parent: this.#parent,
        extensions: [
          this.#base("Differences"),
          watch,
          unifiedMergeView({ original: before, mergeControls: false, ...shared }),
        ],
      });
    }
    const scroller = this.#scroller();
    if (scroller !== undefined) scroller.scrollTop = scrollTop;
  }

  #hints(): Extension {
    return hoverTooltip((view, position) => {
      const line = view.state.doc.lineAt(position);
      const hint = this.#options.hint(line.number);
      if (hint === undefined) return null;
      return {
        pos: line.from,
        above: true,
        create: () => ({ dom: element("div", { class: "cm-origin-hint" }, hint) }),
      };
    });
  }

  #scroller(): HTMLElement | undefined {
    return this.#merge?.dom ?? this.#unified?.scrollDOM;
  }

  #base(label: string): Extension {
    return editorBase({ label, nonce: this.#options.nonce, readOnly: true });
  }
}
