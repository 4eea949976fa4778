/** A worker that sends hostile reviews, so that the client that measures ordinary ones is not held up by them. */

declare const self: Worker;

/** The longest that a webhook configuration may have the API server wait. */
const TIMEOUT_MS = 30_000;

export interface SendOrder {
  readonly url: string;
  readonly body: string;
  /** Clients that send it at the same time. */
  readonly clients: number;
  /** How long they go on; 0 for one review each. */
  readonly milliseconds: number;
}

export interface SendResult {
  readonly milliseconds: readonly number[];
  readonly status: number;
  readonly answer: string;
}

self.onmessage = async ({ data }: MessageEvent<SendOrder>) => {
  const { url, clients, milliseconds } = data;
  const body = new TextEncoder().encode(data.body);
  const tls = { rejectUnauthorized: false };
  const healthz = new URL("/healthz", url).href;
  // The connection is there already, as the API server's are.
  await fetch(healthz, { tls }).then((answer) => answer.text());
  const times: number[] = [];
  let status = 0;
  let answer = "";
  const end = performance.now() + milliseconds;
  postMessage("ready");
  await Promise.all(Array.from({ length: clients }, async () => {
    do {
      const started = performance.now();
      try {
        const response = await fetch(url, {
          method: "POST",
          body,
          tls,
          headers: { "content-type": "application/json" },
          signal: AbortSignal.timeout(TIMEOUT_MS),
        });
        answer = await response.text();
        status = response.status;
      } catch (error) {
        answer = String(error);
        status = 0;
      }
      times.push(performance.now() - started);
    } while (performance.now() < end);
  }));
  postMessage(
    {
      milliseconds: times,
      status,
      answer: answer.slice(0, 4_096) + answer.slice(-4_096),
    } satisfies SendResult,
  );
};
