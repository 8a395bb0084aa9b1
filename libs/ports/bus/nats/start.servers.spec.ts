import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeWithServer } from '#test/servers/describe.js';
import { nats } from '#test/servers/nats.js';
import { freePort } from '#primitives/free-port.js';
import { spawnServer, type RunningServer } from '#test/servers/running.js';
import { callOnce } from '../port.js';
import { openNatsBus } from './index.js';

/** Needs servers of its own, with another configuration. */
describeWithServer('nats', () => {
  let directory: string;
  let server: RunningServer | undefined;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'anneal-nats-'));
  });
  afterEach(async () => {
    await server?.stop();
    server = undefined;
    await rm(directory, { recursive: true });
  });

  /** @returns `host:port` */
  const start = async (...settings: readonly string[]): Promise<string> => {
    const port = await freePort();
    const config = join(directory, 'nats.conf');
    await writeFile(config, [`listen: "127.0.0.1:${port}"`, ...settings].join('\n'));
    const host = `127.0.0.1:${port}`;
    const file = join(await nats.install(), 'nats-server');
    const toBe = { name: 'NATS', address: host, port, directory, answers: () => listens(port) };
    server = await spawnServer(toBe, { file, args: ['--config', config] });
    return host;
  };
  const jetStream = () => `jetstream { store_dir: ${JSON.stringify(join(directory, 'jetstream'))} }`;

  it('the user and password of the address are used, and others are refused at once', async () => {
    const host = await start('authorization { user: me, password: "p@ss:word" }', jetStream());
    const bus = await openNatsBus(`nats://me:p%40ss:word@${host}`);
    bus.serve('who', async () => 'me');
    expect(await callOnce(bus, 'who', null, { deadlineMs: 5_000 })).toBe('me');
    await bus.close();
    await expect(openNatsBus(`nats://me:wrong@${host}`)).rejects.toThrow(`NATS at ${host} refuses the credentials`);
  });

  it('a server with a small message limit gets smaller pieces', async () => {
    const bus = await openNatsBus(`nats://${await start('max_payload: 16KB', jetStream())}`);
    const large = 'x'.repeat(1_000_000);
    bus.serve('echo', async (body) => body);
    expect((await callOnce(bus, 'echo', large, { deadlineMs: 10_000 })) === large).toBe(true);
    await bus.close();
  });

  it('a start without JetStream, or without the requested TLS, says so', async () => {
    const host = await start();
    await expect(openNatsBus(`nats://${host}`)).rejects.toThrow(/without JetStream/);
    await expect(openNatsBus(`tls://${host}`, { connectDeadlineMs: 0 })).rejects.toThrow(/offers no TLS/);
  });

  it('an unreadable file is named', async () => {
    const file = join(directory, 'none.creds');
    await expect(openNatsBus(`nats://127.0.0.1:1?credentials=${file}`)).rejects.toThrow(
      `credentials that cannot be read: ${file} (ENOENT)`,
    );
  });
});

const listens = (port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.destroy();
      resolve();
    });
  });
