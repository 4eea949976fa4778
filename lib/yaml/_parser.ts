/**
 * Parses tokens into the events of one document after the other, by go-yaml's grammar. Rejects aliases of
 * unknown anchors as well, since go-yaml does so while parsing, and the first of two errors is the one
 * reported.
 */

import { tooDeep, YamlFailure } from "./_error.ts";
import { EVENT, STYLE, YamlEvent } from "./_events.ts";
import { Scanner, type TagPayload, TOKEN } from "./_scanner.ts";

/**
 * Limits the nesting of lists and maps. Kubernetes objects stay below 30 levels; the limit keeps every
 * recursive walk over events and values (ours and JSON.stringify's) far from the end of the stack.
 */
export const MAX_DEPTH = 1000;

const END = new YamlEvent(EVENT.end, STYLE.plain, { at: -1, start: -1, end: -1, value: "" });

/** Returns a bit set of token kinds. */
const bits = (...kinds: number[]) => kinds.reduce((set, kind) => set | (1 << kind), 0);

const DIRECTIVES = bits(TOKEN.versionDirective, TOKEN.tagDirective);
const NO_CONTENT = DIRECTIVES | bits(TOKEN.documentStart, TOKEN.documentEnd, TOKEN.streamEnd);
const NO_BARE_DOCUMENT = DIRECTIVES | bits(TOKEN.documentStart, TOKEN.streamEnd);
const NO_BLOCK_NODE = bits(TOKEN.key, TOKEN.colon, TOKEN.blockEnd);
const COLON = bits(TOKEN.colon);
const FLOW_MAP_STOP = bits(TOKEN.comma, TOKEN.flowMapEnd);
const FLOW_LIST_STOP = bits(TOKEN.comma, TOKEN.flowListEnd);

/** Returns the events of the first document; empty if there is none. */
export function parseEvents(text: string): readonly YamlEvent[] {
  return new Parser(text).document() ?? [];
}

export class Parser {
  readonly #scanner: Scanner;
  #events: YamlEvent[] = [];
  /** The index of each anchor's event so far. */
  #anchors = new Map<string, number>();
  #prefixes = new Map<string, string>();
  #depth = 0;
  #isFirst = true;

  constructor(text: string) {
    this.#scanner = new Scanner(text);
  }

  /** Reports whether no document follows. */
  get isDone(): boolean {
    return this.#scanner.peek() === TOKEN.streamEnd;
  }

  /** Parses the next document; returns `undefined` at the end. */
  document(): YamlEvent[] | undefined {
    const scanner = this.#scanner;
    this.#events = [];
    this.#anchors = new Map();
    this.#prefixes = new Map([["!", "!"], ["!!", "tag:yaml.org,2002:"]]);
    const mayBeBare = this.#isFirst;
    this.#isFirst = false;
    if (!mayBeBare) { while (scanner.peek() === TOKEN.documentEnd) scanner.take(); }
    if (scanner.peek() === TOKEN.streamEnd) return undefined;
    if (mayBeBare && !this.#is(NO_BARE_DOCUMENT)) {
      this.#node(BLOCK);
    } else {
      this.#directives();
      if (scanner.peek() !== TOKEN.documentStart) {
        this.#fail("did not find expected <document start>");
      }
      const end = scanner.place + 3;
      scanner.take();
      if (this.#is(NO_CONTENT)) this.#empty(end);
      else this.#node(BLOCK);
    }
    // go-yaml looks ahead to the token after the document, so that token must be valid.
    if (scanner.peek() === TOKEN.documentEnd) scanner.take();
    return this.#events;
  }

  #is(set: number): boolean {
    return (set & (1 << this.#scanner.peek())) !== 0;
  }

  #fail(problem: string, offset = this.#scanner.place): never {
    this.#scanner.cursor.failToken(problem, offset);
  }

  #directives(): void {
    const scanner = this.#scanner;
    let version = false;
    const handles = new Set<string>();
    while (this.#is(DIRECTIVES)) {
      const { handle, suffix } = scanner.payload as TagPayload;
      if (scanner.peek() === TOKEN.versionDirective) {
        if (version) this.#fail("found duplicate %YAML directive");
        if (handle !== "1.1") this.#fail("found incompatible YAML document");
        version = true;
      } else {
        if (handles.has(handle)) this.#fail("found duplicate %TAG directive");
        handles.add(handle);
        this.#prefixes.set(handle, suffix);
      }
      scanner.take();
    }
  }

  /** Returns a missing scalar, placed at `at`. */
  #empty(at: number): YamlEvent {
    const place = { at, start: -1, end: -1, value: "" };
    const event = new YamlEvent(EVENT.scalar, STYLE.plain, place);
    this.#events.push(event);
    return event;
  }

  /** Parses the node at the next token. */
  #node({ block, indentless }: NodePlace): void {
    const scanner = this.#scanner;
    let kind = scanner.peek();
    if (kind === TOKEN.alias) return this.#alias();
    const index = this.#events.length;
    let properties: Properties | undefined;
    if (kind === TOKEN.anchor || kind === TOKEN.tag) {
      properties = this.#properties();
      kind = scanner.peek();
    }
    if (kind === TOKEN.scalar) {
      this.#events.push(scanner.payload as YamlEvent);
    } else if (kind === TOKEN.flowList || (kind === TOKEN.blockList && block)) {
      this.#open(EVENT.list, kind === TOKEN.flowList ? STYLE.flow : STYLE.block);
    } else if (kind === TOKEN.flowMap || (kind === TOKEN.blockMap && block)) {
      this.#open(EVENT.map, kind === TOKEN.flowMap ? STYLE.flow : STYLE.block);
    } else if (kind === TOKEN.dash && indentless) {
      this.#open(EVENT.list, STYLE.block);
    } else if (properties !== undefined) {
      this.#empty(properties.at);
      kind = -1;
    } else {
      this.#fail("did not find expected node content");
    }
    if (properties !== undefined) {
      const { anchor } = properties;
      Object.assign(this.#events[index], properties);
      if (anchor !== "") this.#anchors.set(anchor, index);
    }
    if (kind === TOKEN.scalar) scanner.take();
    else if (kind >= 0) this.#content(kind);
  }

  #open(kind: number, style: number): void {
    const at = this.#scanner.place;
    this.#events.push(new YamlEvent(kind, style, { at, start: at, end: at, value: "" }));
  }

  /** Parses the content of a list or map, and its end. */
  #content(kind: number): void {
    if (++this.#depth > MAX_DEPTH) throw tooDeep(this.#scanner.place, MAX_DEPTH);
    if (kind === TOKEN.blockMap) this.#blockMap();
    else if (kind === TOKEN.blockList) this.#blockList();
    else if (kind === TOKEN.dash) this.#indentlessList();
    else if (kind === TOKEN.flowMap) this.#flow(TOKEN.flowMapEnd, () => this.#flowMapEntry());
    else this.#flow(TOKEN.flowListEnd, () => this.#flowListEntry());
    this.#events.push(END);
    this.#depth--;
  }

  #alias(): void {
    const event = this.#scanner.payload as YamlEvent;
    const target = this.#anchors.get(event.value);
    if (target === undefined) {
      throw new YamlFailure("unknown-anchor", {
        offset: event.at,
        message: `unknown anchor "${event.value}"`,
        original: `yaml: unknown anchor '${event.value}' referenced`,
      });
    }
    event.target = target;
    this.#events.push(event);
    this.#scanner.take();
  }

  /** Parses an anchor and a tag, in any order. */
  #properties(): Properties {
    const scanner = this.#scanner;
    const at = scanner.place;
    let anchor = "";
    let tag: TagPayload | undefined;
    let tagPlace = at;
    for (let i = 0; i < 2; i++) {
      const kind = scanner.peek();
      if (kind === TOKEN.anchor && anchor === "") {
        anchor = scanner.payload as string;
      } else if (kind === TOKEN.tag && tag === undefined) {
        tag = scanner.payload as TagPayload;
        tagPlace = scanner.place;
      } else break;
      scanner.take();
    }
    scanner.peek();
    return { at, anchor, tag: tag === undefined ? "" : this.#fullTag(tag, tagPlace) };
  }

  #fullTag({ handle, suffix }: TagPayload, place: number): string {
    if (handle === "") return suffix;
    const prefix = this.#prefixes.get(handle);
    if (prefix === undefined) this.#fail("found undefined tag handle", place);
    return prefix + suffix;
  }

  #blockList(): void {
    const scanner = this.#scanner;
    scanner.take();
    while (scanner.peek() === TOKEN.dash) {
      const end = scanner.place + 1;
      scanner.take();
      const next = scanner.peek();
      if (next === TOKEN.dash || next === TOKEN.blockEnd) this.#empty(end);
      else this.#node(BLOCK);
    }
    if (scanner.peek() !== TOKEN.blockEnd) this.#fail("did not find expected '-' indicator");
    scanner.take();
  }

  /** Parses a list whose dashes are in the column of its key. */
  #indentlessList(): void {
    const scanner = this.#scanner;
    while (scanner.peek() === TOKEN.dash) {
      const end = scanner.place + 1;
      scanner.take();
      if (scanner.peek() === TOKEN.dash || this.#is(NO_BLOCK_NODE)) this.#empty(end);
      else this.#node(BLOCK);
    }
  }

  #blockMap(): void {
    const scanner = this.#scanner;
    scanner.take();
    while (scanner.peek() === TOKEN.key) {
      let end = scanner.place;
      scanner.take();
      this.#blockNode(end);
      const isColon = scanner.peek() === TOKEN.colon;
      end = scanner.place + 1;
      if (isColon) scanner.take();
      if (isColon) this.#blockNode(end);
      else this.#empty(end - 1);
    }
    if (scanner.peek() !== TOKEN.blockEnd) this.#fail("did not find expected key");
    scanner.take();
  }

  /** Parses a key or value of a block map, which may be missing. */
  #blockNode(place: number): void {
    if (this.#is(NO_BLOCK_NODE)) this.#empty(place);
    else this.#node(BLOCK_OR_INDENTLESS);
  }

  #flow(end: number, entry: () => void): void {
    const scanner = this.#scanner;
    scanner.take();
    for (let first = true; scanner.peek() !== end; first = false) {
      if (!first) {
        if (scanner.peek() !== TOKEN.comma) {
          this.#fail(`did not find expected ',' or '${end === TOKEN.flowMapEnd ? "}" : "]"}'`);
        }
        scanner.take();
        if (scanner.peek() === end) break;
      }
      entry();
    }
    scanner.take();
  }

  #flowMapEntry(): void {
    const scanner = this.#scanner;
    if (scanner.peek() !== TOKEN.key) {
      this.#node(FLOW);
      scanner.peek();
      this.#empty(scanner.place);
      return;
    }
    scanner.take();
    if (this.#is(FLOW_MAP_STOP | COLON)) this.#empty(scanner.place);
    else this.#node(FLOW);
    this.#flowValue(FLOW_MAP_STOP);
  }

  /** Parses an item, or `a: b`, a map with one key. */
  #flowListEntry(): void {
    const scanner = this.#scanner;
    if (scanner.peek() !== TOKEN.key) return this.#node(FLOW);
    this.#open(EVENT.map, STYLE.flow);
    scanner.take();
    if (this.#is(FLOW_LIST_STOP | COLON)) {
      // go-yaml drops the content of a missing key.
      const end = scanner.place + 1;
      scanner.take();
      this.#empty(end);
    } else {
      this.#node(FLOW);
    }
    this.#flowValue(FLOW_LIST_STOP);
    this.#events.push(END);
  }

  #flowValue(stop: number): void {
    const scanner = this.#scanner;
    if (scanner.peek() === TOKEN.colon) {
      scanner.take();
      if (!this.#is(stop)) return this.#node(FLOW);
    }
    this.#empty(scanner.place);
  }
}

/** The position of a node, which decides what it may be. */
interface NodePlace {
  readonly block: boolean;
  readonly indentless: boolean;
}

const BLOCK: NodePlace = { block: true, indentless: false };
const BLOCK_OR_INDENTLESS: NodePlace = { block: true, indentless: true };
const FLOW: NodePlace = { block: false, indentless: false };

interface Properties {
  readonly at: number;
  readonly anchor: string;
  readonly tag: string;
}
