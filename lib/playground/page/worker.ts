/**
 * The engine's worker: answers one request at a time. It has no timeout; the page terminates it if
 * it takes too long.
 */
import { sprigFunctions } from "../../go/sprig/mod.ts";
import { createBrowserHost } from "../browser_host.ts";
import { EXAMPLES, shippedTexts } from "../examples.ts";
import { createPlayer } from "../play.ts";
import type { WorkerAnswer, WorkerQuestion, WorkerReady } from "../protocol.ts";

/** The part of the worker's global scope in use; the configured types are those of a page. */
interface Scope {
  onmessage: ((event: MessageEvent<WorkerQuestion>) => void) | null;
  postMessage(message: WorkerReady | WorkerAnswer): void;
}

const scope = self as unknown as Scope;
const play = createPlayer({ sprig: sprigFunctions(createBrowserHost()) });

scope.onmessage = ({ data: { id, request } }) => {
  scope.postMessage({ id, answer: play(request) });
};
scope.postMessage({ examples: EXAMPLES, shipped: shippedTexts() });
