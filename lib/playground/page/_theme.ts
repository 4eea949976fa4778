/** The theme button, which cycles through system, light and dark. */
import { recall, remember } from "./_split.ts";

const KEY = "outrigger-theme";
const THEMES = ["system", "light", "dark"] as const;

type Theme = (typeof THEMES)[number];

const NAMES: Readonly<Record<Theme, string>> = {
  system: "system",
  light: "light",
  dark: "dark",
};

export function themeButton(button: HTMLElement): void {
  const stored = THEMES.find((theme) => theme === recall(KEY));
  let now: Theme = stored ?? "system";
  const show = () => {
    document.documentElement.dataset.theme = now;
    button.dataset.theme = now;
    button.setAttribute("aria-label", `Theme: ${NAMES[now]}`);
    button.title = `Theme: ${NAMES[now]}`;
  };
  button.addEventListener("click", () => {
    now = THEMES[(THEMES.indexOf(now) + 1) % THEMES.length];
    remember(KEY, now);
    show();
  });
  show();
}
