import {
  ANY,
  EventStoreDBClient,
  jsonEvent,
  type AppendExpectedRevision,
  type AppendResult,
  type EventData,
  type Position,
  type RecordedEvent,
  type ResolvedEvent,
} from '@eventstore/db-client';
import { startEventStoreServer, type EventStoreServer, type EventStoreServerOptions } from './index.js';

/** For the specifications of the server only: a server, and the real client. */
export interface ServerUnderTest {
  readonly server: EventStoreServer;
  readonly client: EventStoreDBClient;
}

/** Starts both before each test, and ends them after it. */
export function underTest(options: EventStoreServerOptions = {}): ServerUnderTest {
  let server: EventStoreServer;
  let client: EventStoreDBClient;
  beforeEach(async () => {
    server = await startEventStoreServer(options);
    client = EventStoreDBClient.connectionString(server.address);
  });
  afterEach(async () => {
    await client.dispose();
    await server.close();
  });
  return {
    get server() {
      return server;
    },
    get client() {
      return client;
    },
  };
}

/** With them the client appends by a call of its own, without them by its shared batch stream. */
export const UNARY = { credentials: { username: 'somebody', password: 'something' } };

export const event = (n: number, id?: string): EventData =>
  jsonEvent({ type: 'happened.v1', data: { n }, ...(id !== undefined && { id }) });

export const append = (
  client: EventStoreDBClient,
  stream: string,
  events: EventData[],
  expectedRevision: AppendExpectedRevision = ANY,
): Promise<AppendResult> => client.appendToStream(stream, events, { expectedRevision, ...UNARY });

export async function collect(events: AsyncIterable<ResolvedEvent>): Promise<RecordedEvent[]> {
  const collected: RecordedEvent[] = [];
  for await (const { event } of events) collected.push(event!);
  return collected;
}

/** What clients wrote, in the order of the log. */
export const written = async (client: EventStoreDBClient): Promise<RecordedEvent[]> =>
  (await collect(client.readAll())).filter(({ type }) => !type.startsWith('$'));

export const numbers = (events: readonly RecordedEvent[]): number[] =>
  events.map(({ data }) => (data as { n: number }).n);

export const positionOf = ({ position }: RecordedEvent): Position => position!;
