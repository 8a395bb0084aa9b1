import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serveRunners } from '#use-cases/attempts/serve.js';
import { Application } from '#application/application.js';
import { systemContext } from '#log/context.js';
import { startThread } from '#primitives/thread/thread.js';
import { InProcessBus } from '#ports/bus/in-process/in-process-bus.js';
import { coordinationService, openSqliteCoordination } from '#ports/coordination/sqlite/index.js';
import type { DomainEvent } from '#domain/decider.js';
import { evaluationDecider, type EvaluationRequest } from '#domain/evaluation/index.js';
import { streamName } from '#domain/streams.js';
import { trainingJobDecider, type DatasetPin, type TrainingRequest } from '#domain/training-job/index.js';
import { StreamNotFoundError, type EventStore, type RecordedEvent } from '#ports/event-store/port.js';
import { openSqliteEventStore } from '#ports/event-store/sqlite/index.js';
import { cancelSubject, dispatchSubject, type Dispatch, type WorkKind } from '#gpu-runner/contract/work.js';
import { baseModelSha256, type BaseModelFacts } from '#gpu-runner/contract/engines.js';
import type { Needs } from '#gpu-runner/contract/needs.js';
import { builtin as builtinEngine } from '#gpu-runner/engines/builtin/registration.js';
import type { EngineAddress, RegisteredEngine } from '#gpu-runner/engines/registered-engine.js';
import { startRunner, type Runner, type GpuRunnerOptions } from '#gpu-runner/runner.js';
import { FolderObjectStore } from '#ports/object-store/folder/index.js';
import type { ReadStoreQueries } from '#ports/read-store/port.js';

const BASE_CONFIGURATION = '{}';

/** The engine of the bench, and the facts that jobs pin about it. */
export interface BenchEngine {
  /** null: the engine of a base model in the bench's own folder. */
  readonly address: EngineAddress | null;
  readonly pinned: Pick<TrainingRequest, 'baseModel' | 'engine'>;
}

const TINY: BenchEngine = {
  address: null,
  pinned: {
    baseModel: { id: 'tiny/base', sha256: createHash('sha256').update(BASE_CONFIGURATION).digest('hex') },
    engine: { name: 'tiny', version: '1' },
  },
};

/** The engine that comes with the project, with its base model. */
export const builtin = (): Promise<BenchEngine> => benchEngine(builtinEngine);

/** An engine, with its first base model. */
export async function benchEngine(engine: RegisteredEngine): Promise<BenchEngine> {
  const [{ id, directory }] = engine.baseModels as readonly [BaseModelFacts];
  return {
    address: engine,
    pinned: {
      baseModel: { id, sha256: await baseModelSha256(directory) },
      engine: { name: engine.name, version: engine.version },
    },
  };
}

/** A log, coordination, a bus and objects on a folder of their own, and an engine: what runners need, and nothing more. */
export async function openRunnerBench({ address, pinned }: BenchEngine = TINY) {
  const directory = await mkdtemp(join(tmpdir(), 'runner-bench-'));
  const eventStore: EventStore = await openSqliteEventStore({ directory, durability: 'normal' });
  const thread = await startThread([coordinationService({ directory, durability: 'normal' })]);
  const bus = new InProcessBus({ firstRetryMs: 5, maxRetryMs: 50, onError: () => undefined });
  const objects = join(directory, 'objects');
  const objectStore = new FolderObjectStore({
    directory: objects,
    signingKeys: [Buffer.alloc(32)],
    publicUrl: 'http://x',
  });
  const application = new Application({
    eventStore,
    bus,
    objectStore,
    readStore: {} as ReadStoreQueries,
    coordination: openSqliteCoordination({ directory, thread }),
  });
  const serving = serveRunners(application);
  await writeFile(join(directory, 'config.json'), BASE_CONFIGURATION);
  const runners: Runner[] = [];
  let files = 0;

  const engine = address ?? tinyEngine(directory);
  const bench = {
    application,
    /** The engine of runners that are started without another. */
    engine,
    bus,
    objectStore,
    /** A path that does not exist yet. */
    newFile: () => join(directory, `file-${(files += 1)}`),

    startRunner(options: Partial<GpuRunnerOptions> = {}): Runner {
      const runner = startRunner({
        bus,
        name: `runner-${runners.length}`,
        objectStore: { kind: 'folder', directory: objects },
        workDirectory: join(directory, `work-${runners.length}`),
        engines: [engine],
        graceMs: 5_000,
        heartbeatMs: 50,
        ...options,
      });
      runners.push(runner);
      return runner;
    },

    requestJob: (jobId: string, texts: readonly string[], epochs = 3, workspaceId = 'w1') =>
      bench.requestJobOn(jobId, unlabelled(texts), epochs, workspaceId),

    /** @param jsonl rows of a dataset */
    async requestJobOn(jobId: string, jsonl: string, epochs: number, workspaceId = 'w1'): Promise<void> {
      const dataset = await storeRows(jsonl);
      const request = { ...trainingRequest(jobId, dataset, epochs, pinned), workspaceId };
      const context = systemContext('test', workspaceId);
      await application.execute(trainingJobDecider, jobId, { type: 'request-training-job', ...request }, context);
    },

    async requestEvaluation(evaluationId: string, texts: readonly string[], workspaceId = 'w1'): Promise<void> {
      const dataset = await storeRows(unlabelled(texts));
      const request = { ...evaluationRequest(evaluationId, dataset, pinned), workspaceId };
      const context = systemContext('test', workspaceId);
      await application.execute(evaluationDecider, evaluationId, { type: 'request-evaluation', ...request }, context);
    },

    /** @param id the offer's own id, so that the same attempt can be offered twice */
    offer: (
      kind: WorkKind,
      id: string,
      attempt: number,
      { offerId = `${id}/${attempt}`, needs = null }: { readonly offerId?: string; readonly needs?: Needs | null } = {},
    ) => bus.offer(dispatchSubject(kind), offerId, { id, attempt, needs } satisfies Dispatch),

    cancel: (id: string, attempt: number) => bus.signal(cancelSubject('training'), { id, attempt }),

    stop: (jobId: string) =>
      application.execute(
        trainingJobDecider,
        jobId,
        { type: 'stop-training-job', jobId, workspaceId: 'w1' },
        systemContext('test', 'w1'),
      ),

    lose: (jobId: string, attempt: number) =>
      application.execute(
        trainingJobDecider,
        jobId,
        { type: 'lose-training-attempt', jobId, attempt, reason: 'silent', cause: 'child' },
        systemContext('test', 'w1'),
      ),

    async events(
      category: 'job' | 'joblog' | 'evaluation',
      id: string,
    ): Promise<readonly (DomainEvent & RecordedEvent)[]> {
      try {
        return await Array.fromAsync(eventStore.readStream(streamName(category, id)));
      } catch (error) {
        if (error instanceof StreamNotFoundError) return [];
        throw error;
      }
    },

    /** Resolves with the first event of that type that fits, now or later. */
    async until(
      type: string,
      id: string,
      fits: (event: RecordedEvent) => boolean = () => true,
    ): Promise<RecordedEvent> {
      const stop = new AbortController();
      const subscription = eventStore.subscribe({ after: null, filter: { types: [type] }, signal: stop.signal });
      for await (const message of subscription) {
        if (message.kind !== 'events') continue;
        const found = message.events.find((event) => event.stream.endsWith(`-${id}`) && fits(event));
        if (!found) continue;
        stop.abort();
        return found;
      }
      throw new Error(`no ${type} of ${id}`);
    },

    async close(): Promise<void> {
      await Promise.all(runners.map((runner) => runner.close()));
      await serving.stop();
      await application.close();
      await bus.close();
      await thread.close();
      await eventStore.close();
      await rm(directory, { recursive: true, force: true });
    },
  };

  async function storeRows(jsonl: string): Promise<DatasetPin> {
    const key = `datasets/rows-${(files += 1)}.jsonl`;
    const { size, sha256 } = await objectStore.put(key, Buffer.from(jsonl));
    const object = { key, size, sha256 };
    return {
      name: 'd',
      versionId: 'v',
      versionNumber: 1,
      object,
      rows: jsonl.split('\n').length - 1,
      heads: ['entities'],
    };
  }
  return bench;
}

const unlabelled = (texts: readonly string[]): string =>
  texts.map((text) => `${JSON.stringify({ text, entities: [] })}\n`).join('');

const tinyEngine = (directory: string): EngineAddress => ({
  ...TINY.pinned.engine,
  module: new URL('./tiny-engine.js', import.meta.url).href,
  baseModels: [{ id: TINY.pinned.baseModel.id, directory }],
});

export type RunnerBench = Awaited<ReturnType<typeof openRunnerBench>>;

const trainingRequest = (
  jobId: string,
  dataset: DatasetPin,
  epochs: number,
  pinned: BenchEngine['pinned'],
): TrainingRequest => ({
  jobId,
  workspaceId: 'w1',
  userId: 'u1',
  modelName: 'm',
  ...pinned,
  startFrom: null,
  rootJobId: null,
  datasets: [dataset],
  configuration: {
    trainingType: 'lora',
    epochs,
    learningRate: 0.1,
    batchSize: 1,
    validationShare: 0.1,
    earlyStoppingPatience: 0,
    loraR: 1,
    loraAlpha: 1,
    loraDropout: 0,
    scheduler: 'constant',
    warmupRatio: 0,
    weightDecay: 0,
    saveSteps: 0,
    seed: 1,
    splitSeed: 1,
    multiLabel: false,
  },
  taskType: 'ner',
  labels: [],
  projectId: null,
});

const evaluationRequest = (
  evaluationId: string,
  dataset: DatasetPin,
  pinned: BenchEngine['pinned'],
): EvaluationRequest => ({
  evaluationId,
  workspaceId: 'w1',
  userId: 'u1',
  model: { id: 'tiny/base', baseModel: pinned.baseModel, adapter: null },
  engine: pinned.engine,
  datasets: [dataset],
  heldOut: null,
  maxExamples: null,
  projectId: null,
  automatic: false,
  trainingJobId: null,
});
