import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NO_STREAM } from '#ports/event-store/port.js';
import { openSqliteEventStore } from '#ports/event-store/sqlite/index.js';
import { event } from '#ports/event-store/sqlite/store.fixture.js';
import { Settings } from '#settings/index.js';
import { openSecretKey } from '#test/support/open-secret-key.js';
import { eventually } from '#test/support/eventually.js';
import { startStandalone, type Standalone } from './standalone.js';

const CLI = fileURLToPath(new URL('../cli/main.js', import.meta.url));
const KEY = `pio_sk_${'k'.repeat(40)}`;
const PROJECT = 'a-project-to-be-damaged';
const MARK = 'what the damaged event says';

describe('a system whose log is damaged', () => {
  let dataDir: string;
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'anneal-damaged-'));
    await (await started()).close();
    const store = await openSqliteEventStore({ directory: dataDir });
    await store.seal.begin(openSecretKey(dataDir, null).keys('log-seal'));
    await store.append('thing-1', NO_STREAM, [{ ...event(), data: { text: MARK } }]);
    await store.close();
    // A checkpoint covers it.
    await (await started()).close();
  });
  afterEach(() => rm(dataDir, { recursive: true, force: true }));

  const started = () =>
    startStandalone(new Settings({ dataDir, port: 0, durability: 'normal', logLevel: 'silent', bootstrapApiKey: KEY }));
  const damage = async (mark = MARK) => {
    const path = join(dataDir, 'log.db');
    const bytes = await readFile(path);
    bytes[bytes.indexOf(mark)]! ^= 0x01;
    await writeFile(path, bytes);
  };
  const call = async ({ url }: Standalone, path: string, body?: object) => {
    const response = await fetch(url + path, {
      headers: { 'x-api-key': KEY, 'content-type': 'application/json' },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
    return { status: response.status, text: await response.text() };
  };
  const check = (...options: string[]) => cli('events', 'check', ...options);
  const cli = (...args: string[]) =>
    new Promise<{ code: number; stdout: string }>((resolve) => {
      const env = { ...process.env, ANNEAL_DATA_DIR: dataDir };
      execFile(process.execPath, [CLI, ...args], { env }, (error, stdout) =>
        resolve({ code: error ? (error.code as number) : 0, stdout }),
      );
    });
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- each test says what it expects of it
  const part = async (system: Standalone, name: string): Promise<any> =>
    (JSON.parse((await call(system, '/health')).text) as { details: Record<string, unknown> }).details[name];
  const health = (system: Standalone) => part(system, 'event-store');

  it('reports it in its health without a check, and keeps running', async () => {
    await damage();
    const system = await started();
    try {
      const told = await eventually(
        () => health(system),
        ({ damaged }) => damaged !== undefined,
      );
      expect(told).toMatchObject({
        status: 'up',
        degraded: true,
        intact: false,
        writes: true,
        damaged: { places: 1, first: expect.stringMatching(/^0+[1-9]\d*$/), problem: 'its checksum does not fit' },
      });
      expect(await call(system, '/health')).toMatchObject({
        status: 200,
        text: expect.stringContaining('"status":"damaged"'),
      });
      expect(await call(system, '/health/ready')).toMatchObject({ status: 200 });
    } finally {
      await system.close();
    }
  });

  it('refuses lists that it cannot build, is not ready, and keeps a read model whose rebuild fails', async () => {
    const first = await started();
    expect(await call(first, '/projects', { name: PROJECT })).toMatchObject({ status: 200 });
    await first.close();
    await damage(PROJECT);

    const kept = await started();
    expect(await call(kept, '/projects')).toMatchObject({ status: 200, text: expect.stringContaining(PROJECT) });
    await cli('projections', 'rebuild', 'projects');
    for (let reason; reason !== 'log_damaged';) reason = (await part(kept, 'projections'))['projects']['reason'];
    expect(await call(kept, '/projects')).toMatchObject({ status: 200, text: expect.stringContaining(PROJECT) });
    expect(await call(kept, '/health/ready')).toMatchObject({ status: 200 });
    await kept.close();

    await rm(join(dataDir, 'read'), { recursive: true });
    const without = await started();
    try {
      const { projects } = await eventually(
        () => part(without, 'projections'),
        (told) => told['projects'].state === 'stopped',
      );
      expect(projects).toMatchObject({ complete: false, reason: 'log_damaged' });
      expect(await call(without, '/projects')).toMatchObject({
        status: 503,
        text: expect.stringContaining('being rebuilt'),
      });
      expect(await call(without, '/health/ready')).toMatchObject({ status: 503 });
    } finally {
      await without.close();
    }
  });

  it('returns complete lists from the first request, although its read models are gone', async () => {
    const first = await started();
    for (const name of ['one', 'two', 'three']) await call(first, '/projects', { name });
    await first.close();
    await rm(join(dataDir, 'read'), { recursive: true });
    const again = await started();
    const { status, text } = await call(again, '/projects');
    expect([status, ['one', 'two', 'three'].filter((name) => text.includes(name))]).toEqual([
      200,
      ['one', 'two', 'three'],
    ]);
    await again.close();
  });

  it('is detected by the exit status of a check, whether running or stopped', async () => {
    expect(await check()).toEqual({ code: 0, stdout: expect.stringMatching(/events checked, 0 damaged/) });
    await damage();
    expect(await check()).toEqual({
      code: 1,
      stdout: expect.stringMatching(/\d+ .*its checksum does not fit[^]*1 damaged/),
    });
    const system = await started();
    try {
      const { code, stdout } = await check('--json');
      const lines = stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as object);
      expect([code, lines]).toEqual([
        1,
        [
          { position: expect.any(String), problem: 'its checksum does not fit' },
          { events: expect.any(Number), unchecked: 0, damaged: 1 },
        ],
      ]);
    } finally {
      await system.close();
    }
  });
});
