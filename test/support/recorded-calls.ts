import { randomNumbers } from '#primitives/random-numbers.js';
import { v5 as uuid5 } from 'uuid';
import type { JsonObject } from '#domain/json.js';
import { streamName } from '#domain/streams.js';
import { NO_STREAM, type EventStore, type RecordedEvent } from '#ports/event-store/port.js';
import { collectionOf } from '#log/projector/collection.js';
import { DocumentFolding } from '#log/projector/folding.js';
import { HandledTypes } from '#log/projector/handled-types.js';
import type { Projection } from '#log/projector/projection.js';
import { totalWrites } from '#log/projector/totals.js';
import { inferences } from '#projections/inferences/projection.js';
import type { Collection, ReadStore } from '#ports/read-store/port.js';
import { SqliteReadStore } from '#ports/read-store/sqlite/sqlite-read-store.js';

const IDS = '6f1d2a52-4c27-5a62-9a2e-1b7c0c3b9d11';
const idOf = (name: string): string => uuid5(name, IDS);

export const WORKSPACE = idOf('workspace');
export const PROJECTS = ['a', 'b', 'c', 'd'].map((name) => idOf(`project ${name}`));
export const JOBS = ['a', 'b', 'c', 'd'].map((name) => idOf(`job ${name}`));
export const BASE = 'anneal/encoder-base-v1';

const FIRST = Date.UTC(2030, 0, 1);
/** A million of them are 30 days. */
const APART_MS = 2_592;
export const timeOf = (n: number): string => new Date(FIRST + n * APART_MS).toISOString();

/** The log as far as the history asks it: which projects there are. */
export const LOG_OF_PROJECTS = {
  async *readStream(stream: string) {
    yield* PROJECTS.map(projectCreated).filter(
      ({ data }) => stream === streamName('project', data['projectId'] as string),
    );
  },
} as unknown as EventStore;

/** Writes the history of one busy workspace as its projection does, from events made here. */
export class HistoryWriter {
  private readonly random = randomNumbers(1);
  private written = 0;
  private readonly calls: Filling;

  private constructor(private readonly store: SqliteReadStore) {
    this.calls = new Filling(store, inferences);
  }

  static async open(directory: string): Promise<HistoryWriter> {
    const store = new SqliteReadStore({ directory });
    const writer = new HistoryWriter(store);
    await writer.calls.open();
    return writer;
  }

  async append(calls: number, batch = 2_500): Promise<void> {
    for (let left = calls; left > 0; left -= batch) {
      const count = Math.min(batch, left);
      await this.calls.write(
        Array.from({ length: count }, (_, at) => callEvents(this.written + at, this.random)).flat(),
      );
      this.written += count;
    }
  }

  close(): Promise<void> {
    return this.store.close();
  }
}

/** The events of call n, at most three on four positions. */
export function callEvents(n: number, random: () => number): readonly RecordedEvent[] {
  const { metered: call, content } = callOf(n, random);
  const { inferenceId, output } = content;
  return [
    recorded(4 * n, 'call-metered.v1', call),
    recorded(4 * n + 1, 'call-content.v1', content.data),
    ...(n % FEEDBACK_EACH === 0 ? [recorded(4 * n + 2, 'feedback-given.v1', feedback(n, inferenceId, output))] : []),
  ];
}

/** The data of the two events of call n. */
function callOf(n: number, random: () => number) {
  const inferenceId = `0190${n.toString(16).padStart(8, '0').replace(/^.{4}/, '$&-')}-7000-8000-${idOf(String(n)).slice(-12)}`;
  const input = { text: 'Please refund order 4711, which Ada Lovelace placed last Tuesday.' };
  const call = metered(n, inferenceId, random);
  const output = call['task'] === 'classify_text' ? classified(n) : entities(n);
  const content = { input, output, errorMessage: null };
  return { metered: call, content: { inferenceId, output, data: { inferenceId, workspaceId: WORKSPACE, content } } };
}

/** Calls of one append: their contents stay below 1 MiB. */
const TOGETHER = 1_000;

/**
 * Writes calls of a workspace on the log in large appends, without the checks and the append of each line that an import has. The read
 * models take them in meanwhile.
 * @param last when the last call was made; each is 2.6 s after the one before
 */
export async function appendCalls(
  log: Pick<EventStore, 'append'>,
  count: number,
  { workspaceId, last }: { readonly workspaceId: string; readonly last: Date },
): Promise<void> {
  const random = randomNumbers(1);
  const first = last.getTime() - count * APART_MS;
  for (let done = 0; done < count; done += TOGETHER) {
    const calls = Array.from({ length: Math.min(TOGETHER, count - done) }, (_, at) => {
      const n = done + at;
      const { metered: call, content } = callOf(n, random);
      const madeAt = new Date(first + n * APART_MS).toISOString();
      const facts = { ...call, workspaceId, teamId: workspaceId, userId: workspaceId, at: madeAt };
      return { madeAt, facts, content: { ...content.data, workspaceId } };
    });
    const append = (category: string, type: string, of: (call: (typeof calls)[number]) => JsonObject) =>
      log.append(
        `${category}-${idOf(`${workspaceId} ${done}`)}`,
        NO_STREAM,
        calls.map((call, n) => ({
          ...{ id: idOf(`${type} ${workspaceId} ${done + n}`), type, data: of(call) },
          metadata: { ...metadataOf(workspaceId), occurredAt: call.madeAt },
        })),
      );
    await append('metered', 'call-metered.v1', ({ facts }) => facts);
    await append('content', 'call-content.v1', ({ content }) => content);
  }
}

/** A projection at work, without a log. */
export class Filling {
  private readonly collection: Collection;
  private readonly folding: DocumentFolding;

  constructor(
    private readonly store: ReadStore,
    projection: Projection,
  ) {
    this.collection = collectionOf(projection);
    this.folding = new DocumentFolding(projection, new HandledTypes(projection.on), {
      load: (ids) => store.load(this.collection, ids),
      counters: (keys) => store.counters(this.collection, keys),
    });
  }

  async open(): Promise<void> {
    await this.store.prepare(this.collection);
    await this.store.activate(this.collection.name, this.collection.version);
  }

  async write(events: readonly RecordedEvent[]): Promise<void> {
    const folded = await this.folding.fold(events, null);
    const checkpoint = { logId: 'made', position: events.at(-1)!.position, eventId: null };
    await this.store.write(this.collection, {
      ...{ first: totalWrites(folded.totals), writes: folded.writes, counters: folded.counters, checkpoint },
    });
    this.folding.commit(folded);
  }
}

/** The share of calls with feedback. */
const FEEDBACK_EACH = 20;
const CLASSES = ['refund', 'delivery', 'praise'];

const entities = (n: number): JsonObject => {
  const person = { text: 'Ada Lovelace', start: 32, end: 44, confidence: 1 - (n % 40) / 100 };
  return { entities: { person: [person], order_number: n % 3 === 0 ? [{ text: '4711', start: 20, end: 24 }] : [] } };
};

const classified = (n: number): JsonObject => ({
  classification: { label: CLASSES[n % 3]!, confidence: 0.5 + (n % 50) / 100 },
});

/** Half of the verdicts are `incorrect`: another class, or an entity of another label. */
function feedback(n: number, inferenceId: string, output: JsonObject): JsonObject {
  const isRight = n % (2 * FEEDBACK_EACH) === 0;
  const corrected =
    'entities' in output ? { entities: { customer: ['Ada Lovelace'] } } : { classification: CLASSES[n % 2]! };
  const correctedOutput = isRight ? null : corrected;
  const verdict = isRight ? 'correct' : 'incorrect';
  return {
    inferenceId,
    workspaceId: WORKSPACE,
    userId: WORKSPACE,
    verdict,
    correctedOutput,
    notes: null,
    at: timeOf(n),
  };
}

/** Most calls go to the base model and are fast; one in a thousand takes more than a second. */
function metered(n: number, inferenceId: string, random: () => number): JsonObject {
  const [which, task, project] = [random(), random(), random()];
  const jobId = which < 0.6 ? null : JOBS[Math.floor(((which - 0.6) / 0.4) * JOBS.length)]!;
  const latencyMs =
    Math.round((2 + 10 * random() ** 4 + (random() < 0.001 ? 1_000 + 4_000 * random() : 0)) * 100) / 100;
  return {
    inferenceId,
    workspaceId: WORKSPACE,
    teamId: 't',
    userId: n % 4 === 0 ? WORKSPACE : idOf('another user'),
    keyId: n % 5 === 0 ? null : `k${n % 2}`,
    modelId: jobId ?? BASE,
    baseModel: BASE,
    trainingJobId: jobId,
    projectId: project < 0.3 ? null : PROJECTS[Math.floor(((project - 0.3) / 0.7) * PROJECTS.length)]!,
    task: task < 0.7 ? 'extract_entities' : task < 0.9 ? 'classify_text' : 'schema',
    source: 'api',
    format: 'native',
    status: n % 100 === 7 ? 'failed' : 'success',
    errorType: n % 100 === 7 ? 'internal' : null,
    latencyMs,
    ttftMs: null,
    inputTokens: 20,
    outputTokens: 0,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    price: { input: '100', output: '0', cacheRead: '0', cacheWrite: '0' },
    costPicodollars: '2000',
    stored: true,
    contentHmac: null,
    at: timeOf(n),
  };
}

const projectCreated = (projectId: string, n: number): RecordedEvent =>
  recorded(n, 'project-created.v1', {
    projectId,
    workspaceId: WORKSPACE,
    name: projectId,
    description: null,
    createdAt: timeOf(n),
  });

function recorded(n: number, type: string, data: JsonObject): RecordedEvent {
  const position = String(n + 1).padStart(16, '0');
  const metadata = { ...metadataOf(WORKSPACE), occurredAt: timeOf(n) };
  return { id: position, stream: 'bench-1', revision: n, position, type, data, metadata };
}

const metadataOf = (workspaceId: string) => ({
  workspaceId,
  actor: 'bench',
  correlationId: 'b',
  causationId: 'b',
  commandId: 'b',
});

/** A small generator of even numbers from 0 to 1 (Tommy Ettinger's, public domain). */
