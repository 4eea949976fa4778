/** The shared setup of all editors: keys, colors and accessible names. */
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import {
  bracketMatching,
  codeFolding,
  foldGutter,
  foldKeymap,
  indentUnit,
  syntaxHighlighting,
} from "@codemirror/language";
import { lintKeymap } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { EditorState, type Extension } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { hangingLines } from "./_hanging.ts";
import { foldByIndent, goYaml, highlighting } from "./_language.ts";

const theme = EditorView.theme({
  "&": {
    height: "100%",
    backgroundColor: "transparent",
    color: "var(--code)",
    fontSize: "var(--code-size)",
  },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.55", overscrollBehavior: "contain" },
  ".cm-content": { padding: "0.5rem 0", caretColor: "var(--ink)" },
  ".cm-gutters": { backgroundColor: "transparent", color: "var(--code-faint)", border: "none" },
  ".cm-lineNumbers .cm-gutterElement": { padding: "0 0.4rem 0 0.75rem", minWidth: "2.4rem" },
  ".cm-foldGutter .cm-gutterElement": { width: "0.9rem", cursor: "pointer" },
  ".cm-activeLine": { backgroundColor: "var(--line-active)" },
  ".cm-activeLineGutter": { backgroundColor: "transparent", color: "var(--ink)" },
  "&:not(.cm-focused) .cm-activeLine": { backgroundColor: "transparent" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground":
    {
      backgroundColor: "var(--selection)",
    },
  ".cm-selectionMatch": { backgroundColor: "var(--match)" },
  ".cm-searchMatch": { backgroundColor: "var(--match)", outline: "none" },
  ".cm-foldPlaceholder": {
    backgroundColor: "var(--tint)",
    border: "none",
    color: "var(--ink-soft)",
    padding: "0 0.4em",
  },
  ".cm-panels": {
    backgroundColor: "var(--paper-2)",
    color: "var(--ink)",
    borderColor: "var(--rule)",
  },
  ".cm-panel.cm-search": { fontFamily: "var(--sans)", fontSize: "0.8125rem" },
  ".cm-panel input, .cm-panel button": { font: "inherit", color: "inherit" },
  ".cm-textfield": {
    backgroundColor: "var(--paper)",
    border: "1px solid var(--rule-strong)",
    borderRadius: "4px",
  },
  ".cm-button": {
    backgroundImage: "none",
    backgroundColor: "var(--paper)",
    border: "1px solid var(--rule-strong)",
    borderRadius: "4px",
  },
  ".cm-tooltip": {
    backgroundColor: "var(--paper)",
    color: "var(--ink)",
    border: "1px solid var(--rule-strong)",
    borderRadius: "6px",
    boxShadow: "var(--shadow)",
    maxWidth: "min(34rem, 90vw)",
  },
  ".cm-origin-hint": { padding: "0.3rem 0.6rem", fontSize: "0.8125rem" },
  ".cm-diagnostic": { padding: "0.4rem 0.7rem", whiteSpace: "pre-wrap", fontSize: "0.8125rem" },
  ".cm-diagnostic-error": { borderLeft: "3px solid var(--bad)" },
  ".cm-diagnostic-warning": { borderLeft: "3px solid var(--warn)" },
  ".cm-lintRange-error": {
    backgroundImage: "none",
    textDecoration: "underline wavy var(--bad)",
    textDecorationSkipInk: "none",
    textUnderlineOffset: "3px",
  },
  ".cm-lintRange-warning": {
    backgroundImage: "none",
    textDecoration: "underline wavy var(--warn)",
    textUnderlineOffset: "3px",
  },
  ".cm-lintPoint:after": { borderBottomColor: "var(--bad)" },
  ".cm-gutter-lint": { width: "0.9rem" },
  ".cm-gutter-lint .cm-gutterElement": { padding: "0.25em 0 0 0.2em" },
  ".cm-lint-marker": { width: "0.6em", height: "0.6em" },
  ".cm-lint-marker-error": {
    content: '""',
    display: "block",
    borderRadius: "50%",
    backgroundColor: "var(--bad)",
    marginTop: "0.25em",
  },
  // Diff colors.
  "&.cm-merge-b .cm-changedLine, .cm-insertedLine, .cm-changedLine": {
    backgroundColor: "var(--added)",
  },
  "&.cm-merge-a .cm-changedLine": { backgroundColor: "var(--removed)" },
  ".cm-deletedChunk": { backgroundColor: "var(--removed)", padding: "0" },
  ".cm-deletedChunk .cm-deletedLine, .cm-changedText, .cm-deletedText": { background: "none" },
  ".cm-changeGutter": { width: "3px", paddingLeft: "0" },
  "&.cm-merge-b .cm-changedLineGutter, .cm-changedLineGutter": { background: "var(--good)" },
  "&.cm-merge-a .cm-changedLineGutter, .cm-deletedLineGutter": { background: "var(--bad)" },
  ".cm-collapsedLines": {
    background: "var(--tint)",
    color: "var(--ink-soft)",
    fontFamily: "var(--sans)",
    fontSize: "0.75rem",
    padding: "0.2rem 0.75rem",
  },
  ".cm-collapsedLines:before, .cm-collapsedLines:after": { content: '"⋯" !important' },
  ".cm-mergeSpacer": { backgroundColor: "var(--stripe)" },
  ".cm-origin-line": {
    backgroundColor: "var(--pinned) !important",
    boxShadow: "inset 3px 0 0 var(--accent)",
  },
});

/**
 * Inserts text typed over a selection. Browsers that do this themselves write style attributes,
 * which the page's policy forbids and reports.
 */
const typingOver = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { data, inputType } = event;
    if (inputType !== "insertText" || data === null || view.state.selection.main.empty) {
      return false;
    }
    event.preventDefault();
    view.dispatch(view.state.replaceSelection(data), {
      userEvent: "input.type",
      scrollIntoView: true,
    });
    return true;
  },
});

export interface EditorOptions {
  readonly label: string;
  /** The nonce that lets the editor add its style rules under the strict policy. */
  readonly nonce: string;
  readonly readOnly?: boolean;
}

export function editorBase({ label, nonce, readOnly = false }: EditorOptions): Extension {
  return [
    theme,
    EditorView.cspNonce.of(nonce),
    lineNumbers(),
    codeFolding(),
    foldGutter({ openText: "▾", closedText: "▸" }),
    foldByIndent,
    goYaml,
    syntaxHighlighting(highlighting),
    bracketMatching(),
    drawSelection(),
    highlightActiveLine(),
    highlightActiveLineGutter(),
    highlightSelectionMatches(),
    search({ top: true }),
    indentUnit.of("  "),
    EditorState.tabSize.of(2),
    EditorView.contentAttributes.of({
      "aria-label": label,
      spellcheck: "false",
      autocapitalize: "off",
      autocorrect: "off",
    }),
    // Tab is not bound: it moves the focus, as elsewhere on the page.
    keymap.of([
      ...(readOnly ? [] : historyKeymap),
      ...defaultKeymap,
      ...searchKeymap,
      ...foldKeymap,
      ...lintKeymap,
    ]),
    readOnly ? [EditorState.readOnly.of(true), hangingLines] : [history(), typingOver],
  ];
}
