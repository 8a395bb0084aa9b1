import { makeKey } from '#apps/demo/account.js';
import { Client } from '#apps/demo/client.js';
import { startSystem } from '#apps/demo/system.js';
import { uploadDataset } from '#apps/demo/upload.js';
import { DATA_DIRECTORY, type Row } from './sets.js';
import { isPresent, TRIALS, type Trial } from './trials.js';

/**
 * `npm run quality [-- NAME...]`: trains and measures through the HTTP API, on the official test rows of public data sets.
 * Prints micro-F1, training seconds, milliseconds a sentence and the adapter's size; exits 1 when a promise is missed.
 */

const BASE_MODEL = 'anneal/encoder-base-v1';

interface Figures {
  readonly trial: string;
  readonly type: string;
  readonly rows: number;
  readonly micro_f1: number;
  readonly train_seconds: number | null;
  readonly ms_per_sentence: number;
  readonly adapter_mb: number | null;
  readonly promise: string;
}

const wanted = process.argv.slice(2);
const trials = TRIALS.filter(({ name }) => wanted.length === 0 || wanted.some((prefix) => name.startsWith(prefix)));
const absent = trials.filter((trial) => !isPresent(trial));
for (const { name } of absent) console.log(`skipped: ${name} (its data are not in ${DATA_DIRECTORY})`);

const system = await startSystem();
const figures: Figures[] = [];
try {
  const anonymous = new Client(system.url);
  const api = anonymous.with((await makeKey(anonymous, system, 'quality')).secret_key);
  for (const trial of trials.filter(isPresent))
    for (const type of trial.types) {
      const result = await measure(api, trial, type);
      console.log(JSON.stringify(result));
      figures.push(result);
    }
} finally {
  await system.close();
}
console.table(figures);
if (figures.some(({ promise }) => promise.startsWith('missed'))) process.exitCode = 1;

async function measure(api: Client, trial: Trial, type: 'lora' | 'full'): Promise<Figures> {
  const test = trial.test();
  const testName = `${trial.name}-${type}-test`;
  await upload(api, testName, test);
  const trained = trial.train ? await train(api, `${trial.name}-${type}`, trial.train(), type) : null;
  const model = trained?.id ?? BASE_MODEL;
  const f1 = await evaluate(api, model, testName);
  return {
    trial: trial.name,
    type: trained ? type : 'base',
    rows: trained?.rows ?? 0,
    micro_f1: Number(f1.toFixed(4)),
    train_seconds: trained?.seconds ?? null,
    ms_per_sentence: await inferenceTime(api, model, test),
    adapter_mb: trained?.megabytes ?? null,
    promise:
      trial.least === undefined ? '-' : `${f1 >= trial.least ? 'held' : 'missed'} (${Number(trial.least.toFixed(4))})`,
  };
}

async function upload(api: Client, name: string, rows: readonly Row[]): Promise<void> {
  const dataset_type = rows[0]?.label === undefined || rows[0].entities ? 'ner' : 'classification';
  const content = rows.map((row) => JSON.stringify(row)).join('\n');
  await uploadDataset(api, { dataset_name: name, dataset_type, filename: 'rows.jsonl' }, content);
}

async function train(api: Client, name: string, rows: readonly Row[], type: 'lora' | 'full') {
  await upload(api, name, rows);
  interface Job {
    readonly id: string;
    readonly status: string;
    readonly started_at: string;
    readonly completed_at: string;
  }
  const { id } = await api.post<Job>('/felix/training-jobs', {
    model_name: name,
    base_model: BASE_MODEL,
    training_type: type,
    datasets: [{ name }],
  });
  const ended = ({ status }: Job) => !['requested', 'running'].includes(status);
  const job = await api.until<Job>(`/felix/training-jobs/${id}`, ended, 600);
  if (job.status !== 'complete') throw new Error(JSON.stringify(job));
  const seconds = (Date.parse(job.completed_at) - Date.parse(job.started_at)) / 1_000;
  return { id, rows: rows.length, seconds, megabytes: await adapterSize(api, id) };
}

/** Reads the adapter's size from the log. */
async function adapterSize(api: Client, jobId: string): Promise<number> {
  interface Page {
    readonly events: readonly { type: string; data: { artifact?: { files: readonly { size: number }[] } } }[];
  }
  const { events } = await api.get<Page>(`/events?stream=job-${jobId}&limit=1000`);
  const files = events.find(({ type }) => type.startsWith('training-job-completed'))!.data.artifact!.files;
  return Number((files.reduce((sum, { size }) => sum + size, 0) / 1e6).toFixed(2));
}

async function evaluate(api: Client, model: string, dataset: string): Promise<number> {
  interface Evaluation {
    readonly id: string;
    readonly status: string;
    readonly f1: number;
  }
  const { id } = await api.post<Evaluation>('/felix/evaluations', { base_model: model, dataset_name: dataset });
  const ended = ({ status }: Evaluation) => status === 'complete' || status === 'failed';
  const evaluation = await api.until<Evaluation>(`/felix/evaluations/${id}`, ended, 300);
  if (evaluation.status === 'failed') throw new Error(JSON.stringify(evaluation));
  return evaluation.f1;
}

/** Batches of 100 after a first one that loads the model, recording included. */
async function inferenceTime(api: Client, model: string, rows: readonly Row[]): Promise<number> {
  const labels = [...new Set(rows.flatMap(({ entities = [] }) => entities.map(([, label]) => label)))];
  const schema = model === BASE_MODEL ? { schema: labels } : {};
  const run = (text: string[]) =>
    api.post<{ latency_ms: number }>('/inference', { model_id: model, text, ...schema, store: false });
  const texts = rows.slice(0, 600).map(({ text }) => text);
  await run(texts.slice(0, 100));
  let ms = 0;
  for (let at = 0; at < texts.length; at += 100) ms += (await run(texts.slice(at, at + 100))).latency_ms;
  return Number((ms / texts.length).toFixed(3));
}
