import { BusUnavailableError } from '../port.js';
import { parseNatsAddress } from './address.js';
import { Connection, NOBODY_THERE } from './connection.js';
import { NatsBus, type NatsBusOptions } from './nats-bus.js';

export { NatsAddressError, parseNatsAddress, type NatsAddress } from './address.js';
export { NatsBus } from './nats-bus.js';

export interface OpenNatsBusOptions extends Partial<Omit<NatsBusOptions, 'prefix' | 'replicas'>> {
  /** How long a first connection is tried for before starting fails. Once connected, it is made again for ever. */
  readonly connectDeadlineMs?: number;
}

/**
 * Opens the bus over NATS with JetStream (2.10 or later). Waits for a server that is still starting.
 * @param address see `parseNatsAddress`
 * @throws NatsAddressError the address is not one, or names a file that cannot be read
 * @throws BusUnavailableError NATS was not there in time, refuses us, or has no JetStream
 */
export async function openNatsBus(address: string, options: OpenNatsBusOptions = {}): Promise<NatsBus> {
  const parsed = parseNatsAddress(address);
  const onError = options.onError ?? warn;
  const connection = await Connection.open(parsed, { onError, connectDeadlineMs: options.connectDeadlineMs ?? 30_000 });
  const bus = new NatsBus(connection, {
    mostWaiting: 10_000,
    rememberIdsMs: 120_000,
    ackWaitMs: 60_000,
    offerDeadlineMs: 5_000,
    firstRetryMs: 100,
    longestRetryMs: 30_000,
    aliveMs: 2_000,
    silenceMs: 10_000,
    ...options,
    onError,
    prefix: parsed.prefix,
    replicas: parsed.replicas,
  });
  try {
    await bus.prepare();
  } catch (error) {
    await bus.close();
    throw new BusUnavailableError(`NATS at ${parsed.servers.join(', ')} ${problemOf(error)}`, { cause: error });
  }
  return bus;
}

function problemOf(error: unknown): string {
  if ((error as { code?: unknown }).code === NOBODY_THERE)
    return 'has no JetStream, which holds what is offered: start it with --jetstream and a folder on disk';
  return `cannot keep the stream of what is offered (${(error as Error).message})`;
}

const warn = (error: unknown, subject: string): void =>
  process.emitWarning(
    `bus subject ${subject}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
  );
