export interface Turn {
  /** A time of `performance.now()`. */
  readonly from: number;
  readonly to: number;
  /** CPU of this thread. */
  readonly cpuMs: number;
}

/** Shorter turns are of no interest. */
const LONG_MS = 10;

/** Watches the turns of this thread's event loop, from now until `stop`, which returns the long ones. */
export function watchTurns(): { readonly stop: () => readonly Turn[] } {
  const turns: Turn[] = [];
  let isOver = false;
  let last = process.threadCpuUsage();
  let from = performance.now();
  const look = (): void => {
    const { user, system } = process.threadCpuUsage(last);
    const to = performance.now();
    const cpuMs = (user + system) / 1_000;
    if (cpuMs >= LONG_MS) turns.push({ from, to, cpuMs });
    last = process.threadCpuUsage();
    from = to;
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  return {
    stop: () => {
      isOver = true;
      return turns;
    },
  };
}
