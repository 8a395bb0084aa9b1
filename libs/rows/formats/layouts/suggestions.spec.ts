import fc from 'fast-check';
import type { DatasetType } from '#domain/dataset/index.js';
import type { Json, JsonObject } from '#domain/json.js';
import { processed } from '../reading.fixture.js';
import type { LabelNamesOfColumns } from '../read/label-names.js';

const TEXTS = ['Ada lives in Rome', 'Bob met Eve in Oslo', 'Nobody came', 'It rained on Tuesday', 'Eve left'];
/** Columns beside a text, by what they hold: a value for each row. */
const COLUMNS: Readonly<Record<string, readonly Json[]>> = {
  names: ['good', 'bad', 'good', 'bad', 'good'],
  'names of one kind': ['good', 'good', 'good', 'good', 'good'],
  'names with gaps': ['good', null, 'bad', 'bad', 'good'],
  numbers: [0, 1, 1, 0, 2],
  'numbers as text': ['0', '1', '1', '0', '1'],
  'numbers of pandas': ['0.0', '1.0', '1.0', '0.0', '1.0'],
  'numbers with -1': ['0', '1', '-1', '0', '1'],
  flags: ['1', '0', '0', '1', '0'],
  'flags of pandas': ['1.0', '0.0', '1.0', '1.0', '0.0'],
  'flags with -1': ['-1', '0', '0', '1', '0'],
  truths: [true, false, true, true, false],
  scores: [0.83, 0.1, 0.5, 0.2, 0.9],
  ids: [10, 11, 12, 13, 14],
  'short texts': ['a1', 'b2', 'c3', 'd4', 'e5'],
  'lists of names': [['a', 'b'], ['a'], [], ['b'], ['a']],
  spans: [[[0, 3, 'person']], [[0, 3, 'person']], [], [], [[0, 3, 'person']]],
  'spans by key': [[{ start: 0, end: 3, tag: 'person' }], [], [], [], [{ start: 0, end: 3, tag: 'person' }]],
  pairs: [[['Ada', 'person']], [], [], [], []],
  paths: ['a/b.txt', 'a/c.txt', 'a/d.txt', 'a/e.txt', 'a/f.txt'],
};
const NAMES = ['Inhalt', 'Notiz', 'Art', 'Befund', 'Spalte 7', 'toxic', 'is_train', 'fold', 'Text', 'Label'];
const SAID = /"column_mapping": (\{[^}]*\})(?: with "label_names": (\{[^}]*\}))? reads the rows/;

const csv = (rows: readonly JsonObject[]): string => {
  const cell = (value: Json | undefined) =>
    `"${(value === null || value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value)).replaceAll('"', '""')}"`;
  const names = Object.keys(rows[0]!);
  return [names.map(cell), ...rows.map((row) => names.map((name) => cell(row[name])))]
    .map((r) => r.join(','))
    .join('\n');
};
const jsonl = (rows: readonly JsonObject[]): string => rows.map((row) => JSON.stringify(row)).join('\n');

const table = (columns: Readonly<Record<string, readonly Json[]>>): readonly JsonObject[] =>
  TEXTS.map((_, row) => Object.fromEntries(Object.entries(columns).map(([name, cells]) => [name, cells[row]!])));

/** What the refusal of a file suggests; null: it is read, or nothing is suggested. */
async function suggested(file: string, datasetType: DatasetType) {
  const reason = await processed(file, { datasetType }).then(
    (read) => read.reason,
    (error: unknown) => (error as Error).message,
  );
  const [, mapping, names] = SAID.exec(reason ?? '') ?? [];
  if (mapping === undefined) return null;
  const columnMapping = JSON.parse(mapping) as Record<string, string>;
  const labelNames = names === undefined ? undefined : (JSON.parse(names) as LabelNamesOfColumns);
  return { datasetType, columnMapping, labelNames };
}

describe('a suggested column_mapping', () => {
  it('reads the file that it was suggested for', async () => {
    const kinds = fc.uniqueArray(fc.constantFrom(...Object.keys(COLUMNS)), { minLength: 1, maxLength: 4 });
    const names = fc.shuffledSubarray(NAMES, { minLength: 5, maxLength: 5 });
    const written = fc.constantFrom(csv, jsonl);
    const types = fc.constantFrom<DatasetType>('ner', 'classification');
    let applied = 0;
    await fc.assert(
      fc.asyncProperty(kinds, names, written, types, async (chosen, [text, ...others], write, datasetType) => {
        const beside = chosen.map((kind, at) => [others[at]!, COLUMNS[kind]!] as const);
        const file = write(table({ [text!]: TEXTS, ...Object.fromEntries(beside) }));
        const cure = await suggested(file, datasetType);
        if (cure === null) return;
        applied += 1;
        const { contents, reason } = await processed(file, cure);
        expect({ cure, reason, rows: contents === null ? 0 : contents.rows > 0 }).toMatchObject({
          reason: null,
          rows: true,
        });
      }),
      { numRuns: 150 },
    );
    expect(applied).toBeGreaterThan(30);
  });

  it.each<[string, Readonly<Record<string, readonly Json[]>>, Record<string, string>, LabelNamesOfColumns | undefined]>(
    [
      [
        'a column for each class',
        { Art: COLUMNS['flags of pandas']!, Befund: COLUMNS.flags! },
        { text: 'Inhalt' },
        undefined,
      ],
      [
        'numbers of classes',
        { Art: COLUMNS['numbers of pandas']!, is_train: COLUMNS.ids! },
        { text: 'Inhalt', label: 'Art' },
        { Art: ['name of 0', 'name of 1'] },
      ],
      ['scores', { Art: COLUMNS.scores!, Befund: COLUMNS.names! }, { text: 'Inhalt', label: 'Befund' }, undefined],
    ],
  )('names the text and %s', async (_name, columns, columnMapping, labelNames) => {
    for (const write of [csv, jsonl])
      expect(await suggested(write(table({ Inhalt: TEXTS, ...columns })), 'classification')).toEqual({
        datasetType: 'classification',
        columnMapping,
        labelNames,
      });
  });

  it.each([jsonl([{ text: TEXTS[0]!, PER: ['Ada'], LOC: ['Rome'] }]), 'Ada,B-PER\nsang,O\n\nBob,B-PER\nran,O\n'])(
    'is none for copies of the text, and for cells instead of names: %j',
    async (file) => {
      expect(await suggested(file, 'ner')).toBeNull();
    },
  );
});
