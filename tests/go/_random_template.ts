/** Random templates, most of them well-formed, and data for them. */

/** A small random number generator (mulberry32). Its seed reproduces a failure. */
export function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

export const DATA = {
  s: "str",
  e: "",
  u: "héllo 世界",
  n: 5,
  z: 0,
  f: 1.5,
  big: 1234567,
  t: true,
  no: false,
  nil: null,
  l: [1, "two", null, { a: "A" }],
  sl: ["x", "y"],
  el: [],
  m: { a: 1, b: { c: "deep", n: null }, "10": "ten", "9": "nine" },
  em: {},
  "__proto__x": 1,
};

const NAMES = ["s", "e", "u", "n", "z", "f", "big", "t", "no", "nil", "l", "sl", "el", "m", "em"];
const FIELDS = ["a", "b", "c", "n", "missing", "constructor", "toString", "__proto__", "é"];
const LITERALS = [
  "1",
  "0",
  "-3",
  "1.5",
  "1e3",
  "0x1F",
  "010",
  "0b11",
  "1_000",
  "'a'",
  '"q"',
  '""',
  "`raw`",
  "true",
  "false",
  "nil",
  "2i",
  '"é\\n\\x41"',
  "9223372036854775807",
  "9223372036854775808",
  "1.0",
  "'\\n'",
];
const FUNCTIONS = [
  "and",
  "or",
  "not",
  "eq",
  "ne",
  "lt",
  "le",
  "gt",
  "ge",
  "index",
  "slice",
  "len",
  "print",
  "printf",
  "println",
  "html",
  "js",
  "urlquery",
  "call",
];
const FORMATS = [
  '"%v"',
  '"%s"',
  '"%d"',
  '"%q"',
  '"%5.2f|%x"',
  '"%T %v"',
  '"%[2]v %[1]v"',
  '"%%"',
  '"%+v %#v"',
];

export interface RandomTemplate {
  readonly template: string;
  readonly left: string;
  readonly right: string;
  readonly missingkey: string;
}

/** Returns a random template. `broken` is the probability of damage to it. */
export function randomTemplate(next: () => number, broken = 0.15): RandomTemplate {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)];
  const chance = (p: number) => next() < p;
  const [left, right] = pick([["{{", "}}"], ["{{", "}}"], ["[[", "]]"], ["<%", "%>"]] as const);
  const variables = ["$"];
  const tame = chance(0.5);
  let callable = 0;

  const field = (): string => {
    let text = `.${pick(NAMES)}`;
    while (chance(0.3)) text += `.${pick(FIELDS)}`;
    return text;
  };
  const operand = (depth: number): string => {
    const r = next();
    if (r < 0.4) return field();
    if (r < 0.6) return pick(LITERALS);
    if (r < 0.7) return pick(variables) + (chance(0.3) ? `.${pick(FIELDS)}` : "");
    if (r < 0.75) return ".";
    if (depth > 0) return `(${pipeline(depth - 1)})${chance(0.15) ? `.${pick(FIELDS)}` : ""}`;
    return field();
  };
  const command = (depth: number): string => {
    if (tame) return tameCommand(depth);
    if (chance(0.45)) return operand(depth) + (chance(0.05) ? ` ${operand(depth)}` : "");
    const name = pick(FUNCTIONS);
    const args = Array.from({ length: Math.floor(next() * 3.5) }, () => operand(depth));
    if (name === "printf" && chance(0.9)) args.unshift(pick(FORMATS));
    return [name, ...args].join(" ");
  };
  /** Returns a command that rarely fails, so that many templates are executed to the end. */
  const tameCommand = (depth: number): string => {
    const r = next();
    const name = () => `.${pick(NAMES)}`;
    if (r < 0.4) return name();
    if (r < 0.5) return pick(LITERALS.filter((text) => text !== "nil" && text.length < 18));
    if (r < 0.6 || depth <= 0) return `print ${name()} ${name()}`;
    if (r < 0.65) return `printf ${pick(FORMATS)} ${name()} ${name()}`;
    if (r < 0.75) return `${pick(["and", "or", "not"])} (${tameCommand(depth - 1)})`;
    if (r < 0.8) return `len ${pick([".s", ".l", ".m", ".u", ".el"])}`;
    if (r < 0.9) return `${pick(["eq", "ne", "lt", "ge"])} .s (${pick([".u", ".e", "print .n"])})`;
    return `index ${pick(['.m "a"', ".l 1", '.m "b" "c"', ".sl 0"])}`;
  };
  const pipeline = (depth: number): string => {
    let text = command(depth);
    if (tame && chance(0.2)) text += ` | ${pick(["print", "html", "not", 'printf "%v-%T" .s'])}`;
    while (!tame && chance(0.2)) text += ` | ${command(depth)}`;
    return text;
  };
  const action = (text: string): string => {
    const open = chance(0.15) ? `${left}- ` : left + (chance(0.5) ? " " : "");
    const close = chance(0.15) ? ` -${right}` : (chance(0.5) ? " " : "") + right;
    return open + text + close;
  };
  const list = (depth: number, inRange: boolean): string => {
    const mark = variables.length;
    let text = "";
    for (let i = Math.floor(next() * 4); i >= 0; i--) text += statement(depth, inRange);
    variables.length = mark;
    return text;
  };
  const branch = (word: string, depth: number, inRange: boolean): string => {
    const mark = variables.length;
    let head = pipeline(depth);
    if (chance(0.3)) {
      const name = `$v${variables.length}`;
      if (word === "range" && chance(0.5)) {
        head = `$i${variables.length}, ${name} := ${head}`;
        variables.push(`$i${variables.length}`);
      } else head = `${name} := ${head}`;
      variables.push(name);
    }
    let text = action(`${word} ${head}`) + list(depth - 1, inRange || word === "range");
    if (chance(0.2) && word !== "range") {
      text += action(`else ${word} ${pipeline(depth)}`) + list(depth - 1, inRange);
    }
    if (chance(0.3)) text += action("else") + list(depth - 1, inRange);
    variables.length = mark;
    return text + action("end");
  };
  const statement = (depth: number, inRange: boolean): string => {
    const r = next();
    if (r < 0.3) return pick(["text", " ", "\n", " a \n b ", "é", "}", "{ {", "-"]);
    if (r < 0.65 || depth <= 0) return action(pipeline(2));
    if (r < 0.72) {
      const name = `$v${variables.length}`;
      const text = action(`${name} := ${pipeline(1)}`);
      variables.push(name);
      return text;
    }
    if (r < 0.75 && variables.length > 1) return action(`${variables.at(-1)} = ${pipeline(1)}`);
    if (r < 0.78) return action("/* comment */");
    if (r < 0.81) {
      // Call only later templates. With two calls in a recursive template, Go would run forever,
      // too.
      const name = `t${callable + Math.floor(next() * (4 - callable))}`;
      return action(`template "${name}"${chance(0.6) ? ` ${pipeline(1)}` : ""}`);
    }
    if (r < 0.84 && inRange) return action(pick(["break", "continue"]));
    return branch(pick(["if", "with", "range"]), depth, inRange);
  };

  let text = "";
  for (let i = 0; i < 3; i++) {
    callable = i + 1;
    if (chance(0.25)) text += action(`define "t${i}"`) + list(1, false) + action("end");
  }
  callable = 4;
  if (chance(0.05)) text += action(`block "t3" ${operand(1)}`) + list(1, false) + action("end");
  callable = 0;
  text += list(2, false);
  if (chance(broken)) {
    const at = Math.floor(next() * text.length);
    const damage = pick([
      "",
      "(",
      ")",
      "|",
      "$x",
      '"',
      "'",
      "`",
      "{{",
      "}}",
      "end",
      ".",
      ":=",
      ",",
      "\n",
      "\u0001",
      "$",
      "-",
      "1a",
      "🎉",
    ]);
    text = text.slice(0, at) + damage + text.slice(at + Math.floor(next() * 4));
  }
  return { template: text, left, right, missingkey: pick(["default", "default", "zero", "error"]) };
}
