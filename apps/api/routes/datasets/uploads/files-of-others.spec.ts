import type { TestApi } from '#test/support/api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { sharedTestApi } from '#test/support/shared-api.js';
import { TrainingClient } from '#test/support/training-client.js';

const CITIES = ['Rome', 'Lyon', 'Ghent', 'Oslo', 'Lima', 'Bonn'];

/** Kaggle's table of tokens, in Latin-1. */
const tokens = () =>
  Buffer.from(
    `Sentence #,Word,POS,Tag\n${CITIES.flatMap((city, index) => [
      `Sentence: ${index + 1},Ren\xe9,NNP,B-per\n,flew,V,O\n,to,IN,O\n,${city},NNP,B-geo\n`,
    ]).join('')}`,
    'latin1',
  );
const reviews = () =>
  `review,sentiment\n${CITIES.map((city) => `I liked ${city},positive\nI hated ${city},negative\n`).join('')}`;
const comments = () =>
  `id,comment_text,toxic,insult\n${CITIES.map((city, id) => `${id},You fool of ${city},1,${id % 2}\n9${id},I love ${city},0,0\n`).join('')}`;

describe('a dataset file as other tools publish it', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await sharedTestApi();
  });
  afterAll(() => api.close());

  it.each([
    {
      name: 'tokens',
      file: tokens(),
      readAs: 'CSV with a token in each row, in Windows-1252; tokens with tags, 6 sentences',
      row: { text: 'René flew to Rome', entities: [{ text: 'René', label: 'per' }, { label: 'geo' }] },
      heads: ['entities'],
      text: 'René flew to Lyon',
    },
    {
      name: 'reviews',
      file: reviews(),
      readAs: 'texts with a class, 12 rows, 12 with the text under "review" and the class under "sentiment"',
      row: { text: 'I liked Rome', label: 'positive' },
      heads: ['classification'],
      text: 'I liked it',
    },
    {
      name: 'comments',
      file: comments(),
      readAs: 'texts with a column for each class, 12 rows, 12 with classes in "toxic" "insult"',
      row: { text: 'You fool of Rome', labels: ['toxic'], id: '0' },
      heads: ['classification'],
      text: 'You fool',
    },
  ])(
    'is uploaded, previewed, reported on, trained on and called: $name',
    async ({ name, file, readAs, row, heads, text }) => {
      const version = await uploadDataset(api, { dataset_name: name, filename: `${name}.csv` }, file);
      expect(version).toMatchObject({ status: 'ready', read_as: readAs });
      const get = async (path: string) => (await api.call('GET', `/felix/datasets/${name}/1/${path}`)).body;
      expect((await get('preview')).rows[0]).toMatchObject(row);
      const report = await get('report');
      expect(report).toMatchObject({ read_as: readAs });
      expect(report.heads.map(({ head }: { head: string }) => head)).toEqual(heads);
      const client = new TrainingClient(api);
      const order = { model_name: name, base_model: 'anneal/encoder-base-v1', datasets: [{ name }], nr_epochs: 1 };
      const { id } = await client.start(order);
      expect(await client.ended(id)).toMatchObject({ status: 'complete' });
      expect((await api.call('POST', '/inference', { model_id: id, text })).status).toBe(200);
    },
  );
});
