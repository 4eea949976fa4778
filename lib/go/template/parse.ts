/**
 * Stage two: parses tokens into a tree for each template. The parser knows which functions exist,
 * but not their types. All errors are thrown by {@link Parser.fail}, with Go's text and line.
 */
import { recover } from "../value.ts";
import { quote, unquote } from "../strconv.ts";
import { describeToken, Lexer, type Token, type TokenType } from "./lex.ts";
import {
  type ActionNode,
  type BranchNode,
  type CommandNode,
  isEmptyTree,
  type ListNode,
  type LoopControlNode,
  type OperandNode,
  type PipeNode,
  printNode,
  type StatementNode,
  type TemplateNode,
  type VariableNode,
} from "./nodes.ts";
import { parseNumber } from "./_number.ts";
import { placeOfLine, TemplateError } from "./errors.ts";

interface ParseOptions {
  readonly name: string;
  readonly leftDelim?: string;
  readonly rightDelim?: string;
  readonly hasFunction: (name: string) => boolean;
}

/** Trees by template name. */
export type TreeSet = ReadonlyMap<string, ListNode>;

/**
 * The maximum nesting of parentheses and control structures. Go allows 10,000 parentheses, but each
 * level takes several stack frames here and in executions.
 */
const MAX_DEPTH = 500;

/** The end of a list. */
type ListEnd = { readonly type: "end" } | { readonly type: "else" };

/** The scope in the template that is being parsed. */
interface Scope {
  vars: string[];
  rangeDepth: number;
}

class Parser {
  readonly #source: string;
  readonly #options: ParseOptions;
  readonly #lexer: Lexer;
  readonly trees = new Map<string, ListNode>();
  /** The tokens so far. `#cursor` is the index of the next one. */
  readonly #tokens: Token[] = [];
  #cursor = 0;
  #scope: Scope = { vars: ["$"], rangeDepth: 0 };
  /** The line of the current action; 0 outside an action. */
  #actionLine = 0;
  #depth = 0;

  constructor(source: string, options: ParseOptions) {
    this.#source = source;
    this.#options = options;
    this.#lexer = new Lexer(source, {
      leftDelim: options.leftDelim,
      rightDelim: options.rightDelim,
      notKeywords: new Set(["break", "continue"].filter(options.hasFunction)),
    });
  }

  /** Throws an error. By default it names the line of the last token that was read, as in Go. */
  fail(message: string, line = this.#tokens.at(-1)?.line ?? 1): never {
    throw new TemplateError("parse", `template: ${this.#options.name}:${line}: ${message}`, {
      place: placeOfLine(this.#source, line),
    });
  }

  #unexpected(token: Token, context: string): never {
    if (token.type !== "error") this.fail(`unexpected ${describeToken(token)} in ${context}`);
    let started = "";
    if (this.#actionLine !== 0 && this.#actionLine !== token.line) {
      const where = `started at ${this.#options.name}:${this.#actionLine}`;
      started = token.text.endsWith(" action") ? ` ${where}` : ` in action ${where}`;
    }
    this.fail(token.text + started);
  }

  #peek(): Token {
    while (this.#cursor >= this.#tokens.length) this.#tokens.push(this.#lexer.next());
    return this.#tokens[this.#cursor];
  }

  #next(): Token {
    const token = this.#peek();
    this.#cursor++;
    return token;
  }

  #peekNonSpace(): Token {
    while (this.#peek().type === "space") this.#cursor++;
    return this.#peek();
  }

  #nextNonSpace(): Token {
    const token = this.#peekNonSpace();
    this.#cursor++;
    return token;
  }

  #expect(type: TokenType, context: string): Token {
    const token = this.#nextNonSpace();
    if (token.type !== type) this.#unexpected(token, context);
    return token;
  }

  #isKeyword(token: Token, word: string): boolean {
    return token.type === "keyword" && token.text === word;
  }

  /** Parses the whole source: text, actions and definitions. */
  parse(): void {
    const nodes: StatementNode[] = [];
    const pos = this.#peek().pos;
    while (this.#peek().type !== "eof") {
      if (this.#peek().type === "leftDelim") {
        const start = this.#cursor;
        this.#cursor++;
        if (this.#isKeyword(this.#nextNonSpace(), "define")) {
          this.#definition();
          continue;
        }
        this.#cursor = start;
      }
      const node = this.#textOrAction();
      if (node.type === "end" || node.type === "else") this.fail(`unexpected {{${node.type}}}`);
      nodes.push(node);
    }
    this.#add(this.#options.name, { type: "list", pos, nodes });
  }

  #add(name: string, tree: ListNode): void {
    const old = this.trees.get(name);
    if (!old || isEmptyTree(old)) this.trees.set(name, tree);
    else if (!isEmptyTree(tree)) {
      this.fail(`template: multiple definition of template ${quote(name)}`);
    }
  }

  #definition(): void {
    const context = "define clause";
    const token = this.#nextNonSpace();
    const name = this.#templateName(token, context);
    this.#expect("rightDelim", context);
    this.#add(name, this.#body(context));
  }

  /** Parses the body of a define or block, which does not see the variables around it. */
  #body(context: string): ListNode {
    const outer = this.#scope;
    this.#scope = { vars: ["$"], rangeDepth: 0 };
    // In Go, such a body is a new tree that knows nothing of the action around it.
    const actionLine = this.#actionLine;
    this.#actionLine = 0;
    const line = context === "block clause" ? this.#tokens.at(-1)?.line : undefined;
    const { list, end } = this.#itemList();
    if (end.type !== "end") this.fail(`unexpected {{${end.type}}} in ${context}`, line);
    this.#scope = outer;
    this.#actionLine = actionLine;
    return list;
  }

  #itemList(): { list: ListNode; end: ListEnd } {
    if (++this.#depth > MAX_DEPTH) this.fail("max nesting depth exceeded");
    const nodes: StatementNode[] = [];
    const pos = this.#peekNonSpace().pos;
    while (this.#peekNonSpace().type !== "eof") {
      const node = this.#textOrAction();
      if (node.type === "end" || node.type === "else") {
        this.#depth--;
        return { list: { type: "list", pos, nodes }, end: node };
      }
      nodes.push(node);
    }
    this.fail("unexpected EOF");
  }

  #textOrAction(): StatementNode | ListEnd {
    const token = this.#nextNonSpace();
    if (token.type === "text") return { type: "text", pos: token.pos, text: token.text };
    if (token.type !== "leftDelim") this.#unexpected(token, "input");
    this.#actionLine = token.line;
    const node = this.#action();
    this.#actionLine = 0;
    return node;
  }

  #action(): StatementNode | ListEnd {
    const token = this.#peekNonSpace();
    if (token.type === "keyword") {
      this.#cursor++;
      switch (token.text) {
        case "block":
          return this.#block();
        case "break":
        case "continue":
          return this.#loopControl(token.text, token.pos);
        case "else":
          return this.#else();
        case "end":
          this.#expect("rightDelim", "end");
          return { type: "end" };
        case "if":
        case "range":
        case "with":
          return this.#branch(token.text);
        case "template":
          return this.#template();
      }
      this.#cursor--;
    }
    const pipe = this.#pipeline("command", "rightDelim");
    return { type: "action", pos: token.pos, pipe } satisfies ActionNode;
  }

  #loopControl(type: "break" | "continue", pos: number): LoopControlNode {
    const token = this.#nextNonSpace();
    if (token.type !== "rightDelim") this.#unexpected(token, `{{${type}}}`);
    if (this.#scope.rangeDepth === 0) this.fail(`{{${type}}} outside {{range}}`);
    return { type, pos };
  }

  #else(): ListEnd {
    // In "else if" and "else with", the keyword belongs to the branch that follows.
    const token = this.#peekNonSpace();
    if (!this.#isKeyword(token, "if") && !this.#isKeyword(token, "with")) {
      this.#expect("rightDelim", "else");
    }
    return { type: "else" };
  }

  #branch(type: BranchNode["type"]): BranchNode {
    const scopeSize = this.#scope.vars.length;
    const pipe = this.#pipeline(type, "rightDelim");
    if (type === "range") this.#scope.rangeDepth++;
    const { list, end } = this.#itemList();
    if (type === "range") this.#scope.rangeDepth--;
    let elseList: ListNode | undefined;
    if (end.type === "else") {
      const token = this.#peek();
      if (type !== "range" && this.#isKeyword(token, type)) {
        // {{if a}}_{{else if b}}_{{end}} means {{if a}}_{{else}}{{if b}}_{{end}}{{end}}, where one
        // {{end}} ends both branches.
        if (++this.#depth > MAX_DEPTH) this.fail("max nesting depth exceeded");
        this.#cursor++;
        elseList = { type: "list", pos: token.pos, nodes: [this.#branch(type)] };
        this.#depth--;
      } else {
        const rest = this.#itemList();
        if (rest.end.type !== "end") this.fail(`expected end; found {{${rest.end.type}}}`);
        elseList = rest.list;
      }
    }
    this.#scope.vars.length = scopeSize;
    return { type, pos: pipe.pos, pipe, list, elseList };
  }

  #block(): TemplateNode {
    const context = "block clause";
    const token = this.#nextNonSpace();
    const name = this.#templateName(token, context);
    const pipe = this.#pipeline(context, "rightDelim");
    this.#add(name, this.#body(context));
    return { type: "template", pos: token.pos, name, pipe };
  }

  #template(): TemplateNode {
    const context = "template clause";
    const token = this.#nextNonSpace();
    const name = this.#templateName(token, context);
    let pipe: PipeNode | undefined;
    if (this.#peekNonSpace().type === "rightDelim") this.#cursor++;
    else pipe = this.#pipeline(context, "rightDelim");
    return { type: "template", pos: token.pos, name, pipe };
  }

  #templateName(token: Token, context: string): string {
    if (token.type !== "string" && token.type !== "rawString") this.#unexpected(token, context);
    return this.#unquote(token.text);
  }

  #unquote(literal: string): string {
    return this.#orFail(() => unquote(literal));
  }

  /** Parses a literal, whose error becomes a parse error. */
  #orFail<T>(parse: () => T): T {
    return recover(parse, (error) => this.fail(error.message));
  }

  #pipeline(context: string, end: "rightDelim" | "rightParen"): PipeNode {
    const pos = this.#peekNonSpace().pos;
    const decl: VariableNode[] = [];
    const isAssign = this.#declarations(decl, context);
    const cmds: CommandNode[] = [];
    for (;;) {
      const token = this.#peekNonSpace();
      if (token.type === end) {
        this.#cursor++;
        break;
      }
      if (!STARTS_OPERAND.has(token.type)) {
        this.#cursor++;
        this.#unexpected(token, context);
      }
      cmds.push(this.#command());
    }
    if (cmds.length === 0) this.fail(`missing value for ${context}`);
    cmds.slice(1).forEach((cmd, i) => {
      // Only functions, methods and variables can take a piped value.
      if (["bool", "dot", "nil", "number", "string"].includes(cmd.args[0].type)) {
        this.fail(`non executable command in pipeline stage ${i + 2}`);
      }
    });
    return { type: "pipe", pos, decl, isAssign, cmds };
  }

  /** Parses `$x :=`, `$x =`, and in a range `$i, $x :=`. Returns true for an assignment. */
  #declarations(decl: VariableNode[], context: string): boolean {
    for (;;) {
      const variable = this.#peekNonSpace();
      if (variable.type !== "variable") return false;
      const start = this.#cursor;
      this.#cursor++;
      const next = this.#peekNonSpace();
      const comma = next.type === "char" && next.text === ",";
      if (!comma && next.type !== "assign" && next.type !== "declare") {
        this.#cursor = start; // an operand
        return false;
      }
      this.#cursor++;
      decl.push({ type: "variable", pos: variable.pos, ident: variable.text.split(".") });
      this.#scope.vars.push(variable.text);
      if (!comma) return next.type === "assign";
      if (context !== "range" || decl.length > 1) this.fail(`too many declarations in ${context}`);
      const after = this.#peekNonSpace().type;
      if (after !== "variable" && after !== "rightDelim" && after !== "rightParen") {
        this.fail("range can only initialize variables");
      }
    }
  }

  #command(): CommandNode {
    const pos = this.#peekNonSpace().pos;
    const args: OperandNode[] = [];
    for (;;) {
      this.#peekNonSpace();
      const operand = this.#operand();
      if (operand) args.push(operand);
      const token = this.#next();
      if (token.type === "space") continue;
      if (token.type === "rightDelim" || token.type === "rightParen") this.#cursor--;
      else if (token.type !== "pipe") this.#unexpected(token, "operand");
      break;
    }
    if (args.length === 0) this.fail("empty command");
    return { type: "command", pos, args };
  }

  /** Parses a term, which fields can follow. */
  #operand(): OperandNode | undefined {
    const node = this.#term();
    const first = node ? this.#peek() : undefined;
    if (!node || first?.type !== "field") return node;
    const field: string[] = [];
    while (this.#peek().type === "field") field.push(this.#next().text.slice(1));
    switch (node.type) {
      case "field":
      case "variable":
        return { ...node, pos: first.pos, ident: [...node.ident, ...field] };
      case "bool":
      case "string":
      case "number":
      case "nil":
      case "dot":
        this.fail(`unexpected . after term ${quote(printNode(node))}`);
    }
    return { type: "chain", pos: first.pos, node, field };
  }

  #term(): OperandNode | undefined {
    const token = this.#nextNonSpace();
    const { pos, text } = token;
    switch (token.type) {
      case "identifier":
        if (!this.#options.hasFunction(text)) this.fail(`function ${quote(text)} not defined`);
        return { type: "identifier", pos, ident: text };
      case "dot":
      case "nil":
        return { type: token.type, pos };
      case "variable":
        if (!this.#scope.vars.includes(text)) this.fail(`undefined variable ${quote(text)}`);
        return { type: "variable", pos, ident: [text] };
      case "field":
        return { type: "field", pos, ident: [text.slice(1)] };
      case "bool":
        return { type: "bool", pos, value: text === "true" };
      case "charConstant":
      case "complex":
      case "number": {
        const type = token.type;
        return this.#orFail(() => parseNumber({ pos, text, type }));
      }
      case "leftParen": {
        if (++this.#depth > MAX_DEPTH) this.fail("max expression depth exceeded");
        const pipe = this.#pipeline("parenthesized pipeline", "rightParen");
        this.#depth--;
        return pipe;
      }
      case "string":
      case "rawString":
        return { type: "string", pos, quoted: text, text: this.#unquote(text) };
    }
    this.#cursor--;
    return undefined;
  }
}

const STARTS_OPERAND: ReadonlySet<TokenType> = new Set([
  "bool",
  "charConstant",
  "complex",
  "dot",
  "field",
  "identifier",
  "number",
  "nil",
  "rawString",
  "string",
  "variable",
  "leftParen",
]);

/** Parses a source. Returns the trees of the template and of those it defines. */
export function parseTemplate(source: string, options: ParseOptions): TreeSet {
  const parser = new Parser(source, options);
  parser.parse();
  return parser.trees;
}
