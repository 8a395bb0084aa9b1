import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { EventStoreDBClient } from '@eventstore/db-client';
import { selfSignedCertificate, startEventStoreServer } from '#test/event-store-server/index.js';

const SCRIPT = join(import.meta.dirname, '..', '..', '..', 'deploy', 'make-event-store-user.mjs');
/** Users are made over HTTP/1.1, which the test server does not speak: says what was asked instead. */
const SAY = `data:text/javascript,globalThis.fetch = async (url, { body }) => {
  console.log(url, body);
  return { ok: false, status: 409 };
};`;

it('makes the user of Anneal, if there is none, who may then read the log', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'anneal-user-'));
  const certificate = selfSignedCertificate();
  const ca = join(directory, 'ca.crt');
  await writeFile(ca, certificate.certificate);
  const server = await startEventStoreServer({ tls: certificate, users: { admin: 'r@ot', anneal: 'p@ss' } });
  const place = `localhost:${server.port}?tls=true&tlsCAFile=${ca}`;
  const settings = { ANNEAL_EVENT_STORE: `esdb://anneal:p%40ss@${place}`, EVENTSTORE_ADMIN_PASSWORD: 'r@ot' };
  const run = () =>
    promisify(execFile)(process.execPath, ['--import', SAY, SCRIPT], { env: { ...process.env, ...settings } });
  const { stdout } = await run();
  expect(stdout).toBe(
    `https://localhost:${server.port}/users/ {"loginName":"anneal","fullName":"anneal","groups":[],"password":"p@ss"}\n`,
  );
  const client = EventStoreDBClient.connectionString(`esdb://admin:r%40ot@${place}`);
  const { metadata, metastreamRevision } = await client.getStreamMetadata('$all');
  expect(metadata).toEqual({ acl: { readRoles: ['$admins', 'anneal'] } });
  await run();
  expect(await client.getStreamMetadata('$all')).toMatchObject({ metastreamRevision });
  await client.dispose();
  await server.close();
  await rm(directory, { recursive: true });
});
