import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { settled } from '#test/support/datasets.js';
import { operate } from '#test/support/operate.js';

const NER = '/generate/ner/label-existing';
const CLASSES = '/generate/classification/label-existing';
const inputs = ['Maria Gonzalez moved to Paris.', 'Nothing here.', '👩‍🚀 flew to Berlin with Berlin Airways'];

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ rateLimits: false });
});
afterAll(() => api.close());

describe('labelling existing texts', () => {
  it('finds entities and returns training rows, with details in code points', async () => {
    const { status, body } = await api.call('POST', NER, { inputs, labels: ['person', 'city'] });
    expect(status).toBe(200);
    expect(body).toMatchObject({ success: true, count: 3 });
    expect('version_number' in body).toBe(false);
    expect(body.data[0]).toMatchObject({
      text: inputs[0],
      entities: [
        ['Maria Gonzalez', 'person'],
        ['Paris', 'city'],
      ],
      details: {
        entities: [{ text: 'Maria Gonzalez', label: 'person', start: 0, end: 14, confidence: expect.any(Number) }, {}],
      },
    });
    expect(body.data[1]).toEqual({ text: inputs[1], entities: [], details: { entities: [] } });
    for (const { text, details } of body.data)
      for (const { text: span, start, end } of details.entities)
        expect([...(text as string)].slice(start, end).join('')).toBe(span);
  });

  it('is recorded like any call', async () => {
    await api.call('POST', CLASSES, { inputs: ['recorded text'], labels: ['positive', 'negative'] });
    await api.drained();
    const { body } = await api.call('GET', '/inferences?task=classify_text');
    expect(body.inferences[0].input.text).toEqual(['recorded text']);
  });

  it('classifies with one label a text, or with any number', async () => {
    const texts = ['I love it, wonderful!', 'Terrible, broken and awful.'];
    const single = await api.call('POST', CLASSES, { inputs: texts, labels: ['positive', 'negative'] });
    expect(single.body.data).toEqual([
      {
        text: texts[0],
        label: 'positive',
        details: { classes: [{ label: 'positive', confidence: expect.any(Number) }] },
      },
      {
        text: texts[1],
        label: 'negative',
        details: { classes: [{ label: 'negative', confidence: expect.any(Number) }] },
      },
    ]);
    const body = { inputs: texts, labels: ['positive', 'negative'], multi_label: true, threshold: 0 };
    const { data } = (await api.call('POST', CLASSES, body)).body;
    expect(data[0].labels.toSorted()).toEqual(['negative', 'positive']);
  });

  it.each([NER, CLASSES])('%s stores a new version if a name is given', async (path) => {
    const name = path === NER ? 'found' : 'classed';
    const body = { inputs, labels: ['person', 'city'], dataset_name: name };
    const headers = { 'x-api-key': api.key, 'idempotency-key': name };
    const first = await api.call('POST', path, body, headers);
    expect(first.body).toMatchObject({ version_number: '1', count: 3 });
    expect(await api.call('POST', path, body, headers)).toMatchObject({ status: 200, body: first.body });
    expect((await api.call('POST', path, body)).body.version_number).toBe('2');
    const version = await settled(api, `/felix/datasets/${name}/1`);
    expect(version).toMatchObject({ status: 'ready', sample_size: 3, generation_type: 'labelled' });
    const unsaved = await api.call('POST', path, { ...body, save_dataset: false });
    expect('version_number' in unsaved.body).toBe(false);
  });

  it('erases what was stored with the version, and then says so to a repeat', async () => {
    const body = { inputs, labels: ['person', 'city'], dataset_name: 'labelled for a while' };
    const headers = { 'x-api-key': api.key, 'idempotency-key': 'for a while' };
    await api.call('POST', NER, body, headers);
    await settled(api, '/felix/datasets/labelled for a while/1');
    const stored = async () =>
      (await Array.fromAsync(api.application.ports.objectStore.list('generation/'))).map(({ key }) => key);
    const before = await stored();
    expect((await api.call('DELETE', '/felix/datasets/labelled for a while/1?erase=true')).status).toBe(200);
    expect((await stored()).length).toBe(before.length - 2);
    expect((await api.call('POST', NER, body, headers)).status).toBe(409);
  });

  it.each<[string, object, string]>([
    ['no inputs', { labels: ['city'] }, 'inputs'],
    ['an empty list of inputs', { inputs: [], labels: ['city'] }, 'inputs'],
    ['1,001 inputs', { inputs: Array.from({ length: 1001 }, () => 'a'), labels: ['city'] }, 'inputs'],
    ['an input that is not a string', { inputs: [5], labels: ['city'] }, 'inputs'],
    ['an empty input', { inputs: [' '], labels: ['city'] }, 'inputs'],
    ['no labels', { inputs: ['a'] }, 'labels'],
    ['a threshold out of range', { inputs: ['a'], labels: ['city'], threshold: 1.5 }, 'threshold'],
    ['a threshold as text', { inputs: ['a'], labels: ['city'], threshold: '0.5' }, 'threshold'],
    ['saving without a name', { inputs: ['a'], labels: ['city'], save_dataset: true }, 'dataset_name'],
  ])('%s is 422 and names the field, on both routes', async (_, body, field) => {
    for (const path of [NER, CLASSES]) {
      const answer = await api.call('POST', path, body);
      expect(answer.status).toBe(422);
      expect(answer.body.errors[0].loc.slice(0, 2)).toEqual(['body', field]);
    }
  });

  it('labels 1,000 inputs in one call', async () => {
    const many = Array.from({ length: 1000 }, (_, index) => `Anna left London on day ${index}.`);
    const { status, body } = await api.call('POST', NER, { inputs: many, labels: ['city'] });
    expect([status, body.count, body.data[999].text]).toEqual([200, 1000, many[999]]);
  });

  it('is 404 for an unknown model', async () => {
    const body = { inputs: ['a'], labels: ['city'], model_id: 'no/such' };
    expect((await api.call('POST', NER, body)).status).toBe(404);
  });
});

describe('rows to be saved under the name of a benchmark', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'benchmark-'));
    const path = join(folder, 'rows.jsonl');
    await writeFile(path, '{"text":"Ada is in Paris","entities":[["Paris","city"]]}\n');
    await operate(api, 'datasets.add-benchmark', { path, name: 'held-out', type: 'ner' });
  });
  afterAll(() => rm(folder, { recursive: true }));

  it.each([
    ['/generate', { task_type: 'ner', labels: ['city'], num_examples: 3 }],
    ['/generate/ner/label-existing', { inputs: ['Paris'], labels: ['city'] }],
    ['/generate/classification/label-existing', { inputs: ['Paris'], labels: ['good', 'bad'] }],
  ])('are refused by POST %s, because they would hide the benchmark from their workspace', async (path, body) => {
    const { status, body: answer } = await api.call('POST', path, { ...body, dataset_name: 'held-out' });
    expect([status, answer.errors?.[0].loc]).toEqual([422, ['body', 'dataset_name']]);
    expect((await api.call('GET', '/felix/datasets/held-out/latest')).body.type).toBe('benchmark');
    expect((await api.call('POST', path, { ...body, dataset_name: 'held-out', save_dataset: false })).status).toBe(
      path === '/generate' ? 202 : 200,
    );
  });
});
