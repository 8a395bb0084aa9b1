import type { JsonObject } from '#domain/json.js';
import { onServers } from '#test/deployments/test-api.js';
import type { TestApi } from '#test/support/api.js';
import { ReadModelFile } from '#test/support/read-model-file.js';
import { sharedTestApi } from '#test/support/shared-api.js';

// A read model on MongoDB is not changed here: the command sees both through one port.
(onServers() ? describe.skip : describe)('a dataset from feedback of which the read model was changed', () => {
  let api: TestApi;
  beforeAll(async () => (api = await sharedTestApi()));
  afterAll(() => api.close());

  it('takes texts and corrections from the log', async () => {
    const asked = { model_id: 'anneal/encoder-base-v1', text: 'then Paris left.', schema: ['person'] };
    const { inference_id: id } = (await api.call('POST', '/inference', asked)).body;
    const corrected_output = { entities: { person: ['Paris'] } };
    await api.call('POST', `/inferences/${id}/feedback`, { verdict: 'incorrect', corrected_output });
    await api.drained();
    const { body } = await api.call('GET', `/inferences/${id}`);
    const history = new ReadModelFile(api, 'inferences');
    const { content, feedback } = (await history.documentOf(id)) as { content: JsonObject; feedback: JsonObject };
    await history.change(id, {
      content: { ...content, input: { text: 'then Paris left forged.', schema: ['person'] } },
      feedback: { ...feedback, correctedOutput: { entities: { person: ['then'] } } },
    });
    const shown = (await api.call('GET', `/inferences/${id}`)).body;
    expect([shown.input.text, shown.human_corrected_output]).toEqual([
      'then Paris left forged.',
      { entities: { person: ['then'] } },
    ]);
    const made = await api.call('POST', '/felix/datasets/from-feedback', { dataset_name: 'unforged' });
    expect(made.status).toBe(202);
    await api.until(
      () => api.call('GET', '/felix/datasets/unforged/latest'),
      ({ body: { status } }) => status === 'ready',
    );
    const headers = { 'x-api-key': api.key };
    const rows = await (await fetch(`${api.url}/felix/datasets/unforged/1/download?format=jsonl`, { headers })).text();
    expect(
      rows
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([
      expect.objectContaining({ text: body.input.text, entities: [['Paris', 'person']], source_inference_id: id }),
    ]);
  });
});
