import type { HostedApi } from '#test/support/hosted-api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { refuses, streams, type Act } from '#test/support/scripted-provider.js';
import { sharedHostedApi } from '#test/support/shared-api.js';
import { TrainingClient } from '#test/support/training-client.js';

const rows = Array.from({ length: 12 }, (_, row) => ({
  messages: [
    { role: 'system', content: 'Answer in JSON.' },
    { role: 'user', content: `where is parcel ${row}?` },
    { role: 'assistant', content: JSON.stringify({ parcel: row, city: 'Lima' }) },
  ],
}));
const jsonl = (of: readonly object[]) => of.map((row) => JSON.stringify(row)).join('\n');

/** Answers as the row expects for even parcels, and with another city for odd ones. */
const knowsHalf: Act = (response, request) => {
  const parcel = parcelOf(request.body);
  return streams(JSON.stringify({ parcel, city: parcel % 2 === 0 ? 'Lima' : 'Rome' }))(response, request);
};
const ENCODER = { base_model: 'anneal/encoder-base-v1', dataset_name: 'spans' };
const judgeOf = (id: string) => ({ judge_model_id: id, judge_rubric: 'Is right.' });
const parcelOf = (body: { messages: { content: string }[] }) => Number(/\d+/.exec(body.messages.at(-1)!.content)![0]);

describe('an evaluation of a hosted decoder', () => {
  let hosted: HostedApi;
  let client: TrainingClient;
  beforeAll(async () => {
    hosted = await sharedHostedApi();
    client = new TrainingClient(hosted.api);
    await uploadDataset(
      hosted.api,
      { dataset_name: 'chats', dataset_type: 'decoder', filename: 'a.jsonl' },
      jsonl(rows),
    );
    const labelled = [{ text: 'To Lima', entities: [['Lima', 'city']] }];
    await uploadDataset(hosted.api, { dataset_name: 'spans', filename: 'a.jsonl' }, jsonl(labelled));
  });
  afterAll(() => hosted.close());

  const start = (body: object) => hosted.api.call('POST', '/felix/evaluations', body);

  it("has the figures of a trained model's, per answer, with the cost of its calls", async () => {
    hosted.openai.script(knowsHalf);
    const before = hosted.openai.seen.length;
    const evaluation = await client.evaluate({ base_model: 'acme/chat', dataset_name: 'chats' });
    expect(evaluation).toMatchObject({
      ...{ status: 'complete', error_message: null, base_model: 'acme/chat', exact_match: 0.5, accuracy: 0.5 },
      ...{ f1: null, sample_count: 12, overlapping_rows: null },
      usage: { calls: 12, input_tokens: 144, output_tokens: 36 },
    });
    // $2 and $8 per million tokens.
    expect(evaluation.usage!.cost).toBeCloseTo((144 * 2 + 36 * 8) / 1e6, 12);
    expect(evaluation.metrics!.generation).toMatchObject({
      exact_match: { value: 0.5 },
      perplexity: null,
      json: { rows: 12, validity: { value: 1 }, field_f1: { value: 0.75 } },
    });
    expect(evaluation.metrics!.generation!.exact_match.low).toBeLessThan(0.5);
    expect(evaluation.predictions![1]).toEqual({
      ...{ row: 2, text: 'where is parcel 1?', correct: false },
      expected: { completion: '{"parcel":1,"city":"Lima"}' },
      predicted: { completion: '{"parcel":1,"city":"Rome"}' },
    });
    const asked = hosted.openai.seen.slice(before);
    expect(asked).toHaveLength(12);
    expect(asked[0]!.body).toMatchObject({ model: 'chat', temperature: 0, messages: [{ role: 'system' }, {}] });
    await hosted.api.drained();
    const { body: history } = await hosted.api.call('GET', '/inferences?task=generate');
    expect([history.total, history.inferences[0].input_tokens]).toEqual([12, 12]);
  });

  it('asks only for the first rows with max_examples, and for as many tokens as max_answer_tokens', async () => {
    hosted.openai.script(knowsHalf);
    const before = hosted.openai.seen.length;
    const body = { base_model: 'acme/chat', dataset_name: 'chats', max_examples: 3 };
    const evaluation = await client.evaluate({ ...body, max_answer_tokens: 77 });
    const seen = hosted.openai.seen.slice(before);
    expect([evaluation.sample_count, seen.length, evaluation.max_answer_tokens]).toEqual([3, 3, 77]);
    expect(JSON.stringify(seen[0]!.body)).toMatch(/"max_(completion_)?tokens":77\b/);
  });

  it('counts a row that the provider refuses as wrong, with its reason', async () => {
    const refusesOne: Act = (response, request) =>
      (parcelOf(request.body) === 4 ? refuses(400, { error: { message: 'content policy' } }) : knowsHalf)(
        response,
        request,
      );
    hosted.openai.script(refusesOne);
    const evaluation = await client.evaluate({ base_model: 'acme/chat', dataset_name: 'chats' });
    expect(evaluation).toMatchObject({ status: 'complete', sample_count: 12 });
    expect(evaluation.predictions![4]).toMatchObject({
      ...{ correct: false, predicted: { completion: '', error: expect.stringContaining('content policy') } },
    });
  });

  it('fails, naming the model, when the provider refuses several rows in succession', async () => {
    hosted.openai.script(refuses(400, { error: { message: 'no such thing' } }));
    const refused = await client.evaluate({ base_model: 'acme/chat', dataset_name: 'chats' });
    expect(refused).toMatchObject({
      status: 'failed',
      error_message: 'acme/chat refused 5 rows one after another; the last time: no such thing',
    });
  });

  it('fails before its calls cost more than max_cost', async () => {
    hosted.openai.script(knowsHalf);
    const before = hosted.openai.seen.length;
    // The worst case of one call is 1,024 tokens out and some in: $0.0082 and more.
    const dear = await client.evaluate({ base_model: 'acme/chat', dataset_name: 'chats', max_cost: 0.008 });
    expect([dear.status, hosted.openai.seen.length - before]).toEqual(['failed', 0]);
    expect(dear.error_message).toContain('more than max_cost leaves: $0 of $0.008 are spent');
    const enough = await client.evaluate({ base_model: 'acme/chat', dataset_name: 'chats', max_cost: 0.012 });
    expect([enough.status, enough.usage!.calls]).toEqual(['complete', 12]);
  });

  it('is compared with another on the same rows: wins, losses and the p-value of a paired test', async () => {
    hosted.openai.script(knowsHalf);
    const half = await client.evaluate({ base_model: 'acme/chat', dataset_name: 'chats' });
    hosted.openai.script((response, request) =>
      streams(JSON.stringify({ parcel: parcelOf(request.body), city: 'Lima' }))(response, request),
    );
    const all = await client.evaluate({ base_model: 'acme/paced', dataset_name: 'chats' });
    const { status, body } = await hosted.api.call('GET', `/felix/evaluations/${all.id}/comparison?with=${half.id}`);
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({
        ...{ evaluation_id: all.id, with_evaluation_id: half.id, model_id: 'acme/paced', with_model_id: 'acme/chat' },
        ...{ dataset_name: 'chats', version_number: '1', sample_count: 12 },
      }),
    ]);
    const sixWins = { value: 1, with_value: 0.5, wins: 6, losses: 0, ties: 6, p_value: expect.closeTo(2 / 2 ** 6, 9) };
    expect(body.figures).toMatchObject({
      correct: { ...sixWins, difference: { value: 0.5, low: null, high: null }, test: 'exact_mcnemar' },
      exact_match: { ...sixWins, difference: { value: 0.5 } },
      json_validity: { wins: 0, losses: 0, ties: 12, p_value: 1 },
      json_field_f1: { value: 1, with_value: 0.75, wins: 6, test: 'approximate_randomization' },
    });
    expect(body.figures.bleu.p_value).toBeLessThan(0.06);
    expect(body.figures.rouge_l.difference.low).toBeGreaterThan(0);

    const fewer = await client.evaluate({ base_model: 'acme/chat', dataset_name: 'chats', max_examples: 3 });
    const encoder = await client.evaluate({ base_model: 'anneal/encoder-base-v1', dataset_name: 'spans' });
    const again = await client.evaluate({ base_model: 'anneal/encoder-base-v1', dataset_name: 'spans' });
    for (const [other, said] of [
      [fewer.id, '3 rows of \\"chats\\" version 1, where this one is on 12 rows of \\"chats\\" version 1'],
      [encoder.id, 'encoders and decoders are not compared'],
      [all.id, 'names the same evaluation'],
    ] as const) {
      const refused = await hosted.api.call('GET', `/felix/evaluations/${all.id}/comparison?with=${other}`);
      expect([refused.status, refused.body.errors?.[0].loc]).toEqual([422, ['query', 'with']]);
      expect(JSON.stringify(refused.body)).toContain(said);
    }
    const encoders = await hosted.api.call('GET', `/felix/evaluations/${encoder.id}/comparison?with=${again.id}`);
    const same = expect.objectContaining({ wins: 0, losses: 0, p_value: 1 });
    expect(encoders.body.figures).toEqual({ correct: same, f1: same });

    const path = `/felix/evaluations/${all.id}/comparison`;
    const { objectStore } = hosted.api.application.ports;
    const stored = await Array.fromAsync(objectStore.list(`evaluations/${half.id}/`));
    for (const name of ['counts.f64', 'predictions.jsonl']) {
      const { key } = stored.find((each) => each.key.endsWith(name))!;
      const content = Buffer.concat(await Array.fromAsync(await objectStore.get(key)));
      await objectStore.put(key, Buffer.from(content).fill(7, content.length - 1));
      const damaged = await hosted.api.call('GET', `${path}?with=${half.id}`);
      expect([damaged.status, damaged.body.detail]).toEqual([409, expect.stringContaining('gone or damaged')]);
      await objectStore.put(key, content);
    }
    expect((await hosted.api.call('GET', path)).status).toBe(422);
    expect((await hosted.api.call('GET', `${path}?with=${crypto.randomUUID()}`)).status).toBe(404);
    const { key } = await hosted.api.colleague();
    const theirs = await hosted.api.call('GET', `${path}?with=${half.id}`, undefined, { 'x-api-key': key });
    expect(theirs.status).toBe(404);
  });

  it("is graded by a judge, with scores and reasons per answer, and the judge's pins in the record", async () => {
    const judges: Act = (response, request) => {
      const { rubric, answer } = JSON.parse(request.body.messages[1].content) as { rubric: string; answer: string };
      const parcel = Number(/\d+/.exec(answer)![0]);
      const said =
        parcel === 3 ? 'I would say 5.' : `{"reason": "By: ${rubric}", "score": ${parcel % 2 === 0 ? 5 : 2}}`;
      return streams(said)(response, request);
    };
    hosted.openai.script((response, request) =>
      (request.body.model === 'paced' ? judges : knowsHalf)(response, request),
    );
    const judge = { judge_model_id: 'acme/paced', judge_rubric: 'Names the city.' };
    const evaluation = await client.evaluate({ base_model: 'acme/chat', dataset_name: 'chats', ...judge });
    expect(evaluation).toMatchObject({
      ...{ status: 'complete', exact_match: 0.5, usage: { calls: 12 }, judge_usage: { calls: 12, input_tokens: 144 } },
      judge: {
        ...{ model_id: 'acme/paced', provider: 'acme', provider_model: 'paced', rubric: 'Names the city.' },
        prompt_version: 1,
      },
      warnings: [{ code: 'unscored_answers', message: expect.stringContaining('1 of 12 answers no score') }],
    });
    // Six scores of 5, five of 2, and one reply without a score.
    const figures = evaluation.metrics!.generation!.judge!;
    expect(figures).toMatchObject({ scored: 11, malformed: 1, refused: 0 });
    expect(figures.score!.value).toBeCloseTo(40 / 11, 6);
    expect([figures.score!.low > 2, figures.score!.high < 5]).toEqual([true, true]);
    expect(evaluation.predictions!.slice(2, 4).map(({ predicted }) => predicted)).toMatchObject([
      { judge: { score: 5, reason: 'By: Names the city.' } },
      { judge: { score: null, reason: null, problem: 'malformed' } },
    ]);
    expect(evaluation.predictions![2]!.predicted).not.toHaveProperty('judge.problem');
  });

  it.each([
    ['a model that follows no instructions', { base_model: 'acme/base' }, 'base_model', 'answers no chats'],
    ['an embedder', { model_id: 'acme/embed' }, 'model_id', 'it makes embeddings'],
    ['a model that is for training only', { base_model: 'acme/train-only' }, 'base_model', 'answers no chats'],
    ['rows for encoders', { base_model: 'acme/chat', dataset_name: 'spans' }, 'dataset_name', 'is a decoder'],
    ['a judge without a rubric', { base_model: 'acme/chat', judge_model_id: 'acme/chat' }, 'judge_rubric', 'required'],
    ['a judge of labels', { ...ENCODER, ...judgeOf('acme/chat') }, 'judge_model_id', 'is for decoders'],
    [
      'a judge that no provider hosts',
      { base_model: 'acme/chat', ...judgeOf(ENCODER.base_model) },
      'judge_model_id',
      'no provider hosts',
    ],
    ['max_cost without a provider', { base_model: 'anneal/encoder-base-v1', max_cost: 1 }, 'max_cost', 'costs nothing'],
  ])('is refused by name for %s', async (_, body, field, said) => {
    const { status, body: answer } = await start({ dataset_name: 'chats', ...body });
    expect([status, answer.errors]).toEqual([
      422,
      [expect.objectContaining({ loc: ['body', field], msg: expect.stringContaining(said) })],
    ]);
  });
});
