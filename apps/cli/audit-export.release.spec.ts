import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { JsonObject } from '#domain/json.js';
import { startTestApi } from '#test/support/api.js';
import { describeEmbedded } from '#test/deployments/test-api.js';

const ANNEAL = join(import.meta.dirname, 'main.js');

describeEmbedded('anneal audit export', 'it exports a data folder', () => {
  let dataDir: string;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'anneal-exported-'));
    const api = await startTestApi({ dataDir });
    const call = { model_id: 'anneal/encoder-base-v1', text: 'Ada Unforgettable lives in Lyon.', schema: ['city'] };
    expect((await api.call('POST', '/inference', call)).status).toBe(200);
    // The last checkpoint is signed as the system closes.
    await api.close();
  });
  afterAll(() => rm(dataDir, { recursive: true }));

  const anneal = async (file: string, ...args: string[]) => {
    const child = spawn(process.execPath, [ANNEAL, 'audit', ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ANNEAL_DATA_DIR: dataDir },
    });
    const closed = once(child, 'close');
    await pipeline(child.stdout, createWriteStream(join(dataDir, file)));
    const [status] = (await closed) as [number];
    return status;
  };
  const verified = async (file: string) => {
    const status = await anneal('verified.json', 'verify', join(dataDir, file), '--json');
    const lines = (await readFile(join(dataDir, 'verified.json'), 'utf8')).trim().split('\n');
    return { status, last: JSON.parse(lines.at(-1)!) as JsonObject };
  };

  it.each([
    ['jsonl', () => []],
    ['parquet', () => [dataDir, '--format', 'parquet']],
  ])(
    'writes a %s file with every event of the log and no content, which anneal audit verify accepts',
    async (format, args) => {
      const file = `log.${format}`;
      expect(await anneal(file, 'export', ...args())).toBe(0);
      const { status, last } = await verified(file);
      expect([status, last['verified'], last['unproven']]).toEqual([0, true, 0]);
      expect(last['events']).toBe(last['size']);
      const written = (await readFile(join(dataDir, file))).toString('latin1');
      expect(written.startsWith('PAR1')).toBe(format === 'parquet');
      expect(format === 'parquet' || !written.includes('Unforgettable')).toBe(true);
    },
  );

  it('shows what is encrypted where that is asked for, with its proof, and records who read it', async () => {
    expect(await anneal('content.jsonl', 'export', '--content')).toBe(0);
    expect(await readFile(join(dataDir, 'content.jsonl'), 'utf8')).toContain('Ada Unforgettable');
    expect((await verified('content.jsonl')).last).toMatchObject({ verified: true, problems: 0 });
    const api = await startTestApi({ dataDir });
    const { reads } = (await api.call('GET', '/audit/reads?actor=system:operator')).body;
    expect(reads).toMatchObject([{ resource: 'events/*', route: 'npx anneal audit export', count: 1 }]);
    await api.close();
    // A copy has no log to record it on.
    expect(await anneal('refused.jsonl', 'export', dataDir, '--content')).toBe(1);
    expect(await readFile(join(dataDir, 'refused.jsonl'), 'utf8')).toBe('');
  });
});
