/**
 * The engine's thread: questions in, answers out, one at a time. It keeps no clock of its own; who asks ends
 * the thread when an answer takes too long.
 */
import { sprigFunctions } from "../../go/sprig/mod.ts";
import { createBrowserHost } from "../browser_host.ts";
import { EXAMPLES, shippedTexts } from "../examples.ts";
import { createPlayer } from "../play.ts";
import type { WorkerAnswer, WorkerQuestion, WorkerReady } from "../protocol.ts";

/** The part of a worker's global scope that is used; the types at hand are those of a page. */
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
