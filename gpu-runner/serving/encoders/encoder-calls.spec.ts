import { setImmediate as turn } from 'node:timers/promises';
import type { InferenceAnswer, InferenceCall } from '#gpu-runner/contract/inference.js';
import type { LoadedEncoder } from '#gpu-runner/engines/encoder-engine.js';
import { UnsupportedHeadError, type InferRequest, type InferResponse } from '#gpu-runner/engines/engine.js';
import { EncoderCalls } from './encoder-calls.js';
import { MAX_WAITING } from './part-queue.js';

interface Asked {
  readonly texts: readonly string[];
  readonly signal: AbortSignal;
  readonly end: PromiseWithResolvers<InferResponse>;
}

/** An encoder whose answers a test gives, in memory from the start. */
function encoder() {
  const asked: Asked[] = [];
  const state = { released: 0 };
  const model: LoadedEncoder = {
    ...{ byteSize: 1, abilities: { entityLabels: ['city'], classLabels: null, multiLabel: false } },
    ready: async () => undefined,
    close: async () => undefined,
    infer({ texts }: InferRequest, signal) {
      const end = Promise.withResolvers<InferResponse>();
      signal.addEventListener('abort', () => end.reject(signal.reason as Error));
      end.promise.catch(() => undefined);
      asked.push({ texts, signal, end });
      return end.promise;
    },
  };
  const lease = async () => ({ model, release: () => void (state.released += 1) }) as never;
  return { asked, state, calls: new EncoderCalls({ lease }) };
}
const call = (texts: readonly string[], workspaceId = 'w'): InferenceCall => ({
  ...{ workspaceId, model: { baseModelId: 'test/base', adapter: null }, texts },
  ...{ schema: null, threshold: 0.5 },
});
const answer = ({ texts, end }: Asked) =>
  end.resolve({
    results: texts.map((text) => ({ entities: { city: [] }, truncated: text.length > 100 })),
    warnings: [{ code: 'unresolved_label', message: 'not learned', label: 'x' }],
    inputTokens: texts.map(({ length }) => length),
  });
const never = new AbortController().signal;

describe('calls of encoders in a process of their engine', () => {
  it('are split into parts, of which few of one workspace run at once, and come back as one answer', async () => {
    const { asked, state, calls } = encoder();
    const texts = Array.from({ length: 20 }, (_, at) => 'y'.repeat(3_000 + at));
    const answered = calls.run(call(texts), never);
    for (let answers = 0; answers < texts.length; answers += 1) {
      await turn();
      expect(asked.length).toBeLessThanOrEqual(answers + 5);
      answer(asked[answers]!);
    }
    const { inputTokens, warnings, schema } = (await answered) as InferenceAnswer;
    expect(inputTokens).toEqual(texts.map(({ length }) => length));
    expect([warnings.length, schema]).toEqual([1, { entities: [{ name: 'city' }] }]);
    expect(state.released).toBe(1);
  });

  it('of one workspace leave room for those of another', async () => {
    const { asked, calls } = encoder();
    const many = calls.run(call(Array.from({ length: 50 }, () => 'y'.repeat(4_000))), never);
    const few = calls.run(call(['few'], 'other'), never);
    await turn();
    answer(asked.find(({ texts }) => texts[0] === 'few')!);
    expect(await few).toMatchObject({ inputTokens: [3] });
    const error = new Error('over');
    for (const { end } of asked) end.reject(error);
    await expect(many).rejects.toThrow(error);
  });

  it('are refused if too much of their workspace is waiting', async () => {
    const { calls } = encoder();
    const gone = new AbortController();
    const held = calls.run(call(Array.from({ length: 2_100 }, () => 'y'.repeat(4_000))), gone.signal);
    await turn();
    const refused = await calls.run(call(Array.from({ length: 200 }, () => 'y'.repeat(4_000))), never);
    expect(refused).toMatchObject({ mostWaiting: MAX_WAITING });
    gone.abort(new Error('the client has left'));
    await expect(held).rejects.toThrow('the client has left');
  });

  it('are refused if too much of their workspace is waiting for a model', async () => {
    const loading = Promise.withResolvers<never>();
    const calls = new EncoderCalls({ lease: () => loading.promise });
    const first = calls.run(call(['x'.repeat(MAX_WAITING)]), never);
    const second = await calls.run(call(['x']), never);
    expect(second).toEqual({ waiting: MAX_WAITING + 64, mostWaiting: MAX_WAITING });
    loading.reject(new Error('damaged'));
    await expect(first).rejects.toThrow('damaged');
    await expect(calls.run(call(['x']), never)).rejects.toThrow('damaged');
  });

  it('are told when to retry if their model takes longer to load', async () => {
    const calls = new EncoderCalls({ lease: async () => ({ retryAfterMs: 10_000 }) });
    expect(await calls.run(call(['x']), never)).toEqual({ retryAfterMs: 10_000 });
  });

  it('drop their remaining parts when one fails, which names the head', async () => {
    const { asked, state, calls } = encoder();
    const failing = calls.run(call(['y'.repeat(4_096), 'z'.repeat(4_096)]), never);
    await turn();
    asked[0]!.end.reject(new UnsupportedHeadError('relations', 'the model has no relations head'));
    await expect(failing).rejects.toMatchObject({ code: 'unsupported_head', details: { head: 'relations' } });
    expect([asked[1]!.signal.aborted, state.released]).toEqual([true, 1]);
  });
});
