/** Runs Istio's injector as a child process with a line protocol (see ../bench/peer). */
import type { Subprocess } from "bun";
import type { Json } from "./_containers.ts";

/** One pod, and everything that its injection depends on. */
export interface Question {
  /** Path of a settings folder. */
  readonly settings: string;
  readonly env: Readonly<Record<string, string>>;
  /** Kubelet versions of node-1, node-2, … */
  readonly nodes: readonly string[];
  readonly path: string;
  readonly namespace: string;
  readonly pod: Json;
}

export interface PeerAnswer {
  readonly status?: number;
  readonly body?: string;
  readonly panic?: string;
  /** Why the settings can't be used. */
  readonly error?: string;
}

export class Peer {
  readonly #process: Subprocess<"pipe", "pipe", "inherit">;
  readonly #lines: AsyncGenerator<string>;

  constructor(program: string) {
    this.#process = Bun.spawn([program, "-stdin"], {
      stdin: "pipe",
      stdout: "pipe",
      stderr: "inherit",
    });
    this.#lines = linesOf(this.#process.stdout);
  }

  /** The pods as Go encodes them; where it can't decode one, as it is. */
  async encode(pods: readonly Json[]): Promise<Json[]> {
    const answers = await this.#ask(pods.map((pod) => ({ encode: pod })));
    return answers.map(({ status, body }, i) => status === 200 ? JSON.parse(body ?? "") : pods[i]);
  }

  inject(questions: readonly Question[]): Promise<PeerAnswer[]> {
    return this.#ask(questions.map((question) => ({
      settings: question.settings,
      nodes: question.nodes.join(","),
      env: question.env,
      path: question.path,
      review: {
        kind: "AdmissionReview",
        apiVersion: "admission.k8s.io/v1",
        request: { uid: "u", namespace: question.namespace, object: question.pod },
      },
    })));
  }

  async close(): Promise<void> {
    await this.#process.stdin.end();
    await this.#process.exited;
  }

  async #ask(rows: readonly unknown[]): Promise<PeerAnswer[]> {
    const answers: PeerAnswer[] = [];
    // A pipe holds little: questions are few at a time, so that neither side waits for the other.
    for (let i = 0; i < rows.length; i += 8) {
      const some = rows.slice(i, i + 8);
      this.#process.stdin.write(some.map((row) => JSON.stringify(row) + "\n").join(""));
      await this.#process.stdin.flush();
      for (const _ of some) {
        const { value, done } = await this.#lines.next();
        if (done) throw new Error("Cannot ask the peer: it stopped");
        answers.push(JSON.parse(value));
      }
    }
    return answers;
  }
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop()!;
    yield* lines;
  }
}
