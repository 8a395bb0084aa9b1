/** The longest turn of this thread's event loop while something goes on elsewhere, in milliseconds of its CPU. */
export async function longestTurnDuring<T>(work: Promise<T>): Promise<{ readonly ms: number; readonly result: T }> {
  let longest = 0;
  let isOver = false;
  let last = process.threadCpuUsage();
  const look = (): void => {
    const { user, system } = process.threadCpuUsage(last);
    longest = Math.max(longest, user + system);
    last = process.threadCpuUsage();
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  const result = await work.finally(() => (isOver = true));
  await new Promise(setImmediate);
  return { ms: longest / 1000, result };
}
