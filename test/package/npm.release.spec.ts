import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { Client } from '#apps/demo/client.js';
import { uploadDataset } from '#apps/demo/upload.js';
import { eventually } from '#test/support/eventually.js';
import { removeFolder } from '#test/support/remove-folder.js';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const MAX_PACKAGE_MB = 15;
const INSTALL_MS = 20 * 60_000;
const OPTIONS = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];

const run = promisify(execFile);

describe('the npm package', () => {
  let folder: string;
  let environment: NodeJS.ProcessEnv;
  let packed: string;
  const anneal = async (...args: readonly string[]) =>
    (await run('npx', ['anneal', ...args], { cwd: folder, env: environment })).stdout;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'anneal-package-'));
    environment = { ...process.env, ANNEAL_DATA_DIR: join(folder, 'data'), PORT: '0', ANNEAL_LOG_LEVEL: 'error' };
    const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], {
      cwd: ROOT,
      maxBuffer: 16 * 1024 ** 2,
    });
    packed = join(folder, (JSON.parse(stdout) as [{ filename: string }])[0].filename);
    await writeFile(join(folder, 'package.json'), '{ "private": true }');
    await run('npm', ['install', ...OPTIONS, packed], { cwd: folder });
  }, INSTALL_MS);
  afterAll(() => removeFolder(folder));

  it('is small, and holds no spec', async () => {
    expect((await stat(packed)).size).toBeLessThan(MAX_PACKAGE_MB * 1024 ** 2);
    const files = await readdir(join(folder, 'node_modules', 'anneal'), { recursive: true });
    expect(files.filter((file) => /\.(spec|suite|fixture)\.js$|\.map$/.test(file))).toEqual([]);
  });

  it('brings no package that only development needs', async () => {
    const packages = await readdir(join(folder, 'node_modules'));
    expect(packages).toEqual(expect.arrayContaining(['anneal', 'yargs']));
    expect(
      packages.filter((name) => ['jest', 'typescript', 'eslint', 'vite', 'react', 'openai'].includes(name)),
    ).toEqual([]);
  });

  it('starts by npx, makes a key, answers a call, and reads an uploaded dataset', async () => {
    expect(await anneal('--version')).toMatch(/^\d+\.\d+\.\d+ \(log \d+, /);
    const system = spawn('node_modules/.bin/anneal', ['start'], {
      cwd: folder,
      env: environment,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      const client = new Client(await addressOf(system), keyFrom(await anneal('--json', 'key', 'create', 'laptop')));
      const { result } = await client.post<{ result: { entities: Record<string, { text: string }[]> } }>('/inference', {
        model_id: 'anneal/encoder-base-v1',
        text: 'Maria Rossi flew to Berlin.',
        schema: ['person', 'city'],
      });
      expect(result.entities['city']).toMatchObject([{ text: 'Berlin' }]);
      const rows = [{ text: 'Order 4471 has not arrived.', entities: [['4471', 'order_number']] }];
      const upload = { dataset_name: 'tickets', dataset_type: 'ner', filename: 'tickets.jsonl' } as const;
      expect(await uploadDataset(client, upload, rows.map((row) => JSON.stringify(row)).join('\n'))).toMatchObject({
        status: 'ready',
        sample_size: 1,
      });
    } finally {
      const exit = once(system, 'exit');
      system.kill('SIGTERM');
      await exit;
    }
    // It ended in order: the folder is free for the next start.
    await eventually(async () => (await anneal('--json', 'key', 'list')).includes('laptop'));
  });
});

async function addressOf(system: ChildProcess): Promise<string> {
  const [line] = (await once(createInterface(system.stdout!), 'line')) as [string];
  system.stdout!.resume();
  return new URL(/http:\/\/\S+/.exec(line)![0]).origin;
}

const keyFrom = (line: string): string => (JSON.parse(line) as { secretKey: string }).secretKey;
