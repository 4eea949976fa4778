/**
 * Composing stage: the parser's events for one document go in, a JSON value comes out, as
 * `sigs.k8s.io/yaml` would make it: merge keys in the order they are met, the last of two equal keys,
 * keys as text. The value is a tree: an alias is composed anew each time, so nothing is shared.
 * @module
 */

import {
  CHOMPING_MODE,
  type Event,
  EVENT_ID,
  getScalarValue,
  SCALAR_STYLE,
  type ScalarEvent,
} from "js-yaml";
import { formatFloat32 } from "./_go_float.ts";
import { tooDeep, type YamlErrorCode, YamlFailure } from "./_error.ts";
import { fitsInt64, resolvePlain } from "./_scalars.ts";
import {
  fullTagName,
  MERGE_TAG,
  type ResolvedScalar,
  resolveTagged,
  resolveUntagged,
} from "./_tags.ts";

/**
 * Levels of lists and maps, aliases included. Kubernetes objects stay below 30; the limit keeps every
 * recursive walk over the result (ours, and JSON.stringify) far from the end of the stack.
 */
export const MAX_DEPTH = 1000;

/**
 * Aliases may make up 99 % of the nodes of a document, once it has more than a thousand: the oracle's
 * own bound, which falls to 10 % between 400,000 and 4,000,000 nodes.
 */
const ALIAS_CHECK_FROM = 1000;
const ALIAS_SHARE_SMALL = 0.99;
const ALIAS_SHARE_LARGE = 0.1;
const SMALL_DOCUMENT = 400_000;
const LARGE_DOCUMENT = 4_000_000;

/**
 * The oracle counts nodes only, so that a long string under an alias still makes gigabytes. Text that
 * comes from aliases may be ten times the document plus 64 KiB: no sane use of anchors gets near, and
 * 300 bytes never become more than 67 KB.
 */
const ALIAS_TEXT_FACTOR = 10;
const ALIAS_TEXT_BASE = 64 * 1024;

/** What the stage is told: where scalars stand, and how big integers are to come out. */
export interface ComposeOptions {
  source: string;
  bigints: boolean;
}

/** Composes the document that starts at `events[0]`. */
export function composeDocument(events: Event[], options: ComposeOptions): unknown {
  return new Composer(events, options).document();
}

class Composer {
  readonly #events: Event[];
  readonly #source: string;
  readonly #bigints: boolean;
  #next = 1;
  #depth = 0;
  /** For each alias event, the event where its anchor's node starts. */
  #targets: Map<number, number> | undefined;
  #openAliases = new Set<number>();
  #nodes = 1;
  #aliasNodes = 0;
  #aliasText = 0;
  #handles: Map<string, string> | undefined;

  constructor(events: Event[], options: ComposeOptions) {
    this.#events = events;
    this.#source = options.source;
    this.#bigints = options.bigints;
  }

  document(): unknown {
    const start = this.#events[0];
    if (start.type === EVENT_ID.DOCUMENT) {
      for (const directive of start.directives) {
        if (directive.kind !== "tag") continue;
        this.#handles ??= new Map();
        this.#handles.set(directive.handle, directive.prefix);
      }
    }
    if (this.#source.includes("*")) this.#resolveAliases();
    return this.#node();
  }

  /** Finds every alias's node first: an unknown anchor fails even where a later merge would not look. */
  #resolveAliases(): void {
    const anchors = new Map<string, number>();
    const targets = new Map<number, number>();
    for (let i = 1; i < this.#events.length; i++) {
      const event = this.#events[i];
      if (event.type === EVENT_ID.ALIAS) {
        const name = this.#source.slice(event.anchorStart, event.anchorEnd);
        const target = anchors.get(name);
        if (target === undefined) {
          throw new YamlFailure(
            "unknown-anchor",
            event.anchorStart - 1,
            `unknown anchor "${name}"`,
          );
        }
        targets.set(i, target);
      } else if (
        event.type !== EVENT_ID.POP && event.type !== EVENT_ID.DOCUMENT && event.anchorStart !== -1
      ) {
        anchors.set(this.#source.slice(event.anchorStart, event.anchorEnd), i);
      }
    }
    this.#targets = targets;
  }

  /** Composes the node at `#next` and steps past it. */
  #node(): unknown {
    this.#countNode();
    const at = this.#next++;
    const event = this.#events[at];
    switch (event.type) {
      case EVENT_ID.SCALAR:
        return this.#value(event);
      case EVENT_ID.MAPPING: {
        const map: Record<string, unknown> = {};
        this.#mapInto(map);
        return map;
      }
      case EVENT_ID.SEQUENCE: {
        const list: unknown[] = [];
        this.#enter(at);
        while (this.#events[this.#next].type !== EVENT_ID.POP) list.push(this.#node());
        this.#leave();
        return list;
      }
      case EVENT_ID.ALIAS:
        return this.#throughAlias(at, () => this.#node());
      default:
        return null;
    }
  }

  #enter(at: number): void {
    if (++this.#depth > MAX_DEPTH) throw tooDeep(offsetOf(this.#events, at), MAX_DEPTH);
  }

  /** Steps past the end of a list or map. */
  #leave(): void {
    this.#depth--;
    this.#next++;
  }

  #throughAlias<T>(at: number, compose: () => T): T {
    const target = this.#targets?.get(at);
    if (target === undefined || this.#openAliases.has(at)) {
      this.#fail("recursive-anchor", at, `anchor "${this.#aliasName(at)}" contains itself`);
    }
    const back = this.#next;
    this.#openAliases.add(at);
    this.#next = target;
    const value = compose();
    this.#openAliases.delete(at);
    this.#next = back;
    return value;
  }

  #countNode(): void {
    this.#nodes++;
    if (this.#openAliases.size === 0) return;
    this.#aliasNodes++;
    if (
      this.#nodes > ALIAS_CHECK_FROM && this.#aliasNodes / this.#nodes > aliasShare(this.#nodes)
    ) {
      this.#fail("too-many-aliases", this.#next, "aliases make up nearly all of the document");
    }
  }

  #countAliasText(event: ScalarEvent): void {
    this.#aliasText += event.valueEnd - event.valueStart + 1;
    if (this.#aliasText > ALIAS_TEXT_FACTOR * this.#source.length + ALIAS_TEXT_BASE) {
      this.#fail("too-many-aliases", this.#next - 1, "aliases multiply the document's text");
    }
  }

  /** Composes the pairs of the map whose start was just passed into `map`. */
  #mapInto(map: Record<string, unknown>): void {
    this.#enter(this.#next - 1);
    while (this.#events[this.#next].type !== EVENT_ID.POP) {
      const at = this.#next;
      if (this.#isMergeKey(at)) {
        this.#next++;
        this.#merge(map);
        continue;
      }
      const key = this.#key();
      const value = this.#node();
      if (key === "__proto__") {
        Object.defineProperty(map, key, {
          value,
          writable: true,
          enumerable: true,
          configurable: true,
        });
      } else {
        map[key] = value;
      }
    }
    this.#leave();
  }

  #isMergeKey(at: number): boolean {
    const event = this.#events[at];
    if (event.type !== EVENT_ID.SCALAR) return false;
    const { valueStart } = event;
    if (event.valueEnd - valueStart !== 2 || !this.#source.startsWith("<<", valueStart)) {
      return false;
    }
    const tag = this.#tagOf(event);
    if (tag === "") return event.style === SCALAR_STYLE.PLAIN;
    return tag === "!" || tag === MERGE_TAG;
  }

  /**
   * Merges at the place of the `<<`: keys before it are overwritten, keys after it overwrite. That is
   * not what YAML says, but what Kubernetes does.
   */
  #merge(map: Record<string, unknown>): void {
    const at = this.#next;
    const event = this.#events[at];
    if (event.type !== EVENT_ID.SEQUENCE) {
      this.#mergeOne(map);
      return;
    }
    const items: number[] = [];
    for (let i = at + 1; this.#events[i].type !== EVENT_ID.POP; i = this.#endOf(i)) items.push(i);
    // Earlier items win, so they go last.
    for (const item of items.reverse()) {
      this.#next = item;
      this.#mergeOne(map);
    }
    this.#next = this.#endOf(at);
  }

  #mergeOne(map: Record<string, unknown>): void {
    const at = this.#next++;
    const event = this.#events[at];
    const target = event.type === EVENT_ID.ALIAS ? this.#targets?.get(at) : at;
    if (target === undefined || this.#events[target].type !== EVENT_ID.MAPPING) {
      this.#fail("bad-merge", at, "a merge needs a map or a list of maps");
    }
    this.#countNode();
    if (target === at) {
      this.#mapInto(map);
    } else {
      this.#throughAlias(at, () => {
        this.#countNode();
        this.#next++;
        this.#mapInto(map);
      });
    }
  }

  /** The event after the node that starts at `at`. */
  #endOf(at: number): number {
    let depth = 0;
    for (let i = at;; i++) {
      const type = this.#events[i].type;
      if (type === EVENT_ID.MAPPING || type === EVENT_ID.SEQUENCE) depth++;
      else if (type === EVENT_ID.POP) depth--;
      if (depth === 0) return i + 1;
    }
  }

  /** Composes a map's key: always text in the end. */
  #key(): string {
    const at = this.#next;
    const event = this.#events[at];
    if (event.type === EVENT_ID.ALIAS) {
      this.#countNode();
      this.#next++;
      return this.#throughAlias(at, () => this.#key());
    }
    if (event.type !== EVENT_ID.SCALAR) this.#fail("bad-key", at, "a list or map cannot be a key");
    this.#countNode();
    this.#next++;
    const resolved = this.#scalar(event);
    switch (typeof resolved.value) {
      case "string":
        return resolved.value;
      case "boolean":
        return resolved.value ? "true" : "false";
      case "number":
        return resolved.isFloat ? formatFloat32(resolved.value) : String(resolved.value);
      case "bigint":
        if (!fitsInt64(resolved.value)) {
          this.#fail("bad-key", at, `the number ${resolved.value} is too big for a key`);
        }
        return String(resolved.value);
      default:
        return this.#fail("bad-key", at, "null cannot be a key");
    }
  }

  /** Composes a scalar that stands as a value. */
  #value(event: ScalarEvent): unknown {
    if (event.tagStart === -1 && this.#openAliases.size === 0) {
      // The fast way: nine of ten scalars are untagged.
      if (event.style !== SCALAR_STYLE.PLAIN) return this.#text(event);
      if (event.valueStart === -1) return null;
      const value = resolvePlain(this.#text(event));
      return typeof value === "number" || typeof value === "bigint" ? this.#number(value) : value;
    }
    const { value } = this.#scalar(event);
    return typeof value === "number" || typeof value === "bigint" ? this.#number(value) : value;
  }

  #number(value: number | bigint): number | bigint {
    if (typeof value === "bigint") return this.#bigints ? value : Number(value);
    if (!Number.isFinite(value)) {
      const name = Number.isNaN(value) ? ".nan" : value > 0 ? ".inf" : "-.inf";
      this.#fail("not-json", this.#next - 1, `${name} is no JSON number`);
    }
    return value;
  }

  #scalar(event: ScalarEvent): ResolvedScalar {
    if (this.#openAliases.size > 0) this.#countAliasText(event);
    const text = this.#text(event);
    const tag = this.#tagOf(event);
    if (tag !== "") {
      const resolved = resolveTagged(tag, text);
      if (resolved !== undefined) return resolved;
      this.#fail("bad-tag", this.#next - 1, `the value is not what its tag !<${tag}> says`);
    }
    if (event.style !== SCALAR_STYLE.PLAIN) return { value: text, isFloat: false };
    return resolveUntagged(text);
  }

  #text(event: ScalarEvent): string {
    const text = getScalarValue(this.#source, event);
    if (event.style < SCALAR_STYLE.LITERAL_BLOCK || event.valueEnd < this.#source.length) {
      return text;
    }
    return this.#withoutLastBreak(event, text);
  }

  /** A text that ends without a line break gives none to the block scalar that it ends in. */
  #withoutLastBreak(event: ScalarEvent, text: string): string {
    const region = this.#source.slice(event.valueStart, event.valueEnd);
    if (event.chomping === CHOMPING_MODE.STRIP || /[\r\n]$/.test(region) || region === "") {
      return text;
    }
    return text.endsWith("\n") ? text.slice(0, -1) : text;
  }

  /** The full name of an explicit tag, or nothing. */
  #tagOf(event: ScalarEvent): string {
    if (event.tagStart === -1) return "";
    return fullTagName(this.#source.slice(event.tagStart, event.tagEnd), this.#handles);
  }

  #aliasName(at: number): string {
    const event = this.#events[at];
    return event.type === EVENT_ID.ALIAS
      ? this.#source.slice(event.anchorStart, event.anchorEnd)
      : "";
  }

  #fail(code: YamlErrorCode, at: number, message: string): never {
    throw new YamlFailure(code, offsetOf(this.#events, at), message);
  }
}

function aliasShare(nodes: number): number {
  if (nodes <= SMALL_DOCUMENT) return ALIAS_SHARE_SMALL;
  if (nodes >= LARGE_DOCUMENT) return ALIAS_SHARE_LARGE;
  const way = (nodes - SMALL_DOCUMENT) / (LARGE_DOCUMENT - SMALL_DOCUMENT);
  return ALIAS_SHARE_SMALL - (ALIAS_SHARE_SMALL - ALIAS_SHARE_LARGE) * way;
}

/** Where an event stands in the source; an empty scalar stands after the event before it. */
function offsetOf(events: Event[], at: number): number {
  for (let i = Math.min(at, events.length - 1); i > 0; i--) {
    const event = events[i];
    if (event.type === EVENT_ID.POP || event.type === EVENT_ID.DOCUMENT) continue;
    if (event.type === EVENT_ID.ALIAS) return event.anchorStart - 1;
    const own = event.type === EVENT_ID.SCALAR ? event.valueStart : event.start;
    const start = [event.tagStart, event.anchorStart, own].find((offset) => offset !== -1);
    if (start !== undefined) return start;
  }
  return 0;
}
