import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { selfSignedCertificate, startEventStoreServer, type EventStoreServer } from '#test/event-store-server/index.js';
import { aStream, events } from '../contract/log-under-test.js';
import { EventStoreUnavailableError, NO_STREAM } from '../port.js';
import { openEventStoreDb } from './index.js';

describe('EventStoreDB over TLS, with users', () => {
  let directory: string;
  let server: EventStoreServer;
  let tls: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'anneal-tls-'));
    const certificate = selfSignedCertificate();
    await writeFile(join(directory, 'ca.pem'), certificate.certificate);
    server = await startEventStoreServer({ tls: certificate, users: { ada: 'p@ss:word' } });
    tls = `?tls=true&tlsCAFile=${encodeURIComponent(join(directory, 'ca.pem'))}`;
  });
  afterEach(async () => {
    await server.close();
    await rm(directory, { recursive: true });
  });

  // No refusal is asked again: that would take an hour.
  const open = (login: string, query: string) =>
    openEventStoreDb({ address: `esdb://${login}localhost:${server.port}${query}`, openDeadlineMs: 3_600_000 });

  it('serves the user that the address names', async () => {
    const store = await open(`ada:${encodeURIComponent('p@ss:word')}@`, tls);
    const s = aStream();
    await store.append(s, NO_STREAM, events(2));
    expect(await Array.fromAsync(store.readStream(s))).toHaveLength(2);
    await store.close();
  });

  it.each(['', 'ada:wrong@'])('cannot be used as "%s"', async (login) => {
    await expect(open(login, tls)).rejects.toBeInstanceOf(EventStoreUnavailableError);
  });

  it('cannot be used without trusting its certificate', async () => {
    await expect(open('ada:x@', '?tls=true')).rejects.toThrow(/cannot be used: .*certificate/);
  });

  it('names the right that a user lacks who may read streams, and not the log', async () => {
    server.control.denyAll = true;
    const opened = open(`ada:${encodeURIComponent('p@ss:word')}@`, tls);
    await expect(opened).rejects.toBeInstanceOf(EventStoreUnavailableError);
    await expect(opened).rejects.toThrow(/may not read \$all.*\$acl/);
  });
});
