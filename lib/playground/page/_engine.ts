/**
 * The engine as the page sees it: a worker that is asked one question at a time. A question that comes while
 * another is being answered waits, and only the newest one waits. A worker that takes too long is ended and
 * another started, so that no template can stop the page.
 */
import type {
  PlayAnswer,
  PlayRequest,
  WorkerAnswer,
  WorkerQuestion,
  WorkerReady,
} from "../protocol.ts";

/** Answers take tens of milliseconds; whoever waits this long has written an endless template. */
const DEADLINE_MS = 3000;

/** A thread's first answer is slow: its code has never run before. */
const FIRST_MS = 10_000;

export interface EngineHandlers {
  onReady(ready: WorkerReady): void;
  onAnswer(answer: PlayAnswer, request: PlayRequest): void;
  /** No answer in time. */
  onLate(milliseconds: number): void;
  /** The thread itself failed. */
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
