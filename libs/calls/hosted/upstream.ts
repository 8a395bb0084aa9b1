import { Pool } from 'undici';
import { FairSlots } from '#primitives/fair-share/fair-slots.js';
import { traceHeaders } from '#primitives/tracing/index.js';
import type { JsonObject } from '#domain/json.js';
import { ShortLived } from '#primitives/memory/short-lived.js';
import { isLargeJson, jsonInTurns } from '#primitives/turns/json.js';
import { egressConnector, systemResolver } from '#primitives/egress/connect.js';
import type { AnswerHead, Exchange } from './exchange.js';
import { HostedModelError, type CallingWorkspace } from './port.js';
import { PROVIDER_STYLES } from './provider-styles.js';
import type { Provider } from './providers.js';
import { isWorthRetrying, pauseBefore } from './retries.js';
import { StaleConnections } from './stale-connections.js';
import { UpstreamCall } from './upstream-call.js';
import { refusalOf, senseless } from './upstream-errors.js';

/** An answer that has begun with status 200. */
export interface UpstreamAnswer {
  readonly contentType: string;
  /** Body, bounded in bytes. Leaving it early cancels the request. @throws HostedModelError */
  readonly body: AsyncIterableIterator<Uint8Array, undefined>;
  /** Reads the rest before the body is left at its logical end, so that the connection can be reused. */
  drain(): void;
}

/** JSON: a text, or its UTF-8. */
export type UpstreamBody = string | Uint8Array;

/** A body as JSON; a large one is written over several turns of the event loop. */
export const upstreamBody = (body: JsonObject): UpstreamBody | Promise<UpstreamBody> =>
  isLargeJson(body) ? jsonInTurns(body).then((pieces) => Buffer.concat(pieces)) : JSON.stringify(body);

interface PostOptions {
  /** Headers in addition to the provider's. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The answer comes whole: its first byte may take as long as the rest. */
  readonly isWhole?: boolean;
}

/** Sends requests of one workspace. */
export type Posting = Pick<Upstream, 'post'>;

export const INSTALLATION: CallingWorkspace = { id: '', maxCalls: Infinity };
const MAX_ERROR_BYTES = 64 * 1024;
/** Stale connections after which, in one call, the provider counts as down. */
const MAX_STALE = 2;

/** Requests to one provider, on connections that are kept and that workspaces share: see `FairSlots`. */
export class Upstream {
  private readonly pool: Pool;
  private readonly stale = new StaleConnections();
  private readonly calls = new ShortLived<UpstreamCall>();
  private readonly places: FairSlots;
  private readonly basePath: string;
  private readonly headers: Readonly<Record<string, string>>;

  constructor(private readonly provider: Provider) {
    const { baseUrl, connectMs, maxConnections, style, key, headers } = provider;
    const url = new URL(baseUrl);
    this.basePath = url.pathname.replace(/\/+$/, '');
    this.headers = {
      accept: 'text/event-stream, application/json',
      'content-type': 'application/json',
      ...(key !== null && PROVIDER_STYLES[style].authorization(key)),
      ...headers,
    };
    this.places = new FairSlots(maxConnections, { keepsSomeFree: true });
    // The operator named this host: it may be a private one. No redirect is followed.
    const connect = egressConnector({ trusted: new Set([url.origin]), connectMs, resolve: systemResolver });
    this.pool = new Pool(url.origin, {
      ...{ connections: maxConnections, keepAliveTimeout: 60_000, connect: this.stale.watching(connect) },
    });
  }

  for(workspace: CallingWorkspace = INSTALLATION): Posting {
    return {
      post: (path, body, signal, options) => this.post(path, body, signal, options, workspace),
    };
  }

  /**
   * Sends a request and resolves once the answer begins. Earlier failures are retried where a retry is safe.
   * @param signal cancels it, also while the body is read
   * @throws HostedModelError
   */
  async post(
    path: string,
    body: UpstreamBody,
    signal: AbortSignal | undefined,
    options: PostOptions = {},
    workspace = INSTALLATION,
  ): Promise<UpstreamAnswer> {
    const crowded = () => this.crowded(workspace);
    if (this.places.lengthOf(workspace.id) >= workspace.maxCalls) throw crowded();
    const call = new UpstreamCall(this.provider, this.calls, signal, crowded);
    try {
      const send = (): Promise<Begun> => this.send(call, workspace.id, this.basePath + path, body, options);
      const { exchange, head } = await this.begin(call, send);
      call.begun(exchange);
      const contentType = String(head.headers['content-type'] ?? '').toLowerCase();
      return { contentType, body: exchange, drain: () => exchange.drain() };
    } catch (error) {
      call.end();
      throw call.errorOf(error as Error);
    }
  }

  get isIdle(): boolean {
    return this.calls.size === 0;
  }

  async close(): Promise<void> {
    for (const call of this.calls) call.stop(senseless(this.provider, 'was left: this server is closing'));
    await this.pool.destroy();
  }

  private async begin(call: UpstreamCall, send: () => Promise<Begun>): Promise<Begun> {
    for (let tries = 0, stale = 0; ;) {
      try {
        return await send();
      } catch (error) {
        if (call.isStopped) throw error;
        if (this.stale.caused(error, call.msSinceSent) && stale < MAX_STALE) {
          stale += 1;
          continue;
        }
        const pause = tries < this.provider.maxRetries && isWorthRetrying(error) ? pauseBefore(error, tries) : null;
        if (pause === null) throw error;
        tries += 1;
        await call.sleep(pause);
      }
    }
  }

  private async send(
    call: UpstreamCall,
    workspaceId: string,
    path: string,
    body: UpstreamBody,
    { headers, isWhole }: PostOptions,
  ): Promise<Begun> {
    const { firstByteMs, totalMs, maxResponseBytes } = this.provider;
    const patience = isWhole ? totalMs : firstByteMs;
    const place = this.places.enter(workspaceId);
    let exchange: Exchange;
    try {
      if (place.given !== null) await call.queued(place.given);
      exchange = call.exchange(maxResponseBytes);
    } catch (error) {
      place.leave();
      throw error;
    }
    // A connection is free for it until it ends.
    exchange.onEnd(() => place.leave());
    const trace = traceHeaders();
    this.pool.dispatch(
      {
        ...{ path, method: 'POST', body, headersTimeout: patience, bodyTimeout: patience },
        headers: headers || trace ? { ...this.headers, ...headers, ...trace } : this.headers,
      },
      exchange,
    );
    const head = await exchange.head;
    if (head.status === 200) return { exchange, head };
    // The status suffices if the body cannot be read.
    throw refusalOf(this.provider, head, await beginningOf(exchange).catch(() => ''));
  }

  private crowded({ id, maxCalls }: CallingWorkspace): HostedModelError {
    const length = this.places.lengthOf(id);
    const message = `this workspace has ${length} calls under way or waiting at this model's provider, and may have ${maxCalls}; try again later`;
    return new HostedModelError('crowded', message, {
      provider: this.provider.name,
      queue: { length, limit: maxCalls },
      retryAfterSeconds: 1,
    });
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
    if (bytes > MAX_ERROR_BYTES) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}
