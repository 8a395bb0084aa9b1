import { AccessDeniedError, EventStoreDBClient } from '@eventstore/db-client';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { collect, event, UNARY } from './client.fixture.js';
import { selfSignedCertificate, startEventStoreServer, type EventStoreServer } from './index.js';

let directory: string;
let server: EventStoreServer;
const tls = selfSignedCertificate();
const clients: EventStoreDBClient[] = [];
const connect = (user: string) => {
  const authority = `tlsCAFile=${join(directory, 'ca.pem')}`;
  const client = EventStoreDBClient.connectionString(`esdb://${user}localhost:${server.port}?tls=true&${authority}`);
  clients.push(client);
  return client;
};

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'event-store-server-'));
  await writeFile(join(directory, 'ca.pem'), tls.certificate);
  server = await startEventStoreServer({ tls, users: { anna: 'secret:1' } });
});
afterAll(async () => {
  for (const client of clients) await client.dispose();
  await server.close();
  await rm(directory, { recursive: true });
});

test('speaks TLS, to a user of a known name and password', async () => {
  const client = connect('anna:secret%3A1@');
  await client.appendToStream('a-1', event(1));
  await client.appendToStream('a-1', event(2), { credentials: { username: 'anna', password: 'secret:1' } });
  expect(await collect(client.readStream('a-1'))).toHaveLength(2);
});

test('denies everything to anybody else, above all to credentials that a client made up', async () => {
  await expect(collect(connect('').readAll())).rejects.toBeInstanceOf(AccessDeniedError);
  await expect(collect(connect('anna:wrong@').readAll())).rejects.toBeInstanceOf(AccessDeniedError);
  const append = connect('anna:secret%3A1@').appendToStream('a-1', event(3), UNARY);
  await expect(append).rejects.toBeInstanceOf(AccessDeniedError);
});

test('without its certificate a client does not trust it', async () => {
  const client = EventStoreDBClient.connectionString(`esdb://localhost:${server.port}?tls=true`);
  clients.push(client);
  await expect(collect(client.readAll())).rejects.toThrow(/certificate/);
});
