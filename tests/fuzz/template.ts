/**
 * Random templates and random text, any number of them, outside of the test run: whatever comes in,
 * a template renders or fails as a template, and in bounded time.
 *
 *     node_modules/.bin/bun tests/fuzz/template.ts [COUNT] [SEED]
 */
import { compileTemplate, type MissingKey, TemplateError } from "../../lib/go/template/mod.ts";
import { sprigFunctions } from "../../lib/go/sprig/mod.ts";
import { DATA, random, randomTemplate } from "../go/_random_template.ts";
import { testSprigHost } from "../go/_sprig_host.ts";

/** Far above what a million steps take, even on a busy machine. */
const TOO_LONG = 20_000;

const count = Number(process.argv[2] ?? 1_000_000);
const seed = Number(process.argv[3] ?? 1);
const next = random(seed);
const functions = sprigFunctions(testSprigHost());
/** Functions that take long on purpose would only measure themselves. */
const names = Object.keys(functions).filter((name) => !/^(gen|derive|bcrypt|htpasswd)/.test(name));
const alphabet = [
  ..."{{}}{{}}--  ..$|()\"'`:=,/*\\n0x1eia\n\r\té🎉\u0000\ufffd",
  "if",
  "end",
  "range",
];

function randomText(): string {
  const length = Math.floor(next() * 60);
  const pick = () => alphabet[Math.floor(next() * alphabet.length)];
  return Array.from({ length }, pick).join("");
}

/** Now and then a built-in is swapped for one of sprig's, whatever its parameters are. */
function withSprig(template: string): string {
  return template.replace(
    /\b(print|html|index|len|not)\b/g,
    (name) => next() < 0.5 ? names[Math.floor(next() * names.length)] : name,
  );
}

let rendered = 0;
let failed = 0;
let slowest = 0;
for (let i = 0; i < count; i++) {
  const { left, right, missingkey, ...sample } = randomTemplate(next, 0.3);
  const kind = next();
  const template = kind < 0.1
    ? randomText()
    : kind < 0.6
    ? withSprig(sample.template)
    : sample.template;
  const start = performance.now();
  try {
    const data = structuredClone(DATA);
    compileTemplate(template, {
      name: "t",
      leftDelim: left,
      rightDelim: right,
      missingKey: missingkey as MissingKey,
      functions,
      limits: { steps: 10_000 },
    }).execute(data);
    rendered++;
  } catch (error) {
    if (
      !(error instanceof TemplateError) ||
      /internal|not a function|undefined is/.test(error.message)
    ) {
      console.error(JSON.stringify({ template, left, right, missingkey }));
      throw error;
    }
    failed++;
  }
  const took = performance.now() - start;
  slowest = Math.max(slowest, took);
  if (took > TOO_LONG) throw new Error(`${took} ms: ${JSON.stringify(template)}`);
}
console.log(
  `${count} templates: ${rendered} rendered, ${failed} refused, slowest ${slowest.toFixed(0)} ms`,
);
