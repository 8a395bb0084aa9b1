import { finished, type Duplex, type Readable, type Writable } from 'node:stream';
import {
  CancelledError,
  convertToCommandError,
  EventStoreDBClient,
  NotLeaderError,
  UnavailableError,
  type EndPoint,
} from '@eventstore/db-client';
import { Channel, connectivityState, credentials, type ChannelCredentials, type Client } from '@grpc/grpc-js';
import type { ServerAddress } from './address.js';

/** The connection could not be made, so nothing was sent. */
export class NotConnectedError extends Error {
  override readonly name = 'NotConnectedError';
}

type Stubs = new (address: never, credentials: never, options: { channelOverride: Channel }) => Client;

interface Link {
  readonly channel: Channel;
  readonly stubs: Map<unknown, Client>;
}

/**
 * EventStoreDB's client with a channel of its own. The channel of the client (6.2.1) is unsuitable:
 * - it is closed at every failed call, and an append that is just about to begin then throws inside an asynchronous
 *   executor, which is an unhandled rejection;
 * - a new channel inherits the old one's reconnect delay of up to two minutes;
 * - appends without credentials go by BatchAppend, whose answers share one map for the whole process: a broken stream
 *   fails others' appends, deadlines are ignored, and a late answer throws uncaught.
 * This client lets gRPC reconnect by itself, at most 2 s apart, and appends one call at a time.
 */
export class LogClient extends EventStoreDBClient {
  private readonly transport: ChannelCredentials;
  private readonly single: boolean;
  private readonly streams = new Set<Readable | Writable | Duplex>();
  private link: Promise<Link> | null = null;
  private current: Link | null = null;
  /** The leader that another node has named. */
  private leader: EndPoint | null = null;
  private closed = false;
  private connecting: Promise<void> | null = null;

  /** @param onConnecting called before each connection; if it rejects, the call that needs the connection does */
  constructor(
    { settings, transport, credentials: login }: ServerAddress,
    private readonly onConnecting: () => Promise<void> = () => Promise.resolve(),
  ) {
    super(settings as ConstructorParameters<typeof EventStoreDBClient>[0], transport, login);
    const { rootCertificate, userKeyFile, userCertFile, insecure } = transport;
    this.single = 'endpoint' in settings;
    this.transport = insecure
      ? credentials.createInsecure()
      : credentials.createSsl(rootCertificate ?? null, userKeyFile ?? null, userCertFile ?? null);
  }

  /** Always false; disables BatchAppend above all. */
  protected override supports = (): Promise<boolean> => Promise.resolve(false);

  protected override execute = async <Stub extends Client, T>(
    stubs: unknown,
    _name: string,
    action: (stub: Stub) => Promise<T>,
  ): Promise<T> => {
    const stub = await this.stub<Stub>(stubs);
    try {
      return await action(stub);
    } catch (error) {
      void this.handleError(stub, error as Error);
      throw error;
    }
  };

  protected override GRPCStreamCreator =
    <Stub extends Client, T extends Readable | Writable | Duplex>(
      stubs: unknown,
      _name: string,
      create: (stub: Stub) => T | Promise<T>,
    ) =>
    async (): Promise<T> => {
      const stub = await this.stub<Stub>(stubs);
      const stream = await create(stub);
      this.streams.add(stream);
      finished(stream, (error) => {
        this.streams.delete(stream);
        if (error) void this.handleError(stub, error);
      });
      return stream;
    };

  protected override handleError = async (stub: Client, error: Error): Promise<void> => {
    const link = this.current;
    if (link === null || stub.getChannel() !== (link.channel as unknown)) return;
    const cause = convertToCommandError(error);
    if (cause instanceof NotLeaderError) this.leader = cause.leader;
    else if (cause instanceof UnavailableError || cause instanceof CancelledError) {
      // A single node's channel reconnects by itself; in a cluster, another node may lead by now.
      if (this.single && this.leader === null) return;
      this.leader = null;
    } else return;
    this.unlink(link);
  };

  /** Ends the calls in flight. */
  close(): void {
    this.closed = true;
    for (const stream of this.streams) {
      if ('cancel' in stream) (stream as unknown as { cancel(): void }).cancel();
    }
    if (this.current) this.unlink(this.current);
  }

  private async stub<Stub extends Client>(stubs: unknown): Promise<Stub> {
    if (this.closed) throw new NotConnectedError('the event store is closed');
    if (!this.isConnected()) await (this.connecting ??= this.onConnecting().finally(() => (this.connecting = null)));
    const { channel, stubs: made } = await (this.link ??= this.connect());
    let stub = made.get(stubs);
    if (!stub)
      made.set(stubs, (stub = new (stubs as Stubs)(null as never, null as never, { channelOverride: channel })));
    return stub as Stub;
  }

  private isConnected(): boolean {
    return this.current?.channel.getConnectivityState(false) === connectivityState.READY;
  }

  private async connect(): Promise<Link> {
    try {
      const target = this.leader ? `${this.leader.address}:${this.leader.port}` : await this.resolveUri();
      this.current = { channel: new Channel(target, this.transport, CHANNEL), stubs: new Map() };
      if (this.closed) this.unlink(this.current);
      return this.current ?? (await Promise.reject(new Error('closed')));
    } catch (error) {
      this.link = null;
      throw new NotConnectedError((error as Error).message, { cause: error });
    }
  }

  private unlink(link: Link): void {
    this.link = this.current = null;
    // By then every caller that got the channel has started its call, and running calls continue.
    setImmediate(() => link.channel.close());
  }
}

const CHANNEL = {
  'grpc.keepalive_time_ms': 10_000,
  'grpc.keepalive_timeout_ms': 10_000,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 2_000,
  'grpc.dns_min_time_between_resolutions_ms': 5_000,
  'grpc.use_local_subchannel_pool': 1,
  // Other writers' events may be up to 16 MiB large.
  'grpc.max_receive_message_length': 17 * 1024 * 1024,
};
