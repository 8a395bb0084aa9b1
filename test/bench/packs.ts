import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cpuUsage } from 'node:process';
import { makeKey } from '#apps/demo/account.js';
import { Client } from '#apps/demo/client.js';
import { startSystem } from '#apps/demo/system.js';
import { uploadDataset } from '#apps/demo/upload.js';
import { engine as builtinEngine } from '#gpu-runner/engines/builtin/index.js';
import { Random } from '#gpu-runner/engines/builtin/random.js';
import { segmentTokens } from '#gpu-runner/engines/builtin/text/segments.js';
import { ENGINES } from '#gpu-runner/engines/engines.js';
import { openPack } from '#gpu-runner/engines/packs/base.js';
import { ENCODER } from '#gpu-runner/engines/packs/facts.js';
import { PackTextEncoder } from '#gpu-runner/engines/packs/text-encoder.js';
import { drain } from '#gpu-runner/engines/steps.js';
import { eventually } from '#test/support/eventually.js';
import { present, read } from '../quality/sets.js';

/**
 * `ANNEAL_MODELS_DIR=FOLDER ANNEAL_SHARED_DIR=FOLDER npm run bench -- packs`: what an encoder pack costs beside the surface engine. CPU
 * milliseconds to encode a sentence of 15 words on one core; CPU and wall seconds of a training on 500 rows of SNIPS with entities and
 * classes; milliseconds of recorded calls, one at a time, to what was trained. CPU is that of all processes (Linux: /proc/PID/stat).
 */

const SURFACE = 'anneal/encoder-base-v1';
const SET = 'snips.train';
const ROWS = 500;
const WORDS = 15;
const SENTENCES = 300;
const CALLS = 300;

const models = process.env['ANNEAL_MODELS_DIR'] ?? '';
if (!existsSync(join(models, ENCODER.pack)) || !present(SET)) {
  console.error(`skipped: ANNEAL_MODELS_DIR needs ${ENCODER.pack}, and ANNEAL_SHARED_DIR data/${SET}.jsonl`);
  process.exit();
}

const rows = new Random(1).shuffle(read(SET));
const sentences = rows.flatMap(({ text }) => (text.split(' ').length === WORDS ? [text] : [])).slice(0, SENTENCES);
const encoding = encodings();
console.table(encoding);
const trained = await trainings();
console.table(trained);
console.log(JSON.stringify({ bench: 'packs', encoding, trained }));

function encodings() {
  const pack = openPack(ENCODER.pack, join(models, ENCODER.pack), 'both');
  const of = (wanted: 'words' | 'sentence' | 'both') =>
    new PackTextEncoder(pack, { wanted, maxKeptBytes: 0, whenFull: 'keep' });
  const [words, sentence, both] = [of('words'), of('sentence'), of('both')];
  const surface = builtinEngine.load(ENGINES.baseModel(SURFACE)!.model.directory, null);
  const schema = { entities: ['person', 'city', 'date'].map((name) => ({ name })) };
  const tokens = new Map(
    sentences.map((text) => [text, [...segmentTokens(text)].flat().map(({ start, end }) => text.slice(start, end))]),
  );
  return {
    'vectors of words': cpu((text) => words.words(tokens.get(text)!)),
    'vector of the text': cpu((text) => sentence.sentence(text)),
    'both, in one pass': cpu((text) => both.sentence(text)),
    'entities of the surface engine': cpu((text) => drain(surface.infer({ texts: [text], schema, threshold: 0.5 }))),
  };
}

function cpu(each: (text: string) => unknown) {
  sentences.slice(0, 50).forEach(each);
  const before = cpuUsage();
  sentences.forEach(each);
  const { user, system } = cpuUsage(before);
  return { 'CPU ms a sentence': rounded((user + system) / 1_000 / sentences.length) };
}

async function trainings() {
  const system = await startSystem({ ANNEAL_RATE_LIMITS: 'off', ANNEAL_MODELS_DIR: models });
  try {
    const { secret_key } = await makeKey(new Client(system.url), system, 'bench');
    const api = new Client(system.url).with(secret_key);
    const content = rows.slice(0, ROWS).map((row) => `${JSON.stringify(row)}\n`);
    await uploadDataset(api, { dataset_name: 'snips', dataset_type: 'ner', filename: 'snips.jsonl' }, content.join(''));
    const figures: Record<string, unknown> = {};
    for (const base_model of [SURFACE, ENCODER.id])
      for (const training_type of ['lora', 'full'])
        figures[`${base_model}, ${training_type}`] = await training(api, system.pid, { base_model, training_type });
    return figures;
  } finally {
    await system.close();
  }
}

interface Job {
  readonly id: string;
  readonly status: string;
  readonly error_message: string | null;
}

async function training(
  api: Client,
  pid: number,
  kind: { readonly base_model: string; readonly training_type: string },
) {
  const [startedAt, before] = [performance.now(), await cpuSecondsOf(pid)];
  const body = { model_name: 'snips', datasets: [{ name: 'snips' }], ...kind };
  const { id } = await api.post<Job>('/felix/training-jobs', body);
  const ended = ({ status }: Job) => ['complete', 'failed', 'errored', 'stopped'].includes(status);
  const { status, error_message } = await api.until<Job>(`/felix/training-jobs/${id}`, ended, 300);
  if (status !== 'complete') throw new Error(`${kind.base_model}: ${status}, ${error_message}`);
  const wall = (performance.now() - startedAt) / 1_000;
  await eventually(() => hasNoChild(pid));
  const cpuSeconds = (await cpuSecondsOf(pid)) - before;
  const latencies: number[] = [];
  for (let call = 0; call < CALLS; call += 1) {
    const text = sentences[call % sentences.length]!;
    const sentAt = performance.now();
    await api.post('/inference', { model_id: id, text });
    latencies.push(performance.now() - sentAt);
  }
  // The first ones load the model.
  const warm = latencies.slice(CALLS / 10).toSorted((one, other) => one - other);
  return {
    'training CPU s': rounded(cpuSeconds),
    'wall s': rounded(wall),
    'call p50 ms': rounded(warm[warm.length >> 1]!),
    'p99 ms': rounded(warm[Math.floor(warm.length * 0.99)]!),
  };
}

/** The time of a child is counted when it has ended, a little after its job. */
async function hasNoChild(pid: number): Promise<boolean> {
  return (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')) === '';
}

/** User and system time of a process, its threads, and its children that have ended. */
async function cpuSecondsOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / 100;
}

function rounded(value: number): number {
  return Number(value.toFixed(2));
}
