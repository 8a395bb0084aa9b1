const WATCH_MS = 500;

/** Runs something when this process is asked to end, or when the npm that started it has: npm passes no signal on. */
export function onInterrupt(end: () => void): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end);
  const parent = process.ppid;
  if (process.env.npm_lifecycle_event === undefined) return;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    end();
  }, WATCH_MS);
  watch.unref();
}
