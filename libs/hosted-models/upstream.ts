import { Agent } from 'undici';
import { egressConnector, systemResolver } from '#egress/connect.js';
import type { AnswerHead, Exchange } from './exchange.js';
import type { Provider } from './providers.js';
import { isWorthRetrying, pauseBefore } from './retries.js';
import { StaleConnections } from './stale-connections.js';
import { UpstreamCall } from './upstream-call.js';
import { refusalOf, senseless } from './upstream-errors.js';

/** An answer that has begun with status 200. */
export interface UpstreamAnswer {
  readonly contentType: string;
  /** At most as many bytes as the provider may send. Leaving it early cancels the request. @throws HostedModelError */
  readonly body: AsyncIterableIterator<Uint8Array, undefined>;
  /** Before it is left at its end: the rest is read, so that the connection can be used again. */
  drain(): void;
}

export interface PostOptions {
  /** Beside those of the provider. */
  readonly headers?: Readonly<Record<string, string>>;
  /** It is answered when all of it is there: its first byte may take as long as the whole answer. */
  readonly isWhole?: boolean;
}

const MOST_ERROR_BYTES = 64 * 1024;
/** Connections that the provider had closed by the time they were used again: after so many in one call it is down. */
const MOST_STALE = 2;

/** Requests to one provider, on connections that are kept. */
export class Upstream {
  private readonly agent: Agent;
  private readonly stale = new StaleConnections();
  private readonly calls = new Set<UpstreamCall>();
  private readonly origin: string;
  private readonly basePath: string;
  private readonly headers: Readonly<Record<string, string>>;

  constructor(private readonly provider: Provider) {
    const { baseUrl, connectMs, mostConnections, style, key, headers } = provider;
    const url = new URL(baseUrl);
    this.origin = url.origin;
    this.basePath = url.pathname.replace(/\/+$/, '');
    this.headers = {
      accept: 'text/event-stream, application/json',
      'content-type': 'application/json',
      ...(key !== null && (style === 'anthropic' ? { 'x-api-key': key } : { authorization: `Bearer ${key}` })),
      ...headers,
    };
    // The operator named this host: it may be a private one. No redirect is followed.
    const connect = egressConnector({ trusted: new Set([url.origin]), connectMs, resolve: systemResolver });
    this.agent = new Agent({
      ...{ connections: mostConnections, keepAliveTimeout: 60_000, connect: this.stale.watching(connect) },
    });
  }

  /**
   * Sends a request and gives the answer once that has begun. What fails before is tried again, where that makes sense.
   * @param signal aborting cancels it, also while the body is read
   * @throws HostedModelError
   */
  async post(
    path: string,
    body: string,
    signal: AbortSignal | undefined,
    options: PostOptions = {},
  ): Promise<UpstreamAnswer> {
    const call = new UpstreamCall(this.provider, this.calls, signal);
    try {
      const { exchange, head } = await this.begin(call, this.basePath + path, body, options);
      call.begun(exchange);
      const contentType = String(head.headers['content-type'] ?? '').toLowerCase();
      return { contentType, body: exchange, drain: () => exchange.drain() };
    } catch (error) {
      call.end();
      throw call.errorOf(error as Error);
    }
  }

  async close(): Promise<void> {
    for (const call of this.calls) call.stop(senseless(this.provider, 'was left: this server is closing'));
    await this.agent.destroy();
  }

  private async begin(call: UpstreamCall, path: string, body: string, options: PostOptions): Promise<Begun> {
    for (let tries = 0, stale = 0; ;) {
      const sent = performance.now();
      try {
        return await this.send(call, path, body, options);
      } catch (error) {
        if (call.isStopped) throw error;
        if (this.stale.caused(error, performance.now() - sent) && stale < MOST_STALE) {
          stale += 1;
          continue;
        }
        const pause = tries < this.provider.mostRetries && isWorthRetrying(error) ? pauseBefore(error, tries) : null;
        if (pause === null) throw error;
        tries += 1;
        await call.sleep(pause);
      }
    }
  }

  private async send(
    call: UpstreamCall,
    path: string,
    body: string,
    { headers, isWhole }: PostOptions,
  ): Promise<Begun> {
    const { firstByteMs, totalMs, mostResponseBytes } = this.provider;
    const patience = isWhole ? totalMs : firstByteMs;
    const exchange = call.exchange(mostResponseBytes);
    this.agent.dispatch(
      {
        ...{ origin: this.origin, path, method: 'POST', body, headersTimeout: patience, bodyTimeout: patience },
        headers: headers ? { ...this.headers, ...headers } : this.headers,
      },
      exchange,
    );
    const head = await exchange.head;
    if (head.status === 200) return { exchange, head };
    // Its status says enough where the rest of it does not come.
    throw refusalOf(this.provider, head, await beginningOf(exchange).catch(() => ''));
  }
}

interface Begun {
  readonly exchange: Exchange;
  readonly head: AnswerHead;
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
