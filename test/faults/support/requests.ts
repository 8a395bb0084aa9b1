/** The outcome of one request, as its client knows it. */
export type Outcome = Answered | Broken;

/** The server said what became of it. */
export interface Answered {
  readonly kind: 'answered';
  readonly status: number;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- each test says what it expects of it
  readonly body: any;
  readonly seconds: number;
}

/** No answer: the request took effect fully or not at all. */
export interface Broken {
  readonly kind: 'broken';
  readonly reason: string;
  readonly seconds: number;
}

/** Limit for any request; the API's longest deadline is 60 s. */
const HANGS_AFTER_MS = 150_000;

/** Sends one JSON request, without retries. @param key an API key or a session token @throws Error when it hangs */
export async function ask(url: string, key: string, method: string, path: string, body?: unknown): Promise<Outcome> {
  const start = performance.now();
  const seconds = () => (performance.now() - start) / 1_000;
  try {
    const response = await fetch(url + path, {
      method,
      signal: AbortSignal.timeout(HANGS_AFTER_MS),
      headers: { authorization: `Bearer ${key}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const { status } = response;
    return { kind: 'answered', status, body: await response.json(), seconds: seconds() };
  } catch (error) {
    const { name, message, cause } = error as Error;
    if (name === 'TimeoutError') throw new Error(`${method} ${path} hangs`, { cause: error });
    return {
      kind: 'broken',
      reason: `${message} (${String((cause as Error | undefined)?.message)})`,
      seconds: seconds(),
    };
  }
}
