import { setTimeout as sleep } from 'node:timers/promises';
import { BusUnavailableError } from '../port.js';
import { parseNatsAddress } from './address.js';
import { BusConnection } from './connection.js';
import { NatsBus, type NatsBusOptions } from './nats-bus.js';

export { parseNatsAddress } from './address.js';
export { NatsBus } from './nats-bus.js';

const RETRY_MS = 250;

export interface OpenNatsBusOptions extends Partial<Omit<NatsBusOptions, 'prefix' | 'replicas'>> {
  /** Time limit of the first connection, after which starting fails. An established connection reconnects forever. */
  readonly connectDeadlineMs?: number;
}

/**
 * Opens the bus over NATS with JetStream (2.10 or later). Waits for a server that is still starting.
 * @param address see `parseNatsAddress`
 * @throws NatsAddressError the address is not one, or names a file that cannot be read
 * @throws BusUnavailableError NATS was not reachable in time, refuses the connection, or has no JetStream
 */
export async function openNatsBus(address: string, options: OpenNatsBusOptions = {}): Promise<NatsBus> {
  const parsed = parseNatsAddress(address);
  const onError = options.onError ?? warn;
  const { connectDeadlineMs = 30_000 } = options;
  const until = performance.now() + connectDeadlineMs;
  const connection = await BusConnection.open(parsed, { onError, connectDeadlineMs });
  const bus = new NatsBus(connection, {
    maxWaiting: 10_000,
    rememberIdsMs: 120_000,
    ackWaitMs: 60_000,
    offerDeadlineMs: 5_000,
    firstRetryMs: 100,
    maxRetryMs: 30_000,
    aliveMs: 2_000,
    firstWordMs: 5_000,
    silenceMs: 10_000,
    ...options,
    onError,
    prefix: parsed.prefix,
    replicas: parsed.replicas,
  });
  try {
    if (!connection.hasJetStream) throw new Error('it runs without JetStream');
    await prepared(bus, until);
  } catch (error) {
    await bus.close();
    const servers = parsed.servers.join(', ');
    throw new BusUnavailableError(`NATS at ${servers} cannot store offers (${(error as Error).message})`, {
      cause: error,
    });
  }
  return bus;
}

/** Retries: in a cluster that is starting, JetStream is ready some seconds after connections are accepted. */
async function prepared(bus: NatsBus, until: number): Promise<void> {
  for (;;)
    try {
      return await bus.prepare();
    } catch (error) {
      if (performance.now() > until) throw error;
      await sleep(RETRY_MS);
    }
}

const warn = (error: unknown, subject: string): void =>
  process.emitWarning(
    `bus subject ${subject}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
  );
