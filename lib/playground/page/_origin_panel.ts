/**
 * The panel below the diff: the origin of the line under the cursor, with links to the places in
 * the input.
 */
import type { Origin, OriginInput, Source } from "../protocol.ts";
import { type Child, element } from "./_dom.ts";
import { TITLES } from "./_input_pane.ts";

export type ShowPlace = (source: Source, line: number) => void;

export interface OriginPanelOptions {
  /** The line in the result. */
  readonly line: number;
  /** Absent if the line was not injected. */
  readonly origin: Origin | undefined;
  readonly onShow: ShowPlace;
}

export function originOf({ line, origin, onShow }: OriginPanelOptions): HTMLElement[] {
  const number = element("b", {}, `Line ${line}`);
  if (origin === undefined) {
    return [element("p", {}, number, " was not injected.")];
  }
  const { maker, line: at, action, branches, inputs } = origin;
  const parts: HTMLElement[] = [element(
    "p",
    {},
    number,
    ` comes from ${maker}`,
    ...(at === undefined ? [] : [", ", way("config", at, onShow)]),
  )];
  if (action !== undefined) parts.push(element("p", {}, element("code", {}, action)));
  const items = [
    ...branches.map((branch) =>
      element(
        "li",
        {},
        "inside ",
        element("code", {}, branch.text),
        " ",
        way("config", branch.line, onShow),
      )
    ),
    ...inputs.map((input) => element("li", {}, ...inputParts(input, onShow))),
  ];
  if (items.length > 0) parts.push(element("ul", {}, ...items));
  return parts;
}

function inputParts({ name, value, place }: OriginInput, onShow: ShowPlace): Child[] {
  const parts: Child[] = [element("span", { class: "input-name" }, name)];
  if (value !== "") parts.push(" = ", element("code", { class: "value" }, value));
  if (place !== undefined) parts.push(" ", way(place.source, place.line, onShow));
  return parts;
}

function way(source: Source, line: number, onShow: ShowPlace): HTMLElement {
  const text = `${TITLES[source]} line ${line}`;
  const button = element("button", { type: "button", class: "link" }, text);
  button.addEventListener("click", () => onShow(source, line));
  return button;
}
