import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request, type Dispatcher } from 'undici';
import { egressConnector, systemResolver } from '#egress/connect.js';
import { HostedModelError } from './port.js';
import type { Provider } from './providers.js';
import { refusalOf, senseless } from './upstream-errors.js';

/** An answer that has begun with status 200. */
export interface UpstreamAnswer {
  readonly contentType: string;
  /** At most as many bytes as the provider may send. Leaving it early cancels the request. @throws HostedModelError */
  readonly body: AsyncIterable<Uint8Array>;
}

const MOST_ERROR_BYTES = 64 * 1024;
const FIRST_PAUSE_MS = 250;
/** Whoever wants a longer pause is told to the caller, who waits better than we do. */
const LONGEST_PAUSE_MS = 2_000;

/** Requests to one provider, on connections that are kept. */
export class Upstream {
  private readonly agent: Agent;
  private readonly closing = new AbortController();

  constructor(private readonly provider: Provider) {
    const { baseUrl, connectMs, firstByteMs, mostConnections } = provider;
    this.agent = new Agent({
      connections: mostConnections,
      keepAliveTimeout: 60_000,
      headersTimeout: firstByteMs,
      bodyTimeout: firstByteMs,
      // The operator named this host: it may be a private one. No redirect is followed.
      connect: egressConnector({ trusted: new Set([new URL(baseUrl).origin]), connectMs, resolve: systemResolver }),
    });
  }

  /**
   * Sends a request and gives the answer once that has begun. What fails before is tried again, where that makes sense.
   * @param signal aborting cancels it, also while the body is read
   * @throws HostedModelError
   */
  async post(path: string, body: string, signal: AbortSignal | undefined): Promise<UpstreamAnswer> {
    const deadline = AbortSignal.timeout(this.provider.totalMs);
    const aborted = AbortSignal.any([deadline, this.closing.signal, ...(signal ? [signal] : [])]);
    const fail = (error: unknown) => this.errorOf(error, deadline, signal);
    try {
      const response = await this.begin(path, body, aborted);
      // Destroyed when it is left early, which undici calls an error.
      response.body.on('error', () => undefined);
      const contentType = String(response.headers['content-type'] ?? '').toLowerCase();
      return { contentType, body: bounded(response.body, this.provider, fail) };
    } catch (error) {
      throw fail(error);
    }
  }

  async close(): Promise<void> {
    this.closing.abort();
    await this.agent.destroy();
  }

  private async begin(path: string, body: string, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    for (let tries = 0; ; tries += 1) {
      try {
        return await this.send(path, body, signal);
      } catch (error) {
        if (signal.aborted || tries >= this.provider.mostRetries || !isWorthRetrying(error)) throw error;
        const asked = error instanceof HostedModelError ? (error.details.retryAfterSeconds ?? 0) * 1_000 : 0;
        if (asked > LONGEST_PAUSE_MS) throw error;
        // Full jitter: those that failed together do not come back together.
        const pause = Math.min(FIRST_PAUSE_MS * 2 ** tries, LONGEST_PAUSE_MS) * Math.random();
        await sleep(Math.max(asked, pause), undefined, { signal });
      }
    }
  }

  private async send(path: string, body: string, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    const { baseUrl, key, headers } = this.provider;
    const response = await request(baseUrl + path, {
      method: 'POST',
      dispatcher: this.agent,
      headers: {
        accept: 'text/event-stream, application/json',
        'content-type': 'application/json',
        ...(key !== null && { authorization: `Bearer ${key}` }),
        ...headers,
      },
      body,
      signal,
    });
    if (response.statusCode === 200) return response;
    const said = await beginningOf(response.body);
    const retryAfter = response.headers['retry-after'];
    throw refusalOf(this.provider, response.statusCode, typeof retryAfter === 'string' ? retryAfter : null, said);
  }

  private errorOf(error: unknown, deadline: AbortSignal, caller: AbortSignal | undefined): HostedModelError {
    if (error instanceof HostedModelError) return error;
    const { name } = this.provider;
    if (caller?.aborted) return new HostedModelError('cancelled', 'the caller has gone', {}, { cause: error });
    const late = deadline.aborted || LATE.has((error as { code?: string }).code ?? '');
    if (late)
      return new HostedModelError('timeout', `the provider ${name} did not answer in time`, {}, { cause: error });
    if (this.closing.signal.aborted) return senseless(this.provider, 'was left: this server is closing', error);
    return senseless(this.provider, 'cannot be reached, or broke off; try again', error);
  }
}

/** undici's own deadlines. */
const LATE = new Set(['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);

/** Nothing of an answer was there yet. A first byte that did not come in time is not waited for a second time. */
function isWorthRetrying(error: unknown): boolean {
  if (error instanceof HostedModelError)
    return (error.details.upstreamStatus ?? 0) >= 500 || error.kind === 'saturated';
  return !['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'].includes((error as { code?: string }).code ?? '');
}

async function* bounded(
  body: AsyncIterable<Uint8Array>,
  provider: Provider,
  fail: (error: unknown) => HostedModelError,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  try {
    for await (const chunk of body) {
      bytes += chunk.length;
      if (bytes > provider.mostResponseBytes) throw senseless(provider, 'sent more than an answer may hold');
      yield chunk;
    }
  } catch (error) {
    throw fail(error);
  }
}

async function beginningOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > MOST_ERROR_BYTES) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}
