/**
 * Helpers for the page's elements. Text is always added as text, never as markup, because it may
 * come from anyone.
 */

/** Returns an element of the page's HTML. */
export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`Cannot find the element "${id}"`);
  return found as T;
}

export type Child = Node | string;

/** Creates an element with attributes and children. */
export function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** Sets the options of a `select`, and the selected one. */
export function fillSelect(
  select: HTMLSelectElement,
  { options, chosen }: {
    options: readonly (readonly [value: string, text: string])[];
    chosen: string;
  },
): void {
  select.replaceChildren(...options.map(([value, text]) => {
    const option = element("option", { value }, text);
    option.selected = value === chosen;
    return option;
  }));
}
