import { processed } from '../reading.fixture.js';

const reasonOf = async (row: unknown, format?: string) =>
  (await processed(JSON.stringify(row), format === undefined ? {} : { layout: format })).reason;

describe('a file whose rows match no layout', () => {
  it('is refused, naming its first row and the layout that lacks least', async () => {
    const row = {
      id: 7,
      data: { text: 'Maria flew to Ghent' },
      api_key: 'abc',
      note: 'a note that is longer than others',
      of: [1],
    };
    expect(await reasonOf(row)).toBe(
      'row 1: text is missing; the first row was read as {"id": 7, "data": an object, "api_key": a secret, ' +
        '"note": "a note that is longer th...", "of": a list}; the nearest layout is Label Studio JSON (format label-studio), ' +
        'which also has "annotations" with a list of results each',
    );
    expect(await reasonOf({ entity_group: 'PER', word: 'Ada', start: 0, end: 3, text: 'Ada', score: 0.9 })).toMatch(
      /the nearest layout is texts with spans \(format spans\), which also has \[start, end, label\], /,
    );
    expect(await reasonOf({ value: 'hf_abcdef', n: 1 })).toMatch(
      /read as \{"value": a secret, "n": 1\}; no layout is near it; format may name label-studio, /,
    );
  });

  it("is refused without a layout if its rows are Anneal's own with a fault", async () => {
    expect(await reasonOf({ text: 'Ada', entities: [['Eve', 'person']] })).not.toMatch('layout');
    expect(await reasonOf({ text: '', label: 'a' })).toBe('row 1: text is empty');
  });

  it('is refused by the rules of the layout that its request names', async () => {
    expect(await reasonOf({ text: 'Ada' }, 'prodigy')).toBe('row 1: answer must be accept, reject or ignore');
  });
});
