import { once } from 'node:events';
import { systemContext } from '#log/context.js';
import { envelope } from '#log/execute.js';
import { BATCH_LINE, type BatchLine, type BatchLineAnswer } from '#calls/batch-lines.js';
import { batchDecider, type Batch } from '#domain/batch/index.js';
import { NO_STREAM } from '#ports/event-store/port.js';
import { goldenEvents } from '#test/golden/events.js';
import { openTestWorker, type TestWorker } from '#test/support/worker.js';
import type { BatchTiming } from './batch-work.js';
import { batches } from './process-manager.js';

const REQUESTS = 20;
const METERED = 'call-metered.v1';
const ok = (text: string): BatchLineAnswer => ({ status: 200, body: { text }, retryAfterSeconds: null });
const refusal = (status: number, code = 'no'): BatchLineAnswer => ({
  ...{ status, retryAfterSeconds: null },
  body: { error: { code, message: `is ${code}` } },
});

describe('batches', () => {
  let worker: TestWorker;
  beforeEach(async () => {
    worker = await openTestWorker();
  });
  afterEach(() => worker.close());

  interface Requested {
    readonly batchId?: string;
    readonly workspaceId?: string;
    readonly expiresAt?: string;
  }
  async function request({ batchId = 'b1', workspaceId = 'w1', ...more }: Requested = {}): Promise<void> {
    const lines = Array.from({ length: REQUESTS }, (_, row) =>
      JSON.stringify({ custom_id: `c${row}`, method: 'POST', url: '/v1/chat/completions', body: { model: 'm', row } }),
    );
    const { size, sha256 } = await worker.objectStore.put('in', Buffer.from(lines.join('\n')));
    await worker.application.execute(
      batchDecider,
      batchId,
      {
        ...({ type: 'request-batch', batchId, workspaceId, endpoint: '/v1/chat/completions' } as const),
        requestedBy: { kind: 'key', userId: 'u1', teamId: 't1', keyId: 'k1' },
        input: { versionId: 'v1', source: { key: 'in', size, sha256 } },
        ...{ requests: REQUESTS, metadata: null, expiresAt: '2999-01-01T00:00:00.000Z', ...more },
      },
      systemContext('test', workspaceId),
    );
  }

  /** API processes that answer as the test says. */
  function answering(
    say: (row: number, signal: AbortSignal, workspaceId: string) => BatchLineAnswer | Promise<BatchLineAnswer>,
  ) {
    const asked: number[] = [];
    const served = worker.application.ports.bus.serve(BATCH_LINE, async (body, { signal }) => {
      const { body: sent, caller } = body as unknown as BatchLine;
      const { workspaceId, ...requester } = caller;
      expect(requester).toEqual({ kind: 'key', userId: 'u1', teamId: 't1', keyId: 'k1' });
      asked.push(sent.row as number);
      return await say(sent.row as number, signal, workspaceId);
    });
    return { asked, stop: () => served.stop() };
  }
  const run = (pause: NonNullable<BatchTiming['pause']> = () => Promise.resolve()) =>
    worker.run(batches(worker.application, { pause }));
  const cancel = () => {
    const command = { type: 'cancel-batch', batchId: 'b1', workspaceId: 'w1' } as const;
    return worker.application.execute(batchDecider, 'b1', command, systemContext('test', 'w1'));
  };

  async function end(batchId = 'b1') {
    const batch = async () => (await worker.application.load(batchDecider, batchId)) as Batch;
    return (await worker.until(batch, (state) => Boolean(state.end))).end!;
  }
  async function lines(versionId: string | null) {
    for await (const { key } of worker.objectStore.list(`datasets/w1/${versionId}/source-`)) {
      const text = Buffer.concat(await Array.fromAsync(await worker.objectStore.get(key))).toString();
      const rows = text.trimEnd().split('\n');
      return rows.map((line) => JSON.parse(line) as { custom_id: string; error: { code: string } | null });
    }
    throw new Error(`nothing is stored for ${versionId}`);
  }
  const ids = (from: number, to: number) => Array.from({ length: to - from }, (_, row) => `c${from + row}`).toSorted();

  it('return an answer or an error for every request, by its custom_id', async () => {
    answering((row) => (row < 15 ? ok(`said ${row}`) : refusal(422)));
    await request();
    run();
    const ended = await end();
    expect(ended).toMatchObject({ outcome: 'completed', error: null, completed: 15, failed: 5 });
    const output = await lines(ended.outputVersionId);
    expect(output.map(({ custom_id }) => custom_id).toSorted()).toEqual(ids(0, 15));
    expect(output.find(({ custom_id }) => custom_id === 'c3')).toEqual({
      ...{ id: 'batch_req_b1_4', custom_id: 'c3', error: null },
      response: { status_code: 200, request_id: 'batch_b1_4', body: { text: 'said 3' } },
    });
    const errors = await lines(ended.errorVersionId);
    expect(errors.map(({ custom_id }) => custom_id).toSorted()).toEqual(ids(15, 20));
    await worker.stop();
    expect(await Array.fromAsync(worker.objectStore.list('batches/'))).toEqual([]);
  });

  it('do not repeat a request whose answer a dead worker had stored', async () => {
    await request();
    const first = answering((row, signal) => (row < 12 ? ok('first') : never(signal)));
    const host = run();
    const kept = async () => {
      let count = 0;
      for await (const { key } of worker.objectStore.list('batches/b1/lines/'))
        count +=
          Buffer.concat(await Array.fromAsync(await worker.objectStore.get(key)))
            .toString()
            .split('\n').length - 1;
      return count;
    };
    while ((await kept()) < 12) await new Promise((resolve) => setImmediate(resolve));
    await host.close();
    await first.stop();
    const second = answering(() => ok('second'));
    run();
    expect(await end()).toMatchObject({ outcome: 'completed', completed: REQUESTS, failed: 0 });
    expect(second.asked.toSorted((a, b) => a - b)).toEqual([12, 13, 14, 15, 16, 17, 18, 19]);
  });

  it('do not repeat an answered request whose answer was lost, and name its call', async () => {
    await request();
    const { data } = goldenEvents.find(({ type, data: { errorType } }) => type === METERED && errorType === null)!;
    const append = async (workspaceId: string, row: number) => {
      const context = { ...systemContext('test', workspaceId), correlationId: `batch_b1_${row}` };
      const event = envelope(`metered-${workspaceId}`, { type: METERED, data }, 0, context);
      await worker.application.ports.eventStore.append(`metered-${workspaceId}`, NO_STREAM, [event]);
    };
    await append('w1', 4);
    await append('w2', 5);
    const { asked } = answering(() => ok('said'));
    run();
    const ended = await end();
    expect([ended.completed, ended.failed, asked.includes(3), asked.includes(4)]).toEqual([19, 1, false, true]);
    const [lost] = await lines(ended.errorVersionId);
    expect(lost).toMatchObject({ custom_id: 'c3', error: { code: 'answer_lost' } });
    expect(JSON.stringify(lost)).toContain(data.inferenceId as string);
  });

  it('repeat a request after a temporary refusal', async () => {
    const tries = new Map<number, number>();
    answering((row) => {
      tries.set(row, (tries.get(row) ?? 0) + 1);
      return row === 7 && tries.get(row)! < 4 ? refusal(429, 'rate_limit_exceeded') : ok('said');
    });
    await request();
    run();
    expect(await end()).toMatchObject({ outcome: 'completed', completed: REQUESTS });
    expect(tries.get(7)).toBe(4);
  });

  it('wait for a server as long as none is available', async () => {
    const waited = Promise.withResolvers<void>();
    let pauses = 0;
    await request();
    run(async () => {
      // More often than a request is tried.
      if ((pauses += 1) > 40 * 8) waited.resolve();
      await new Promise((resolve) => setImmediate(resolve));
    });
    await waited.promise;
    answering(() => ok('said'));
    expect(await end()).toMatchObject({ outcome: 'completed', completed: REQUESTS, failed: 0 });
  });

  it('yield their turns to other workspaces while their requests wait for a retry', async () => {
    const all = Promise.withResolvers<void>();
    let waiting = 0;
    answering((_row, _signal, workspaceId) => (workspaceId === 'w1' ? refusal(429) : ok('said')));
    // Two batches could make as many calls as a worker makes at a time.
    for (const batchId of ['b1', 'b2']) await request({ batchId });
    run(async (_milliseconds, signal) => {
      if ((waiting += 1) === 16) all.resolve();
      await once(signal, 'abort');
    });
    await all.promise;
    await request({ batchId: 'b3', workspaceId: 'w2' });
    expect(await end('b3')).toMatchObject({ outcome: 'completed', completed: REQUESTS, failed: 0 });
  });

  it('fail by name when the credits run out, keeping the answers so far', async () => {
    answering((row) => (row < 8 ? ok('said') : refusal(402, 'out_of_credits')));
    await request();
    run();
    const ended = await end();
    expect(ended).toMatchObject({ outcome: 'failed', error: { code: 'out_of_credits', message: 'is out_of_credits' } });
    expect([ended.completed, ended.failed]).toEqual([8, 12]);
    expect((await lines(ended.errorVersionId)).map(({ error }) => error!.code)).toEqual(
      Array.from({ length: 12 }, () => 'out_of_credits'),
    );
  });

  it('end when they are cancelled, keeping the answers so far', async () => {
    const cancelled = Promise.withResolvers<unknown>();
    const { asked } = answering(async (row) => {
      if (row === 0) cancelled.resolve(await cancel());
      await cancelled.promise;
      return ok('said');
    });
    await request();
    run();
    const ended = await end();
    expect(ended).toMatchObject({ outcome: 'cancelled', error: null, completed: asked.length });
    expect(asked.length).toBeLessThan(REQUESTS);
    expect(ended.failed).toBe(REQUESTS - asked.length);
  });

  it('expire, and report each remaining request as expired', async () => {
    const { asked } = answering(() => ok('said'));
    await request({ expiresAt: '2020-01-01T00:00:00.000Z' });
    run();
    const ended = await end();
    expect(ended).toMatchObject({ outcome: 'expired', completed: 0, outputVersionId: null, failed: REQUESTS });
    expect(asked).toEqual([]);
    expect((await lines(ended.errorVersionId))[0]!.error!.code).toBe('batch_expired');
  });
});

/** A call that ends without an answer when its caller leaves. */
async function never(signal: AbortSignal): Promise<BatchLineAnswer> {
  if (!signal.aborted) await once(signal, 'abort');
  return refusal(503);
}
