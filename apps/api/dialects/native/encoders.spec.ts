import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CascadedCalls } from '#calls/cascade/cascaded-calls.js';
import type { Cascades } from '#calls/cascade/cascades.js';
import { Shadows } from '#calls/shadows.js';
import { Lifecycle, type Decoders } from '#calls/index.js';
import type { Application } from '#application/application.js';
import type { BillingGate } from '#application/billing/index.js';
import { CallRecorder } from '#calls/recording/call-recorder.js';
import { InProcessBus } from '#ports/bus/in-process/in-process-bus.js';
import { CallTimedOutError, type Bus } from '#ports/bus/port.js';
import type { Json, JsonObject } from '#domain/json.js';
import { openSqliteEventStore } from '#ports/event-store/sqlite/index.js';
import type { EventStore } from '#ports/event-store/port.js';
import { inferenceError } from '#gpu-runner/contract/inference-errors.js';
import { INFERENCE_SUBJECT, type InferenceAnswer, type InferenceCall } from '#gpu-runner/contract/inference.js';
import { Encoders } from '#calls/backends/runner/encoders.js';
import { ModelCalls } from '../shared/model-calls.js';
import { InferenceService } from './service.js';
import { LiveRunners } from '#calls/backends/runner/live-runners.js';
import { decodeNativeRequest } from './decode.js';
import { Runners } from '#calls/backends/runner/runners.js';
import type { Model, Models } from '#calls/models.js';
import { TrainingRows } from '#calls/training-rows.js';

const TEXT = '😀 Ann works for Acme in Rome';
const caller = { kind: 'key', userId: 'u', teamId: 't', workspaceId: 'w', keyId: 'k' } as const;

/** A model of an engine that has all four heads, behind the bus. */
describe('an engine with structures and relations', () => {
  let directory: string;
  let eventStore: EventStore;
  let bus: Bus;
  let service: InferenceService;
  let runners: LiveRunners;
  let asked: InferenceCall[];
  let answer: (call: InferenceCall) => InferenceAnswer;
  let markDeployed: () => Promise<void>;
  /** Ends of the reservations. */
  let ended: string[];

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'anneal-heads-'));
    eventStore = await openSqliteEventStore({ directory, durability: 'normal' });
    bus = new InProcessBus();
    asked = [];
    bus.serve(INFERENCE_SUBJECT, async (body) => {
      asked.push(body as unknown as InferenceCall);
      return answer(body as unknown as InferenceCall) as unknown as Json;
    });
    runners = new LiveRunners(bus);
    const model = {
      modelId: 'other/engine',
      entry: { id: 'other/engine', task_type: 'encoder' },
      trainingJobId: null,
      trainedOn: [],
      isFirstCall: false,
      reference: { baseModelId: 'other/engine', adapter: null },
      price: { input: '150000', output: '0', cacheRead: '150000', cacheWrite: '150000' },
    } as unknown as Model;
    markDeployed = async () => undefined;
    const models = { resolve: async () => model, markDeployed: () => markDeployed() } as unknown as Models;
    const ports = { eventStore, objectStore: {}, coordination: {} } as unknown as Application['ports'];
    const recorder = new CallRecorder(ports, () => 'mac');
    ended = [];
    const reservation = {
      chargedTo: null,
      settle: (cost: bigint) => ended.push(`settled ${cost}`),
      release: () => ended.push('released'),
    };
    const billing = { admit: () => reservation } as unknown as BillingGate;
    const routed = new Runners(bus, runners);
    const encoders = new Encoders(new Lifecycle(recorder, billing), routed, models);
    const application = { ports } as Application;
    const calls = new ModelCalls(application, models);
    const decoders = {} as Decoders;
    const cascaded = new CascadedCalls(models, decoders, {} as Cascades, new Shadows());
    service = new InferenceService(calls, encoders, decoders, cascaded, new TrainingRows(application));
  });
  afterEach(async () => {
    await runners.close();
    await bus.close();
    await eventStore.close();
    await rm(directory, { recursive: true });
  });

  const infer = async (body: JsonObject, signal?: AbortSignal) => {
    const sent = { model_id: 'other/engine', text: TEXT, ...body };
    const answered = await service.run({
      caller,
      correlationId: 'r',
      request: decodeNativeRequest(sent),
      sent,
      ...(signal && { signal }),
    });
    return JSON.parse(JSON.stringify(answered)) as JsonObject;
  };
  const hit = (text: string, confidence = 0.9) => {
    const start = TEXT.indexOf(text);
    return { text, confidence, start, end: start + text.length };
  };
  const answering =
    (result: Omit<InferenceAnswer['results'][number], 'truncated'>, more: Partial<InferenceAnswer> = {}) =>
    (call: InferenceCall): InferenceAnswer => ({
      results: call.texts.map(() => ({ ...result, truncated: false })),
      warnings: [],
      inputTokens: call.texts.map(() => 7),
      schema: call.schema!,
      ...more,
    });
  const recordedTasks = async () => {
    const events = await Array.fromAsync(eventStore.readAll({ filter: { types: ['call-metered.v1'] } }));
    return events.map(({ data }) => data['task']);
  };

  it('receives every head in one form, whatever form the caller used', async () => {
    answer = answering({});
    await infer({
      schema: {
        structures: { job: ['who::str', { name: 'kind', choices: ['paid', 'unpaid'], dtype: 'str' }] },
        relations: { works_for: 'is paid by' },
      },
    });
    expect(asked[0]!.schema).toEqual({
      structures: [
        {
          name: 'job',
          fields: [
            { name: 'who', dtype: 'str' },
            { name: 'kind', dtype: 'str', choices: ['paid', 'unpaid'] },
          ],
        },
      ],
      relations: [{ name: 'works_for', description: 'is paid by' }],
    });
  });

  it('returns all heads of an answer side by side, with offsets in code points', async () => {
    answer = answering({
      entities: { person: [{ ...hit('Ann'), label: 'person' }] },
      classifications: { mood: [{ label: 'calm', confidence: 0.6 }] },
      structures: { job: [{ who: [hit('Ann')], where: [hit('Rome')] }] },
      relations: { works_for: [{ head: hit('Ann'), tail: hit('Acme') }] },
    });
    const { result } = await infer({
      schema: {
        entities: ['person'],
        classifications: { mood: ['calm', 'wild'] },
        structures: { job: ['who::str', 'where::list', 'since::str'] },
        relations: ['works_for', 'lives_in'],
      },
      include_confidence: false,
    });
    const ann = { text: 'Ann', start: 2, end: 5 };
    expect(result).toEqual({
      entities: { person: [ann] },
      mood: 'calm',
      job: [{ who: ann, where: [{ text: 'Rome', start: 24, end: 28 }], since: null }],
      relation_extraction: { works_for: [{ head: ann, tail: { text: 'Acme', start: 16, end: 20 } }], lives_in: [] },
    });
    expect(await recordedTasks()).toEqual(['schema']);
  });

  it('has its calls recorded by the head that was requested', async () => {
    answer = answering({});
    await infer({ schema: { structures: { job: ['who'] } } });
    await infer({ schema: { relations: ['works_for'] } });
    await infer({ schema: { classifications: { mood: ['a'] } } });
    await infer({ schema: ['person'] });
    expect(await recordedTasks()).toEqual(['extract_json', 'extract_relations', 'classify_text', 'extract_entities']);
  });

  it('answers 422 naming the head it lacks, and leaves no record', async () => {
    answer = () => {
      throw inferenceError('unsupported_head', { head: 'relations' }, 'it does entities');
    };
    await expect(infer({ schema: { relations: ['works_for'] } })).rejects.toMatchObject({
      fields: [{ path: ['body', 'schema', 'relations'] }],
    });
    expect(await recordedTasks()).toEqual([]);
  });

  it('receives no text above a million characters: 422 names each, and leaves no record', async () => {
    answer = answering({});
    const long = '😀'.repeat(1_000_000);
    expect(await infer({ text: long, schema: ['x'], store: false })).toMatchObject({ token_usage: 7 });
    await expect(infer({ text: `${long}!`, schema: ['x'] })).rejects.toMatchObject({
      fields: [
        { path: ['body', 'text'], message: expect.stringContaining('at most 1000000 characters (got 1000001)') },
      ],
    });
    await expect(infer({ text: ['a', 'b'.repeat(15_000_000)], schema: ['x'] })).rejects.toMatchObject({
      fields: [{ path: ['body', 'text', 1] }],
    });
    expect(asked).toHaveLength(1);
  });

  it('refuses a large call that times out, naming the field, and answers unavailable for a small one', async () => {
    answer = () => {
      throw new Error('never');
    };
    bus.call = () => lateCall();
    await expect(infer({ text: Array(10).fill('word '.repeat(4_000)), schema: ['x'] })).rejects.toMatchObject({
      fields: [{ path: ['body', 'text'] }],
    });
    await expect(infer({ schema: ['x'] })).rejects.toMatchObject({ code: 'unavailable' });
  });

  it("refuses a workspace whose queue is full with 429 and the queue's length", async () => {
    answer = () => ({ waiting: 9, mostWaiting: 8 }) as unknown as InferenceAnswer;
    await expect(infer({ schema: ['x'] })).rejects.toMatchObject({
      code: 'queue_full',
      scope: 'inference',
      queue: { length: 9, limit: 8 },
    });
    expect(ended).toEqual(['released']);
    expect(await recordedTasks()).toEqual([]);
  });

  it('is cancelled when the client disconnects, and the call is recorded as cancelled', async () => {
    const told = Promise.withResolvers<void>();
    const asking = Promise.withResolvers<void>();
    const begun = bus.call.bind(bus);
    const gone = new AbortController();
    bus.call = (subject, body, options) => {
      options.signal?.addEventListener('abort', () => told.resolve());
      asking.resolve();
      return begun(subject, body, options);
    };
    answer = () => new Promise(() => undefined) as unknown as InferenceAnswer;
    const left = infer({ schema: ['x'] }, gone.signal);
    left.catch(() => undefined);
    await asking.promise;
    gone.abort();
    await told.promise;
    await expect(left).rejects.toMatchObject({ code: 'unavailable' });
    const [metered] = await Array.fromAsync(eventStore.readAll({ filter: { types: ['call-metered.v1'] } }));
    expect(metered!.data).toMatchObject({ status: 'failed', errorType: 'cancelled', costPicodollars: '0' });
  });

  it("is told the caller's workspace", async () => {
    answer = answering({});
    await infer({ schema: ['x'] });
    expect(asked[0]).toMatchObject({ workspaceId: 'w' });
  });

  it('fails a call free of charge when it returns an invalid answer', async () => {
    answer = answering({ relations: { works_for: [null as never] } });
    await expect(infer({ schema: { relations: ['works_for'] } })).rejects.toMatchObject({ code: 'unavailable' });
    const [metered] = await Array.fromAsync(eventStore.readAll({ filter: { types: ['call-metered.v1'] } }));
    expect(metered!.data).toMatchObject({ status: 'failed', errorType: 'internal', costPicodollars: '0' });
    expect(ended).toEqual(['settled 0']);
  });

  it('answers the first call even if the deployment cannot be recorded', async () => {
    answer = answering({ relations: {} });
    markDeployed = () => Promise.reject(new Error('the log does not answer'));
    expect(await infer({ schema: { relations: ['works_for'] } })).toMatchObject({ token_usage: 7 });
    expect(ended).toEqual([`settled ${7 * 150_000}`]);
  });

  it('passes on its warnings, and reports truncated text', async () => {
    const warning = { code: 'unresolved_label', message: 'x is unknown', label: 'x' } as const;
    answer = (call) => ({
      ...answering({ entities: { x: [] } }, { warnings: [warning] })(call),
      results: [{ entities: { x: [] }, truncated: true }],
    });
    expect(await infer({ schema: ['x'] })).toMatchObject({ warnings: [warning], truncated: true, token_usage: 7 });
  });

  it('answers a batch with a list, even a batch of one', async () => {
    answer = answering({ relations: {} });
    expect(await infer({ text: ['a'], schema: { relations: ['r'] } })).toMatchObject({
      result: [{ relation_extraction: { r: [] } }],
    });
  });

  it('warms up without running a call', async () => {
    answer = answering({});
    expect(await infer({ is_warmup: true })).toMatchObject({ inference_id: null, result: {}, token_usage: 0 });
    expect(asked[0]).toMatchObject({ texts: [], schema: {} });
    expect(await recordedTasks()).toEqual([]);
  });
});

async function* lateCall(): AsyncGenerator<Json, void, undefined> {
  throw new CallTimedOutError('late');
}
