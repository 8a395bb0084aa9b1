import { readAs } from './layouts/reading.js';
import { processed } from './reading.fixture.js';

const names = ['loud', 'long'];
const labels = async (lists: readonly unknown[], labelNames: readonly string[] = names) => {
  const file = lists.map((list, row) => JSON.stringify({ text: `row ${row}`, labels: list })).join('\n');
  const { rows, contents, reason } = await processed(file, { labelNames: { labels: labelNames } });
  return { labels: reason ?? rows.map((row) => row?.labels), as: contents && readAs(contents) };
};

describe('lists of numbers with label_names', () => {
  it.each<[readonly unknown[], readonly (readonly string[])[]]>([
    [
      [
        [1, 0],
        [0, 1],
      ],
      [['loud'], ['long']],
    ],
    [
      [
        [0, 1],
        [1, 1],
      ],
      [['long'], ['loud', 'long']],
    ],
    [
      [
        [0, 1],
        [0, 0],
      ],
      [['long'], []],
    ],
    [[[true, false]], [['loud']]],
  ])('as long as the names, of 0 and 1 alone, say which names a row has: %j', async (lists, expected) => {
    const said = 'lists in "labels" read as 1 for each name';
    expect(await labels(lists)).toEqual({ labels: expected, as: said });
  });

  it('are so for any number of names', async () => {
    const found = await labels(
      [
        [0, 1, 1],
        [1, 0, 0],
      ],
      ['a', 'b', 'c'],
    );
    expect(found.labels).toEqual([['b', 'c'], ['a']]);
  });

  it('are numbers of names if any row is of another form', async () => {
    expect(await labels([[0, 1], [1]])).toEqual({ labels: [['loud', 'long'], ['long']], as: null });
  });

  it('are refused if nothing tells which they are, and so is a row that differs from the first ones', async () => {
    await expect(
      labels([
        [0, 1],
        [0, 1],
      ]),
    ).rejects.toThrow(
      '"labels" is [0,1] in each row: numbers of names (loud, long), or 1 for each name that the row has (long)? Write the names instead',
    );
    const late = [...Array.from({ length: 200 }, () => [1, 0]), [1]];
    expect((await labels(late)).labels).toBe('row 201: labels must be 2 values 0 or 1, as in the first rows');
  });

  it('are numbers beside as many tokens', async () => {
    const file = '{"tokens":["Ada","sang"],"ner_tags":[1,0]}\n{"tokens":["We","won"],"ner_tags":[0,0]}\n';
    const { rows } = await processed(file, { labelNames: { ner_tags: ['O', 'B-PER'] } });
    expect(rows).toMatchObject([{ entities: [{ text: 'Ada', label: 'PER' }] }, { entities: [] }]);
  });

  it('are numbers where the file itself gives the names', async () => {
    const features = [{ name: 'labels', type: { feature: { names, _type: 'ClassLabel' }, _type: 'Sequence' } }];
    const rows = [{ row_idx: 0, row: { text: 'a', labels: [1, 0] }, truncated_cells: [] }];
    const { rows: read } = await processed(JSON.stringify({ features, rows }));
    expect(read).toMatchObject([{ labels: ['long', 'loud'] }]);
  });
});
