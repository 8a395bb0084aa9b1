import { createHash } from 'node:crypto';
import type { DatasetPin } from '#domain/training-job/index.js';
import type { Example, RowSource } from '#gpu-runner/engines/engine.js';
import { readExamples } from './examples.js';
import type { AttemptObjects } from '../patient-objects.js';

const pinOf = (content: string): DatasetPin => ({
  name: 'trips',
  versionId: 'v1',
  versionNumber: 3,
  object: { key: 'k', size: content.length, sha256: createHash('sha256').update(content).digest('hex') },
  rows: 1,
  heads: ['entities'],
});
const read = (row: object | string, pin?: DatasetPin, sources?: Map<Example, RowSource>) => {
  const content = typeof row === 'string' ? row : `${JSON.stringify(row)}\n`;
  const chunks = async function* () {
    yield await Promise.resolve(Buffer.from(content));
  };
  const store: Pick<AttemptObjects, 'get'> = { get: () => Promise.resolve(chunks()) };
  return readExamples(store as AttemptObjects, [pin ?? pinOf(content)], sources && { sources, first: 0 });
};

describe('rows of an attempt', () => {
  const row = { text: 'Ada flew', entities: [['Ada', 'person']] };

  it("are read in the engine's form", async () => {
    expect(await read(row)).toEqual([{ text: 'Ada flew', entities: [{ start: 0, end: 3, label: 'person' }] }]);
    const flight = { flight: { who: 'Ada', stops: [] } };
    expect(await read({ text: 'Ada flew', json_structures: [flight] })).toEqual([
      {
        text: 'Ada flew',
        structures: [
          {
            name: 'flight',
            fields: [
              { name: 'who', isList: false, values: [{ start: 0, end: 3 }] },
              { name: 'stops', isList: true, values: [] },
            ],
          },
        ],
      },
    ]);
  });

  it('know their position in bytes', async () => {
    const lines = ['{"text":"Zoë 😀","label":"a"}', '{"free":1}', '', '{"text":"b","label":"b"}', '{"text":"c"}'];
    const content = lines.join('\n');
    const bytes = Buffer.from(content);
    const pin = { ...pinOf(content), object: { ...pinOf(content).object, size: bytes.length } };
    const sources = new Map<Example, RowSource>();
    const examples = await read(content, pin, sources);
    expect(examples.map(({ text }) => [text, sources.get(examples.find((each) => each.text === text)!)?.row])).toEqual([
      ['Zoë 😀', 0],
      ['b', 2],
    ]);
    for (const [{ text }, { start, bytes: length, dataset }] of sources) {
      expect(JSON.parse(bytes.subarray(start, start + length).toString())).toMatchObject({ text });
      expect(dataset).toBe(0);
    }
  });

  it.each([
    ['another row', { ...row, text: 'Ada flow' }],
    ['a row that is not JSON', '{"text": "Ada'],
    ['an entity that is not in its text', { ...row, text: 'Bob flew' }],
    ['bytes that are no text', '\ufffd'],
    ['nothing', ''],
  ])('fail the attempt if they differ from the pinned ones: %s', async (_, damaged) => {
    await expect(read(damaged, pinOf(`${JSON.stringify(row)}\n`))).rejects.toThrow(
      'The stored rows of dataset "trips" version 3 are damaged',
    );
  });

  it('fail the attempt with their own fault if they are the pinned ones', async () => {
    await expect(read('{"text": "Ada')).rejects.toThrow(SyntaxError);
  });
});
