import type { TestApi } from '#test/support/api.js';
import { settled, uploadDataset } from '#test/support/datasets.js';
import { sharedTestApi } from '#test/support/shared-api.js';
import { TrainingClient } from '#test/support/training-client.js';

const ndjson = { 'content-type': 'application/x-ndjson' };
const CITIES = ['Graz', 'Linz', 'Ulm', 'Brno', 'Nice', 'Turku', 'Bergen', 'Malaga', 'Gdansk', 'Leeds'];

/** Cities marked with the blank in front of them. */
const marked = (names: readonly string[]) =>
  names
    .flatMap((name) => CITIES.map((city) => ({ text: `${name} sang in ${city} once`, at: name.length + 8, city })))
    .map(({ text, at, city }) => JSON.stringify({ text, entities: [{ text: ` ${city}`, label: 'city', start: at }] }))
    .join('\n');

describe('labels that a file has in an unusual place', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await sharedTestApi();
  });
  afterAll(() => api.close());

  const rowsOf = async (name: string): Promise<Record<string, unknown>[]> => {
    const path = `/felix/datasets/${name}/1/download?format=jsonl`;
    const text = await (await fetch(`${api.url}${path}`, { headers: { 'x-api-key': api.key } })).text();
    const lines = text.trimEnd().split('\n');
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  };

  it('are learned and judged without the blanks around them', async () => {
    const said = '100 spans without the white space at their edges';
    const train = marked(['Lena', 'Kim', 'Ida', 'Max', 'Eva', 'Jan', 'Ben', 'Mia', 'Noa', 'Tim']);
    const version = await uploadDataset(api, { dataset_name: 'edges' }, train);
    expect(version).toMatchObject({ status: 'ready', read_as: expect.stringContaining(said) });
    expect(await rowsOf('edges')).toContainEqual({
      text: 'Lena sang in Graz once',
      entities: [{ text: 'Graz', label: 'city', start: 13 }],
    });
    await uploadDataset(api, { dataset_name: 'edges-held' }, marked(['Leo', 'Pia']));
    const client = new TrainingClient(api);
    const order = { model_name: 'edges', base_model: 'anneal/encoder-base-v1', datasets: [{ name: 'edges' }] };
    const { id } = await client.start({ ...order, nr_epochs: 5 });
    await client.ended(id);
    const judged = await client.evaluate({ model_id: id, dataset_name: 'edges-held' });
    expect(judged).toMatchObject({ status: 'complete', f1_score: 1 });
  });

  it('come without blanks from corrections of imported calls', async () => {
    const { key } = await api.colleague();
    const own = { 'x-api-key': key };
    const line = {
      ...{ created_at: '2021-05-01T10:00:00.000Z', model_id: 'theirs', output: { entities: { city: [] } } },
      input: { text: 'Lena sang in Graz', schema: { entities: ['city'] } },
      human_verdict: 'incorrect',
      human_corrected_output: { entities: { city: [{ text: ' Graz', start: 12, end: 17 }] } },
    };
    const { body } = await api.call('POST', '/inferences/import', JSON.stringify(line), { ...ndjson, ...own });
    expect(body).toMatchObject({ imported: 1, refused: 0 });
    await api.drained();
    await api.call('POST', '/felix/datasets/from-feedback', { dataset_name: 'said' }, own);
    const version = await settled(api, '/felix/datasets/said/1', own);
    expect(version).toMatchObject({ status: 'ready', read_as: expect.stringContaining('1 spans without the white') });
    const { body: preview } = await api.call('GET', '/felix/datasets/said/1/preview', undefined, own);
    expect(preview.rows).toMatchObject([{ entities: [{ text: 'Graz', label: 'city', start: 13 }] }]);
  });

  it.each([
    [
      'two.tsv',
      {},
      '1\tRadio\tB-ORG\tO\n2\tGraz\tI-ORG\tB-LOC\n3\tsang\tO\tO\n',
      [
        ['Radio Graz', 'ORG'],
        ['Graz', 'LOC'],
      ],
    ],
    ['sure.conll', {}, 'Lena B-PER 0.9\nsang O 0.8\n', [['Lena', 'PER']]],
    ['cells.csv', {}, 'text,label\nLena sang,"[{""start"": 0, ""end"": 4, ""label"": ""PER""}]"\n', [['Lena', 'PER']]],
    [
      'mapped.conll',
      { column_mapping: { entities: 'column 3' } },
      'Lena B-PER B-S\nsang O O\nmet O O\n',
      [['Lena', 'S']],
    ],
  ])('are found in %s', async (filename, options, file, entities) => {
    const name = filename.replace('.', '-');
    const version = await uploadDataset(api, { dataset_name: name, filename, ...options }, file);
    expect(version).toMatchObject({ status: 'ready', heads: ['entities'] });
    const [row] = await rowsOf(name);
    expect((row!.entities as { text: string; label: string }[]).map(({ text, label }) => [text, label])).toEqual(
      entities,
    );
  });

  it('are classes where lists say so, and asked for where nothing does', async () => {
    const names = { label_names: { labels: ['loud', 'long'] }, dataset_type: 'classification' };
    const lists = (...all: unknown[]) => all.map((labels) => JSON.stringify({ text: 'a gig', labels })).join('\n');
    await uploadDataset(api, { dataset_name: 'hot', ...names }, lists([1, 0], [0, 1]));
    expect(await rowsOf('hot')).toMatchObject([{ labels: ['loud'] }, { labels: ['long'] }]);
    const unsure = await uploadDataset(api, { dataset_name: 'unsure', ...names }, lists([0, 1]));
    expect(unsure).toMatchObject({ status: 'failed', processing_error: expect.stringContaining('[0,1] in each row') });
    const twice = await uploadDataset(api, { dataset_name: 'twice' }, 'Lena B-PER O\nmet O O\nKim B-PER B-X\n');
    expect(twice).toMatchObject({ status: 'failed', processing_error: expect.stringMatching(/column 2.*column 3/) });
  });
});
