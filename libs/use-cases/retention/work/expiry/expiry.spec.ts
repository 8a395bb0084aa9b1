import { randomUUID } from 'node:crypto';
import { datasetStreamId } from '#application/datasets.js';
import { retentionDecider, type HoldScope, type RetentionKind } from '#domain/retention/index.js';
import { systemContext } from '#log/context.js';
import { evolve } from '#log/projector/handlers.js';
import { reviewDocuments } from '#projections/reviews/queries.js';
import { exactly } from '#ports/event-store/port.js';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { generate } from '#test/support/generation.js';
import { TrainingClient } from '#test/support/training-client.js';
import { QUICK_ENGINES } from '#test/support/quick-engines.js';
import { trips } from '#test/support/trips.js';
import { sweep } from '../../../erasure/work/reaper/sweeps.js';
import { expiry } from './process-manager.js';

const DAY_MS = 24 * 60 * 60_000;

describe('the expiry of contents', () => {
  let system: TestApi;
  /** The system to somebody with a workspace of the test's own. */
  let api: Pick<TestApi, 'application' | 'call' | 'drained' | 'until'>;
  let workspaceId: string;
  beforeAll(async () => {
    system = await startTestApi({ rateLimits: false }, { engines: QUICK_ENGINES });
  });
  beforeEach(async () => {
    const headers = { 'x-api-key': (await system.colleague()).key };
    api = { ...system, call: (method, path, body) => system.call(method, path, body, headers) };
    workspaceId = (await api.call('GET', '/account')).body.workspace_id;
  });
  afterAll(() => system.close());

  const decide = (command: Parameters<typeof retentionDecider.decide>[0]) =>
    api.application.execute(retentionDecider, workspaceId, command, systemContext('test', workspaceId));
  // Not by HTTP, so that the worker of the system, whose clock is today's, has nothing to do.
  const keep = (kind: RetentionKind, days: number) =>
    decide({ type: 'set-retention', workspaceId, kind, days, bounds: { floorDays: 1, ceilingDays: null } });
  const hold = (covers: HoldScope) =>
    decide({ type: 'place-hold', workspaceId, holdId: 'h1', covers, reason: 'case 4' });
  /** Commands in the workspace of a leader whose clock is this many days ahead. */
  const due = async (days: number) => {
    const manager = expiry(api.application);
    const now = Date.now() + days * DAY_MS;
    let state = manager.initial;
    for await (const event of api.application.ports.eventStore.readAll()) state = evolve(manager.on, state, event);
    const passes = manager.pending(state, now).filter((pass) => pass.workspaceId === workspaceId);
    return { manager, passes, day: new Date(now).toISOString().slice(0, 10) };
  };
  /** Runs that leader. @returns what was recorded */
  const passed = async (days: number) => {
    const { manager, passes, day } = await due(days);
    for (const pass of passes) await manager.execute(pass, AbortSignal.timeout(300_000));
    await api.drained();
    if (passes.length === 0) return [];
    const events = await Array.fromAsync(api.application.ports.eventStore.readStream(`expiry-${workspaceId}-${day}`));
    return events.map(({ data: { kind, erased, held, inUse } }) => ({ kind, erased, held, inUse }));
  };
  const recorded = async (): Promise<string> => {
    const call = { model_id: 'anneal/encoder-base-v1', text: 'Ada in Lyon', schema: ['city'] };
    const { body } = await api.call('POST', '/inference', call);
    await api.drained();
    return body.inference_id;
  };
  const datasetStream = (name: string) => `dataset-${datasetStreamId(workspaceId, name)}`;
  const inputOf = async (id: string) => (await api.call('GET', `/inferences/${id}`)).body.input as unknown;

  it('erases calls after their retention period, once a day, and reports how many', async () => {
    const ids = [await recorded(), await recorded()];
    expect(await passed(1000)).toEqual([]);
    await keep('calls', 200);
    expect(await passed(199)).toEqual([{ kind: 'calls', erased: 0, held: 0, inUse: 0 }]);
    for (const id of ids) expect(await inputOf(id)).not.toBe(null);
    expect(await passed(201)).toEqual([{ kind: 'calls', erased: 2, held: 0, inUse: 0 }]);
    for (const id of ids) expect(await inputOf(id)).toBe(null);
    expect(await passed(201)).toEqual([]);
    expect(await passed(202)).toEqual([{ kind: 'calls', erased: 0, held: 0, inUse: 0 }]);
  });

  it('keeps what is on hold, and erases it after the hold is released', async () => {
    const [held, other] = [await recorded(), await recorded()];
    await keep('calls', 200);
    await hold({ kind: 'call', id: held, version: null });
    expect(await passed(201)).toEqual([{ kind: 'calls', erased: 1, held: 1, inUse: 0 }]);
    expect([await inputOf(held), await inputOf(other)]).toEqual([expect.anything(), null]);
    await decide({ type: 'release-hold', workspaceId, holdId: 'h1', reason: 'settled' });
    expect(await passed(202)).toEqual([{ kind: 'calls', erased: 1, held: 0, inUse: 0 }]);
    expect(await inputOf(held)).toBe(null);
  });

  it('erases versions of datasets, deleted or not, each once', async () => {
    const row = JSON.stringify({ text: 'Paris', entities: [['Paris', 'city']] });
    for (const name of ['stays', 'deleted']) await uploadDataset(api, { dataset_name: name }, row);
    await api.call('DELETE', '/felix/datasets/deleted/1');
    await keep('dataset_versions', 10);
    expect(await passed(9)).toEqual([{ kind: 'dataset_versions', erased: 0, held: 0, inUse: 0 }]);
    expect(await passed(11)).toEqual([{ kind: 'dataset_versions', erased: 2, held: 0, inUse: 0 }]);
    expect(await passed(12)).toEqual([{ kind: 'dataset_versions', erased: 0, held: 0, inUse: 0 }]);
    expect((await api.call('GET', '/felix/datasets/stays/1')).status).toBe(404);
    const left = await Array.fromAsync(api.application.ports.objectStore.list(`datasets/${workspaceId}/`));
    expect(left).toEqual([]);
  });

  it('erases what generators were asked for, and their rows, where no version has them', async () => {
    const rows = { task_type: 'classification', labels: ['billing', 'travel'], num_examples: 5 };
    const asked = { ...rows, domain_description: 'tickets of Hildegard-Quux' };
    const job = await generate(api, asked);
    expect(job.data).toHaveLength(5);
    await generate(api, { ...asked, dataset_name: 'kept' });
    await keep('dataset_versions', 10);
    expect(await passed(9)).toEqual([{ kind: 'dataset_versions', erased: 0, held: 0, inUse: 0 }]);
    await hold({ kind: 'datasets', id: null, version: null });
    expect(await passed(11)).toEqual([{ kind: 'dataset_versions', erased: 0, held: 2, inUse: 0 }]);
    await decide({ type: 'release-hold', workspaceId, holdId: 'h1', reason: 'settled' });
    expect(await passed(12)).toEqual([{ kind: 'dataset_versions', erased: 2, held: 0, inUse: 0 }]);
    const left = (await api.call('GET', `/generate/jobs/${job.job_id}`)).body;
    expect(left).toMatchObject({ status: 'ready', erased_at: expect.any(String) });
    expect(left).not.toHaveProperty('data');
    expect(await passed(13)).toEqual([{ kind: 'dataset_versions', erased: 0, held: 0, inUse: 0 }]);
  });

  it('erases what generators were asked for where an earlier release erased the version alone', async () => {
    const asked = { task_type: 'classification', labels: ['billing', 'travel'], num_examples: 5 };
    const job = await generate(api, { ...asked, domain_description: 'tickets of Odo', dataset_name: 'older' });
    await api.call('DELETE', '/felix/datasets/older/1');
    const { events } = (await api.call('GET', `/events?stream=${datasetStream('older')}`)).body;
    const { versionId } = events[0].data as { readonly versionId: string };
    // As such a release did: the event does not say which job had made the rows.
    const { now: occurredAt, ...context } = systemContext('test', workspaceId);
    const data = { versionId, purgedAt: occurredAt, erased: true };
    const metadata = { ...context, causationId: context.commandId, occurredAt };
    await api.application.ports.eventStore.append(datasetStream('older'), exactly(events.length - 1), [
      { id: randomUUID(), type: 'dataset-version-purged.v1', data, metadata },
    ]);
    await api.drained();
    const shown = async () => JSON.stringify((await api.call('GET', `/events?stream=generation-${job.job_id}`)).body);
    expect(await shown()).toContain('tickets of Odo');
    await keep('dataset_versions', 10);
    expect(await passed(9)).toEqual([{ kind: 'dataset_versions', erased: 0, held: 0, inUse: 0 }]);
    expect(await passed(11)).toEqual([{ kind: 'dataset_versions', erased: 1, held: 0, inUse: 0 }]);
    expect(await shown()).not.toContain('tickets of Odo');
    expect(await passed(12)).toEqual([{ kind: 'dataset_versions', erased: 0, held: 0, inUse: 0 }]);
    expect((await api.call('DELETE', `/generate/jobs/${job.job_id}`)).status).toBe(200);
  });

  it('erases the texts of old verdicts, and keeps the verdicts and the calls', async () => {
    const [id, held] = [await recorded(), await recorded()];
    const correction = { entities: { city: ['Ada'] } };
    const judge = (call: string, notes: string) =>
      api.call('POST', `/inferences/${call}/feedback`, { verdict: 'incorrect', corrected_output: correction, notes });
    for (const call of [id, id, held]) await judge(call, 'a slip');
    await judge(id, 'another slip');
    await api.drained();
    const keysOf = async () => {
      const keys = [];
      for await (const { data } of api.application.storedEvents.readStream(`feedback-${id}`))
        if (data['sealed']) keys.push((data['sealed'] as { key: string }).key);
      return keys;
    };
    const keys = await keysOf();
    expect(keys).toHaveLength(2);
    await keep('feedback', 200);
    await hold({ kind: 'call', id: held, version: null });
    expect(await passed(199)).toEqual([{ kind: 'feedback', erased: 0, held: 0, inUse: 0 }]);
    expect(await passed(201)).toEqual([{ kind: 'feedback', erased: 1, held: 1, inUse: 0 }]);
    const feedbackOn = async (call: string) => (await api.call('GET', `/inferences/${call}/feedback`)).body;
    expect(await inputOf(id)).not.toBe(null);
    expect(await feedbackOn(id)).toMatchObject({
      ...{ human_verdict: 'incorrect', human_corrected_output: null, human_feedback_notes: null },
    });
    expect((await feedbackOn(held)).human_feedback_notes).toBe('a slip');
    for (const key of keys) expect(await api.application.contentKeys!.get(key)).toBe(null);
    const { events } = (await api.call('GET', `/events?stream=feedback-${id}`)).body;
    expect(JSON.stringify(events)).not.toContain('slip');
    // As before: it is not taken for a verdict without a correction.
    expect((await reviewDocuments.get(api.application.ports.readStore, id))!.queue).toBe('once');
    expect(await passed(202)).toEqual([{ kind: 'feedback', erased: 0, held: 1, inUse: 0 }]);
  });

  it('erases the logs of ended training jobs, reports when, and keeps the jobs', async () => {
    await uploadDataset(api, { dataset_name: 'trips' }, trips(20));
    const client = new TrainingClient(api);
    const { id } = await client.start({
      ...{ model_name: 'm', base_model: 'anneal/encoder-base-v1', datasets: [{ name: 'trips' }], nr_epochs: 1 },
    });
    await client.ended(id);
    const log = async () => (await api.call('GET', `/felix/training-jobs/${id}/logs`)).body;
    expect((await api.until(log, ({ total_logs: total }) => total > 0)).erased_at).toBe(undefined);
    await keep('job_logs', 10);
    await hold({ kind: 'job', id, version: null });
    expect(await passed(11)).toEqual([{ kind: 'job_logs', erased: 0, held: 1, inUse: 0 }]);
    await decide({ type: 'release-hold', workspaceId, holdId: 'h1', reason: 'settled' });
    expect(await passed(12)).toEqual([{ kind: 'job_logs', erased: 1, held: 0, inUse: 0 }]);
    expect(await log()).toEqual({ job_id: id, logs: [], total_logs: 0, erased_at: expect.any(String) });
    expect((await client.job(id)).status).toBe('complete');
    expect(await passed(13)).toEqual([{ kind: 'job_logs', erased: 0, held: 0, inUse: 0 }]);
  });

  const trained = async (name: string, options: object = {}) => {
    await uploadDataset(api, { dataset_name: `${name}-rows` }, trips(20));
    const client = new TrainingClient(api);
    const datasets = [{ name: `${name}-rows` }];
    const { id } = await client.start({
      ...{ model_name: name, base_model: 'anneal/encoder-base-v1', datasets, nr_epochs: 1 },
      ...options,
    });
    await client.ended(id);
    return { client, id };
  };
  const objectsOf = (prefix: string) => Array.fromAsync(api.application.ports.objectStore.list(prefix));

  it('erases the rows and answers of ended evaluations, and keeps their figures', async () => {
    const { client, id: job } = await trained('measured');
    const { id, f1 } = await client.automaticEvaluation(job);
    const { id: other } = await client.evaluate({ base_model: job, dataset_name: 'measured-rows' });
    const predictionsOf = async (of: string) => (await api.call('GET', `/felix/evaluations/${of}`)).body.predictions;
    const before = await predictionsOf(other);
    const path = `/felix/evaluations/${id}`;
    for (const each of [id, other]) expect(await predictionsOf(each)).not.toEqual([]);
    await keep('evaluations', 10);
    expect(await passed(9)).toEqual([{ kind: 'evaluations', erased: 0, held: 0, inUse: 0 }]);
    await hold({ kind: 'evaluation', id: other, version: null });
    const refused = await api.call('DELETE', `/felix/evaluations/${other}`);
    expect([refused.status, refused.body.detail]).toEqual([409, expect.stringContaining('is under hold h1')]);
    expect(await passed(11)).toEqual([{ kind: 'evaluations', erased: 1, held: 1, inUse: 0 }]);
    const { body: left } = await api.call('GET', path);
    expect(left).toMatchObject({
      ...{ f1, status: 'complete', predictions: [], predictions_erased_at: expect.any(String) },
    });
    expect(await objectsOf(`evaluations/${id}/`)).toEqual([]);
    // A worker that died between the event and the removal.
    await api.application.ports.objectStore.put(`evaluations/${id}/facts.jsonl`, Buffer.from('left'));
    await sweep(api.application, AbortSignal.timeout(300_000));
    expect(await objectsOf(`evaluations/${id}/`)).toEqual([]);
    expect(await predictionsOf(other)).toEqual(before);
    const compared = await api.call('GET', `${path}/comparison?with=${other}`);
    expect([compared.status, compared.body.detail]).toEqual([
      409,
      `the predictions of evaluation ${id} are erased; evaluate again to compare`,
    ]);
    expect(await passed(12)).toEqual([{ kind: 'evaluations', erased: 0, held: 1, inUse: 0 }]);
  });

  it('deletes training jobs with their files, unless a name serves the model, or it was called in those days', async () => {
    const { id: served } = await trained('served');
    const { id: idle } = await trained('idle');
    // A training gives its name a first version, which is in use until the name is deleted.
    for (const name of ['served', 'idle'])
      await api.until(
        () => api.call('GET', `/models/${name}`),
        ({ body }) => body.version === 1,
      );
    expect((await api.call('DELETE', '/models/idle')).status).toBe(200);
    const ended = new Date().toISOString();
    await api.call('POST', '/inference', { model_id: idle, text: 'Ada in Lyon', schema: ['city'] });
    await api.drained();
    const ofThen = { workspaceId, kind: 'training_jobs', day: '2000-01-01', before: ended } as const;
    await expiry(api.application).execute(ofThen, AbortSignal.timeout(300_000));
    const [then] = await Array.fromAsync(
      api.application.ports.eventStore.readStream(`expiry-${workspaceId}-2000-01-01`),
    );
    expect(then!.data).toMatchObject({ erased: 0, held: 0, inUse: 2 });
    await keep('training_jobs', 10);
    expect(await passed(9)).toEqual([{ kind: 'training_jobs', erased: 0, held: 0, inUse: 0 }]);
    await hold({ kind: 'job', id: idle, version: null });
    expect(await passed(11)).toEqual([{ kind: 'training_jobs', erased: 0, held: 1, inUse: 1 }]);
    await decide({ type: 'release-hold', workspaceId, holdId: 'h1', reason: 'settled' });
    expect(await objectsOf(`jobs/${idle}/`)).not.toEqual([]);
    expect(await passed(12)).toEqual([{ kind: 'training_jobs', erased: 1, held: 0, inUse: 1 }]);
    expect((await api.call('GET', `/felix/training-jobs/${idle}`)).status).toBe(404);
    await api.until(
      () => objectsOf(`jobs/${idle}/`),
      (left) => left.length === 0,
    );
    expect((await api.call('GET', `/felix/training-jobs/${served}`)).status).toBe(200);
    expect(await objectsOf(`jobs/${served}/`)).not.toEqual([]);
  });

  it('resumes the work of an earlier leader', async () => {
    const ids = [await recorded(), await recorded()];
    await keep('calls', 200);
    const { manager, passes } = await due(201);
    const cut = new AbortController();
    const execute = api.application.execute.bind(api.application);
    // Others of the system execute beside this one.
    api.application.execute = (...args) => {
      if ((args[2] as { readonly type?: string }).type === 'erase-content') cut.abort();
      return execute(...args);
    };
    await expect(manager.execute(passes[0]!, cut.signal)).rejects.toThrow();
    api.application.execute = execute;
    await api.drained();
    const inputs = await Promise.all(ids.map(inputOf));
    expect(inputs.filter((input) => input === null)).toHaveLength(1);
    expect(await passed(201)).toEqual([{ kind: 'calls', erased: 1, held: 0, inUse: 0 }]);
  });
});

describe("the operator's retention ceiling", () => {
  it('expires contents of every workspace', async () => {
    const api = await startTestApi({ retentionCeilingDays: 400 });
    const manager = expiry(api.application);
    let state = manager.initial;
    for await (const event of api.application.ports.eventStore.readAll()) state = evolve(manager.on, state, event);
    expect(
      manager.pending(state, Date.parse('2999-01-01')).map(({ kind, before }) => [kind, before.slice(0, 10)]),
    ).toEqual([
      ['calls', '2997-11-27'],
      ['feedback', '2997-11-27'],
      ['job_logs', '2997-11-27'],
      ['dataset_versions', '2997-11-27'],
      ['evaluations', '2997-11-27'],
    ]);
    await api.close();
  });
});
