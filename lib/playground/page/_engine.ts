/**
 * Runs the engine in a worker that handles one request at a time. While it is busy, only the newest
 * request waits. A worker that takes too long is terminated and replaced, so no template can block
 * the page.
 */
import type {
  PlayAnswer,
  PlayRequest,
  WorkerAnswer,
  WorkerQuestion,
  WorkerReady,
} from "../protocol.ts";

/** The time limit of a request, which normally takes tens of milliseconds. */
const DEADLINE_MS = 3000;

/** The time limit of a worker's first request, which runs cold code. */
const FIRST_MS = 10_000;

export interface EngineHandlers {
  onReady(ready: WorkerReady): void;
  onAnswer(answer: PlayAnswer, request: PlayRequest): void;
  /** Called when a request exceeds its time limit. */
  onLate(milliseconds: number): void;
  /** Called when the worker itself fails. */
  onBroken(message: string): void;
}

export class Engine {
  readonly #handlers: EngineHandlers;
  #worker: Worker | undefined;
  #isReady = false;
  #isWarm = false;
  #id = 0;
  #asked: PlayRequest | undefined;
  #waiting: PlayRequest | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(handlers: EngineHandlers) {
    this.#handlers = handlers;
    this.#start();
  }

  ask(request: PlayRequest): void {
    this.#waiting = request;
    this.#next();
  }

  #start(): void {
    this.#isReady = false;
    this.#isWarm = false;
    const worker = new Worker("worker.js", { type: "module", name: "engine" });
    worker.onmessage = ({ data }: MessageEvent<WorkerReady | WorkerAnswer>) => {
      if (this.#worker !== worker) return;
      if ("answer" in data) {
        this.#answered(data);
      } else {
        this.#isReady = true;
        this.#handlers.onReady(data);
        this.#next();
      }
    };
    worker.onerror = (event) => {
      event.preventDefault();
      if (this.#worker !== worker) return;
      this.#end();
      this.#handlers.onBroken(event.message || "it could not be loaded");
    };
    this.#worker = worker;
  }

  #end(): void {
    clearTimeout(this.#timer);
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#asked = undefined;
  }

  #next(): void {
    if (this.#worker === undefined) this.#start();
    if (!this.#isReady || this.#asked !== undefined || this.#waiting === undefined) return;
    const request = this.#waiting;
    this.#asked = request;
    this.#waiting = undefined;
    const question: WorkerQuestion = { id: ++this.#id, request };
    this.#worker?.postMessage(question);
    const deadline = this.#isWarm ? DEADLINE_MS : FIRST_MS;
    this.#timer = setTimeout(() => {
      this.#end();
      this.#handlers.onLate(deadline);
      this.#start();
    }, deadline);
  }

  #answered({ id, answer }: WorkerAnswer): void {
    const request = this.#asked;
    if (id !== this.#id || request === undefined) return;
    clearTimeout(this.#timer);
    this.#asked = undefined;
    this.#isWarm = true;
    this.#handlers.onAnswer(answer, request);
    this.#next();
  }
}
