const waiting: (() => void)[] = [];

/**
 * Resolves in a later turn of the event loop, one caller in each: so that steps of a few milliseconds, of however many
 * requests, let timers and connections in between.
 */
export const ownTurn = (): Promise<void> =>
  new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(next);
  });

function next(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(next);
}
