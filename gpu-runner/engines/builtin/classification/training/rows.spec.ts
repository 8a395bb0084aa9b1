import { describe, expect, it } from '@jest/globals';
import { MAX_ENCODED_ROWS, rowsToEncode } from './rows.js';

describe('rows to encode', () => {
  it('are all of them if there are few', () => {
    const rows = ['a', 'b'];
    expect(rowsToEncode(rows)).toEqual(rows);
  });

  it('are spread evenly over more, which may be sorted by class', () => {
    const rows = Array.from({ length: 2 * MAX_ENCODED_ROWS + 1 }, (_, row) => row);
    const chosen = rowsToEncode(rows);
    expect(chosen).toHaveLength(MAX_ENCODED_ROWS);
    expect(chosen.filter((row) => row < MAX_ENCODED_ROWS)).toHaveLength(MAX_ENCODED_ROWS / 2);
    expect(new Set(chosen).size).toBe(MAX_ENCODED_ROWS);
  });
});
