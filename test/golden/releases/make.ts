import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { Client } from '#apps/demo/client.js';
import { uploadDataset } from '#apps/demo/upload.js';
import { newApiKey } from '#primitives/secrets/index.js';
import { pathsOf, type ReleaseFacts } from './facts.js';

/**
 * `npm run release:folder -- CHECKOUT NAME`: starts the release in a built checkout on a new data folder, does the main
 * job there over HTTP, and writes the folder with what the API answered to `test/golden/releases/NAME.tar.gz`. Uses only routes that
 * all releases have.
 */
const [, , checkout = '', name = ''] = process.argv;
if (checkout === '' || name === '') throw new Error('give the folder of a built checkout, and a name');
const ROOT = join(import.meta.dirname, '..', '..', '..', '..');
const ROWS = 12;

const folder = await mkdtemp(join(tmpdir(), 'anneal-release-'));
try {
  const key = newApiKey();
  const system = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', 'scripts/start.mjs'], {
    cwd: resolve(checkout),
    env: {
      ...process.env,
      PORT: '0',
      ANNEAL_DATA_DIR: folder,
      ANNEAL_BOOTSTRAP_API_KEY: key,
      ANNEAL_RATE_LIMITS: 'off',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(system, 'exit');
  let answers: ReleaseFacts['answers'];
  try {
    const [line] = (await once(createInterface(system.stdout), 'line')) as [string];
    system.stdout.resume();
    const url = new URL(/http:\/\/\S+/.exec(line)![0]).origin;
    answers = await mainJob(new Client(url, key));
  } finally {
    system.kill('SIGTERM');
    await exit;
  }
  const facts: ReleaseFacts = { key, answers };
  await writeFile(join(folder, 'facts.json'), `${JSON.stringify(facts, null, 2)}\n`);
  const archive = join(ROOT, 'test', 'golden', 'releases', `${name}.tar.gz`);
  await promisify(execFile)('tar', ['-C', folder, '--exclude=./read', '--exclude=./cache', '-czf', archive, '.']);
  console.log(archive);
} finally {
  await rm(folder, { recursive: true });
}

async function mainJob(api: Client): Promise<ReleaseFacts['answers']> {
  const rows = (await readFile(join(ROOT, 'examples', 'support-tickets.jsonl'), 'utf8')).split('\n').slice(0, ROWS);
  const upload = { dataset_name: 'tickets', dataset_type: 'ner', filename: 'tickets.jsonl' } as const;
  await uploadDataset(api, upload, rows.join('\n'));
  const { id } = await api.post<{ id: string }>('/felix/training-jobs', {
    ...{ model_name: 'tickets', base_model: 'anneal/encoder-base-v1', datasets: [{ name: 'tickets' }], nr_epochs: 1 },
  });
  await api.until<{ status: string }>(`/felix/training-jobs/${id}`, ({ status }) => status === 'complete', 120);
  const calls: string[] = [];
  for (const model_id of ['anneal/encoder-base-v1', id]) {
    const call = { model_id, text: 'Maria Rossi asks in Lyon where order 4471 is.', schema: ['person', 'city'] };
    const { inference_id } = await api.post<{ inference_id: string }>('/inference', call);
    await api.post(`/inferences/${inference_id}/feedback`, { verdict: 'correct', notes: 'seen by a person' });
    await api.until<{ human_verdict?: string }>(
      `/inferences/${inference_id}`,
      (it) => it.human_verdict !== undefined,
      30,
    );
    calls.push(inference_id);
  }
  const answers: Record<string, object> = {};
  for (const path of pathsOf(id, calls)) answers[path] = await api.get<object>(path);
  return answers;
}
