/** Returns what a call returns, or the message of the error it throws. */
export function outcome(call: () => unknown): unknown {
  try {
    return call();
  } catch (error) {
    return (error as Error).message;
  }
}
