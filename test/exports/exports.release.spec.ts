import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { describeWith } from '../torch/environment.js';
import { pythonReaders, readBy } from './python-readers.js';

const rows = [
  {
    text: 'Zoë 🛫 met Bob',
    entities: [
      ['Zoë', 'person'],
      ['Bob', 'person'],
    ],
    label: 'good',
    score: 0.5,
    seen: true,
    n: 1,
  },
  { text: 'nobody', entities: [], label: 'bad', score: 2, seen: false, n: 2 },
];

const answer = { role: 'assistant', content: 'yes?' };
const chats = [{ messages: [{ role: 'user', content: 'hi' }, answer], extra: [1, 'a'] }, { messages: [answer] }];

await describeWith('exports in Python', pythonReaders, (python) => {
  let api: TestApi;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'anneal-exports-'));
    api = await startTestApi();
    await uploadDataset(api, { dataset_name: 'rows' }, JSON.stringify(rows));
    await uploadDataset(api, { dataset_name: 'chats', dataset_type: 'decoder' }, JSON.stringify(chats));
  });
  afterAll(async () => {
    await api.close();
    await rm(folder, { recursive: true });
  });

  async function downloaded(name: string, format: string): Promise<string> {
    const path = `/felix/datasets/${name}/1/download?format=${format}`;
    const answer = await fetch(`${api.url}${path}`, { headers: { 'x-api-key': api.key } });
    expect(answer.status).toBe(200);
    const file = join(folder, `${name}.${format}`);
    await writeFile(file, Buffer.from(await answer.arrayBuffer()));
    return file;
  }
  const value = (dtype: string) => ({ dtype, _type: 'Value' });

  it('as Parquet are loaded by datasets with their features and the same rows', async () => {
    expect(await readBy(python, 'datasets', await downloaded('rows', 'parquet'))).toEqual({
      features: {
        text: value('string'),
        entities: { feature: { feature: value('string'), _type: 'List' }, _type: 'List' },
        label: value('string'),
        score: value('float64'),
        seen: value('bool'),
        n: value('int64'),
      },
      rows,
    });
  });

  it('as Parquet of chats are loaded by datasets, with JSON for mixed columns', async () => {
    expect(await readBy(python, 'datasets', await downloaded('chats', 'parquet'))).toEqual({
      features: {
        messages: { feature: { role: value('string'), content: value('string') }, _type: 'List' },
        extra: { _type: 'Json' },
      },
      rows: chats.map((row) => ({ ...row, extra: row.extra ?? null })),
    });
  });

  it('as spaCy JSON are loaded by spaCy, with every entity and class', async () => {
    expect(await readBy(python, 'spacy', await downloaded('rows', 'spacy'))).toEqual([
      { entities: rows[0]!.entities, cats: { good: 1, bad: 0 } },
      { entities: [], cats: { good: 0, bad: 1 } },
    ]);
  });
});
