import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NO_STREAM } from '#event-store/port.js';
import { openSqliteEventStore } from '#event-store/sqlite/index.js';
import { event } from '#event-store/sqlite/store.fixture.js';
import { Settings } from '#settings/index.js';
import { startStandalone, type Standalone } from './standalone.js';

const CLI = fileURLToPath(new URL('../cli/main.js', import.meta.url));
const MARK = 'what the damaged event says';

describe('a system whose log is damaged', () => {
  let dataDir: string;
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'anneal-damaged-'));
    await (await started()).close();
    const store = await openSqliteEventStore({ directory: dataDir });
    await store.append('thing-1', NO_STREAM, [{ ...event(), data: { text: MARK } }]);
    await store.close();
  });
  afterEach(() => rm(dataDir, { recursive: true, force: true }));

  const started = () => startStandalone(new Settings({ dataDir, port: 0, durability: 'normal', logLevel: 'silent' }));
  const damage = async () => {
    const path = join(dataDir, 'log.db');
    const bytes = await readFile(path);
    bytes[bytes.indexOf(MARK)]! ^= 0x01;
    await writeFile(path, bytes);
  };
  const check = (...options: string[]) =>
    new Promise<{ code: number; stdout: string }>((resolve) => {
      const env = { ...process.env, ANNEAL_DATA_DIR: dataDir };
      execFile(process.execPath, [CLI, 'events', 'check', ...options], { env }, (error, stdout) =>
        resolve({ code: error ? (error.code as number) : 0, stdout }),
      );
    });
  const health = async ({ url }: Standalone) =>
    ((await (await fetch(`${url}/health`)).json()) as { details: Record<string, Record<string, unknown>> }).details[
      'event-store'
    ]!;

  it('says so in its health, without being asked, and goes on', async () => {
    await damage();
    const system = await started();
    try {
      let told = await health(system);
      while (told['damaged'] === undefined) told = await health(system);
      expect(told).toMatchObject({
        status: 'up',
        degraded: true,
        writes: true,
        damaged: { places: 1, first: expect.stringMatching(/^0+[1-9]\d*$/) },
      });
    } finally {
      await system.close();
    }
  });

  it('is told by the exit status of a check, with the system running or stopped', async () => {
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
