/**
 * What Go's YAML library (`go.yaml.in/yaml/v2`, behind `sigs.k8s.io/yaml`) says about a text that is no
 * YAML. lib/data reads YAML and has its own messages; this is for places where the library's words
 * are part of an answer that users know. It walks the first document's tokens by the library's
 * grammar, and keeps nothing but the first problem.
 */
import { YamlProblem } from "./_yaml_cursor.ts";
import { type YamlTokenKind, YamlTokens } from "./_yaml_tokens.ts";

/** Deeper texts are refused before this is asked. */
const MAX_DEPTH = 1000;

/**
 * `yaml: line 2: …`; undefined where the library finds nothing wrong with the syntax.
 *
 * @example
 * ```ts
 * yamlErrorText("a: ["); // "yaml: line 1: did not find expected node content"
 * ```
 */
export function yamlErrorText(text: string): string | undefined {
  try {
    new Grammar(new YamlTokens(text)).document();
    return undefined;
  } catch (error) {
    if (!(error instanceof YamlProblem)) throw error;
    const where = error.line === 0 ? "" : `line ${error.line}: `;
    return `yaml: ${where}${error.message}`;
  }
}

type Kinds = readonly YamlTokenKind[];

const AFTER_DOCUMENT: Kinds = [
  "version-directive",
  "tag-directive",
  "document-start",
  "document-end",
  "stream-end",
];
const NO_BLOCK_NODE: Kinds = ["key", "value", "block-end"];

class Grammar {
  readonly #tokens: YamlTokens;
  readonly #anchors = new Set<string>();
  /** Anchors of the nodes that the current one lies in. */
  readonly #open: string[] = [];
  #selfReference: string | undefined;
  readonly #handles = new Set<string>();
  #depth = 0;

  constructor(tokens: YamlTokens) {
    this.#tokens = tokens;
  }

  document(): void {
    if (this.#is(["version-directive", "tag-directive", "document-start", "stream-end"])) {
      if (this.#is(["stream-end"])) return;
      this.#directives();
      if (!this.#is(["document-start"])) this.#fail("did not find expected <document start>");
      this.#tokens.take();
      if (!this.#is(AFTER_DOCUMENT)) this.#node({ block: true });
    } else {
      this.#node({ block: true });
    }
    // The end of the document is the token behind it, which must be one.
    this.#tokens.peek();
    // What is wrong with the meaning comes after all that is wrong with the syntax.
    if (this.#selfReference !== undefined) {
      throw new YamlProblem(`anchor '${this.#selfReference}' value contains itself`, 0);
    }
  }

  #is(kinds: Kinds): boolean {
    return kinds.includes(this.#tokens.peek().kind);
  }

  /** Lines of the grammar's complaints count from 0. */
  #fail(message: string, line = this.#tokens.peek().line): never {
    throw new YamlProblem(message, line);
  }

  #directives(): void {
    let version = false;
    while (this.#is(["version-directive", "tag-directive"])) {
      const { kind, line, name = "" } = this.#tokens.peek();
      if (kind === "version-directive") {
        if (version) this.#fail("found duplicate %YAML directive", line);
        if (name !== "1.1") this.#fail("found incompatible YAML document", line);
        version = true;
      } else {
        if (this.#handles.has(name)) this.#fail("found duplicate %TAG directive", line);
        this.#handles.add(name);
      }
      this.#tokens.take();
    }
  }

  #node({ block, indentless = false }: { block: boolean; indentless?: boolean }): void {
    // Nothing is said about what lies too deep.
    if (this.#depth === MAX_DEPTH) throw new YamlProblem("exceeded max depth of 10000", 0);
    this.#depth++;
    if (this.#is(["alias"])) this.#alias();
    else {
      const { anchor, named } = this.#properties();
      if (anchor !== undefined) this.#open.push(anchor);
      if (!this.#content(block, indentless) && !named) {
        this.#fail("did not find expected node content");
      }
      if (anchor !== undefined) this.#open.pop();
    }
    this.#depth--;
  }

  #alias(): void {
    const { name = "" } = this.#tokens.peek();
    if (!this.#anchors.has(name)) {
      throw new YamlProblem(`unknown anchor '${name}' referenced`, 0);
    }
    if (this.#open.includes(name)) this.#selfReference ??= name;
    this.#tokens.take();
  }

  /** An anchor and a tag, in any order; says whether there was either. */
  #properties(): { anchor: string | undefined; named: boolean } {
    let tag: { readonly name?: string; readonly line: number } | undefined;
    let anchor: string | undefined;
    const takeTag = () => {
      if (tag === undefined && this.#is(["tag"])) tag = this.#tokens.take();
    };
    takeTag();
    if (this.#is(["anchor"])) {
      anchor = this.#tokens.take().name ?? "";
      takeTag();
    }
    this.#tokens.peek();
    const handle = tag?.name ?? "";
    if (handle !== "" && handle !== "!" && handle !== "!!" && !this.#handles.has(handle)) {
      this.#fail("found undefined tag handle", tag!.line);
    }
    if (anchor !== undefined) this.#anchors.add(anchor);
    return { anchor, named: tag !== undefined || anchor !== undefined };
  }

  /** Says whether there was any. */
  #content(block: boolean, indentless: boolean): boolean {
    const { kind } = this.#tokens.peek();
    if (indentless && kind === "-") this.#indentlessSequence();
    else if (kind === "scalar") this.#tokens.take();
    else if (kind === "[") this.#flowSequence();
    else if (kind === "{") this.#flowMapping();
    else if (block && kind === "block-sequence") this.#blockSequence();
    else if (block && kind === "block-mapping") this.#blockMapping();
    else return false;
    return true;
  }

  #blockSequence(): void {
    this.#tokens.take();
    while (this.#is(["-"])) {
      this.#tokens.take();
      if (!this.#is(["-", "block-end"])) this.#node({ block: true });
    }
    if (!this.#is(["block-end"])) this.#fail("did not find expected '-' indicator");
    this.#tokens.take();
  }

  /** One whose dashes stand no deeper than the key it belongs to. */
  #indentlessSequence(): void {
    while (this.#is(["-"])) {
      this.#tokens.take();
      if (!this.#is(["-", ...NO_BLOCK_NODE])) this.#node({ block: true });
    }
  }

  #blockMapping(): void {
    this.#tokens.take();
    while (this.#is(["key"])) {
      this.#tokens.take();
      if (!this.#is(NO_BLOCK_NODE)) this.#node({ block: true, indentless: true });
      if (!this.#is(["value"])) continue;
      this.#tokens.take();
      if (!this.#is(NO_BLOCK_NODE)) this.#node({ block: true, indentless: true });
    }
    if (!this.#is(["block-end"])) this.#fail("did not find expected key");
    this.#tokens.take();
  }

  #flowSequence(): void {
    this.#flow("]", () => {
      if (!this.#is(["key"])) return this.#node({ block: false });
      this.#tokens.take();
      if (!this.#is(["value", ",", "]"])) this.#node({ block: false });
      // Without a key, its colon is dropped.
      else this.#tokens.take();
      this.#flowValue("]");
    });
  }

  #flowMapping(): void {
    this.#flow("}", () => {
      if (!this.#is(["key"])) return this.#node({ block: false });
      this.#tokens.take();
      if (!this.#is(["value", ",", "}"])) this.#node({ block: false });
      this.#flowValue("}");
    });
  }

  #flow(end: "]" | "}", entry: () => void): void {
    this.#tokens.take();
    for (let first = true; !this.#is([end]); first = false) {
      if (!first) {
        if (!this.#is([","])) this.#fail(`did not find expected ',' or '${end}'`);
        this.#tokens.take();
        if (this.#is([end])) break;
      }
      entry();
    }
    this.#tokens.take();
  }

  #flowValue(end: "]" | "}"): void {
    if (!this.#is(["value"])) return;
    this.#tokens.take();
    if (!this.#is([",", end])) this.#node({ block: false });
  }
}
