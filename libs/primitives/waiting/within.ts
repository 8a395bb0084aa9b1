/**
 * Resolves with the result of `work` if it settles in time. The work is not cancelled; a later result is dropped.
 * @throws what the work throws or, after `ms`, the error from `late`
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
