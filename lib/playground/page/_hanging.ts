/**
 * Indents wrapped lines below their own indentation, so that YAML stays readable on narrow screens.
 */
import type { Extension, Range } from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  EditorView,
  ViewPlugin,
  type ViewUpdate,
} from "@codemirror/view";

/** The maximum indentation, so that narrow screens keep room for the text. */
const DEEPEST = 16;

/** The editor's padding before each line, in pixels. */
const LINE_PADDING = 6;

export const hangingLines: Extension = [
  EditorView.lineWrapping,
  ViewPlugin.fromClass(
    class {
      marks: DecorationSet;
      constructor(view: EditorView) {
        this.marks = marksOf(view);
      }
      update(update: ViewUpdate) {
        if (update.docChanged || update.viewportChanged) this.marks = marksOf(update.view);
      }
    },
    { decorations: (plugin) => plugin.marks },
  ),
];

function marksOf({ visibleRanges, state: { doc } }: EditorView): DecorationSet {
  const marks: Range<Decoration>[] = [];
  for (const { from, to } of visibleRanges) {
    for (let at = from; at <= to;) {
      const line = doc.lineAt(at);
      const indent = Math.min(line.text.search(/[^\s-]|$/) + 2, DEEPEST);
      const style =
        `padding-left: calc(${LINE_PADDING}px + ${indent}ch); text-indent: -${indent}ch`;
      marks.push(Decoration.line({ attributes: { style } }).range(line.from));
      at = line.to + 1;
    }
  }
  return Decoration.set(marks, true);
}
