/** The page's entry point: connects the panes, the controls, the engine and the URL. */
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

/** The delay after an edit: long enough to finish a word, short enough to feel instant. */
const PAUSE_MS = 150;
/** The delay before the URL changes. Browsers allow about a hundred changes in half a minute. */
const LINK_PAUSE_MS = 600;
const TOAST_MS = 4000;

/** The newest minor version of Istio in the list; later ones behave like today's. */
const NEWEST_MINOR = 31;

/** The server's information about itself. */
interface About {
  readonly version: string;
  /** The server's own config, if it is allowed to show it. */
  readonly served?: Shipped & { readonly settings: Partial<PlaySettings> };
}

// Browsers hide the nonce attribute from styles, but the property has it.
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
      } seconds: check the templates for endless loops.`,
      tone: "bad",
    });
    document.body.dataset.state = "late";
  },
  onBroken(message) {
    result.say("Error", { reason: `The engine failed: ${message}`, tone: "bad" });
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

/** Returns the server's own config as the first example, if it has one. */
async function served(): Promise<Example[]> {
  try {
    const answer = await fetch("about.json");
    const { served, version } = await answer.json() as About;
    byId("version").textContent = version;
    if (served === undefined) return [];
    const { settings, ...texts } = served;
    return [{
      id: "served",
      title: "This server's config",
      note: "The config that this server injects with.",
      texts: { ...texts, manifest: "" },
      settings,
    }];
  } catch {
    // The page works without a server too.
    return [];
  }
}

/** Loads the state from the URL, or else the first example. */
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
  // Keep the error visible: the example's note would replace it.
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
  const custom = [["", "Custom"]] as const;
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
    const reason = `The texts have ${length} characters: the limit is ${MAX_TEXT}.`;
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
    toast(`Copied the ${what}.`);
  } catch {
    toast(`Cannot copy the ${what}: the browser denied access to the clipboard.`);
  }
}

/** Shows one pane at a time, on narrow screens. */
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
  // The fragment holds the page's state, so do not navigate to the anchor.
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
