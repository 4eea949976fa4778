/** Random YAML: from a grammar, from pieces in any order, and well-formed texts with small changes. */
import type { Random } from "./_random.ts";

const PIECES = [
  ..."aab1 \n\n\n:-?[]{},#&*!|>'\"%@`\\~.=<+",
  ...": ;- ;? ;: ;- ;\n  ;\n    ;\n ;, ;  ; # c;\t;\n- ;a: ;b: ;k:\n  ;'s';\"t\";\\n;\\x41;\\q;\\u00e9"
    .split(";"),
  ...[
    "&x ",
    "&y",
    "*x",
    "*y ",
    "!",
    "! ",
    "!!str ",
    "!!int ",
    "!!binary ",
    "!a!b ",
    "!<x> ",
    "!%41 ",
  ],
  ...[
    "|",
    ">",
    "|\n  ",
    ">-\n ",
    "|+\n",
    "|2\n",
    ">1-\n",
    "---",
    "--- ",
    "\n---\n",
    "...\n",
    "\n...\n",
  ],
  ...[
    "%YAML 1.1\n",
    "%TAG !a! b\n",
    "%FOO\n",
    "<<: ",
    "<<",
    "~",
    "null",
    "on",
    "1.5",
    "0x1F",
    ".inf",
  ],
  ...[".nan", "2001-01-01", "1e6", "18446744073709551615", "é", "😀", "\u2028", "\x85", "\ufeff"],
  ...["\r\n", "\r", "aGk=", "''", '""', "[]", "{}", "[a]", "{a: b}"],
];
const RARE = ["\x01", "\x7f", "\ufffe", "\x00"];

const SCALARS = [
  ..."a b c d k x y n ~ - ? : 1 0 -1".split(" "),
  ..."on off true null 1.5 1e3 0x1F 010 0b11 1_0 .5 .inf -.inf .nan 12:30 2001-01-01".split(" "),
  ..."a-b a:b a#b a?b http://x/y?z=1 'q' 'it''s' \"d\" \"\\t\\u00e9\" é 😀 a,b [x] {x:1} << ="
    .split(" "),
  ...[
    "a b",
    "'a b'",
    '"a\\\n  b"',
    '"a\n  b"',
    "'a\n\n  b'",
    "",
    "''",
    '"a\u2028b"',
    "a\u2028b",
    "a\n  b",
  ],
  ...[
    "18446744073709551615",
    "9223372036854775808",
    "123456789.125",
    "1e400",
    "0777",
    "08",
    "!!int",
  ],
];
const TAGS = [
  "!!str",
  "!!int",
  "!!float",
  "!!bool",
  "!!null",
  "!!binary",
  "!!timestamp",
  "!",
  "!x",
  "!!set",
];

export class YamlTexts {
  readonly #random: Random;
  readonly #samples: readonly string[];

  constructor(random: Random, samples: readonly string[]) {
    this.#random = random;
    this.#samples = samples;
  }

  next(): string {
    const kind = this.#random.next();
    if (kind < 0.35) return this.#soup();
    if (kind < 0.7 || this.#samples.length === 0) return this.#change(this.#document());
    if (kind < 0.8) return this.#document();
    return this.#change(this.#random.pick(this.#samples));
  }

  #soup(): string {
    const random = this.#random;
    const count = random.int(1, random.chance(0.1) ? 60 : 12);
    return Array.from({ length: count }, () => this.#piece()).join("");
  }

  #piece(): string {
    return this.#random.pick(this.#random.chance(0.003) ? RARE : PIECES);
  }

  /** One to three small changes, or none. */
  #change(text: string): string {
    const random = this.#random;
    let changed = text;
    for (let left = random.int(0, 3); left > 0; left--) {
      const at = random.int(0, changed.length);
      const removed = random.chance(0.5) ? random.int(0, 3) : 0;
      const added = random.chance(0.7) ? this.#piece() : "";
      changed = changed.slice(0, at) + added + changed.slice(at + removed);
    }
    return changed.toWellFormed();
  }

  #document(): string {
    const random = this.#random;
    const head = random.chance(0.1)
      ? random.pick(["---\n", "--- ", "# c\n", "%YAML 1.1\n---\n"])
      : "";
    const body = this.#block(0, random.int(0, 4));
    const tail = random.chance(0.1)
      ? random.pick(["---\nb\n", "...\n", "# c\n", "--- x", "x\n"])
      : "";
    return head + body + tail;
  }

  /** A node on lines of its own. */
  #block(indent: number, depth: number): string {
    const random = this.#random;
    const pad = " ".repeat(indent);
    if (depth <= 0 || random.chance(0.2)) return `${pad}${this.#scalar(indent)}\n`;
    const isList = random.chance(0.35);
    let text = "";
    for (let left = random.int(1, 4); left > 0; left--) {
      if (random.chance(0.04)) text += random.pick(["\n", "# c\n", `${pad}# c\n`, "  \n", "\t\n"]);
      const head = isList ? "-" : this.#key();
      text += pad + head + this.#value(indent, depth - 1, isList);
    }
    return text;
  }

  #key(): string {
    const random = this.#random;
    if (random.chance(0.03)) return "<<:";
    if (random.chance(0.03)) return `? ${random.pick(SCALARS)}\n:`;
    const scalar = random.chance(0.8) ? random.pick([..."abckxyz"]) : random.pick(SCALARS);
    return `${random.chance(0.05) ? this.#properties() : ""}${scalar}:`;
  }

  #value(indent: number, depth: number, inList: boolean): string {
    const random = this.#random;
    const properties = random.chance(0.1) ? ` ${this.#properties().trimEnd()}` : "";
    if (depth > 0 && random.chance(0.6)) {
      if (inList && random.chance(0.6)) return ` ${this.#block(indent + 2, depth).trimStart()}`;
      const deeper = indent + random.pick([0, 1, 2, 2, 2, 4]);
      return `${properties}${random.chance(0.1) ? " # c" : ""}\n${this.#block(deeper, depth)}`;
    }
    if (random.chance(0.15)) return `${properties} ${this.#blockScalar(indent)}`;
    if (random.chance(0.1)) return `${properties}\n`;
    const comment = random.chance(0.08) ? random.pick([" # c", "# c", "\t# c", " #"]) : "";
    return `${properties} ${this.#inline(indent, depth)}${comment}\n`;
  }

  #inline(indent: number, depth: number): string {
    return this.#random.chance(0.3) ? this.#flow(depth + 2) : this.#scalar(indent);
  }

  #scalar(indent: number): string {
    const random = this.#random;
    if (random.chance(0.04)) return random.pick(["*x", "*y", "*x ", "*z"]);
    const text = random.pick(SCALARS);
    return (random.chance(0.07) ? this.#properties() : "") +
      text.replaceAll("\n  ", `\n${" ".repeat(indent + random.int(0, 3))}`);
  }

  #properties(): string {
    const random = this.#random;
    const anchor = random.chance(0.6) ? `&${random.pick(["x", "y", "z"])} ` : "";
    const tag = random.chance(0.5) ? `${random.pick(TAGS)} ` : "";
    return random.chance(0.8) ? anchor + tag : tag + anchor;
  }

  #flow(depth: number): string {
    const random = this.#random;
    if (depth <= 0 || random.chance(0.4)) return this.#scalar(2);
    const gap = random.pick(["", " ", " ", " ", "\n ", "\n"]);
    const isMap = random.chance(0.5);
    const items = Array.from({ length: random.int(0, 4) }, () => {
      if (!isMap && random.chance(0.85)) return this.#flow(depth - 1);
      const colon = random.pick([": ", ": ", ": ", ":", " :", " : ", "", "? "]);
      if (colon === "? ") return `? ${this.#flow(depth - 1)}${random.pick(["", " : b"])}`;
      return this.#flow(random.chance(0.1) ? 1 : 0) + colon + this.#flow(depth - 1);
    });
    const text = items.join(`,${gap}`) + (random.chance(0.1) ? "," : "");
    return isMap ? `{${text}}` : `[${text}]`;
  }

  #blockScalar(indent: number): string {
    const random = this.#random;
    const header = random.pick(["|", ">"]) + random.pick(["", "", "-", "+", "2", "-1", "1+"]);
    const pad = " ".repeat(indent + random.int(1, 3));
    const lines = Array.from({ length: random.int(0, 5) }, () => {
      const line = random.pick(["a", "b c", " d", "", "", "  ", "# e", "\tf", "é", "- g", "x: y"]);
      return random.chance(0.1) ? line : pad + line;
    });
    return `${header}\n${lines.join("\n")}\n`;
  }
}
