import { readFileSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  connect,
  credsAuthenticator,
  ErrorCode,
  Events,
  type Authenticator,
  type ConnectionOptions as ClientOptions,
  type Msg,
  type NatsConnection,
  type Subscription as NatsSubscription,
} from 'nats';
import { BusUnavailableError } from '../port.js';
import { NatsAddressError, type NatsAddress } from './address.js';

interface ConnectOptions {
  /** Time limit of the first connection, after which starting fails. */
  readonly connectDeadlineMs: number;
  /** Called with errors of work whose answer nobody awaits. */
  readonly onError: (error: unknown, subject: string) => void;
}

const DIAL_MS = 5_000;
/** Two pings without an answer, and the connection counts as broken. */
const PING_MS = 5_000;
const MAX_RECONNECT_WAIT_MS = 2_000;
const FLUSH_AFTER_BYTES = 1024 * 1024;
const STALLED_BYTES = 8 * 1024 * 1024;
const CLOSE_MS = 2_000;

/** The client's code for status 503: the called subject has no listener. */
export const NOBODY_THERE = ErrorCode.NoResponders as string;

/**
 * A connection to NATS that reconnects forever. The client would queue messages while disconnected; they are dropped
 * instead, so that memory stays bounded and no message arrives late.
 */
export class BusConnection {
  isConnected = true;
  private readonly watchers = new Set<(isConnected: boolean) => void>();
  /** Written, and not yet known to have reached the server. */
  private unconfirmedBytes = 0;
  private flushing = false;

  private constructor(
    readonly client: NatsConnection,
    private readonly onError: ConnectOptions['onError'],
    private readonly reconnects: Reconnects,
  ) {
    void this.watch();
  }

  /**
   * @throws NatsAddressError a file that cannot be read
   * @throws BusUnavailableError NATS refused the connection, or was not reachable in time
   */
  static async open(address: NatsAddress, options: ConnectOptions): Promise<BusConnection> {
    await requireFiles(address);
    const reconnects = new Reconnects();
    const client = await connected(clientOptions(address, reconnects), address, options.connectDeadlineMs);
    return new BusConnection(client, options.onError, reconnects);
  }

  /** Bytes that one message may have. */
  get messageBytes(): number {
    return this.client.info?.max_payload ?? 1024 * 1024;
  }

  get hasJetStream(): boolean {
    return this.client.info?.jetstream === true;
  }

  /**
   * Whether more bytes are waiting to be sent than a healthy server leaves. Signals, which may be lost, are then
   * dropped.
   */
  get isStalled(): boolean {
    return this.unconfirmedBytes > STALLED_BYTES;
  }

  /** @returns false if it was dropped */
  publish(subject: string, data: Uint8Array, reply?: string): boolean {
    if (!this.isConnected || this.client.isClosed()) return false;
    this.client.publish(subject, data, reply === undefined ? {} : { reply });
    this.unconfirmedBytes += data.length;
    if (this.unconfirmedBytes > FLUSH_AFTER_BYTES && !this.flushing) void this.confirm();
    return true;
  }

  /** @throws NatsError with NOBODY_THERE, or when no answer came in time @throws BusUnavailableError */
  request(subject: string, data: Uint8Array, timeoutMs: number): Promise<Msg> {
    return this.whileConnected(this.client.request(subject, data, { timeout: Math.max(1, timeoutMs) }));
  }

  /** @param callback may throw; in NATS's client itself that would end its reader */
  subscribe(subject: string, callback: (message: Msg) => void, queue?: string): NatsSubscription {
    return this.client.subscribe(subject, {
      ...(queue !== undefined && { queue }),
      callback: (error, message) => {
        try {
          if (error) this.onError(error, subject);
          else callback(message);
        } catch (thrown) {
          this.onError(thrown, subject);
        }
      },
    });
  }

  /** Unsubscribes; messages that the server sent before still reach the callback. */
  async drain(subscription: NatsSubscription): Promise<void> {
    if (!subscription.isClosed()) await atMost(CLOSE_MS, subscription.drain());
  }

  /** Calls `watcher` on each loss and return of the connection. @returns a function that ends this */
  onChange(watcher: (isConnected: boolean) => void): () => void {
    this.watchers.add(watcher);
    return () => void this.watchers.delete(watcher);
  }

  /** @returns false on timeout */
  whenConnected(timeoutMs: number, signal?: AbortSignal): Promise<boolean> {
    if (this.isConnected || signal?.aborted) return Promise.resolve(this.isConnected);
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        unwatch();
        signal?.removeEventListener('abort', done);
        resolve(this.isConnected);
      };
      const timer = setTimeout(done, timeoutMs);
      const unwatch = this.onChange(done);
      signal?.addEventListener('abort', done);
    });
  }

  /**
   * Rejects when the connection is lost, because an answer requested on it never arrives.
   * @throws BusUnavailableError
   */
  async whileConnected<T>(work: Promise<T>): Promise<T> {
    const lost = Promise.withResolvers<never>();
    const unwatch = this.onChange(() => lost.reject(new BusUnavailableError('the connection to NATS was lost')));
    try {
      return await Promise.race([work, lost.promise]);
    } finally {
      unwatch();
    }
  }

  /** Flushes published messages first, if connected. */
  async close(): Promise<void> {
    if (this.isConnected) await atMost(CLOSE_MS, this.client.flush());
    await this.client.close();
  }

  private async confirm(): Promise<void> {
    this.flushing = true;
    const bytes = this.unconfirmedBytes;
    await this.client.flush().catch(() => undefined);
    this.flushing = false;
    this.unconfirmedBytes -= Math.min(bytes, this.unconfirmedBytes);
  }

  private async watch(): Promise<void> {
    for await (const { type, data } of this.client.status()) {
      if (type === Events.Disconnect) this.changed(false);
      else if (type === Events.Reconnect) this.changed(true);
      else if (type === Events.Error) this.onError(new Error(`NATS says ${JSON.stringify(data)}`), 'nats');
    }
  }

  private changed(isConnected: boolean): void {
    if (isConnected === this.isConnected) return;
    this.isConnected = isConnected;
    this.unconfirmedBytes = 0;
    if (!isConnected) {
      this.reconnects.begin();
      this.onError(new BusUnavailableError('the connection was lost, and is tried until it is back'), 'nats');
    }
    for (const watcher of [...this.watchers]) watcher(isConnected);
  }
}

/** Waits between tries that grow with the length of the outage. */
class Reconnects {
  private since = performance.now();

  begin(): void {
    this.since = performance.now();
  }

  readonly nextWaitMs = (): number => {
    const grown = (performance.now() - this.since) / 4;
    return Math.min(MAX_RECONNECT_WAIT_MS, 50 + grown) * (0.75 + Math.random() / 2);
  };
}

function clientOptions(address: NatsAddress, reconnects: Reconnects): ClientOptions {
  const { servers, tls, login, credentialsFile } = address;
  return {
    name: 'anneal',
    servers: [...servers],
    timeout: DIAL_MS,
    pingInterval: PING_MS,
    maxPingOut: 2,
    maxReconnectAttempts: -1,
    // Credentials may be changed at run time: one or two refusals are not final.
    ignoreAuthErrorAbort: true,
    reconnectDelayHandler: reconnects.nextWaitMs,
    noAsyncTraces: true,
    ...(tls && { tls: { ...tls } }),
    ...(login && ('token' in login ? { token: login.token } : { user: login.user, pass: login.password })),
    ...(credentialsFile !== null && { authenticator: credentialsIn(credentialsFile) }),
  };
}

/** Read on each connection, so that a renewed file takes effect; an unreadable file leaves the former content. */
function credentialsIn(file: string): Authenticator {
  let last: Authenticator | null = null;
  return (nonce) => {
    try {
      const fresh = credsAuthenticator(readFileSync(file));
      const answer = fresh(nonce);
      last = fresh;
      return answer;
    } catch (error) {
      if (last === null) throw error;
      return last(nonce);
    }
  };
}

async function connected(options: ClientOptions, address: NatsAddress, deadlineMs: number): Promise<NatsConnection> {
  const until = performance.now() + deadlineMs;
  for (let wait = 100; ; wait = Math.min(wait * 2, MAX_RECONNECT_WAIT_MS)) {
    try {
      return await connect(options);
    } catch (error) {
      const isRefusal = (error as { code?: unknown }).code === ErrorCode.AuthorizationViolation;
      if (isRefusal || performance.now() + wait > until) throw unreachable(address, error, isRefusal);
    }
    await sleep(wait);
  }
}

function unreachable({ servers }: NatsAddress, error: unknown, isRefusal: boolean): BusUnavailableError {
  const problem = isRefusal ? 'refuses the credentials of the address' : 'cannot be reached';
  const { code, message } = error as NodeJS.ErrnoException;
  const reason = code === ErrorCode.ServerOptionNotAvailable ? 'it offers no TLS' : message;
  return new BusUnavailableError(`NATS at ${servers.join(', ')} ${problem} (${reason})`, { cause: error });
}

async function requireFiles({ tls, credentialsFile }: NatsAddress): Promise<void> {
  const files = {
    credentials: credentialsFile,
    tlsCaFile: tls?.caFile,
    tlsCertFile: tls?.certFile,
    tlsKeyFile: tls?.keyFile,
  };
  for (const [parameter, file] of Object.entries(files))
    if (file)
      await access(file).catch((error: NodeJS.ErrnoException) => {
        throw new NatsAddressError(`names a file in ${parameter} that cannot be read: ${file} (${error.code})`);
      });
}

/** Resolves when the work has settled or after `ms`, whichever is first. */
async function atMost(ms: number, work: Promise<unknown>): Promise<void> {
  const patience = new AbortController();
  const over = sleep(ms, undefined, { signal: patience.signal });
  await Promise.race([work, over]).catch(() => undefined);
  patience.abort();
  await over.catch(() => undefined);
}
