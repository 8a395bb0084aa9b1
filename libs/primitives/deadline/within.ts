/**
 * What some work comes to, where it does so in time. It is not stopped: what it comes to later is nobody's concern.
 * @throws what the work throws, or else, after `ms`, what `late` gives
 */
export async function within<T>(ms: number, work: Promise<T>, late: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), ms);
  });
  try {
    return await Promise.race([work, over]);
  } finally {
    clearTimeout(timer);
  }
}
