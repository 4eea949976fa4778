/**
 * Analyses a template's source: for each statement, the data that its pipeline reads, as paths from the
 * root, and the enclosing branches. Variables and dot are followed to where they were set. A few functions
 * are known (`index`, `annotation`, `isset`, …); the results of all others come from their arguments.
 *
 * The paths are complete: a statement reads nothing else. The structure guard relies on this.
 */
import type {
  BranchNode,
  CommandNode,
  ListNode,
  OperandNode,
  PipeNode,
  StatementNode,
  TreeSet,
  VariableNode,
} from "../go/template/mod.ts";

/** Names starting at the template's root; `*` is any item of a list or map. */
export type DataPath = readonly string[];

/** A branch around a statement. */
export interface Branch {
  readonly node: BranchNode;
  readonly isElse: boolean;
}

export interface StatementFacts {
  readonly node: StatementNode;
  /** The paths that the pipeline reads; the empty path is all of the data. */
  readonly paths: readonly DataPath[];
  /** Whether the result is a whole value in JSON or YAML, as from `toYaml`. */
  readonly isEncoded: boolean;
  readonly functions: readonly string[];
  /** Outermost first. */
  readonly branches: readonly Branch[];
}

/** A reference to a field of the data. */
export interface Reference {
  readonly node: OperandNode;
  readonly path: DataPath;
  /** Whether exactly this path is looked up, and not a path in a function's result. */
  readonly isExact: boolean;
  /** Whether the function that looks it up accepts a missing value. */
  readonly isAsked: boolean;
  /** The statement that contains it. */
  readonly statement: StatementNode;
}

export interface TemplateFacts {
  readonly statements: ReadonlyMap<StatementNode, StatementFacts>;
  readonly references: readonly Reference[];
  /** What functions store in maps that are used elsewhere; any statement may read it. */
  readonly stored: readonly DataPath[];
}

/**
 * What an expression may be. Origins of variables and dots change in one direction only, so that repeated
 * analysis terminates: paths are added, and exact or encoded origins become inexact or unencoded.
 */
interface Origin {
  readonly paths: DataPath[];
  /** Whether it is the value at one of the paths, and not derived from it. */
  isExact: boolean;
  isEncoded: boolean;
}

interface Scope {
  readonly dot: Origin;
  readonly vars: ReadonlyMap<string, Origin>;
  readonly branches: readonly Branch[];
}

const ROOT = (): Origin => ({ paths: [[]], isExact: true, isEncoded: false });
const NOTHING = (): Origin => ({ paths: [], isExact: false, isEncoded: false });

/** The maximum number of paths per variable; beyond it the variable may be anything. */
const MAX_PATHS = 50;
const ANYTHING: DataPath = [];

/** sprig functions that modify their first argument in place, as they do in Go. */
export const MUTATORS: ReadonlySet<string> = new Set([
  "set",
  "unset",
  "merge",
  "mergeOverwrite",
  "mustMerge",
  "mustMergeOverwrite",
  "sortAlpha",
]);

/** Functions whose result is one whole value, with every character of the argument escaped as needed. */
const ENCODERS: ReadonlySet<string> = new Set([
  "quote",
  "toYaml",
  "toJSON",
  "toJson",
  "toJsonMap",
  "toPrettyJson",
  "toRawJson",
  "mustToJson",
  "mustToPrettyJson",
  "mustToRawJson",
  "structToJSON",
  "protoToJSON",
]);

/** Functions that position an encoded value and keep its characters. */
const LAYOUT: ReadonlySet<string> = new Set(["indent", "nindent", "trim"]);

export function templateFacts(trees: TreeSet, main: string): TemplateFacts {
  const reader = new Reader(trees);
  // Repeat until nothing is added: a loop or a call may use what is set further down. Origins only grow,
  // and are bounded.
  do reader.read(main); while (reader.hasGrown);
  return {
    statements: reader.statements,
    references: [...reader.references.values()],
    stored: reader.stored.paths,
  };
}

class Reader {
  readonly #trees: TreeSet;
  readonly statements = new Map<StatementNode, StatementFacts>();
  readonly references = new Map<string, Reference>();
  /** The dots of named templates, over all their callers. */
  readonly #dots = new Map<string, Origin>();
  /** Keyed by the declaring node, so that later rounds know the origins found earlier. */
  readonly #declared = new Map<unknown, Origin>();
  readonly #open = new Set<string>();
  /** What was stored in maps in place. */
  readonly stored = NOTHING();
  /** Whether the last round found a new origin. */
  hasGrown = false;
  #functions: string[] = [];
  #statementNow: StatementNode | undefined;

  constructor(trees: TreeSet) {
    this.#trees = trees;
  }

  read(name: string): void {
    this.hasGrown = false;
    this.#template(name, ROOT());
  }

  /** Extends an origin to cover another one. */
  #widen(into: Origin, other: Origin): void {
    let isWider = union(into, other);
    for (const fact of ["isExact", "isEncoded"] as const) {
      if (!into[fact] || other[fact]) continue;
      into[fact] = false;
      isWider = true;
    }
    if (isWider) this.hasGrown = true;
  }

  #template(name: string, dot: Origin): void {
    const tree = this.#trees.get(name);
    const known = this.#dots.get(name) ?? copyOf(dot);
    this.#widen(known, dot);
    this.#dots.set(name, known);
    if (tree === undefined || this.#open.has(name)) return;
    this.#open.add(name);
    this.#list(tree, { dot: known, vars: new Map([["$", known]]), branches: [] });
    this.#open.delete(name);
  }

  #list(list: ListNode, given: Scope): void {
    const scope = { ...given, vars: new Map(given.vars) };
    for (const node of list.nodes) this.#statement(node, scope);
  }

  #statement(node: StatementNode, scope: Scope & { vars: Map<string, Origin> }): void {
    this.#functions = [];
    this.#statementNow = node;
    const pipe = "pipe" in node ? node.pipe : undefined;
    const inner = { ...scope, vars: new Map(scope.vars) };
    // A variable declared in an action stays in scope; one declared in a branch ends with it.
    const origin = pipe &&
      (node.type === "range"
        ? this.#value(pipe, inner)
        : this.#pipe(pipe, node.type === "action" ? scope : inner));
    this.statements.set(node, {
      node,
      paths: origin?.paths.slice() ?? [],
      isEncoded: origin?.isEncoded ?? false,
      functions: [...new Set(this.#functions)],
      branches: scope.branches,
    });
    switch (node.type) {
      case "if":
      case "with":
      case "range": {
        const items = node.type === "range" ? itemsOf(origin!) : origin!;
        if (node.type === "range") this.#rangeVariables(node, { items, vars: inner.vars });
        const dot = node.type === "if" ? scope.dot : items;
        const within = (isElse: boolean) => [...scope.branches, { node, isElse }];
        this.#list(node.list, { ...inner, dot, branches: within(false) });
        if (node.elseList) this.#list(node.elseList, { ...inner, branches: within(true) });
        break;
      }
      case "template":
        this.#template(node.name, origin ?? NOTHING());
    }
  }

  #rangeVariables(
    { pipe }: BranchNode,
    { items, vars }: { items: Origin; vars: Map<string, Origin> },
  ): void {
    for (const [i, variable] of pipe.decl.entries()) {
      const isIndex = pipe.decl.length > 1 && i === 0;
      const origin = isIndex ? { ...items, isExact: false } : items;
      this.#set(variable, { origin, vars, isAssign: pipe.isAssign });
    }
  }

  #pipe(pipe: PipeNode, scope: Scope & { vars: Map<string, Origin> }): Origin {
    const origin = this.#value(pipe, scope);
    const { vars } = scope;
    for (const variable of pipe.decl) {
      this.#set(variable, { origin, vars, isAssign: pipe.isAssign });
    }
    return origin;
  }

  /** Declares a variable, or assigns to one. */
  #set(
    variable: VariableNode,
    { origin, vars, isAssign }: {
      origin: Origin;
      vars: Map<string, Origin>;
      isAssign: boolean;
    },
  ): void {
    const [name] = variable.ident;
    const known = isAssign ? vars.get(name) : this.#declared.get(variable);
    const own = known ?? copyOf(origin);
    this.#widen(own, origin);
    if (!isAssign) this.#declared.set(variable, own);
    vars.set(name, own);
  }

  #value(pipe: PipeNode, scope: Scope & { vars: Map<string, Origin> }): Origin {
    let value: Origin | undefined;
    for (const command of pipe.cmds) value = this.#command(command, scope, value);
    return value ?? NOTHING();
  }

  #command(
    { args }: CommandNode,
    scope: Scope & { vars: Map<string, Origin> },
    final: Origin | undefined,
  ): Origin {
    const [first, ...rest] = args;
    if (first.type !== "identifier") {
      const value = this.#operand(first, scope);
      if (rest.length === 0 && final === undefined) return value;
      return made([value, ...rest.map((arg) => this.#operand(arg, scope)), final]);
    }
    this.#functions.push(first.ident);
    const keyed = this.#keyed(first.ident, rest, scope);
    if (keyed !== undefined) return final === undefined ? keyed : made([keyed, final]);
    const origins = rest.map((arg) => this.#operand(arg, scope));
    if (final !== undefined) origins.push(final);
    const result = made(origins);
    if (MUTATORS.has(first.ident)) this.#widen(this.stored, result);
    const last = origins.pop();
    result.isEncoded = encodes(first.ident, rest) ||
      // The indentation must be the template's choice.
      (LAYOUT.has(first.ident) && last?.isEncoded === true &&
        origins.every(({ paths }) => paths.length === 0));
    return result;
  }

  /** Analyses functions that look up a name written in the source. */
  #keyed(
    name: string,
    args: readonly OperandNode[],
    scope: Scope & { vars: Map<string, Origin> },
  ): Origin | undefined {
    const form = KEYED.get(name);
    if (form === undefined || args.length < 2) return undefined;
    const [holder, ...others] = args;
    const keys = form === "index" ? others : others.slice(0, 1);
    const rest = form === "index" ? [] : others.slice(1);
    const names = keys.map((key) => key.type === "string" ? key.text : "*");
    for (const key of keys) if (key.type !== "string") this.#operand(key, scope);
    const within = form === "annotation" ? ["Annotations", ...names] : names;
    const base = this.#operand(holder, scope, { isHolder: true });
    const named = base.paths.map((path) => [...path, ...within]);
    for (const path of named) {
      this.#refer(holder, path, { isExact: base.isExact, isAsked: form !== "index" });
    }
    // In a value derived from data, a name is not a path of the data.
    const found = {
      paths: base.isExact ? named : base.paths,
      isExact: base.isExact && form === "index",
      isEncoded: false,
    };
    if (rest.length === 0) return found;
    return made([found, ...rest.map((arg) => this.#operand(arg, scope))]);
  }

  #operand(
    node: OperandNode,
    scope: Scope & { vars: Map<string, Origin> },
    { isHolder = false }: { isHolder?: boolean } = {},
  ): Origin {
    switch (node.type) {
      case "dot":
        return scope.dot;
      case "field":
        return this.#fields(node, scope.dot, { names: node.ident, isHolder });
      case "variable": {
        const [name, ...names] = node.ident;
        const base = name === "$" ? scope.vars.get("$")! : scope.vars.get(name) ?? NOTHING();
        return this.#fields(node, base, { names, isHolder });
      }
      case "chain": {
        const base = this.#operand(node.node, scope);
        return this.#fields(node, base, { names: node.field, isHolder });
      }
      case "pipe":
        return this.#pipe(node, scope);
      case "identifier":
        this.#functions.push(node.ident);
        return NOTHING();
      default:
        return NOTHING();
    }
  }

  #fields(
    node: OperandNode,
    base: Origin,
    { names, isHolder }: { names: readonly string[]; isHolder: boolean },
  ): Origin {
    if (names.length === 0) return base;
    const paths = base.isExact ? base.paths.map((path) => [...path, ...names]) : base.paths;
    for (const path of base.isExact ? paths : []) {
      if (!isHolder) this.#refer(node, path, { isExact: true, isAsked: false });
    }
    return { paths, isExact: base.isExact, isEncoded: false };
  }

  #refer(
    node: OperandNode,
    path: DataPath,
    how: { isExact: boolean; isAsked: boolean },
  ): void {
    const statement = this.#statementNow!;
    this.references.set(`${node.pos} ${path.join("\0")}`, { node, path, statement, ...how });
  }
}

/**
 * The arguments of lookup functions: a map and keys, an object and one of its annotations, or a map and a
 * key.
 */
const KEYED: ReadonlyMap<string, "index" | "annotation" | "key"> = new Map(
  [
    ["index", "index"],
    ["annotation", "annotation"],
    ["isset", "key"],
    ["get", "key"],
    ["hasKey", "key"],
  ] as const,
);

function copyOf(origin: Origin): Origin {
  return { ...origin, paths: origin.paths.slice() };
}

function itemsOf({ paths, isExact }: Origin): Origin {
  return { paths: paths.map((path) => [...path, "*"]), isExact, isEncoded: false };
}

/** Returns the origin of a value made of others. */
function made(origins: readonly (Origin | undefined)[]): Origin {
  const result = NOTHING();
  for (const origin of origins) if (origin !== undefined) union(result, origin);
  return result;
}

/** Templates for Istio up to 1.8 use `printf "%q"` as `quote`. */
function encodes(name: string, [format]: readonly OperandNode[]): boolean {
  return ENCODERS.has(name) ||
    (name === "printf" && format?.type === "string" && format.text === "%q");
}

/** Adds an origin to another; reports whether that changed it. */
function union(into: Origin, other: Origin): boolean {
  if (into.paths[0] === ANYTHING) return false;
  const keys = new Set(into.paths.map((path) => path.join("\0")));
  const added = other.paths.filter((path) => !keys.has(path.join("\0")));
  if (into.paths.length + added.length > MAX_PATHS) {
    into.paths.splice(0, Infinity, ANYTHING);
    into.isExact = false;
  } else into.paths.push(...added);
  return added.length > 0;
}
