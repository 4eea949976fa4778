/** Light, dark, or as the system has it; a button goes round. */
import { recall, remember } from "./_split.ts";

const KEY = "outrigger-theme";
const THEMES = ["system", "light", "dark"] as const;

type Theme = (typeof THEMES)[number];

const NAMES: Readonly<Record<Theme, string>> = {
  system: "as the system",
  light: "light",
  dark: "dark",
};

export function themeButton(button: HTMLElement): void {
  const stored = THEMES.find((theme) => theme === recall(KEY));
  let now: Theme = stored ?? "system";
  const show = () => {
    document.documentElement.dataset.theme = now;
    button.dataset.theme = now;
    button.setAttribute("aria-label", `Colours: ${NAMES[now]}`);
    button.title = `Colours: ${NAMES[now]}`;
  };
  button.addEventListener("click", () => {
    now = THEMES[(THEMES.indexOf(now) + 1) % THEMES.length];
    remember(KEY, now);
    show();
  });
  show();
}
