/** A row of tabs, operated by pointer and arrow keys, as in the ARIA practices. */
import { element } from "./_dom.ts";

export interface Tab<Id extends string> {
  readonly id: Id;
  readonly title: string;
}

export interface TabsOptions<Id extends string> {
  readonly tabs: readonly Tab<Id>[];
  readonly panel: HTMLElement;
  onChoose(id: Id): void;
}

export class Tabs<Id extends string> {
  readonly #buttons = new Map<Id, HTMLButtonElement>();
  readonly #options: TabsOptions<Id>;
  #chosen: Id;

  constructor(list: HTMLElement, options: TabsOptions<Id>) {
    this.#options = options;
    this.#chosen = options.tabs[0].id;
    for (const { id, title } of options.tabs) {
      const button = element("button", {
        type: "button",
        role: "tab",
        id: `tab-${id}`,
        "aria-controls": options.panel.id,
      }, title);
      button.addEventListener("click", () => this.choose(id));
      this.#buttons.set(id, button);
    }
    list.append(...this.#buttons.values());
    list.addEventListener("keydown", (event) => this.#onKey(event));
    this.#show();
  }

  get chosen(): Id {
    return this.#chosen;
  }

  choose(id: Id): void {
    if (id === this.#chosen) return;
    this.#chosen = id;
    this.#show();
    this.#options.onChoose(id);
  }

  /** Marks a tab whose text has problems or differs from the bundled one. */
  mark(id: Id, { mark, text }: { mark: "bad" | "changed" | ""; text: string }): void {
    const button = this.#buttons.get(id);
    if (button === undefined || button.dataset.mark === mark) return;
    button.dataset.mark = mark;
    button.querySelector(".unseen")?.remove();
    if (text !== "") button.append(element("span", { class: "unseen" }, ` (${text})`));
  }

  #show(): void {
    for (const [id, button] of this.#buttons) {
      const isChosen = id === this.#chosen;
      button.setAttribute("aria-selected", String(isChosen));
      button.tabIndex = isChosen ? 0 : -1;
    }
    this.#options.panel.setAttribute("aria-labelledby", `tab-${this.#chosen}`);
  }

  #onKey(event: KeyboardEvent): void {
    const ids = [...this.#buttons.keys()];
    const at = ids.indexOf(this.#chosen);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: ids.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const id = ids[(to + ids.length) % ids.length];
    this.choose(id);
    this.#buttons.get(id)?.focus();
  }
}
