import { processed } from '../reading.fixture.js';
import { readAs } from '../layouts/reading.js';
import { resolveSpans } from './spans.js';

const read = async (row: object) => {
  const { rows, reason, contents } = await processed(JSON.stringify([row]));
  expect(reason).toBeNull();
  return { row: rows[0], as: contents && readAs(contents) };
};

describe('blanks at the edges of spans', () => {
  const text = 'To\u00a0Graz\n and \ufeffLinz\u200b, Lena.';
  const stored = [
    { text: 'Graz', label: 'city', start: 3 },
    { text: 'Linz', label: 'city', start: 14 },
  ];
  const region = (start: number, end: number) => ({
    ...{ value: { start, end, text: text.slice(start, end), labels: ['city'] }, type: 'labels', id: `${start}` },
  });

  it.each<[string, object]>([
    [
      'of our own rows',
      {
        text,
        entities: [
          [2, 8],
          [13, 19],
        ].map(([start, end]) => ({ text: text.slice(start, end), label: 'city', start })),
      },
    ],
    [
      'of spaCy',
      {
        text,
        annotations: {
          entities: [
            [2, 8, 'city'],
            [13, 19, 'city'],
          ],
        },
      },
    ],
    [
      'of doccano',
      {
        id: 1,
        text,
        label: [
          [2, 8, 'city'],
          [13, 19, 'city'],
        ],
      },
    ],
    [
      'of Prodigy',
      {
        text,
        answer: 'accept',
        spans: [
          [2, 8],
          [13, 19],
        ].map(([start, end]) => ({ start, end, label: 'city' })),
      },
    ],
    ['of Label Studio', { data: { text }, annotations: [{ result: [region(2, 8), region(13, 19)] }] }],
    [
      'of texts with spans',
      {
        text,
        entities: [
          [2, 8, 'city'],
          [13, 19, 'city'],
        ],
      },
    ],
    [
      'of a correction',
      {
        text,
        corrected_output: {
          entities: {
            city: [
              [2, 8],
              [13, 19],
            ].map(([start, end]) => ({ text: text.slice(start, end), start, end })),
          },
        },
      },
    ],
  ])('are trimmed, and counted: spans %s', async (_name, row) => {
    const { row: kept, as } = await read(row);
    expect(kept).toMatchObject({ text, entities: stored });
    expect(as).toMatch(/\b1 \w+, 2 spans without the white space at their edges$/);
  });

  it('are trimmed from spans without offsets, and from values and ends of relations', async () => {
    const { row, as } = await read({
      text: 'Lena sang in Graz',
      entities: [
        [' Graz', 'city'],
        [' ', 'city'],
      ],
      json_structures: [{ gig: { who: 'Lena ', where: [' Graz'], kind: { value: ' solo', text: ' sang' } } }],
      relations: [{ sang_in: { head: 'Lena', tail: ' Graz' } }],
    });
    expect(row).toEqual({
      text: 'Lena sang in Graz',
      entities: [['Graz', 'city']],
      json_structures: [{ gig: { who: 'Lena', where: ['Graz'], kind: { value: ' solo', text: 'sang' } } }],
      relations: [{ sang_in: { head: 'Lena', tail: 'Graz' } }],
    });
    expect(as).toBe('1 rows, 5 spans without the white space at their edges, 1 spans of white space left out');
  });

  it('are the marks of a tokenizer, wherever its offsets begin', async () => {
    const entities = [12, 13].map((start) => ({ text: '\u2581Graz', label: 'city', start }));
    const { row } = await read({ text: 'Lena sang in Graz', entities: [entities[1]] });
    expect(row).toMatchObject({ entities: [{ text: 'Graz', start: 13 }] });
    const tokens = {
      tokens: ['\u2581Lena', '\u2581sang', '\u2581in', '\u2581Gr', 'az', '.'],
      ner_tags: ['O', 'O', 'O', 'B-city', 'I-city', 'O'],
    };
    expect((await read(tokens)).row).toEqual({
      text: 'Lena sang in Graz.',
      entities: [{ text: 'Graz', label: 'city', start: 13 }],
    });
    const before = { text: '\u2581Graz', label: 'city', start: 12, end: 17 };
    expect((await read({ text: 'Lena sang in\u2581Graz', entities: [before] })).row).toMatchObject({
      entities: [{ text: 'Graz', start: 13, end: 17 }],
    });
  });

  it('are none within a span, or in a letter', async () => {
    const row = {
      text: 'a  b നന\u0d4d\u200d',
      entities: [
        ['a  b', 'x'],
        ['നന\u0d4d\u200d', 'y'],
      ],
    };
    expect(await read(row)).toEqual({ row, as: null });
  });

  it('of rows that were stored with them are no part of the placed spans', () => {
    expect(resolveSpans('to Graz ', [[' Graz ', 'city'], { text: ' ', label: 'x', start: 2 }])).toEqual([
      { start: 3, end: 7, label: 'city' },
      { start: 2, end: 3, label: 'x' },
    ]);
  });

  it('take no time that grows with their square', async () => {
    const span = `a${' '.repeat(400_000)}b`;
    const { row } = await read({ text: span, entities: [[span, 'x']] });
    expect(row).toEqual({ text: span, entities: [[span, 'x']] });
  });
});
