/** The divider between the panes, moved by pointer or arrow keys. */

const STEP = 2;
const KEY = "outrigger-split";

export function movable(splitter: HTMLElement, { stage }: { stage: HTMLElement }): void {
  const least = Number(splitter.getAttribute("aria-valuemin"));
  const most = Number(splitter.getAttribute("aria-valuemax"));
  const set = (percent: number) => {
    const kept = Math.min(Math.max(Math.round(percent), least), most);
    splitter.setAttribute("aria-valuenow", String(kept));
    stage.style.setProperty("--split", `${kept}%`);
    remember(KEY, String(kept));
  };
  const stored = Number(recall(KEY));
  if (stored >= least && stored <= most) set(stored);
  splitter.addEventListener("keydown", (event) => {
    const now = Number(splitter.getAttribute("aria-valuenow"));
    const to = {
      ArrowLeft: now - STEP,
      ArrowRight: now + STEP,
      Home: least,
      End: most,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    set(to);
  });
  splitter.addEventListener("pointerdown", (event) => {
    splitter.setPointerCapture(event.pointerId);
    event.preventDefault();
  });
  splitter.addEventListener("pointermove", (event) => {
    if (!splitter.hasPointerCapture(event.pointerId)) return;
    const { left, width } = stage.getBoundingClientRect();
    set((event.clientX - left) / width * 100);
  });
}

/** Settings of the page, in local storage, which the browser may deny. */
export function remember(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // The setting is not saved.
  }
}

export function recall(key: string): string | undefined {
  try {
    return localStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}
