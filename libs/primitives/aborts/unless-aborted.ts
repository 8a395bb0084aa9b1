/** What is awaited, or the signal's reason if it is aborted before. The work goes on, and nobody need handle its error then. */
export async function unlessAborted<Value>(awaited: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason as Error);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([awaited, promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
