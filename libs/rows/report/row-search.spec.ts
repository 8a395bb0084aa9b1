import type { JsonObject } from '#domain/json.js';
import { RowSearch, type RowFilter } from './row-search.js';

const ROWS: readonly JsonObject[] = [
  { text: 'Ada saw "Ghent".', entities: [{ text: 'Ghent', label: 'city' }] },
  { text: 'Bo left.', entities: [] },
  { text: 'bo LEFT', label: 'city' },
  { text: 'Él 👋', labels: { tone: ['warm'] } },
];

const found = (filter: RowFilter, { limit = 10, offset = 0, maxCharacters = 1000 } = {}) => {
  const search = new RowSearch('ner', { filter, limit, offset, maxCharacters });
  for (const row of ROWS) search.add(row);
  const { rows, total, page } = search.found();
  expect(rows).toBe(ROWS.length);
  expect(page.map(({ data }) => data)).toEqual(page.map(({ row }) => ROWS[row - 1]));
  return [total, page.map(({ row }) => row)];
};

describe('a search for rows', () => {
  it.each<[RowFilter, number[]]>([
    [{}, [1, 2, 3, 4]],
    [{ text: 'LEFT' }, [2, 3]],
    [{ text: 'saw "g' }, [1]],
    [{ label: 'city' }, [1, 3]],
    [{ label: 'warm' }, [4]],
    [{ minCharacters: 7, maxCharacters: 8 }, [2, 3]],
    [{ maxCharacters: 4 }, [4]],
    [{ isDuplicate: true }, [3]],
    [{ isDuplicate: true, text: 'Ada' }, []],
    [{ isDuplicate: false, label: 'city' }, [1]],
  ])('takes by %j', (filter, rows) => {
    expect(found(filter)).toEqual([rows.length, rows]);
  });

  it('gives a page, and counts all', () => {
    expect(found({}, { limit: 2, offset: 1 })).toEqual([4, [2, 3]]);
    expect(found({}, { maxCharacters: 1 })).toEqual([4, [1]]);
  });
});
