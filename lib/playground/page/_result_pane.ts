/** The right pane: the verdict, and the result as a diff, YAML, a patch and decision steps. */
import { EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import type { Origin, PlayAnswer, PlayedWorkload } from "../protocol.ts";
import { decisionOf, sentence } from "./_decision.ts";
import { DiffView } from "./_diff_view.ts";
import { byId, element, fillSelect } from "./_dom.ts";
import { editorBase } from "./_editor.ts";
import { originOf, type ShowPlace } from "./_origin_panel.ts";
import { Tabs } from "./_tabs.ts";

export interface ResultPaneOptions {
  readonly nonce: string;
  /** Shows a place in the input. */
  readonly onShow: ShowPlace;
}

type View = "diff" | "output" | "decision" | "patch";

const VIEWS = [
  { id: "diff", title: "Diff" },
  { id: "output", title: "Result" },
  { id: "decision", title: "Decision" },
  { id: "patch", title: "Patch" },
] as const;

const WORDS = { injected: "Injected", skipped: "Not injected", failed: "Refused" } as const;

export class ResultPane {
  readonly #options: ResultPaneOptions;
  readonly #tabs: Tabs<View>;
  readonly #diff: DiffView;
  readonly #text: EditorView;
  readonly #panes: Readonly<Record<"diff" | "text" | "decision", HTMLElement>>;
  #answer: PlayAnswer | undefined;
  #chosen = 0;

  constructor(options: ResultPaneOptions) {
    this.#options = options;
    const { nonce } = options;
    const view = byId("result-view");
    this.#panes = {
      diff: element("div", { class: "diff" }),
      text: element("div", { class: "text" }),
      decision: element("div", { class: "decision" }),
    };
    view.append(...Object.values(this.#panes));
    this.#diff = new DiffView(this.#panes.diff, {
      nonce,
      onLine: (line) => this.#tell(line),
      hint: (line) => {
        const origin = this.#originOf(line);
        if (origin === undefined) return undefined;
        return `From ${origin.maker}${
          origin.line === undefined ? "" : `, config line ${origin.line}`
        }`;
      },
    });
    this.#text = new EditorView({ parent: this.#panes.text });
    this.#tabs = new Tabs(byId("result-tabs"), {
      tabs: VIEWS,
      panel: view,
      onChoose: () => this.#show(),
    });
    byId("whole").addEventListener("click", (event) => {
      const button = event.currentTarget as HTMLElement;
      const isWhole = button.getAttribute("aria-pressed") !== "true";
      button.setAttribute("aria-pressed", String(isWhole));
      this.#diff.setWhole(isWhole);
    });
    byId<HTMLSelectElement>("workload").addEventListener("change", (event) => {
      this.#chosen = Number((event.target as HTMLSelectElement).value);
      this.#show();
    });
    this.#show();
  }

  /** The text that the Copy button copies: the patch if it is shown, or else the whole result. */
  get copy(): { readonly what: string; readonly text: string } {
    return this.#tabs.chosen === "patch"
      ? { what: "patch", text: this.#workload?.patch ?? "[]" }
      : { what: "result", text: this.#answer?.output ?? "" };
  }

  showAnswer(answer: PlayAnswer): void {
    this.#answer = answer;
    // Keep the chosen workload while it exists.
    if (this.#chosen >= answer.workloads.length) this.#chosen = 0;
    const options = answer.workloads.map(({ name, status }, index) =>
      [
        String(index),
        status === "injected" ? name : `${name}, ${WORDS[status].toLowerCase()}`,
      ] as const
    );
    fillSelect(byId("workload"), { options, chosen: String(this.#chosen) });
    byId("workload-field").hidden = options.length < 2;
    this.#show();
  }

  /** Shows a message in place of the verdict, and dims the previous result. */
  say(word: string, { reason, tone }: { reason: string; tone: "busy" | "bad" }): void {
    this.#verdict(word, { reason, tone });
    byId("result-view").classList.add("stale");
  }

  get #workload(): PlayedWorkload | undefined {
    return this.#answer?.workloads[this.#chosen];
  }

  #show(): void {
    const { chosen } = this.#tabs;
    this.#panes.diff.hidden = chosen !== "diff";
    this.#panes.text.hidden = chosen !== "output" && chosen !== "patch";
    this.#panes.decision.hidden = chosen !== "decision";
    byId("whole").hidden = chosen !== "diff";
    byId("copy").title = `Copy the ${this.copy.what}`;
    byId("origin").hidden = true;
    const answer = this.#answer;
    if (answer === undefined) return;
    byId("result-view").classList.remove("stale");
    const workload = this.#workload;
    this.#showVerdict(answer);
    if (chosen === "diff") this.#diff.set(workload ?? { before: "", after: "" });
    else if (chosen === "output") this.#setText("Result", answer.output);
    else if (chosen === "patch") this.#setText("Patch", workload?.patch ?? "[]");
    else this.#panes.decision.replaceChildren(...decisionOf(workload, answer));
  }

  #showVerdict(answer: PlayAnswer): void {
    const workload = this.#workload;
    if (workload === undefined) {
      const isBroken = answer.diagnostics.length > 0;
      const reason = isBroken ? answer.diagnostics[0].message : "The manifest contains no pods.";
      this.#verdict(isBroken ? "Error" : "Nothing to inject", {
        reason,
        tone: isBroken ? "bad" : "calm",
      });
      byId("result-view").classList.toggle("stale", isBroken);
      return;
    }
    const { status, reason, templates, operations, mistakes } = workload;
    const names = templates.filter((name) => name !== "");
    const by = names.length === 0 ? "" : ` Templates: ${names.join(", ")};`;
    const count = operations === 1 ? "1 change" : `${operations} changes`;
    const detail = status === "injected"
      ? `${sentence(reason)}${by} ${count}.`
      : status === "skipped"
      ? [reason, ...mistakes.slice(0, 1).map(({ text }) => text)].map(sentence).join(" ")
      : reason;
    const tone = status === "injected" ? "good" : status === "failed" ? "bad" : "calm";
    this.#verdict(WORDS[status], { reason: detail, tone });
  }

  #verdict(
    word: string,
    { reason, tone }: { reason: string; tone: "good" | "calm" | "bad" | "busy" },
  ): void {
    byId("verdict").dataset.tone = tone;
    byId("switch-dot").dataset.tone = tone;
    setText(byId("verdict-word"), word);
    setText(byId("verdict-reason"), reason);
  }

  #setText(label: string, doc: string): void {
    if (this.#text.state.doc.toString() === doc) return;
    const { nonce } = this.#options;
    const extensions = editorBase({ label, nonce, readOnly: true });
    this.#text.setState(EditorState.create({ doc, extensions }));
  }

  #originOf(line: number): Origin | undefined {
    return this.#workload?.origins.findLast(({ firstLine, lastLine }) =>
      firstLine <= line && line <= lastLine
    );
  }

  /** Shows the origin of a line of the result. */
  #tell(line: number): void {
    const workload = this.#workload;
    if (workload?.status !== "injected") return;
    const origin = this.#originOf(line);
    const panel = byId("origin");
    panel.replaceChildren(...originOf({ line, origin, onShow: this.#options.onShow }));
    panel.hidden = false;
    this.#diff.pin(line);
  }
}

/** Sets the text only if it changed, so that screen readers do not repeat it. */
function setText(node: HTMLElement, text: string): void {
  if (node.textContent !== text) node.textContent = text;
}
