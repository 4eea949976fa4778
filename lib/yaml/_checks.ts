/**
 * Checks on a parsed document: what js-yaml lets pass and the oracle does not. Each function throws at
 * the first offence; nothing is changed.
 * @module
 */

import { COLLECTION_STYLE, type Event, EVENT_ID, SCALAR_STYLE, type ScalarEvent } from "js-yaml";
import { YamlFailure } from "./_error.ts";
import { checkTabs } from "./_tabs.ts";

/** A key without `? ` ends within one line and 1024 characters, or the oracle does not see it. */
const MAX_KEY_SPAN = 1024;

const NAME = /^[A-Za-z0-9_-]+$/;

// Unlike YAML 1.2, no `\/`; unlike JSON, no halves of surrogate pairs.
const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|[\s\S])/g;

const LINE_SEPARATOR = /[\u2028\u2029]/;

const BLOCK = 0;
const BLOCK_MAP = 1;
const FLOW = 2;
const FLOW_MAP = 3;

/** Checks everything that events and text can tell. */
export function checkEvents(events: Event[], text: string): void {
  // For each open list or map: its kind, and how many of its children went by.
  const kinds: number[] = [];
  const children: number[] = [];
  for (let i = 0; i < events.length; i++) {
    const event = events[i];
    if (event.type === EVENT_ID.POP) {
      kinds.pop();
      children.pop();
      continue;
    }
    if (event.type === EVENT_ID.DOCUMENT) {
      kinds.push(BLOCK);
      children.push(0);
      continue;
    }
    if (event.anchorStart !== -1) checkName(text, event.anchorStart, event.anchorEnd);
    if (event.type !== EVENT_ID.ALIAS && event.tagStart !== -1) {
      checkTag(text, event.tagStart, event.tagEnd);
    }
    const kind = kinds[kinds.length - 1];
    const child = children[children.length - 1]++;
    if (event.type === EVENT_ID.SCALAR) {
      checkScalar(event, text, kind >= FLOW);
      if (
        event.valueStart !== -1 && (kind === FLOW_MAP || event.valueEnd - event.valueStart > 1000)
      ) {
        if (child % 2 === 0) checkKeySpan(event, text);
      }
    } else if (event.type !== EVENT_ID.ALIAS) {
      const isFlow = event.style === COLLECTION_STYLE.FLOW;
      if (!isFlow) checkBlockStart(events, i, kind === BLOCK_MAP && child % 2 === 1, text);
      const isMap = event.type === EVENT_ID.MAPPING;
      kinds.push(isFlow ? isMap ? FLOW_MAP : FLOW : isMap ? BLOCK_MAP : BLOCK);
      children.push(0);
    }
  }
  if (text.includes("\t")) checkTabs(events, text);
  if (LINE_SEPARATOR.test(text)) checkSeparators(events, text);
}

/** U+2028 and U+2029 end a line in YAML 1.1; inside quotes and brackets that makes no difference. */
function checkSeparators(events: Event[], text: string): void {
  let flowDepth = 0;
  const open: number[] = [];
  for (const event of events) {
    if (event.type === EVENT_ID.POP) {
      flowDepth -= open.pop() ?? 0;
    } else if (event.type === EVENT_ID.SCALAR) {
      const isQuoted = event.style === SCALAR_STYLE.SINGLE_QUOTED ||
        event.style === SCALAR_STYLE.DOUBLE_QUOTED;
      if (isQuoted || flowDepth > 0 || event.valueStart === -1) continue;
      const at = text.slice(event.valueStart, event.valueEnd).search(LINE_SEPARATOR);
      if (at === -1) continue;
      throw new YamlFailure(
        "syntax",
        event.valueStart + at,
        "U+2028 and U+2029 must stand in quotes",
      );
    } else if (event.type !== EVENT_ID.ALIAS) {
      const isFlow = event.type !== EVENT_ID.DOCUMENT && event.style === COLLECTION_STYLE.FLOW;
      open.push(isFlow ? 1 : 0);
      flowDepth += isFlow ? 1 : 0;
    }
  }
}

function checkName(text: string, start: number, end: number): void {
  if (NAME.test(text.slice(start, end)) && text[end] !== "[" && text[end] !== "{") return;
  throw new YamlFailure(
    "syntax",
    start,
    "the name of an anchor may hold letters, digits, - and _ only",
  );
}

/** A block list or map starts on a line of its own, after a key and after an anchor of its own. */
function checkBlockStart(events: Event[], at: number, isValue: boolean, text: string): void {
  const event = events[at];
  if (event.type !== EVENT_ID.MAPPING && event.type !== EVENT_ID.SEQUENCE) return;
  const [before, first] = [events[at - 1], events[at + 1]];
  let from = -1;
  if (event.anchorEnd !== -1 && first.type === EVENT_ID.SCALAR && first.anchorEnd !== -1) {
    from = event.anchorEnd;
  } else if (
    isValue && before.type === EVENT_ID.SCALAR && before.style < SCALAR_STYLE.LITERAL_BLOCK
  ) {
    from = before.valueEnd;
  }
  if (from === -1 || /[\r\n]/.test(text.slice(from, event.start))) return;
  throw new YamlFailure("syntax", event.start, "a list or map must start on its own line here");
}

function checkTag(text: string, start: number, end: number): void {
  if (text.slice(start, end).includes("#")) {
    throw new YamlFailure("syntax", start, "a tag cannot hold a #");
  }
  if (end >= text.length || /\s/.test(text[end])) return;
  throw new YamlFailure("syntax", end, "a tag must be followed by a space or a line break");
}

function checkScalar(event: ScalarEvent, text: string, inFlow: boolean): void {
  if (event.style === SCALAR_STYLE.PLAIN) {
    if (inFlow && event.valueStart !== -1) checkFlowPlain(text, event.valueStart, event.valueEnd);
  } else if (event.style === SCALAR_STYLE.DOUBLE_QUOTED && !event.fast) {
    checkEscapes(text, event.valueStart, event.valueEnd);
  }
}

function checkFlowPlain(text: string, start: number, end: number): void {
  if (text.charCodeAt(start) === 0x3a) {
    throw new YamlFailure(
      "syntax",
      start,
      "an unquoted text inside brackets cannot start with a colon",
    );
  }
  for (let i = start; i < end; i++) {
    if (text.charCodeAt(i) !== 0x3f) continue;
    throw new YamlFailure(
      "syntax",
      i,
      "an unquoted text inside brackets cannot hold a question mark",
    );
  }
}

function checkEscapes(text: string, start: number, end: number): void {
  for (const match of text.slice(start, end).matchAll(ESCAPE)) {
    const [escape, short, long] = match;
    const code = parseInt(short ?? long ?? "0", 16);
    if (escape === "\\/" || code > 0x10ffff || code >= 0xd800 && code <= 0xdfff) {
      throw new YamlFailure("syntax", start + match.index, `unknown escape sequence ${escape}`);
    }
  }
}

function checkKeySpan(event: ScalarEvent, text: string): void {
  const quoted = event.style !== SCALAR_STYLE.PLAIN ? 1 : 0;
  const start = event.valueStart - quoted;
  let colon = event.valueEnd + quoted;
  let lines = event.fast ? 0 : text.slice(start, colon).search(/[\r\n]/) + 1;
  for (; colon < text.length; colon++) {
    const code = text[colon];
    if (code === "#") {
      while (colon < text.length && text[colon] !== "\n" && text[colon] !== "\r") colon++;
      colon--;
    } else if (code === "\n" || code === "\r") {
      lines++;
    } else if (code !== " " && code !== "\t") {
      break;
    }
  }
  if (text[colon] !== ":" || lines === 0 && colon - start <= MAX_KEY_SPAN) return;
  let before = start - 1;
  while (before >= 0 && /\s/.test(text[before])) before--;
  if (text[before] === "?") return;
  throw new YamlFailure("syntax", start, "a key must end within its line and 1024 characters");
}
