/** Milliseconds of CPU that this thread spent in each turn of its event loop, from now until `stop`. */
export function watchTurns(): { readonly stop: () => readonly number[] } {
  const turns: number[] = [];
  let before = process.threadCpuUsage();
  let isOver = false;
  const turn = () => {
    const { user, system } = process.threadCpuUsage(before);
    turns.push((user + system) / 1_000);
    before = process.threadCpuUsage();
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  return {
    stop: () => {
      isOver = true;
      return turns;
    },
  };
}
