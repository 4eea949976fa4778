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

/**
 * Bytes of an ordinary review, at most. Larger ones can take a hundred times as long, so they stand in a line of their own,
 * and whoever sends many of them delays ordinary reviews by one of them at a time.
 */
const ORDINARY_BYTES = 128 * 1024;

/** Every so many turns, a larger review comes first: its sender waits for an answer too. */
const LARGE_TURN = 16;

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
  const ordinary: (() => void)[] = [];
  const large: (() => void)[] = [];
  let turns = 0;
  let isCalling = false;

  const callNext = () => {
    const isLargeTurn = ordinary.length === 0 || ++turns % LARGE_TURN === 0;
    const line = isLargeTurn && large.length > 0 ? large : ordinary;
    line.shift()?.();
    isCalling = ordinary.length + large.length > 0;
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
          const line = size > ORDINARY_BYTES ? large : ordinary;
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
