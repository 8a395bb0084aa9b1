import type { Application } from '#application/application.js';
import { systemContext } from '#log/context.js';
import { datasetStreamId } from '#application/datasets.js';
import { datasetDecider } from '#domain/dataset/index.js';
import { generationJobDecider, type GenerationJob } from '#domain/generation-job/index.js';
import type { RecordedEvent } from '#ports/event-store/port.js';
import type { ProcessManagerHost } from '#log/process-manager/host.js';
import { builtInGenerator } from '#rows/synthetic/built-in/index.js';
import { BUILT_IN, Generators } from '#rows/synthetic/generators.js';
import { GenerationError, type RowGenerator } from '#rows/synthetic/port.js';
import { openTestWorker, type TestWorker } from '#test/support/worker.js';
import { datasetProcessing } from '../../datasets/work/processing/process-manager.js';
import { evolve } from '#log/projector/handlers.js';
import { commandKey, generationJobs, OPEN_JOBS, pendingJobs, type OpenJobs } from './process-manager.js';

const workspaceId = 'w1';

describe('generation jobs', () => {
  let worker: TestWorker;
  let application: Application;

  beforeEach(async () => {
    worker = await openTestWorker();
    ({ application } = worker);
  });
  afterEach(() => worker.close());

  function startWorker(generator: RowGenerator = builtInGenerator): ProcessManagerHost {
    return worker.run(
      generationJobs(application, new Generators(generator, () => generator)),
      datasetProcessing(application),
    );
  }

  const request = (jobId: string, more: { datasetName?: string | null; count?: number; workspace?: string } = {}) =>
    application.execute(
      generationJobDecider,
      jobId,
      {
        ...{ type: 'request-generation', jobId, generator: 'built-in', projectId: null },
        workspaceId: more.workspace ?? workspaceId,
        requestedBy: { kind: 'key', userId: 'u1', teamId: 't1', keyId: null },
        datasetName: more.datasetName === undefined ? 'made' : more.datasetName,
        rows: {
          ...{ taskType: 'ner', count: more.count ?? 10, labels: ['city'], seed: 1, fields: [], inputFields: [] },
          ...{ outputFields: [], classifiedExamples: [], domainDescription: null, prompt: null, instruction: null },
        },
      },
      systemContext('test', workspaceId),
    );
  const job = (id: string) => application.load(generationJobDecider, id) as Promise<GenerationJob>;
  const versions = async () => (await application.load(datasetDecider, datasetStreamId(workspaceId, 'made'))).versions;
  const events = async (id: string) =>
    (await Array.fromAsync(application.ports.eventStore.readStream(`generation-${id}`))).map(({ type }) =>
      type.replace('generation-job-', '').replace('.v1', ''),
    );

  const ended = (id: string): Promise<GenerationJob> =>
    worker.until(
      () => job(id),
      ({ status }) => status === 'ready' || status === 'failed',
    );

  it('end with a ready version of the dataset', async () => {
    await request('g1');
    startWorker();
    expect(await ended('g1')).toMatchObject({ status: 'ready', version: { versionNumber: 1 }, made: { count: 10 } });
    expect(await events('g1')).toEqual(['requested', 'attempt-started', 'rows-made', 'version-assigned', 'completed']);
    expect(await versions()).toMatchObject([
      { status: 'ready', datasetType: 'ner', generationType: 'synthetic', contents: { rows: 10 } },
    ]);
  });

  it('run once with several workers', async () => {
    const ids = ['g1', 'g2', 'g3'];
    for (const id of ids) await request(id);
    startWorker();
    startWorker();
    for (const id of ids) expect(await ended(id)).toMatchObject({ status: 'ready', attempt: 1 });
    const all = await versions();
    expect(all.map(({ versionNumber }) => versionNumber).toSorted()).toEqual([1, 2, 3]);
  });

  it('resume after a shutdown midway, without counting the attempt', async () => {
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const slow: RowGenerator = {
      ...builtInGenerator,
      async *rows(_, { signal }) {
        begin();
        await new Promise((resolve) => signal!.addEventListener('abort', resolve));
        yield { rows: [] };
      },
    };
    await request('g1');
    const first = startWorker(slow);
    await begun;
    await first.close();
    expect(await job('g1')).toMatchObject({ status: 'generating', attempt: 0, worker: null });
    startWorker();
    expect(await ended('g1')).toMatchObject({ status: 'ready', attempt: 1 });
  });

  it('resume after their worker has died', async () => {
    await request('g1');
    const start = { type: 'start-generation-attempt', jobId: 'g1', attempt: 1, worker: 'dead' } as const;
    await application.execute(generationJobDecider, 'g1', start, systemContext('test', workspaceId));
    startWorker();
    expect(await ended('g1')).toMatchObject({ status: 'ready', attempt: 2 });
  });

  // Number of the events before and after which it crashes: attempt, rows, version, the version's name in the job, seal
  // and end.
  const steps = [
    [2, 'before'],
    [2, 'after'],
    [3, 'after'],
    [4, 'after'],
    [5, 'after'],
    [6, 'after'],
  ] as const;
  it.each(steps)('interrupted at step %d, %s it is on the log, resume and make one version', async (step, when) => {
    await request('g1');
    const execute = application.execute.bind(application);
    let taken = 0;
    application.execute = (async (...command: Parameters<typeof execute>) => {
      // Conversion and validation are not of the job.
      taken += command[3].actor === 'system:generation' ? 1 : 0;
      const breaks = taken === step && command[3].actor === 'system:generation';
      if (breaks && when === 'before') throw new Error('broken off');
      const done = await execute(...command);
      if (breaks) throw new Error('broken off');
      return done;
    }) as typeof application.execute;
    startWorker();
    expect(await ended('g1')).toMatchObject({ status: 'ready', made: { count: 10 }, version: { versionNumber: 1 } });
    expect(await versions()).toHaveLength(1);
  });

  it('fail after twenty workers died, and not before', async () => {
    for (const [id, deaths] of [
      ['g1', 19],
      ['g2', 20],
    ] as const) {
      await request(id);
      for (let attempt = 1; attempt <= deaths; attempt += 1) {
        const start = { type: 'start-generation-attempt', jobId: id, attempt, worker: `dead ${attempt}` } as const;
        await application.execute(generationJobDecider, id, start, systemContext('test', workspaceId));
      }
    }
    startWorker();
    expect(await ended('g1')).toMatchObject({ status: 'ready' });
    expect(await ended('g2')).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('broke down 20 times'),
    });
  });

  it('fail after three errors in one worker', async () => {
    await request('g1');
    startWorker({
      ...builtInGenerator,
      async *rows() {
        throw new TypeError('a mistake');
      },
    });
    expect(await ended('g1')).toMatchObject({ status: 'failed', error: expect.stringContaining('broke down 3 times') });
    expect(await versions()).toEqual([]);
  });

  it('wait while the disk is full, without counting the attempt', async () => {
    const { objectStore } = application.ports;
    const put = objectStore.put.bind(objectStore);
    let refusals = 0;
    objectStore.put = async (...args) => {
      if ((refusals += 1) > 4) return put(...args);
      throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    };
    await request('g1');
    startWorker();
    expect(await ended('g1')).toMatchObject({ status: 'ready', attempt: 1 });
  });

  it("take turns by batches of rows: another workspace's job ends while a long one is running", async () => {
    const drawn: string[] = [];
    const endless: RowGenerator = {
      ...builtInGenerator,
      async *rows(asked, context) {
        const isOther = context.workspaceId === 'w2';
        for (let batch = 0; !context.signal!.aborted; batch += 1) {
          drawn.push(context.workspaceId);
          while (drawn.length >= 20 && (await job('other')).status !== 'generating' && !context.signal!.aborted)
            await new Promise((resolve) => setImmediate(resolve));
          if (isOther && batch === 3) return yield* builtInGenerator.rows(asked, context);
          yield { rows: [] };
        }
      },
    };
    for (let index = 0; index < 10; index += 1) await request(`long-${index}`);
    startWorker(endless);
    while (drawn.length < 20) await new Promise((resolve) => setImmediate(resolve));
    await request('other', { workspace: 'w2' });
    expect(await ended('other')).toMatchObject({ status: 'ready' });
    // Two at a time: each batch follows at most one of the others'.
    expect(drawn.lastIndexOf('w2') - drawn.indexOf('w2')).toBeLessThan(20);
  });

  it("fail with the generator's reason if no rows can be made", async () => {
    await request('g1');
    startWorker({
      ...builtInGenerator,
      async *rows() {
        throw new GenerationError('the model has nothing to say');
      },
    });
    expect(await ended('g1')).toMatchObject({ status: 'failed', error: 'the model has nothing to say', version: null });
  });

  it('quote no row of a version that failed: what the log quotes is under the key that goes with the version', async () => {
    await request('g1');
    worker.run(generationJobs(application, new Generators(builtInGenerator, () => builtInGenerator)));
    const [sealed] = await worker.until(versions, ([version]) => version?.status === 'uploading');
    const context = systemContext('test', workspaceId);
    const stream = datasetStreamId(workspaceId, 'made');
    const quoting = { reason: 'row 1: "Hildegard-Quux" is none', rowErrors: null };
    const attempt = { workspaceId, versionId: sealed!.versionId, attempt: 1 } as const;
    for (const command of [
      { type: 'start-conversion', ...attempt, worker: 'w' },
      { type: 'fail-version', ...attempt, ...quoting },
    ] as const)
      await application.execute(datasetDecider, stream, command, { ...context, commandId: crypto.randomUUID() });
    const { status, error } = await ended('g1');
    expect([status, error]).toEqual(['failed', expect.stringContaining('GET /felix/datasets/made/1')]);
    expect(error).not.toContain('Hildegard');
  });

  it('end with their rows in the job if they store nothing', async () => {
    await request('g1', { datasetName: null });
    startWorker();
    expect(await ended('g1')).toMatchObject({ status: 'ready', version: null, made: { count: 10 } });
  });
});

it('open generation jobs are derived from the log alone, and wait while their version is processed', () => {
  const event = (type: string, data: object) => ({ type: `${type}.v1`, data }) as unknown as RecordedEvent;
  const begun = [
    event('generation-job-requested', { jobId: 'a', generator: 'built-in' }),
    event('generation-job-version-assigned', { jobId: 'a', versionId: 'v' }),
  ];
  const jobs = (...events: RecordedEvent[]) =>
    [...begun, ...events].reduce<OpenJobs>((open, each) => evolve(OPEN_JOBS, open, each), new Map());
  const after = (...events: RecordedEvent[]) => [...jobs(...events).values()];
  const [sealed, ready] = ['sealed', 'ready'].map((what) => event(`dataset-version-${what}`, { versionId: 'v' }));
  expect(after()).toMatchObject([{ jobId: 'a', step: 'make' }]);
  expect(after(sealed!)).toMatchObject([{ step: 'wait' }]);
  expect(after(sealed!, ready!)).toMatchObject([{ step: 'end' }]);
  // A different command: the same one is repeated only after a while.
  expect(new Set([...after(), ...after(sealed!, ready!)].map(commandKey)).size).toBe(2);
  expect(after(event('generation-job-completed', { jobId: 'a' }))).toEqual([]);
});

it('generation jobs without a model do not wait for those with one', () => {
  const asked = (jobId: string, generator: string, workspaceId = 'w1') =>
    [jobId, { jobId, workspaceId, generator, versionId: null, step: 'make' }] as const;
  const slow = Array.from({ length: 100 }, (_, index) => asked(`slow-${index}`, 'some/decoder'));
  const open: OpenJobs = new Map([...slow, asked('quick', BUILT_IN)]);
  expect(pendingJobs(open).map(({ jobId }) => jobId)).toEqual(expect.arrayContaining(['quick', 'slow-0']));
  const shared: OpenJobs = new Map([...slow, asked('other', 'some/decoder', 'w2')]);
  expect(pendingJobs(shared)[1]!.jobId).toBe('other');
});
