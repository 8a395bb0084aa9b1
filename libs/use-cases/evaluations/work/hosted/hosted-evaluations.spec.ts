import { jest } from '@jest/globals';
import { once } from 'node:events';
import type { DecoderAnswer, DecoderCall, Decoders, Model } from '#calls/index.js';
import { NO_USAGE } from '#calls/hosted/port.js';
import { systemContext } from '#log/context.js';
import { BillingError, LogUnavailableError, UnavailableError, UpstreamRejectedError } from '#domain/errors.js';
import { evaluationDecider, type EvaluationEvent, type EvaluationRequest } from '#domain/evaluation/index.js';
import { ObjectNotFoundError } from '#ports/object-store/port.js';
import { openTestWorker, type TestWorker } from '#test/support/worker.js';
import { hostedEvaluations } from './process-manager.js';

const ROWS = 20;
const chats = Array.from({ length: ROWS }, (_, row) => ({
  messages: [
    { role: 'user', content: `row ${row}` },
    { role: 'assistant', content: `answer ${row}` },
  ],
}));
const price = { input: '1', output: '1', cacheRead: '1', cacheWrite: '1' };
const usage = { ...NO_USAGE, inputTokens: 10, outputTokens: 5 };

type Answered = Extract<EvaluationEvent, { type: 'evaluation-answered.v1' }>['data'];

const VERDICT = '{"reason": "fine", "score": 4}';
const calls = { requestedBy: { kind: 'key', teamId: 't1', keyId: null }, maxCostPicodollars: null } as const;
const judge = {
  ...{ ...calls, modelId: 'acme/judge', provider: 'acme', model: 'judge', rubric: 'Is right.', promptVersion: 1 },
};

/** A decoder that says what the test lets it say, and a judge that is content. */
function scripted(
  say: (row: number, signal: AbortSignal) => Promise<string> | string,
  judges: () => string = () => VERDICT,
) {
  const asked: number[] = [];
  const decoders = {
    find: (_: unknown, modelId: string) =>
      Promise.resolve({ modelId, price, entry: { context_window: 8_192 } } as Model),
    async run({ modelId }: Model, call: DecoderCall): Promise<DecoderAnswer> {
      if (modelId === judge.modelId)
        return { inferenceId: 'j', text: judges(), calls: [], finishReason: 'stop', usage, latencyMs: 1, dropped: [] };
      const [{ content }] = call.generation.messages as unknown as [{ content: [{ text: string }] }];
      const row = Number(content[0].text.slice(4));
      asked.push(row);
      const text = await say(row, call.signal!);
      return { inferenceId: `i${row}`, text, calls: [], finishReason: 'stop', usage, latencyMs: 1, dropped: [] };
    },
  };
  return { asked, decoders: decoders as unknown as Pick<Decoders, 'find' | 'run'> };
}

describe('evaluations of hosted models', () => {
  let worker: TestWorker;
  beforeEach(async () => {
    worker = await openTestWorker();
  });
  afterEach(() => worker.close());

  async function request(more: Partial<EvaluationRequest> = {}): Promise<void> {
    const content = Buffer.from(chats.map((row) => `${JSON.stringify(row)}\n`).join(''));
    const object = await worker.objectStore.put('datasets/v', content);
    await worker.application.execute(
      evaluationDecider,
      'e1',
      {
        ...{ type: 'request-evaluation', evaluationId: 'e1', workspaceId: 'w1', userId: 'u1' },
        model: { id: 'acme/chat', baseModel: { id: 'acme/chat', sha256: null }, adapter: null },
        engine: { name: 'acme', version: 'chat' },
        datasets: [{ name: 'd', versionId: 'v', versionNumber: 1, object, rows: ROWS, heads: ['messages'] }],
        ...{ heldOut: null, maxExamples: null, projectId: null, automatic: false, trainingJobId: null },
        hosted: calls,
        ...more,
      },
      systemContext('test', 'w1'),
    );
  }
  const state = () => worker.application.load(evaluationDecider, 'e1');
  const run = (decoders: Pick<Decoders, 'find' | 'run'>) =>
    worker.run(hostedEvaluations(worker.application, decoders, { pause: () => Promise.resolve(), graceMs: 0 }));

  /** The first event of a type, once it is there. */
  async function event(type: string) {
    const { eventStore } = worker.application.ports;
    const all = () => Array.fromAsync(eventStore.readAll({ filter: { types: [type] } }));
    const [first] = await worker.until(all, (events) => events.length > 0);
    return first!.data as unknown as Answered;
  }
  const keys = async () => (await Array.fromAsync(worker.objectStore.list('evaluations/'))).map(({ key }) => key);
  const stored = async (key: string) =>
    Buffer.concat(await Array.fromAsync(await worker.objectStore.get(key)))
      .toString()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as object);

  it('give the answers to a runner in the order of the rows, with their cost', async () => {
    const { decoders, asked } = scripted((row) => `said ${row}`);
    await request();
    run(decoders);
    const answered = await event('evaluation-answered.v1');
    expect(answered).toMatchObject({
      attempt: 1,
      usage: { calls: 20, inputTokens: 200, outputTokens: 100, costPicodollars: '300' },
    });
    expect(asked).toHaveLength(ROWS);
    const lines = await stored(answered.answers.objectKey);
    expect(lines).toEqual(chats.map((_, row) => ({ row, said: `said ${row}`, refusal: null })));
    expect(await state()).toMatchObject({ status: 'running', attempt: 2, runnerId: null });
  });

  it('do not repeat rows that a dead worker had paid for', async () => {
    const first = scripted((row, signal) => (row < 12 ? `first ${row}` : never(signal)));
    await request();
    const host = run(first.decoders);
    const twelve = async () => {
      const answers = await Promise.all((await keys()).map((key) => stored(key).catch(gone)));
      return answers.flat().length;
    };
    while ((await twelve()) < 12) await new Promise((resolve) => setImmediate(resolve));
    await host.close();
    const second = scripted((row) => `second ${row}`);
    run(second.decoders);
    const { answers, attempt } = await event('evaluation-answered.v1');
    expect(second.asked.toSorted((a, b) => a - b)).toEqual([12, 13, 14, 15, 16, 17, 18, 19]);
    expect(attempt).toBe(2);
    expect(await stored(answers.objectKey)).toEqual(
      chats.map((_, row) => ({ row, said: `${row < 12 ? 'first' : 'second'} ${row}`, refusal: null })),
    );
  });

  it('retry while the provider does not answer, and fail by name in the end', async () => {
    let tries = 0;
    const { decoders } = scripted((row) => {
      if (row !== 3) return 'said';
      tries += 1;
      throw new UnavailableError('the provider is down');
    });
    await request();
    run(decoders);
    expect(await event('evaluation-failed.v1')).toMatchObject({
      reason: 'acme/chat did not answer row 4: the provider is down',
    });
    expect(tries).toBe(5);
  });

  it('wait for a provider longer once they have paid for answers', async () => {
    let tries = 0;
    const { decoders } = scripted((row) => {
      if (row < ROWS - 1 || (tries += 1) > 12) return 'said';
      throw new UnavailableError('the provider is down');
    });
    await request();
    run(decoders);
    expect(await event('evaluation-answered.v1')).toMatchObject({ attempt: 1, usage: { calls: ROWS } });
  });

  it('continue after the log refused writes, without repeating paid rows', async () => {
    let tries = 0;
    const { decoders, asked } = scripted((row) => {
      if (row !== 3 || (tries += 1) > 5) return 'said';
      throw new LogUnavailableError('the event log takes no writes now');
    });
    await request();
    run(decoders);
    expect(await event('evaluation-answered.v1')).toMatchObject({ attempt: 2, usage: { calls: ROWS } });
    const others = asked.filter((row) => row !== 3);
    expect(others).toHaveLength(new Set(others).size);
  });

  it('leave the stored answers to the attempt that replaced them', async () => {
    const { decoders, asked } = scripted(() => 'said');
    const put = worker.objectStore.put.bind(worker.objectStore);
    jest.spyOn(worker.objectStore, 'put').mockImplementation(async (key, ...rest) => {
      const lost = { attempt: 1, reason: 'test', cause: 'runner' } as const;
      const command = { type: 'lose-evaluation-attempt', evaluationId: 'e1', ...lost } as const;
      if (key.endsWith('/1/answers.jsonl'))
        await worker.application.execute(evaluationDecider, 'e1', command, systemContext('test', 'w1'));
      return put(key, ...rest);
    });
    await request();
    run(decoders);
    expect(await event('evaluation-answered.v1')).toMatchObject({ attempt: 2, usage: { calls: ROWS } });
    expect(asked).toHaveLength(ROWS);
  });

  it('are judged under the lease under which they were answered', async () => {
    const releases = jest.spyOn(worker.application.ports.coordination, 'releaseLease');
    await request({ judge });
    run(scripted(() => 'said').decoders);
    expect(await event('evaluation-judged.v1')).toMatchObject({ attempt: 2, usage: { calls: ROWS } });
    await worker.stop();
    expect(releases).toHaveBeenCalledTimes(1);
  });

  it('leave nothing stored when they fail', async () => {
    const fails = () => {
      throw new BillingError('out_of_credits', 'The account has no credits left.');
    };
    await request({ judge });
    run(scripted(() => 'said', fails).decoders);
    expect(await event('evaluation-failed.v1')).toMatchObject({ reason: 'The account has no credits left.' });
    await worker.stop();
    expect(await keys()).toEqual([]);
  });

  it('fail with the reason why a call was not admitted', async () => {
    const { decoders } = scripted(() => {
      throw new BillingError('out_of_credits', 'The account has no credits left.');
    });
    await request();
    run(decoders);
    expect(await event('evaluation-failed.v1')).toMatchObject({ reason: 'The account has no credits left.' });
  });

  it('continue past single refused rows', async () => {
    const { decoders } = scripted((row) => {
      if (row % 2 === 0 || row > 10) throw new UpstreamRejectedError('too long', 400, {});
      return 'said';
    });
    await request();
    run(decoders);
    const { answers } = await event('evaluation-answered.v1');
    expect((await stored(answers.objectKey)).slice(0, 2)).toEqual([
      { row: 0, said: '', refusal: 'too long' },
      { row: 1, said: 'said', refusal: null },
    ]);
  });

  it('stop when they are deleted, and leave nothing stored', async () => {
    const held = Promise.withResolvers<string>();
    const { decoders, asked } = scripted((row) => (row < 8 ? held.promise : 'said'));
    await request();
    run(decoders);
    while (asked.length < 8) await new Promise((resolve) => setImmediate(resolve));
    const command = { type: 'delete-evaluation', evaluationId: 'e1', workspaceId: 'w1' } as const;
    await worker.application.execute(evaluationDecider, 'e1', command, systemContext('test', 'w1'));
    held.resolve('said');
    await worker.stop();
    expect(asked.length).toBeLessThan(ROWS);
    expect(await keys()).toEqual([]);
  });

  it('start no call that could exceed the cost limit', async () => {
    let [running, most] = [0, 0];
    const { decoders, asked } = scripted(async () => {
      most = Math.max(most, (running += 1));
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return 'said';
    });
    // A call costs 15, and 1,024 and some at worst: two fit at once, and never three.
    await request({ hosted: { ...calls, maxCostPicodollars: '2700' } });
    run(decoders);
    expect(await event('evaluation-answered.v1')).toMatchObject({ usage: { costPicodollars: '300' } });
    expect([asked.length, most]).toEqual([ROWS, 2]);
  });
});

/** A call that ends without an answer when its caller leaves. */
async function never(signal: AbortSignal): Promise<string> {
  if (!signal.aborted) await once(signal, 'abort');
  throw new UnavailableError('cancelled');
}

function gone(error: unknown): [] {
  if (error instanceof ObjectNotFoundError) return [];
  throw error;
}
