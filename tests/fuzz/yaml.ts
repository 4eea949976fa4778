/**
 * Our YAML reader against sigs.k8s.io/yaml: random texts, or the texts of files, go to both. The values
 * must be equal, and so must the words of the errors. Prints the texts that differ, made small.
 *
 *     node_modules/.bin/bun tests/fuzz/yaml.ts [COUNT] [SEED]
 *     node_modules/.bin/bun tests/fuzz/yaml.ts --files FOLDER...
 */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { equalJson } from "../../lib/data/json.ts";
import { parseYaml, YamlError } from "../../lib/yaml/mod.ts";
import { goProgram } from "../_programs.ts";
import { Random } from "./_random.ts";
import { YamlTexts } from "./_yaml_texts.ts";

interface Answer {
  readonly json?: unknown;
  readonly error?: string;
}

const BATCH = 500;
/** Retries for texts with a random answer: the Go library iterates maps in random order. */
const TRIES = 100;
const SHOWN = 25;
/** Far above what any of these texts takes, even on a busy machine. */
const TOO_LONG_MS = 2000;

const program = await goProgram({
  name: "yaml_go",
  folder: `${import.meta.dirname}/yaml_go`,
  files: ["main.go", "go.mod", "go.sum"],
  cache: "fuzz",
  takes: "seconds",
  advice: "install Go",
}, console.error);
const peer = Bun.spawn([program], { stdin: "pipe", stdout: "pipe", stderr: "inherit" });
const lines = readLines(peer.stdout);

async function ask(texts: readonly string[]): Promise<Answer[]> {
  peer.stdin.write(JSON.stringify(texts) + "\n");
  await peer.stdin.flush();
  const { value, done } = await lines.next();
  if (done) throw new Error("Cannot ask yaml_go: it stopped");
  return JSON.parse(value);
}

async function* readLines(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest: string[] = [];
  for await (const chunk of stream) {
    const parts = decoder.decode(chunk, { stream: true }).split("\n");
    rest.push(parts[0]);
    for (const part of parts.slice(1)) {
      yield rest.join("");
      rest = [part];
    }
  }
}

function ours(text: string): Answer {
  const start = performance.now();
  const answer = read(text);
  const took = performance.now() - start;
  if (took > TOO_LONG_MS) throw new Error(`${took} ms: ${JSON.stringify(text)}`);
  return answer;
}

function read(text: string): Answer {
  try {
    return { json: parseYaml(text) };
  } catch (error) {
    if (error instanceof YamlError) return { error: error.original };
    console.error(JSON.stringify(text));
    throw error;
  }
}

function isSame(a: Answer, b: Answer): boolean {
  if (a.error !== undefined || b.error !== undefined) return a.error === b.error;
  return equalJson(a.json, b.json);
}

/** Returns both answers if they differ on every try. */
async function difference(text: string): Promise<[Answer, Answer] | undefined> {
  const our = ours(text);
  const answers = await ask(Array<string>(TRIES).fill(text));
  return answers.some((answer) => isSame(our, answer)) ? undefined : [our, answers[0]];
}

/** Whether one of the two accepts the text, or both but with different values. */
const kindOf = ([a, b]: readonly [Answer, Answer]) =>
  a.error === undefined
    ? b.error === undefined ? "value" : "accepted"
    : b.error === undefined
    ? "refused"
    : "words";

async function shrink(text: string): Promise<string> {
  let small = text;
  const kind = kindOf((await difference(text))!);
  for (let size = Math.ceil(small.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let at = 0; at < small.length;) {
      const tried = (small.slice(0, at) + small.slice(at + size)).toWellFormed();
      const found = await difference(tried);
      if (found !== undefined && kindOf(found) === kind) small = tried;
      else at += size;
    }
  }
  return small;
}

const counts = { same: 0, value: 0, accepted: 0, refused: 0, words: 0, accepts: 0 };
const shown = new Map<string, number>();

async function compare(texts: readonly string[], names: readonly string[] = []): Promise<void> {
  const answers = await ask(texts);
  for (const [i, text] of texts.entries()) {
    const our = ours(text);
    if (answers[i].error === undefined) counts.accepts++;
    if (isSame(our, answers[i])) {
      counts.same++;
      continue;
    }
    const found = await difference(text);
    if (found === undefined) {
      counts.same++;
      continue;
    }
    const kind = kindOf(found);
    counts[kind]++;
    const shownOfKind = shown.get(kind) ?? 0;
    if (shownOfKind >= SHOWN) continue;
    shown.set(kind, shownOfKind + 1);
    const small = text.length < 5000 ? await shrink(text) : text.slice(0, 300);
    const [a, b] = (await difference(small)) ?? found;
    console.log(`${kind} ${names[i] ?? ""} ${JSON.stringify(small)}`);
    console.log(
      `  ours   ${JSON.stringify(a).slice(0, 300)}\n  theirs ${JSON.stringify(b).slice(0, 300)}`,
    );
  }
}

function filesIn(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path).sort().flatMap((name) => filesIn(join(path, name)));
}

if (process.argv[2] === "--files") {
  const files = process.argv.slice(3).flatMap(filesIn).filter((file) => /\.ya?ml$/.test(file));
  for (let i = 0; i < files.length; i += 50) {
    const some = files.slice(i, i + 50);
    const texts = some.map((file) => readFileSync(file, "utf8"));
    // Each document by itself, too: only the first one of a text is read.
    const documents = texts.flatMap((text) => text.split(/^---$/m).slice(1));
    await compare(texts, some);
    if (documents.length > 0) await compare(documents);
  }
} else {
  const count = Number(process.argv[2] ?? 100_000);
  const random = new Random(Number(process.argv[3] ?? 1));
  const vectors = readFileSync(`${import.meta.dirname}/../vectors/yaml/sigs-yaml.jsonl`, "utf8");
  const samples = vectors.trimEnd().split("\n").map((line) => JSON.parse(line).yaml as string);
  const texts = new YamlTexts(random, samples);
  for (let left = count; left > 0; left -= BATCH) {
    await compare(Array.from({ length: Math.min(BATCH, left) }, () => texts.next()));
  }
}
await peer.stdin.end();
console.log(JSON.stringify(counts));
