/**
 * Renders the decision as a list of steps with their findings, followed by mistakes and warnings.
 */
import type { PlayAnswer, PlayedStep, PlayedWorkload } from "../protocol.ts";
import { element } from "./_dom.ts";

const SAYS: Readonly<Record<PlayedStep["verdict"], string>> = {
  pass: "no effect",
  inject: "injects",
  skip: "skips",
  fail: "refuses",
  unknown: "unknown",
  unasked: "not reached",
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
        { class: "mistakes", "aria-label": "Possible problems" },
        element("h2", {}, "Possible problems"),
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
      element("h2", {}, "Warnings"),
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

/** Formats a reason as a sentence. */
export function sentence(text: string): string {
  const first = text.slice(0, 1).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(first) ? first : `${first}.`;
}
