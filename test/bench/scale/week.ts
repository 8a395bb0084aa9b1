import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { v7 as uuid7 } from 'uuid';
import { meteredOf, type CallFacts } from '#calls/recording/metered.js';
import { NO_USAGE } from '#calls/hosted/port.js';
import type { CallRecorder } from '#calls/recording/call-recorder.js';
import { randomNumbers } from '#primitives/random-numbers.js';

const HOURS = 7 * 24;
/** Calls a second in the busiest hour of the week that is assumed where none was recorded. */
const BUSIEST = 1_000;
const WORKSPACES = 1_000;
const MODELS = 100_000;
/** Share of calls to hosted models, which have four events. */
const HOSTED = 0.3;
/** Calls behind the longest answers, whose sizes vary by this factor. */
const LONGEST = 8;

/**
 * Calls a second in each hour of a week: those of the file that ANNEAL_BENCH_WEEK names, a JSON array of 168 counts of calls, else
 * working days of an office.
 */
export async function recordedWeek(): Promise<readonly number[]> {
  const file = process.env['ANNEAL_BENCH_WEEK'];
  if (!file) return Array.from({ length: HOURS }, (_, hour) => BUSIEST * share(hour));
  const counts = JSON.parse(await readFile(file, 'utf8')) as readonly number[];
  if (!Array.isArray(counts) || counts.length !== HOURS)
    throw new RangeError(`${file} has not the ${HOURS} hours of a week`);
  return counts.map((calls) => calls / 3_600);
}

/** Of the busiest hour: a bell around 14:00, a tenth at night, a third at weekends. */
function share(hour: number): number {
  const bell = Math.exp(-(((hour % 24) - 14) ** 2) / 32);
  return (0.1 + 0.9 * bell) * (hour >= 5 * 24 ? 1 / 3 : 1);
}

export interface Call {
  readonly workspaceId: string;
  readonly facts: CallFacts;
  readonly text: string;
  readonly isHosted: boolean;
}

/** Makes calls of workspaces and models of which few are busy (Zipf). The same calls at each run, but for their ids. */
export class Traffic {
  private readonly random = randomNumbers(41);
  private readonly workspaces = Array.from({ length: WORKSPACES }, () => randomUUID());
  private readonly models = new Map<number, string>();

  call(at: string): Call {
    const workspace = this.rank(WORKSPACES);
    const workspaceId = this.workspaces[workspace]!;
    const isHosted = this.random() < HOSTED;
    const model = this.rank(MODELS);
    let job = this.models.get(model);
    if (job === undefined) this.models.set(model, (job = randomUUID()));
    const baseModel = isHosted ? 'acme/chat' : 'anneal/encoder-base-v1';
    const facts: CallFacts = {
      ...{ inferenceId: uuid7(), teamId: workspaceId, userId: workspaceId, keyId: workspaceId },
      ...{ modelId: isHosted ? baseModel : job, baseModel, trainingJobId: isHosted ? null : job, projectId: null },
      ...{ task: isHosted ? 'schema' : 'extract_entities', source: 'api', format: 'native', at },
      price: { input: '1', output: '1', cacheRead: '0', cacheWrite: '0' },
    };
    const text = SENTENCE.repeat(1 + Math.floor(LONGEST * this.random() ** 2));
    return { workspaceId, facts, text, isHosted };
  }

  /** Of 1 to n, in proportion to 1/rank; from 0. */
  private rank(n: number): number {
    return Math.min(n - 1, Math.floor(n ** this.random()) - 1);
  }
}

const SENTENCE = 'Please refund order 4711, which Ada Lovelace placed in London last Tuesday. ';
const ENTITIES = { entities: { person: [{ text: 'Ada Lovelace', start: 32, end: 44, confidence: 0.95 }] } };

/** Records a call as the API does. */
export async function record(recorder: CallRecorder, { workspaceId, facts, text, isHosted }: Call): Promise<void> {
  const { inferenceId, at: now } = facts;
  const context = { workspaceId, actor: 'key:k', correlationId: inferenceId, commandId: inferenceId, now };
  const end = {
    ...{ errorType: null, latencyMs: 2.5, ttftMs: null },
    usage: { ...NO_USAGE, inputTokens: text.length / 4, outputTokens: isHosted ? 60 : 0 },
  };
  const output = isHosted ? { message: { role: 'assistant', content: text.slice(0, 240) } } : ENTITIES;
  const call = { metered: meteredOf(facts, null, end), content: { input: { text }, output, errorMessage: null } };
  if (!isHosted) return recorder.record(call, context);
  const terms = { store: true, chargedTo: null, estimatedInputTokens: 20, reservedPicodollars: '100' };
  const opened = recorder.open({ ...facts, ...terms }, context);
  await opened.acknowledged;
  await opened.close(call, 'answered');
}
