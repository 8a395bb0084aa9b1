import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeKey } from './account.js';
import { Client } from './client.js';
import { distil, startSorter } from './distil.js';
import { improve, nameModel, reviewTickets, takeOver, ticketsIn } from './improve.js';
import { indented, labelTable, lossChart, resultLine, say, type LabelRow } from './show.js';
import { progressLine, Steps } from './steps.js';
import { startSystem } from './system.js';
import { uploadDataset } from './upload.js';

/**
 * The main job, over HTTP only: labelled examples become a measured, served, recorded and corrected model, corrections a better one,
 * and the log says how. Ends with one line of JSON; exit status 0 only when all of it happened and the model is good enough.
 */

const EXAMPLES = join(import.meta.dirname, '..', '..', '..', 'examples');
const LEAST_F1 = 0.8;
const BASE_MODEL = 'anneal/encoder-base-v1';
const NAME = 'tickets';

const UNSEEN = [
  'Hi, this is Nadia Petrov. I still have not received order #88213 that should have come to Rotterdam on Tuesday.',
  'You charged me $49.90 twice for the espresso machine, please send the money back.',
  'How do I change the email address on my account? The reset link never arrives.',
];

interface Job {
  readonly id: string;
  readonly status: string;
  readonly progress_percent: number;
  readonly current_epoch: number;
  readonly nr_epochs: number;
  readonly error_message: string | null;
  readonly metrics?: { readonly f1: number; readonly per_entity: Readonly<Record<string, LabelRow>> };
}
interface Evaluation {
  readonly id: string;
  readonly status: string;
  readonly f1: number;
  readonly precision: number;
  readonly recall: number;
  readonly sample_count: number;
  readonly error_message: string | null;
}
interface Inference {
  readonly inference_id: string;
  readonly result: Parameters<typeof resultLine>[0];
  readonly latency_ms: number;
}

const isDistilling = process.argv[2] === 'distil';
const steps = new Steps();
const teacher = isDistilling ? await startSorter(EXAMPLES) : null;
const system = await steps.run('Start a system of its own on a temporary folder', () => startSystem(teacher?.settings));
try {
  process.exitCode = await (isDistilling ? distilling : demo)(new Client(system.url));
} finally {
  await system.close();
  await teacher?.close();
}

/** `npm run demo -- distil`: a prompt of a large model becomes a small one. */
async function distilling(anonymous: Client): Promise<number> {
  const api = await signIn(anonymous);
  const figures = await distil(api, steps, EXAMPLES);
  console.log(`\n${JSON.stringify({ ...figures, total_seconds: steps.totalSeconds })}`);
  return 0;
}

function signIn(anonymous: Client): Promise<Client> {
  return steps.run('Sign in and make an API key', async () => {
    const key = await makeKey(anonymous, system, 'demo');
    say(`a key ending in ${key.api_key_last_digits}, shown once and stored as a hash`);
    return anonymous.with(key.secret_key);
  });
}

async function demo(anonymous: Client): Promise<number> {
  const api = await signIn(anonymous);
  await steps.run('Upload two datasets: one to learn from, one held out', async () => {
    await upload(api, 'support-tickets', 'support-tickets.jsonl');
    await upload(api, 'support-tickets-held-out', 'support-tickets.held-out.jsonl');
  });

  const job = await steps.run(`Train an adapter on ${BASE_MODEL}`, () => train(api));
  await steps.run('What training says of itself', () => describeTraining(api, job));
  const evaluation = await steps.run('Evaluate on the held-out rows', () => evaluate(api, job.id));
  const inferences = await steps.run('Run the model on sentences it has not seen', () => infer(api, job.id));
  await steps.run('Correct one of the answers', () => correct(api, inferences[0]!));
  const recorded = await steps.run('List the history', () => history(api, job.id));
  await steps.run('Give the model a name', () => nameModel(api, NAME, job.id));
  const tickets = await ticketsIn(join(EXAMPLES, 'support-tickets.later.jsonl'));
  const wrong = await steps.run('A week later: tickets in another language are answered and reviewed', () =>
    reviewTickets(api, NAME, tickets),
  );
  const improvement = await steps.run('Improve the model by these corrections', () => improve(api, NAME));
  const stillWrong = await steps.run('Promote the new version, and ask by name again', () =>
    takeOver(api, NAME, improvement, tickets),
  );
  const replayed = await steps.run("Replay the job's events from the log", () => replay(api, job.id));

  console.log('\nWhat it did, and how long each step took');
  for (const { step, seconds } of steps.times) say(`${seconds.toFixed(2).padStart(6)} s  ${step}`);
  const good = evaluation.f1 >= LEAST_F1;
  if (!good) say(`micro-F1 ${evaluation.f1} is below ${LEAST_F1}: the demo failed`);
  const figures = {
    micro_f1: evaluation.f1,
    precision: evaluation.precision,
    recall: evaluation.recall,
    validation_f1: job.metrics!.f1,
    held_out_rows: evaluation.sample_count,
    training_seconds: steps.times.find(({ step }) => step.startsWith('Train'))!.seconds,
    inference_ms: Math.max(...inferences.map(({ latency_ms }) => latency_ms)),
    recorded_inferences: recorded,
    wrong_before_improving: wrong,
    wrong_after_improving: stillWrong,
    improved_to_version: improvement.version,
    replayed_events: replayed,
    total_seconds: steps.totalSeconds,
  };
  console.log(`\n${JSON.stringify(figures)}`);
  return good ? 0 : 1;
}

async function upload(api: Client, name: string, filename: string): Promise<void> {
  const line = progressLine();
  const content = await readFile(join(EXAMPLES, filename));
  const wanted = { dataset_name: name, dataset_type: 'ner', filename } as const;
  const { sample_size } = await uploadDataset(api, wanted, content, (status) => line(`${name}: ${status}`));
  line(`${name}: ready, ${sample_size} rows`);
}

async function train(api: Client): Promise<Job> {
  const { id } = await api.post<Job>('/felix/training-jobs', {
    model_name: 'support-tickets demo',
    base_model: BASE_MODEL,
    datasets: [{ name: 'support-tickets' }],
  });
  const line = progressLine();
  const job = await api.until<Job>(
    `/felix/training-jobs/${id}`,
    (now) => {
      line(`${now.status}, epoch ${now.current_epoch} of at most ${now.nr_epochs}`);
      return !['requested', 'running'].includes(now.status);
    },
    120,
  );
  if (job.status !== 'complete') throw new Error(`the job is ${job.status}: ${job.error_message}`);
  line('complete');
  return job;
}

async function describeTraining(api: Client, job: Job): Promise<void> {
  interface Checkpoint {
    readonly epoch: number;
    readonly training_loss: number;
  }
  const { checkpoints } = await api.get<{ checkpoints: Checkpoint[] }>(`/felix/training-jobs/${job.id}/checkpoints`);
  const losses = new Map(checkpoints.map(({ epoch, training_loss }) => [epoch, training_loss]));
  const byEpoch = [...losses].sort(([a], [b]) => a - b).map(([, loss]) => loss);
  say(`training loss over ${byEpoch.length} epochs (logarithmic)`);
  console.log(indented(lossChart(byEpoch)));
  say(`\n    on the rows held out for validation: micro-F1 ${job.metrics!.f1.toFixed(3)}`);
  console.log(indented(labelTable(job.metrics!.per_entity)));
}

async function evaluate(api: Client, jobId: string): Promise<Evaluation> {
  const { id } = await api.post<Evaluation>('/felix/evaluations', {
    base_model: jobId,
    dataset_name: 'support-tickets-held-out',
  });
  const evaluation = await api.until<Evaluation>(
    `/felix/evaluations/${id}`,
    ({ status }) => status === 'complete' || status === 'failed',
    60,
  );
  if (evaluation.status === 'failed') throw new Error(`the evaluation failed: ${evaluation.error_message}`);
  const { f1, precision, recall, sample_count } = evaluation;
  say(
    `micro-F1 ${f1.toFixed(3)}, precision ${precision.toFixed(3)}, recall ${recall.toFixed(3)} on ${sample_count} rows`,
  );
  return evaluation;
}

async function infer(api: Client, jobId: string): Promise<Inference[]> {
  const inferences: Inference[] = [];
  for (const text of UNSEEN) {
    const inference = await api.post<Inference>('/inference', { model_id: jobId, text });
    inferences.push(inference);
    say(text);
    say(`  -> ${resultLine(inference.result)}  ${inference.latency_ms} ms`);
  }
  return inferences;
}

async function correct(api: Client, { inference_id, result }: Inference): Promise<void> {
  const right = 'delivery';
  say(`a person says that the first one is about ${right}, not ${result.classification?.label ?? 'nothing'}`);
  await api.post(`/inferences/${inference_id}/feedback`, {
    verdict: 'incorrect',
    corrected_output: { ...result, classification: { label: right, confidence: 1 } },
    notes: 'it asks where the order is',
  });
  const { human_verdict } = await api.get<{ human_verdict: string }>(`/inferences/${inference_id}/feedback`);
  say(`inference ${inference_id} is now marked ${human_verdict}; both the answer and the correction stay on the log`);
}

async function history(api: Client, jobId: string): Promise<number> {
  interface Page {
    readonly total: number;
    readonly inferences: readonly { created_at: string; task: string; latency_ms: number; human_verdict?: string }[];
  }
  const page = await api.get<Page>(`/inferences?training_job_id=${jobId}`);
  for (const { created_at, task, latency_ms, human_verdict } of page.inferences)
    say(`${created_at}  ${task}  ${latency_ms} ms  ${human_verdict ?? ''}`);
  if (page.total !== UNSEEN.length) throw new Error(`expected ${UNSEEN.length} recorded calls, found ${page.total}`);
  return page.total;
}

async function replay(api: Client, jobId: string): Promise<number> {
  interface Page {
    readonly events: readonly { revision: number; type: string; actor: string; occurred_at: string }[];
  }
  const { events } = await api.get<Page>(`/events?stream=job-${jobId}&limit=1000`);
  const shown = events.filter(({ type }, at) => at < 5 || !/epoch|checkpoint/.test(type));
  for (const { revision, type, actor, occurred_at } of shown)
    say(`${String(revision).padStart(3)}  ${occurred_at}  ${type.padEnd(30)}  ${actor}`);
  say(`and ${events.length - shown.length} more epochs and checkpoints in between`);
  return events.length;
}
