/**
 * Composes the events of one document into a JSON value, as `sigs.k8s.io/yaml` does: merge keys apply in
 * the order they occur, the last of equal keys wins, and keys are strings. The value is a tree: each alias
 * is composed anew, so nothing is shared.
 */

import { setKey } from "../data/map.ts";
import { tooDeep, type YamlErrorCode, YamlFailure } from "./_error.ts";
import { EVENT, STYLE, type YamlEvent } from "./_events.ts";
import { goSyntax, goSyntaxAlone } from "./_go_syntax.ts";
import { checkJson } from "./_json_check.ts";
import { MAX_DEPTH } from "./_parser.ts";
import { resolvePlain } from "./_scalars.ts";
import {
  isMergeKey,
  keyText,
  type ResolvedScalar,
  resolveTagged,
  resolveUntagged,
} from "./_tags.ts";

/**
 * Starts to check the share of nodes that come from aliases. In documents with more than this many nodes,
 * go-yaml allows 99 %, falling to 10 % between 400,000 and 4,000,000 nodes.
 */
const ALIAS_CHECK_FROM = 1000;
const ALIAS_SHARE_SMALL = 0.99;
const ALIAS_SHARE_LARGE = 0.1;
const SMALL_DOCUMENT = 400_000;
const LARGE_DOCUMENT = 4_000_000;

/**
 * Limits text from aliases to this many times the document, plus 64 KiB. go-yaml counts only nodes, so a
 * long string with many aliases could expand to gigabytes. Reasonable documents stay far below the limit,
 * and 300 bytes never become more than 67 KB.
 */
const ALIAS_TEXT_FACTOR = 10;
const ALIAS_TEXT_BASE = 64 * 1024;

export interface ComposeOptions {
  /** The length of the text, which limits the expansion of aliases. */
  readonly length: number;
  /** Returns integers above 2^53 as `bigint`. */
  readonly bigints: boolean;
}

/** Composes the document that the events describe. */
export function composeDocument(events: readonly YamlEvent[], options: ComposeOptions): unknown {
  return new Composer(events, options).document();
}

class Composer {
  readonly #events: readonly YamlEvent[];
  readonly #options: ComposeOptions;
  #next = 0;
  #depth = 0;
  readonly #openAliases = new Set<number>();
  #aliasDepth = 0;
  #nodes = 1;
  #aliasNodes = 0;
  #aliasText = 0;
  // What go-yaml checks only once the value is complete: maps with keys, and the first events of numbers,
  // that JSON cannot represent.
  #badKeys: Map<object, () => YamlFailure> | undefined;
  #badNumbers: Map<number, YamlEvent> | undefined;

  constructor(events: readonly YamlEvent[], options: ComposeOptions) {
    this.#events = events;
    this.#options = options;
  }

  document(): unknown {
    const value = this.#node();
    const [badKeys, badNumbers] = [this.#badKeys, this.#badNumbers];
    if (badKeys !== undefined || badNumbers !== undefined) {
      checkJson(value, { badKeys, badNumbers });
    }
    return value;
  }

  /** Composes the node at `#next` and moves past it. */
  #node(): unknown {
    this.#countNode();
    const at = this.#next++;
    const event = this.#events[at];
    switch (event.kind) {
      case EVENT.scalar:
        return this.#value(event);
      case EVENT.map: {
        const map: Record<string, unknown> = {};
        this.#mapInto(map, event);
        return map;
      }
      case EVENT.list: {
        const list: unknown[] = [];
        this.#enter(event);
        while (this.#events[this.#next].kind !== EVENT.end) list.push(this.#node());
        this.#leave();
        return list;
      }
      default:
        return this.#throughAlias(at, () => this.#node());
    }
  }

  #enter(event: YamlEvent): void {
    // The parser limits the nesting of the text; aliases can exceed it.
    if (++this.#depth > MAX_DEPTH) throw tooDeep(event.at, MAX_DEPTH);
  }

  /** Skips the end of a list or map. */
  #leave(): void {
    this.#depth--;
    this.#next++;
  }

  #throughAlias<T>(at: number, compose: () => T): T {
    const event = this.#events[at];
    if (this.#openAliases.has(at)) {
      this.#fail("recursive-anchor", event, {
        message: `anchor "${event.value}" contains itself`,
        original: `anchor '${event.value}' value contains itself`,
      });
    }
    const back = this.#next;
    this.#openAliases.add(at);
    this.#aliasDepth++;
    this.#next = event.target;
    const value = compose();
    this.#openAliases.delete(at);
    this.#aliasDepth--;
    this.#next = back;
    return value;
  }

  #countNode(): void {
    this.#nodes++;
    if (this.#aliasDepth === 0) return;
    this.#aliasNodes++;
    if (
      this.#nodes > ALIAS_CHECK_FROM && this.#aliasNodes / this.#nodes > aliasShare(this.#nodes)
    ) {
      this.#fail("too-many-aliases", this.#events[this.#next], {
        message: "too many nodes come from aliases",
        original: "document contains excessive aliasing",
      });
    }
  }

  #countAliasText(event: YamlEvent): void {
    this.#aliasText += event.value.length + 1;
    if (this.#aliasText > ALIAS_TEXT_FACTOR * this.#options.length + ALIAS_TEXT_BASE) {
      const message = "aliases expand to too much text";
      this.#fail("too-many-aliases", event, { message, original: message });
    }
  }

  /** Composes into `map` the pairs of the map whose start was just passed. */
  #mapInto(map: Record<string, unknown>, event: YamlEvent): void {
    this.#enter(event);
    for (;;) {
      const keyEvent = this.#events[this.#next];
      if (keyEvent.kind === EVENT.end) break;
      if (isMergeKey(keyEvent)) {
        this.#next++;
        this.#merge(map);
        continue;
      }
      const keyAt = this.#next;
      const key = this.#key();
      const valueAt = this.#next;
      const value = this.#node();
      if (typeof key !== "string") {
        this.#noteBadKey(map, { key, keyAt, valueAt });
      } else setKey(map, key, value);
    }
    this.#leave();
  }

  /**
   * Merges at the position of the `<<`: it overrides earlier keys, and later keys override it. YAML
   * specifies otherwise, but Kubernetes behaves this way.
   */
  #merge(map: Record<string, unknown>): void {
    const at = this.#next;
    if (this.#events[at].kind !== EVENT.list) {
      this.#mergeOne(map);
      return;
    }
    const items: number[] = [];
    let i = at + 1;
    for (; this.#events[i].kind !== EVENT.end; i = this.#endOf(i)) items.push(i);
    // Earlier items win, so apply them last.
    for (const item of items.reverse()) {
      this.#next = item;
      this.#mergeOne(map);
    }
    this.#next = i + 1;
  }

  #mergeOne(map: Record<string, unknown>): void {
    const at = this.#next++;
    const event = this.#events[at];
    const target = event.kind === EVENT.alias ? this.#events[event.target] : event;
    if (target.kind !== EVENT.map) {
      this.#fail("bad-merge", event, {
        message: "a merge needs a map or a list of maps",
        original: "map merge requires map or sequence of maps as the value",
      });
    }
    this.#countNode();
    if (target === event) {
      this.#mapInto(map, event);
    } else {
      this.#throughAlias(at, () => {
        this.#countNode();
        this.#next++;
        this.#mapInto(map, target);
      });
    }
  }

  /** Returns the index after the node that starts at `at`. */
  #endOf(at: number): number {
    let depth = 0;
    for (let i = at;; i++) {
      const { kind } = this.#events[i];
      if (kind === EVENT.map || kind === EVENT.list) depth++;
      else if (kind === EVENT.end) depth--;
      if (depth === 0) return i + 1;
    }
  }

  /** Composes a map's key: a string, or a key that has no string form (null, an integer above 63 bits). */
  #key(): string | bigint | null {
    const at = this.#next;
    const event = this.#events[at];
    if (event.kind === EVENT.alias) {
      this.#countNode();
      this.#next++;
      return this.#throughAlias(at, () => this.#key());
    }
    if (event.kind !== EVENT.scalar) {
      this.#node();
      this.#fail("bad-key", event, {
        message: "a list or map cannot be a key",
        original: () => `yaml: invalid map key: ${goSyntax(this.#events, at)}`,
      });
    }
    this.#countNode();
    this.#next++;
    return keyText(this.#scalar(event));
  }

  #noteBadKey(
    map: object,
    { key, keyAt, valueAt }: { key: bigint | null; keyAt: number; valueAt: number },
  ): void {
    this.#badKeys ??= new Map();
    this.#badKeys.set(map, () => {
      const message = key === null
        ? "null cannot be a key"
        : `the number ${key} is too big for a key`;
      const type = key === null ? "%!s(<nil>)" : "uint64";
      const original = () => {
        const [name, value] = [keyAt, valueAt].map((at) => goSyntaxAlone(this.#events, at));
        return `unsupported map key of type: ${type}, key: ${name}, value: ${value}`;
      };
      const offset = this.#events[keyAt].at;
      return new YamlFailure("bad-key", { offset, message, original });
    });
  }

  /** Composes a scalar value. */
  #value(event: YamlEvent): unknown {
    if (event.tag === "" && this.#aliasDepth === 0) {
      // Fast path: nine of ten scalars have no tag.
      if (event.style !== STYLE.plain) return event.value;
      const value = resolvePlain(event.value);
      return typeof value === "number" || typeof value === "bigint"
        ? this.#number(event, value)
        : value;
    }
    const { value } = this.#scalar(event);
    return typeof value === "number" || typeof value === "bigint"
      ? this.#number(event, value)
      : value;
  }

  #number(event: YamlEvent, value: number | bigint): number | bigint {
    if (typeof value === "bigint") return this.#options.bigints ? value : Number(value);
    if (!Number.isFinite(value)) {
      this.#badNumbers ??= new Map();
      if (!this.#badNumbers.has(value)) this.#badNumbers.set(value, event);
    }
    return value;
  }

  #scalar(event: YamlEvent): ResolvedScalar {
    if (this.#aliasDepth > 0) this.#countAliasText(event);
    const { tag, value } = event;
    if (tag === "") {
      return event.style === STYLE.plain ? resolveUntagged(value) : { value, isFloat: false };
    }
    const resolved = resolveTagged(tag, value);
    if (typeof resolved !== "string") return resolved;
    const message = `the value does not match its tag !<${tag}>`;
    return this.#fail("bad-tag", event, { message, original: resolved });
  }

  #fail(
    code: YamlErrorCode,
    event: YamlEvent,
    { message, original }: { message: string; original: string | (() => string) },
  ): never {
    const words = typeof original === "string" ? `yaml: ${original}` : original;
    throw new YamlFailure(code, { offset: event.at, message, original: words });
  }
}

function aliasShare(nodes: number): number {
  if (nodes <= SMALL_DOCUMENT) return ALIAS_SHARE_SMALL;
  if (nodes >= LARGE_DOCUMENT) return ALIAS_SHARE_LARGE;
  const way = (nodes - SMALL_DOCUMENT) / (LARGE_DOCUMENT - SMALL_DOCUMENT);
  return ALIAS_SHARE_SMALL - (ALIAS_SHARE_SMALL - ALIAS_SHARE_LARGE) * way;
}
