import { isConfused } from './confused.js';

const span = (label: string, start: number) => ({ text: 'x', label, start, end: start + 1 });

describe('an answer with confused labels', () => {
  it.each([
    ['entities', 'city', 'person', { entities: [span('city', 0)] }, { entities: [span('person', 0)] }, true],
    ['entities', 'city', 'person', { entities: [span('city', 0)] }, { entities: [span('person', 3)] }, false],
    ['entities', 'city', null, { entities: [span('city', 0)] }, { entities: [span('person', 3)] }, true],
    ['entities', null, 'person', { entities: [] }, { entities: [span('person', 3)] }, true],
    ['classification', 'a', 'b', { labels: ['a'] }, { labels: ['b'] }, true],
    ['classification', 'a', 'b', { labels: ['a', 'c'] }, { labels: ['b'] }, false],
    ['classification', 'a', null, { labels: ['a', 'c'] }, { labels: ['b'] }, true],
    [
      'tone',
      'warm',
      'cold',
      { tasks: [{ task: 'tone', labels: ['warm'] }] },
      { tasks: [{ task: 'tone', labels: ['cold'] }] },
      true,
    ],
    ['tone', 'warm', 'cold', { tasks: [{ task: 'topic', labels: ['warm'] }] }, { tasks: [] }, false],
  ])('of %s: %s for %s', (head, expected, predicted, own, said, is) => {
    expect(isConfused({ head, expected, predicted }, { expected: own, predicted: said })).toBe(is);
  });
});
