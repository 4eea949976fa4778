/**
 * How much is let in at once. Work on a pod takes the processor for itself, so requests that are ready
 * stand in a line and get a turn each, and between two turns whatever has arrived is read. Who comes
 * when the line is too long, or when bodies would take too much memory, is sent away at once: waiting
 * would end in a timeout anyway, and takes the processor from those who still can be served.
 */

import type { Clock } from "../host/mod.ts";

export interface GateLimits {
  /** Requests between their headers and their answers. */
  readonly maxRequests: number;
  /** Bytes of bodies that are being read or wait for their turn. */
  readonly maxBytes: number;
}

export interface Gate {
  /** Lets a request in that will bring so many bytes; `undefined` where there is no room. */
  enter(bytes: number): Visit | undefined;
  /** Requests that are inside. */
  count(): number;
}

export interface Visit {
  /** Resolves when it is this request's turn. */
  turn(): Promise<void>;
  leave(): void;
}

export function createGate(limits: GateLimits, clock: Pick<Clock, "soon">): Gate {
  let requests = 0;
  let bytes = 0;
  const line: (() => void)[] = [];
  let isCalling = false;

  const callNext = () => {
    line.shift()?.();
    isCalling = line.length > 0;
    if (isCalling) clock.soon(callNext);
  };

  return {
    count: () => requests,
    enter(size) {
      if (requests >= limits.maxRequests || bytes + size > limits.maxBytes) return undefined;
      requests++;
      bytes += size;
      let inside = true;
      return {
        turn() {
          const turn = new Promise<void>((resolve) => line.push(resolve));
          if (!isCalling) clock.soon(callNext);
          isCalling = true;
          return turn;
        },
        leave() {
          if (!inside) return;
          inside = false;
          requests--;
          bytes -= size;
        },
      };
    },
  };
}
