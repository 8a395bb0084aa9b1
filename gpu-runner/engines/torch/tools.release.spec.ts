import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importModel } from '#models/imported/index.js';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { eventually } from '#test/support/eventually.js';
import { TrainingClient } from '#test/support/training-client.js';
import { describeWith, torchForTests } from '#test/torch/environment.js';
import { makeTinyDecoders } from '#test/torch/tiny-decoder.js';
import { enginesWith } from '../engines.js';

const tools = [
  {
    type: 'function',
    function: { name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
  },
];
const callOf = (city: string) => ({
  ...{ id: 'call_1', type: 'function' },
  function: { name: 'weather', arguments: JSON.stringify({ city }) },
});
/** A wrong answer of weight 0, a call, its result and an answer. */
const rowOf = (city: string, opening: string) => ({
  messages: [
    { role: 'user', content: opening },
    { role: 'assistant', content: 'Nonsense.', weight: 0 },
    { role: 'user', content: `How is ${city}?` },
    { role: 'assistant', content: null, tool_calls: [callOf(city)] },
    { role: 'tool', tool_call_id: 'call_1', content: 'cold' },
    { role: 'assistant', content: `Cold in ${city}.`, weight: 1 },
  ],
  tools,
});
const OPENINGS = ['Hi', 'Hello', 'Hey', 'Ho', 'Well', 'So', 'Now', 'Then'];
const rows = ['Oslo', 'Cork'].flatMap((city) => OPENINGS.map((opening) => rowOf(city, opening)));
const jsonl = (all: readonly object[]) => all.map((row) => JSON.stringify(row)).join('\n');

await describeWith('rows with tools', torchForTests, ({ enginesDir, python }) => {
  let folder: string;
  let api: TestApi;
  let client: TrainingClient;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'anneal-tools-'));
    const modelsDir = join(folder, 'models');
    const tiny = { chat: join(folder, 'chat'), text: join(folder, 'text'), tools: join(folder, 'tools') };
    await Promise.all(Object.values(tiny).map((path) => mkdir(path)));
    await makeTinyDecoders(python, tiny);
    await Array.fromAsync(importModel(tiny.tools, { id: 'test/tiny-tools', licence: null }, modelsDir));
    api = await startTestApi({ modelsDir, enginesDir }, { engines: enginesWith([modelsDir], [enginesDir]) });
    client = new TrainingClient(api);
    await uploadDataset(api, { dataset_name: 'calls', dataset_type: 'decoder', filename: 'a.jsonl' }, jsonl(rows));
  });
  afterAll(async () => {
    await api?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('teach calls, are measured by them, and an answer of weight 0 is not learned', async () => {
    const settings = { nr_epochs: 30, learning_rate: 1e-2, batch_size: 8, early_stopping_patience: 0 };
    const { id } = await client.start({ base_model: 'test/tiny-tools', datasets: [{ name: 'calls' }], ...settings });
    const job = await client.ended(id);
    expect([job.status, job.error_message]).toEqual(['complete', null]);
    const ends = rows.map(({ messages, ...row }) => ({ ...row, messages: messages.slice(0, 4) }));
    const ofCalls = { dataset_name: 'ends', dataset_type: 'decoder', filename: 'a.jsonl' };
    await uploadDataset(api, ofCalls, jsonl(ends));
    const evaluation = await client.evaluate({ base_model: id, dataset_name: 'ends' });
    expect(evaluation).toMatchObject({ status: 'complete', sample_count: rows.length });
    expect(evaluation.exact_match).toBeGreaterThan(0.5);
    expect(evaluation.predictions![0]).toMatchObject({
      expected: { completion: '{"tool_calls":[{"name":"weather","arguments":{"city":"Oslo"}}]}' },
    });
    const asked = (messages: readonly object[]) =>
      eventually(
        () => api.call('POST', '/v1/chat/completions', { model: id, messages, tools, temperature: 0, max_tokens: 60 }),
        ({ status }) => status !== 425,
      );
    // Weights are for rows.
    const { body } = await asked(rows[0]!.messages.slice(0, 3).map(({ role, content }) => ({ role, content })));
    expect(body).toHaveProperty('choices');
    expect(body.choices[0].message.tool_calls[0].function).toEqual({
      name: 'weather',
      arguments: expect.stringMatching(/^\{"city": "(?:Oslo|Cork)"\}$/),
    });
    const { body: first } = await asked(rows[0]!.messages.slice(0, 1));
    expect(first.choices[0].message.content).not.toBe('Nonsense.');
  });
});
