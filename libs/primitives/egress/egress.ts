import { Agent, fetch as undiciFetch, type Dispatcher } from 'undici';
import { egressConnector, systemResolver, type Resolve } from './connect.js';
import { EgressFailedError, EgressRefusedError } from './errors.js';

interface EgressOptions {
  /** Addresses that the operator named (of a hub, of providers): their origins may be private or plain HTTP. */
  readonly trusted?: readonly string[];
  /** Limit for connecting. */
  readonly connectMs?: number;
  /** Limit from the request to the response's headers. */
  readonly headersMs?: number;
  /** Limit between two pieces of a response's body. */
  readonly idleMs?: number;
  readonly resolve?: Resolve;
}

/** The way out: all requests to addresses that clients, or other servers by redirects, may have a say in go by one of these. */
export interface Egress {
  /**
   * The global `fetch` with deadlines, restricted to allowed addresses. Follows at most five redirects, none from HTTPS
   * to HTTP; credentials are not sent to another origin.
   * @throws EgressRefusedError, EgressFailedError; the signal's reason when it aborts
   */
  readonly fetch: typeof globalThis.fetch;
  /** Applies the same address check and deadlines to `undici.request`; does not follow redirects. */
  readonly dispatcher: Dispatcher;
  close(): Promise<void>;
}

const MAX_REDIRECTS = 5;
const REDIRECTS = [301, 302, 303, 307, 308];

export function openEgress(options: EgressOptions = {}): Egress {
  const { trusted = [], connectMs = 10_000, headersMs = 30_000, idleMs = 30_000, resolve = systemResolver } = options;
  const origins = new Set(trusted.map((address) => new URL(address).origin));
  const dispatcher = new Agent({
    connect: egressConnector({ trusted: origins, connectMs, resolve }),
    headersTimeout: headersMs,
    bodyTimeout: idleMs,
  });
  const fetch = (async (input: string | URL | Request, init: RequestInit = {}) => {
    if (typeof input !== 'string' && !(input instanceof URL)) throw new TypeError('give an address, not a Request');
    return follow(new URL(input), init, dispatcher);
  }) as typeof globalThis.fetch;
  return { fetch, dispatcher, close: () => dispatcher.destroy() };
}

/** Redirects are followed here, because `fetch` would follow them from HTTPS to HTTP. */
async function follow(address: URL, init: RequestInit, dispatcher: Dispatcher): Promise<Response> {
  let to = address;
  let now: RequestInit = { ...init, headers: new Headers(init.headers), redirect: 'manual' };
  for (let redirects = 0; ; redirects += 1) {
    const response = await once(to, now, dispatcher);
    const location = response.headers.get('location');
    const follows = (init.redirect ?? 'follow') === 'follow';
    if (!follows || location === null || !REDIRECTS.includes(response.status)) return response;
    await response.body?.cancel();
    if (redirects === MAX_REDIRECTS)
      throw new EgressFailedError(`${address.host} redirects more than ${redirects} times`);
    const next = target(to, location);
    now = redirected(now, response.status, next.origin !== to.origin);
    to = next;
  }
}

async function once(address: URL, init: RequestInit, dispatcher: Dispatcher): Promise<Response> {
  try {
    const half = init.body instanceof ReadableStream ? { duplex: 'half' } : {};
    const options = { ...init, ...half, dispatcher } as Parameters<typeof undiciFetch>[1];
    // The types of a browser's response, under which a spec of the console is checked, differ.
    const response: unknown = await undiciFetch(address.href, options);
    return response as Response;
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw asEgressError(error, address.host);
  }
}

function target(from: URL, location: string): URL {
  const to = URL.parse(location, from.href);
  if (to === null || !/^https?:$/.test(to.protocol))
    throw new EgressRefusedError(`${from.host} redirects to what is no web address`);
  if (from.protocol === 'https:' && to.protocol === 'http:')
    throw new EgressRefusedError(`${from.host} redirects from HTTPS to plain HTTP at ${to.host}`);
  return to;
}

/** The request that follows a redirect (Fetch standard, HTTP-redirect fetch). */
function redirected(init: RequestInit, status: number, elsewhere: boolean): RequestInit {
  const headers = new Headers(init.headers);
  if (elsewhere) for (const name of ['authorization', 'cookie', 'proxy-authorization']) headers.delete(name);
  const method = (init.method ?? 'GET').toUpperCase();
  const becomesGet = status === 303 ? method !== 'HEAD' : status <= 302 && method === 'POST';
  if (!becomesGet) {
    if (init.body instanceof ReadableStream) throw new EgressFailedError('a streamed upload was redirected');
    return { ...init, headers };
  }
  for (const name of ['content-type', 'content-length', 'content-encoding']) headers.delete(name);
  const { body: _, ...rest } = init;
  return { ...rest, method: 'GET', headers };
}

/** Describes a failed request by its host alone: paths and queries may contain secrets. */
export function asEgressError(error: unknown, host: string): Error {
  let code: string | undefined;
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof EgressRefusedError || cause instanceof EgressFailedError) return cause;
    // The innermost cause with a code: outer errors may have none.
    code = (cause as NodeJS.ErrnoException).code ?? code;
  }
  return new EgressFailedError(`${host} did not answer${code === undefined ? '' : ` (${code})`}`);
}
