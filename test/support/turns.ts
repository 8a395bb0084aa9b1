/** Milliseconds of CPU that this thread spent in the longest turn of its event loop, from now until `stop`. */
export function watchTurns(): { readonly stop: () => number } {
  let longest = 0;
  let before = process.threadCpuUsage();
  let isOver = false;
  const turn = () => {
    const { user, system } = process.threadCpuUsage(before);
    longest = Math.max(longest, (user + system) / 1_000);
    before = process.threadCpuUsage();
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  return {
    stop: () => {
      isOver = true;
      return longest;
    },
  };
}
