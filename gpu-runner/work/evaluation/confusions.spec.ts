import type { Example, Span } from '#gpu-runner/engines/engine.js';
import { confusionsOf } from './confusions.js';

const entities = (...spans: [number, number, string][]): Example => ({
  text: 'Ada met Bob in Rome',
  entities: spans.map(([start, end, label]): Span => ({ start, end, label })),
});
const classes = (...labels: string[]): Example => ({ text: 'x', labels });

describe('confusions of an evaluation', () => {
  it.each<[string, Example, Example, object[]]>([
    ['right answers', entities([0, 3, 'person']), entities([0, 3, 'person']), []],
    [
      'an entity with another label at its place',
      entities([0, 3, 'person'], [15, 19, 'city']),
      entities([0, 3, 'city'], [15, 19, 'city']),
      [{ head: 'entities', expected: 'person', predicted: 'city', count: 1 }],
    ],
    [
      'an entity at another place, which is missed and added',
      entities([0, 3, 'person']),
      entities([0, 7, 'person']),
      [
        { head: 'entities', expected: 'person', predicted: null, count: 1 },
        { head: 'entities', expected: null, predicted: 'person', count: 1 },
      ],
    ],
    [
      'another class',
      classes('a'),
      classes('b'),
      [{ head: 'classification', expected: 'a', predicted: 'b', count: 1 }],
    ],
    [
      'several classes too many',
      classes('a'),
      classes('a', 'b', 'c'),
      [
        { head: 'classification', expected: null, predicted: 'b', count: 1 },
        { head: 'classification', expected: null, predicted: 'c', count: 1 },
      ],
    ],
    ['a head that its row is not labelled for', { text: 'x' }, classes('a'), []],
  ])('are found in %s', (_, gold, predicted, expected) => {
    expect(confusionsOf([gold], [predicted])).toEqual({ total: expected.length, shown: expected });
  });

  it('list only the most frequent ones, and count all', () => {
    const gold = Array.from({ length: 300 }, (_, row) => classes(`l${Math.min(row, 150)}`));
    const { total, shown } = confusionsOf(
      gold,
      gold.map(() => classes('wrong')),
    );
    expect([total, shown.length]).toEqual([151, 100]);
    expect(shown[0]).toEqual({ head: 'classification', expected: 'l150', predicted: 'wrong', count: 150 });
  });
});
