/**
 * The page's start: the panes, the controls above them, and the way between what is typed, the engine, and the
 * address of the page.
 */
import {
  DEFAULT_SETTINGS,
  type Example,
  MAX_TEXT,
  type PlayRequest,
  type PlaySettings,
  requestOf,
  type Shipped,
  SOURCES,
} from "../protocol.ts";
import { byId, fillSelect } from "./_dom.ts";
import { Engine } from "./_engine.ts";
import { InputPane } from "./_input_pane.ts";
import { readLink, writeLink } from "./_link.ts";
import { ResultPane } from "./_result_pane.ts";
import { movable } from "./_split.ts";
import { themeButton } from "./_theme.ts";

/** Long enough to finish a word, short enough to seem at once. */
const PAUSE_MS = 150;
/** Browsers refuse to change the address more often than some hundred times in half a minute. */
const LINK_PAUSE_MS = 600;
const TOAST_MS = 4000;

/** Newest first; what comes after them behaves as today. */
const NEWEST_MINOR = 31;

/** The server's own part of the page. */
interface About {
  readonly version: string;
  /** What the server serves with, where it was told to show that. */
  readonly served?: Shipped & { readonly settings: Partial<PlaySettings> };
}

// Hidden from the attribute by the browser, so that styles can't read it; the property has it.
const nonce = document.querySelector("script")?.nonce ?? "";

let shipped: Shipped | undefined;
let examples: readonly Example[] = [];
let chosenExample = "";

const input = new InputPane({ nonce, onEdit: () => edited() });
const result = new ResultPane({
  nonce,
  onShow(source, line) {
    showPane("input");
    input.show(source, { line, focus: true });
  },
});
const engine = new Engine({
  onReady(ready) {
    if (shipped === undefined) begin(ready);
  },
  onAnswer(answer) {
    input.showProblems(answer.diagnostics);
    result.showAnswer(answer);
    document.body.dataset.state = "done";
  },
  onLate(milliseconds) {
    result.say("Stopped", {
      reason: `No answer within ${
        milliseconds / 1000
      } seconds: does a template repeat without end?`,
      tone: "bad",
    });
    document.body.dataset.state = "late";
  },
  onBroken(message) {
    result.say("Broken", { reason: `The engine failed: ${message}`, tone: "bad" });
    document.body.dataset.state = "broken";
  },
});

async function begin(ready: { examples: readonly Example[]; shipped: Shipped }): Promise<void> {
  shipped = ready.shipped;
  examples = [...await served(), ...ready.examples];
  chosenExample = examples[0].id;
  await open();
  addEventListener("hashchange", () => void open());
}

/** The server's own config as the first example, where there is one. */
async function served(): Promise<Example[]> {
  try {
    const answer = await fetch("about.json");
    const { served, version } = await answer.json() as About;
    byId("version").textContent = version;
    if (served === undefined) return [];
    const { settings, ...texts } = served;
    return [{
      id: "served",
      title: "Config of this server",
      note: "What this server serves with.",
      texts: { ...texts, manifest: "" },
      settings,
    }];
  } catch {
    // The page works without its server too.
    return [];
  }
}

/** What the address says, else the first example. */
async function open(): Promise<void> {
  if (shipped === undefined) return;
  if (location.hash.slice(1) === lastLink && lastLink !== "") return;
  let isQuiet = false;
  try {
    const request = await readLink(location.hash, shipped);
    if (request !== undefined) {
      chosenExample = "";
      show(request);
      return;
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    isQuiet = true;
    toast(`Cannot read the link: ${reason}. Showing an example instead.`);
  }
  // What is said last is what is seen: a link that failed matters more than the example's note.
  choose(examples[0].id, { isQuiet });
}

function choose(id: string, { isQuiet = false } = {}): void {
  const example = examples.find((example) => example.id === id);
  if (example === undefined || shipped === undefined) return;
  chosenExample = id;
  show(requestOf(example, shipped));
  input.show(example.opens ?? "manifest");
  if (!isQuiet) toast(example.note);
}

function show(request: PlayRequest): void {
  showSettings(request.settings);
  input.setTexts(request);
  const custom = [["", "Your own"]] as const;
  fillSelect(byId("example"), {
    options: [
      ...(chosenExample === "" ? custom : []),
      ...examples.map(({ id, title }) => [id, title] as const),
    ],
    chosen: chosenExample,
  });
  run();
}

let pause: ReturnType<typeof setTimeout> | undefined;
let linkPause: ReturnType<typeof setTimeout> | undefined;
let lastLink = "";

function edited(): void {
  clearTimeout(pause);
  pause = setTimeout(run, PAUSE_MS);
}

function run(): void {
  clearTimeout(pause);
  const request = requestNow();
  const length = SOURCES.reduce((sum, source) => sum + request[source].length, 0);
  if (length > MAX_TEXT) {
    const reason = `The texts have ${length} characters, the most is ${MAX_TEXT}.`;
    result.say("Too long", { reason, tone: "bad" });
    return;
  }
  document.body.dataset.state = "busy";
  engine.ask(request);
  clearTimeout(linkPause);
  linkPause = setTimeout(() => void putLink(), LINK_PAUSE_MS);
}

async function putLink(): Promise<string> {
  if (shipped === undefined) return "";
  lastLink = await writeLink(requestNow(), shipped);
  history.replaceState(null, "", `#${lastLink}`);
  return location.href;
}

function requestNow(): PlayRequest {
  return {
    manifest: input.text("manifest"),
    config: input.text("config"),
    values: input.text("values"),
    mesh: input.text("mesh"),
    settings: settingsNow(),
  };
}

const fields = {
  compat: byId<HTMLSelectElement>("compat"),
  namespace: byId<HTMLInputElement>("namespace"),
  namespaceLabels: byId<HTMLInputElement>("namespace-labels"),
  revision: byId<HTMLInputElement>("revision"),
};
const native = byId<HTMLInputElement>("native");

function settingsNow(): PlaySettings {
  return {
    compat: fields.compat.value,
    namespace: fields.namespace.value.trim(),
    namespaceLabels: fields.namespaceLabels.value.trim(),
    revision: fields.revision.value.trim(),
    nativeSidecars: native.checked,
  };
}

function showSettings(settings: PlaySettings): void {
  const versions = [
    "today",
    ...Array.from({ length: NEWEST_MINOR + 1 }, (_, index) => `1.${NEWEST_MINOR - index}`),
    "0.8",
  ];
  const known = versions.includes(settings.compat) ? versions : [settings.compat, ...versions];
  fillSelect(fields.compat, {
    options: known.map((version) => [version, version] as const),
    chosen: settings.compat,
  });
  fields.namespace.value = settings.namespace;
  fields.namespaceLabels.value = settings.namespaceLabels;
  fields.revision.value = settings.revision;
  native.checked = settings.nativeSidecars;
}

let toastPause: ReturnType<typeof setTimeout> | undefined;

function toast(text: string): void {
  const place = byId("toast");
  place.textContent = text;
  place.hidden = false;
  clearTimeout(toastPause);
  toastPause = setTimeout(() => {
    place.hidden = true;
  }, TOAST_MS);
}

async function copy(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toast(`The ${what} is on the clipboard.`);
  } catch {
    toast(`Cannot copy the ${what}: the browser does not let this page use the clipboard.`);
  }
}

/** On a narrow screen one pane is shown at a time. */
function showPane(pane: string): void {
  document.body.dataset.pane = pane;
  for (const button of byId("switch").querySelectorAll("button")) {
    button.setAttribute("aria-pressed", String(button.dataset.pane === pane));
  }
}

showSettings(DEFAULT_SETTINGS);
byId("example").addEventListener("change", (event) => {
  choose((event.target as HTMLSelectElement).value);
});
for (const field of [...Object.values(fields), native]) field.addEventListener("input", edited);
byId("settings").addEventListener("submit", (event) => event.preventDefault());
byId("share").addEventListener("click", async () => copy(await putLink(), "link"));
byId("copy").addEventListener("click", () => {
  const { what, text } = result.copy;
  void copy(text, what);
});
byId("skip").addEventListener("click", (event) => {
  // The address after # is taken by what is on the page.
  event.preventDefault();
  showPane("result");
  byId("result").focus();
});
byId("switch").addEventListener("click", (event) => {
  const pane = (event.target as HTMLElement).closest("button")?.dataset.pane;
  if (pane !== undefined) showPane(pane);
});
movable(byId("splitter"), { stage: byId("main") });
themeButton(byId("theme"));
