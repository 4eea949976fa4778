/**
 * Limits concurrent requests. Injection blocks the event loop, so requests that are ready take
 * turns, and newly arrived data is read between two turns. A request beyond the limits on count or
 * body size is refused at once: waiting would end in a timeout, and would slow down the others.
 */

import type { Clock } from "../host/mod.ts";

export interface GateLimits {
  /** The maximum number of requests whose headers have arrived and that have no answer yet. */
  readonly maxRequests: number;
  /** The maximum size of all bodies that are being read or waiting for their turn. */
  readonly maxBytes: number;
}

/**
 * Bytes of an ordinary review, at most. Larger ones can take a hundred times as long, so they stand in a line of their own,
 * and a client that sends many of them delays ordinary reviews by one of them at a time. A short review can take as long:
 * after some work it has to go to the end of the long line.
 */
const ORDINARY_BYTES = 128 * 1024;

/** Serves a large review first once in this many turns, so that large reviews do not starve. */
const LARGE_TURN = 16;

export interface Gate {
  /**
   * Admits a request with a body of up to this many bytes; returns `undefined` if the server is
   * full.
   */
  enter(bytes: number): Visit | undefined;
  /** Returns the number of admitted requests. */
  count(): number;
}

export interface Visit {
  /** Whether the request stands in the line of ordinary ones. */
  readonly isOrdinary: boolean;
  /** Resolves when it is this request's turn; after `demoted`, in the line of large ones. */
  turn(place?: "demoted"): Promise<void>;
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
      const isOrdinary = size <= ORDINARY_BYTES;
      return {
        isOrdinary,
        turn(place) {
          const line = isOrdinary && place !== "demoted" ? ordinary : large;
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
