/** The left pane: an editor for the four texts, and a list of their problems. */
import {
  type Diagnostic as Lint,
  forceLinting,
  lintGutter,
  setDiagnostics,
} from "@codemirror/lint";
import { EditorState, type Text } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { type Diagnostic, type Source, SOURCES } from "../protocol.ts";
import { byId, element } from "./_dom.ts";
import { editorBase } from "./_editor.ts";
import { Tabs } from "./_tabs.ts";

export const TITLES: Readonly<Record<Source, string>> = {
  manifest: "Manifest",
  config: "Config",
  values: "Values",
  mesh: "Mesh",
};

export interface InputPaneOptions {
  readonly nonce: string;
  /** Called when the text changes. */
  onEdit(): void;
}

export class InputPane {
  readonly #view: EditorView;
  readonly #tabs: Tabs<Source>;
  readonly #states = new Map<Source, EditorState>();
  readonly #options: InputPaneOptions;
  #shown: Source = "manifest";

  constructor(options: InputPaneOptions) {
    this.#options = options;
    for (const source of SOURCES) this.#states.set(source, this.#newState(source, ""));
    this.#view = new EditorView({
      state: this.#states.get("manifest"),
      parent: byId("input-editor"),
    });
    this.#tabs = new Tabs(byId("input-tabs"), {
      tabs: SOURCES.map((id) => ({ id, title: TITLES[id] })),
      panel: byId("input-editor"),
      onChoose: (source) => this.#swap(source),
    });
  }

  text(source: Source): string {
    return this.#stateOf(source).doc.toString();
  }

  /** Replaces all texts, and discards undo history and folds. */
  setTexts(texts: Readonly<Record<Source, string>>): void {
    for (const source of SOURCES) {
      if (texts[source] === this.text(source)) continue;
      const state = this.#newState(source, texts[source]);
      this.#states.set(source, state);
      if (source === this.#shown) this.#view.setState(state);
    }
  }

  /** Shows a text and selects a line. */
  show(source: Source, { line, column = 1, focus = false }: ShowOptions = {}): void {
    this.#tabs.choose(source);
    if (line !== undefined) {
      const at = positionOf(this.#view.state.doc, { line, column });
      this.#view.dispatch({
        selection: { anchor: at },
        effects: EditorView.scrollIntoView(at, { y: "center" }),
      });
    }
    if (focus) this.#view.focus();
  }

  showProblems(diagnostics: readonly Diagnostic[]): void {
    for (const source of SOURCES) {
      const own = diagnostics.filter((diagnostic) => diagnostic.source === source);
      const state = this.#stateOf(source);
      const spec = setDiagnostics(state, own.map((diagnostic) => lintOf(state.doc, diagnostic)));
      if (source === this.#shown) this.#view.dispatch(spec);
      else this.#states.set(source, state.update(spec).state);
      const text = own.length === 0
        ? ""
        : own.length === 1
        ? "1 problem"
        : `${own.length} problems`;
      this.#tabs.mark(source, { mark: own.length > 0 ? "bad" : "", text });
    }
    forceLinting(this.#view);
    byId("problems").hidden = diagnostics.length === 0;
    byId("problem-list").replaceChildren(
      ...diagnostics.map((diagnostic) => this.#problem(diagnostic)),
    );
  }

  #problem(diagnostic: Diagnostic): HTMLElement {
    const { source, line, column, message, severity } = diagnostic;
    const button = element(
      "button",
      { type: "button", class: `problem ${severity}` },
      element("span", { class: "where" }, `${TITLES[source]} ${line}:${column}`),
      element("span", { class: "what" }, message),
    );
    button.addEventListener("click", () => this.show(source, { line, column, focus: true }));
    return element("li", {}, button);
  }

  #stateOf(source: Source): EditorState {
    return source === this.#shown && this.#view !== undefined
      ? this.#view.state
      : this.#states.get(source)!;
  }

  #newState(source: Source, doc: string): EditorState {
    return EditorState.create({
      doc,
      extensions: [
        lintGutter(),
        editorBase({ label: TITLES[source], nonce: this.#options.nonce }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) this.#options.onEdit();
        }),
      ],
    });
  }

  #swap(source: Source): void {
    this.#states.set(this.#shown, this.#view.state);
    this.#shown = source;
    this.#view.setState(this.#states.get(source)!);
  }
}

interface ShowOptions {
  readonly line?: number;
  readonly column?: number;
  readonly focus?: boolean;
}

function positionOf(doc: Text, { line, column }: { line: number; column: number }): number {
  const found = doc.line(Math.min(Math.max(line, 1), doc.lines));
  return Math.min(found.from + Math.max(column, 1) - 1, found.to);
}

/** Marks the word at a diagnostic, or the whole line if there is none. */
function lintOf(doc: Text, { line, column, message, severity }: Diagnostic): Lint {
  const at = positionOf(doc, { line, column });
  const found = doc.lineAt(at);
  const offset = at - found.from;
  const before = /\S*$/.exec(found.text.slice(0, offset))![0].length;
  const behind = /^\S*/.exec(found.text.slice(offset))![0].length;
  const start = found.from + Math.max(found.text.search(/\S/), 0);
  const [from, to] = behind > 0 ? [at - before, at + behind] : [start, found.to];
  return { from, to: Math.max(from, to), severity, message };
}
