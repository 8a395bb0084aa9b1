/**
 * Resolves with the awaited value, or throws the signal's reason once it aborts. The work continues, and its error is
 * ignored.
 */
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
