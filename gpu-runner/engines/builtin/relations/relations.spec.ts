import type { Example } from '../../engine.js';
import { mentionsOf, mentionTypes, nameOfType, taggedRows } from './mention-types.js';
import { featuresOf, MAX_TOKENS_APART, pairsOf, readText } from './pairs.js';

const stretch = (text: string, value: string) => {
  const start = text.indexOf(value);
  return { start, end: start + value.length };
};
const row = (
  text: string,
  relations: readonly [string, string, string][],
  entities?: readonly [string, string][],
): Example => ({
  text,
  relations: relations.map(([name, head, tail]) => ({ name, head: stretch(text, head), tail: stretch(text, tail) })),
  ...(entities && { entities: entities.map(([value, label]) => ({ ...stretch(text, value), label })) }),
});

describe('types of mentions', () => {
  const named = (rows: readonly Example[]) => {
    const types = mentionTypes(rows);
    return rows.map((each) => mentionsOf(each, types).map(({ type }) => nameOfType(type)));
  };

  it('are the labels of the entities if the rows have them', () => {
    const rows = [
      row(
        'Ann runs Acme',
        [['runs', 'Ann', 'Acme']],
        [
          ['Ann', 'person'],
          ['Acme', 'firm'],
        ],
      ),
      row('Bob runs Hooli', [['runs', 'Bob', 'Hooli']]),
      row(
        'Cy and Dot',
        [],
        [
          ['Cy', 'person'],
          ['Dot', 'person'],
        ],
      ),
    ];
    expect(named(rows)).toEqual([
      ['person', 'firm'],
      ['person', 'firm'],
      ['person', 'person'],
    ]);
  });

  it('are derived from the ends of relations otherwise: ends that share spans are one type', () => {
    const rows = [
      row('Ann of Rome runs Acme', [
        ['runs', 'Ann', 'Acme'],
        ['from', 'Ann', 'Rome'],
      ]),
    ];
    const types = mentionTypes(rows);
    expect(types.typeOf('runs', 'head')).toBe(types.typeOf('from', 'head'));
    expect(new Set(['runs', 'from'].map((relation) => types.typeOf(relation, 'tail'))).size).toBe(2);
    expect(named(rows)).toEqual([[null, null, null]]);
  });

  it('label a span once, however many relations it has', () => {
    const [tagged] = taggedRows(
      [
        row('Ann likes Ann Lee', [
          ['likes', 'Ann', 'Ann Lee'],
          ['is', 'Ann Lee', 'Ann'],
        ]),
      ],
      mentionTypes([]),
    );
    expect(tagged!.entities).toHaveLength(2);
  });
});

describe('pairs of mentions', () => {
  const read = (text: string, values: readonly string[]) =>
    readText(
      text,
      values.map((value) => ({ ...stretch(text, value), type: 't' })),
    );

  it('are considered in both orders, but no mention with itself', () => {
    const pairs = [...pairsOf(read('a b c', ['a', 'b', 'c']))].map(([head, tail]) => [head.index, tail.index]);
    expect(pairs).toEqual([
      [0, 1],
      [1, 0],
      [0, 2],
      [2, 0],
      [1, 2],
      [2, 1],
    ]);
  });

  it('are not considered if they are too far apart', () => {
    const far = (words: number) => [...pairsOf(read(`a ${'x '.repeat(words)}b`, ['a', 'b']))].length;
    expect([far(MAX_TOKENS_APART), far(MAX_TOKENS_APART + 1)]).toEqual([2, 0]);
    const text = Array.from({ length: 60 }, (_, index) => `w${index}`).join(' ');
    expect([...pairsOf(read(text, text.split(' ')))].length).toBeLessThan(60 * 2 * 17 + 1);
  });

  it('distinguish the directions', () => {
    const text = read('Ann runs Acme', ['Ann', 'Acme']);
    const [ann, acme] = text.mentions as [(typeof text.mentions)[0], (typeof text.mentions)[0]];
    const forward = new Set(featuresOf(text, ann, acme));
    const shared = featuresOf(text, acme, ann).filter((feature) => forward.has(feature));
    expect([...forward].some((feature) => feature.includes('runs'))).toBe(true);
    expect(shared).toEqual(['bias']);
  });
});
