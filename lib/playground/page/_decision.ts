/** The decision as a chain of steps, each with what it found, and what is worth knowing besides. */
import type { PlayAnswer, PlayedStep, PlayedWorkload } from "../protocol.ts";
import { element } from "./_dom.ts";

const SAYS: Readonly<Record<PlayedStep["verdict"], string>> = {
  pass: "goes on",
  inject: "injects",
  skip: "leaves it alone",
  fail: "refuses it",
  unknown: "not known",
  unasked: "not asked",
};

export function decisionOf(
  workload: PlayedWorkload | undefined,
  { warnings }: PlayAnswer,
): HTMLElement[] {
  const parts: HTMLElement[] = [];
  if (workload !== undefined) {
    const { status, reason, mistakes, steps } = workload;
    parts.push(element("p", { class: "lead" }, status === "failed" ? reason : sentence(reason)));
    if (mistakes.length > 0) {
      parts.push(element(
        "section",
        { class: "mistakes", "aria-label": "Look at this" },
        element("h2", {}, "Look at this"),
        ...mistakes.map(({ text, fix }) =>
          element("p", {}, text, element("span", { class: "fix" }, fix))
        ),
      ));
    }
    parts.push(element("ol", { class: "chain" }, ...steps.map(stepItem)));
  }
  const known = [...(workload?.warnings ?? []), ...warnings];
  if (known.length > 0) {
    parts.push(
      element("h2", {}, "Worth knowing"),
      element("ul", { class: "warnings" }, ...known.map((text) => element("li", {}, text))),
    );
  }
  return parts;
}

function stepItem({ title, verdict, found, rule, from }: PlayedStep): HTMLElement {
  return element(
    "li",
    { class: verdict },
    element("span", { class: "step" }, title),
    element("span", { class: "says" }, SAYS[verdict]),
    element("span", { class: "found" }, found),
    element("span", { class: "rule" }, from === "" ? rule : `${rule} (${from})`),
  );
}

/** A reason as a sentence of its own. */
export function sentence(text: string): string {
  const first = text.slice(0, 1).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(first) ? first : `${first}.`;
}
