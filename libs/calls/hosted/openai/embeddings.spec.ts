import { embeds, scriptedVector } from '#test/support/scripted-answers.js';
import { sends, startScriptedProvider, type ScriptedProvider } from '#test/support/scripted-provider.js';
import { hostedModels } from '../open.js';
import { HostedModelError, type EmbeddingRequest, type HostedModels } from '../port.js';
import { checkProviders } from '../providers.js';

const USAGE = { prompt_tokens: 7 };
const base64 = (...numbers: number[]) => Buffer.from(Float32Array.from(numbers).buffer).toString('base64');
const item = (embedding: unknown, index?: unknown) => ({ embedding, ...(index !== undefined && { index }) });

describe('embeddings in the style of OpenAI', () => {
  let provider: ScriptedProvider;
  let models: HostedModels;

  beforeEach(async () => {
    provider = await startScriptedProvider();
    const acme = { style: 'openai', base_url: provider.url, max_retries: 0 };
    models = hostedModels(checkProviders({ providers: { acme } }, {}));
  });
  afterEach(async () => {
    await models.close();
    await provider.close();
  });

  const embed = (request: Partial<EmbeddingRequest> = {}) =>
    models.embed({ name: 'acme', model: 'small-1' }, { inputs: ['a', 'b'], ...request });
  const answered = (data: unknown, usage: unknown = USAGE) => {
    provider.script(sends(JSON.stringify({ object: 'list', data, usage })));
    return embed();
  };
  const failure = async (answer: Promise<unknown>): Promise<HostedModelError> => {
    const error: unknown = await answer.then(
      () => null,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(HostedModelError);
    return error as HostedModelError;
  };
  const listed = async (request?: Partial<EmbeddingRequest>) =>
    (await embed(request)).vectors.map((vector) => Array.from(vector));

  it.each(['float', 'base64', undefined] as const)('are returned one per input, requested as %s', async (encoding) => {
    provider.script(embeds());
    const request = { dimensions: 3, endUser: 'u-1', unknownFields: { model: 'x', priority: 1 } };
    const vectors = await listed({ ...request, ...(encoding && { encoding }) });
    expect(vectors).toEqual([scriptedVector('a', 3), scriptedVector('b', 3)]);
    const { path, body } = provider.seen.at(-1)!;
    expect([path, body]).toEqual([
      '/v1/embeddings',
      {
        ...{ model: 'small-1', input: ['a', 'b'], encoding_format: encoding ?? 'base64' },
        ...{ dimensions: 3, user: 'u-1', priority: 1 },
      },
    ]);
  });

  it('are returned in the order of the inputs, in any encoding', async () => {
    const { vectors, inputTokens } = await answered([item(base64(0.5, -2), 1), item([0.1, 1], 0)]);
    expect(vectors).toEqual([[0.1, 1], Float32Array.from([0.5, -2])]);
    expect(inputTokens).toBe(7);
    expect((await answered([item([1]), item([2])])).vectors).toEqual([[1], [2]]);
  });

  it.each([
    [{ total_tokens: 9 }, 9],
    [{ prompt_tokens: -1.5 }, 0],
    [{ prompt_tokens: 'many' }, null],
    [null, null],
  ])('with usage %j count %s tokens', async (usage, tokens) => {
    expect((await answered([item([1]), item([2])], usage)).inputTokens).toBe(tokens);
  });

  it.each<[string, unknown]>([
    ['one too few', [item([1], 0)]],
    ['one too many', [item([1], 0), item([1], 1), item([1], 2)]],
    ['one twice', [item([1], 0), item([1], 0)]],
    ['another place', [item([1], 0), item([1], 5)]],
    ['none', []],
    ['no list', { 0: item([1]) }],
    ['no objects', [null, 5]],
    ['an empty vector', [item([]), item([])]],
    ['vectors of two lengths', [item([1]), item([1, 2])]],
    ['a value that is not a number', [item([1]), item([null])]],
    ['texts', [item(['1']), item(['2'])]],
    ['no base64', [item('%%%%'), item('????')]],
    ['half a float', [item('AAA='), item('AAA=')]],
    ['NaN', [item(base64(NaN)), item(base64(1))]],
    ['infinity', [item(base64(1)), item(base64(-Infinity))]],
    ['too many dimensions', [item(new Array(65_537).fill(0)), item([1])]],
  ])('that are %s are malformed', async (_, data) => {
    expect((await failure(answered(data))).kind).toBe('unavailable');
  });

  it.each(['<html>', '5', 'null', '[]', ''])('that are %j are malformed', async (text) => {
    provider.script(sends(text));
    expect((await failure(embed())).kind).toBe('unavailable');
  });

  it('fail as saturated if the provider has no capacity', async () => {
    provider.script(sends(JSON.stringify({ error: { message: 'x', code: 429 } })));
    expect((await failure(embed())).kind).toBe('saturated');
  });

  it('of another length than requested are refused by name', async () => {
    provider.script(sends(JSON.stringify({ data: [item([1, 2, 3]), item([1, 2, 3])] })));
    expect(await failure(embed({ dimensions: 2 }))).toMatchObject({
      kind: 'rejected',
      message: expect.stringMatching(/^`dimensions` .* 3 numbers/),
      details: { upstreamStatus: 422, param: 'dimensions' },
    });
  });
});
