import type { CallRecorder, RecordedCall } from '#calls/recording/call-recorder.js';
import { CallTimedOutError, NoServerError, RemoteError, ServerLostError } from '#ports/bus/port.js';
import { ConflictError, InvalidError, UnavailableError } from '#domain/errors.js';
import type { EmbedCall, EmbedReply } from '#gpu-runner/contract/inference.js';
import type { Runners } from './runners.js';
import { Lifecycle } from '../../lifecycle.js';
import type { Model } from '../../models.js';
import { BuiltInEmbedders } from './embedders.js';
import { decodeEmbeddings } from '#apps/api/dialects/openai-embeddings/decode.js';

const MODEL = 'anneal/embedder-base-v1';
const caller = { kind: 'key', userId: 'u', teamId: 't', workspaceId: 'w', keyId: 'k' } as const;
const model = {
  modelId: MODEL,
  entry: { id: MODEL, task_type: 'embedding' },
  reference: { baseModelId: MODEL, adapter: null },
  price: { input: '20000', output: '0', cacheRead: '0', cacheWrite: '0' },
  embedder: { id: MODEL, dimensions: 256, maxTokens: 8_192, maxCharacters: 1_500_000 },
} as unknown as Model;

describe('a call of the built-in embedder', () => {
  let recorded: RecordedCall[];
  /** End of the reservation. */
  let ended: string[];
  let admitted: bigint[];
  let asked: EmbedCall[];
  let reply: (signal: AbortSignal) => EmbedReply | Promise<EmbedReply>;
  let embedders: BuiltInEmbedders;

  beforeEach(() => {
    [recorded, ended, admitted, asked] = [[], [], [], []];
    reply = () => ({ vectors: ['AACAPw=='], inputTokens: [3] });
    const recorder = { accepting: true, record: async (call: RecordedCall) => void recorded.push(call) };
    const routed = {
      embed: async (call: EmbedCall, { signal }: { signal: AbortSignal }) => {
        asked.push(call);
        return reply(signal);
      },
    };
    const reservation = {
      chargedTo: null,
      settle: (cost: bigint) => void ended.push(`settled at ${cost}`),
      release: () => void ended.push('released'),
    };
    const billing = {
      admit: async ({ worstCase }: { worstCase: bigint }) => {
        admitted.push(worstCase);
        return reservation;
      },
    };
    const lifecycle = new Lifecycle(recorder as unknown as CallRecorder, billing);
    embedders = new BuiltInEmbedders(lifecycle, routed as unknown as Runners);
  });

  const run = (body: object = {}, signal = new AbortController().signal, named = model) =>
    embedders.run(
      {
        ...{ caller, signal, correlationId: 'r', format: 'openai', store: true, projectId: null },
        input: () => ({ input: 'A cat' }),
      },
      named,
      decodeEmbeddings({ model: MODEL, input: 'A cat', ...body }),
    );

  it('is admitted at its worst case, run, recorded and settled', async () => {
    const answer = await run({ dimensions: 1 });
    expect(answer).toMatchObject({ vectors: { kind: 'base64', each: ['AACAPw=='] }, inputTokens: 3 });
    expect(asked).toEqual([{ workspaceId: 'w', modelId: MODEL, texts: ['A cat'], dimensions: 1 }]);
    expect(admitted).toEqual([5n * 20_000n]);
    expect(ended).toEqual(['settled at 60000']);
    expect(recorded).toMatchObject([
      {
        metered: { inferenceId: answer.inferenceId, task: 'embed', status: 'success', inputTokens: 3 },
        content: { input: { input: 'A cat' }, output: { embeddings: 1, dimensions: 1 }, errorMessage: null },
      },
    ]);
  });

  it.each<[string, Error, string, typeof UnavailableError | typeof ConflictError]>([
    ['nobody serves', new NoServerError('none'), 'capacity_exhausted', UnavailableError],
    ['two runners died of', new ServerLostError('lost'), 'capacity_exhausted', UnavailableError],
    ['takes too long', new CallTimedOutError('late'), 'timeout', UnavailableError],
    ['a runner lacks', new RemoteError('not_servable', 'none'), 'model_not_ready', ConflictError],
  ])('is recorded as failed and free if it %s', async (_, error, errorType, thrown) => {
    reply = () => Promise.reject(error);
    await expect(run()).rejects.toBeInstanceOf(thrown);
    expect(recorded).toMatchObject([{ metered: { status: 'failed', errorType, inputTokens: 0 } }]);
    expect(ended).toEqual(['settled at 0']);
  });

  it('ends when the caller leaves', async () => {
    const leaving = new AbortController();
    reply = (signal) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error));
        leaving.abort();
      });
    await expect(run({}, leaving.signal)).rejects.toBeInstanceOf(UnavailableError);
    expect(recorded).toMatchObject([{ metered: { status: 'failed', errorType: 'cancelled', costPicodollars: '0' } }]);
  });

  it('is refused for a text that is too long: nothing is recorded or paid', async () => {
    reply = () => ({ tooLong: 1 });
    await expect(run({ input: ['a', 'b'] })).rejects.toMatchObject({ fields: [{ path: ['inputs', 1] }] });
    expect([recorded, ended]).toEqual([[], ['released']]);
  });

  it.each([
    ['too many dimensions', { dimensions: 257 }],
    ['too many characters', { input: Array(3).fill('a'.repeat(500_001)) }],
  ])('%s are refused before admission', async (_, body) => {
    await expect(run(body)).rejects.toBeInstanceOf(InvalidError);
    expect([admitted, asked]).toEqual([[], []]);
  });

  it('is refused for a model that a catalog wrongly calls an embedder', async () => {
    const other = { ...model, embedder: null };
    await expect(run({}, undefined, other)).rejects.toBeInstanceOf(ConflictError);
    expect(asked).toEqual([]);
  });
});
