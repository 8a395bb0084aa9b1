import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Example } from './engine.js';
import { evaluationFigures } from './evaluation-figures.js';

const span = (start: number, end: number, label: string) => ({ start, end, label });

describe('evaluation figures', () => {
  it('counts an entity only when start, end and label are all right', () => {
    const gold: Example[] = [{ text: 'Ann saw Bob', entities: [span(0, 3, 'person'), span(8, 11, 'person')] }];
    const predicted: Example[] = [
      { text: 'Ann saw Bob', entities: [span(0, 3, 'person'), span(8, 10, 'person'), span(8, 11, 'city')] },
    ];
    const figures = evaluationFigures(gold, predicted);
    expect(figures).toMatchObject({ precision: 1 / 3, recall: 1 / 2, f1: 0.4, accuracy: 0 });
    expect(figures.perLabel).toEqual({
      city: { f1: 0, precision: 0, recall: 0, support: 0 },
      person: { f1: 0.5, precision: 0.5, recall: 0.5, support: 2 },
    });
    expect(figures.macroF1).toBe(0.25);
  });

  it('pools the heads, and counts a row as right only if every head is', () => {
    const gold: Example[] = [
      { text: 'a', entities: [span(0, 1, 'x')], labels: ['up'] },
      { text: 'b', entities: [], labels: ['down'] },
    ];
    const predicted: Example[] = [
      { text: 'a', entities: [span(0, 1, 'x')], labels: ['up'] },
      { text: 'b', entities: [], labels: ['up'] },
    ];
    const figures = evaluationFigures(gold, predicted);
    expect(figures).toMatchObject({ precision: 2 / 3, recall: 2 / 3, accuracy: 0.5 });
    expect(figures.heads).toEqual({
      entities: { f1: 1, precision: 1, recall: 1, accuracy: 1 },
      classification: { f1: 0.5, precision: 0.5, recall: 0.5, accuracy: 0.5 },
    });
  });

  it('tells labels of several heads apart', () => {
    const text = 'Ann owns it';
    const gold: Example[] = [
      { text, entities: [span(0, 3, 'owner'), span(4, 8, 'verb')], labels: ['owner'] },
      { text: 'it', labels: ['owner'] },
    ];
    const predicted: Example[] = [
      { text, entities: [], labels: ['owner'] },
      { text: 'it', labels: [] },
    ];
    const { perLabel, macroF1 } = evaluationFigures(gold, predicted);
    expect(Object.entries(perLabel).map(([key, { recall, support }]) => [key, recall, support])).toEqual([
      ['owner (classification)', 0.5, 2],
      ['owner (entities)', 0, 1],
      ['verb', 0, 1],
    ]);
    expect(macroF1).toBeCloseTo(2 / 3 / 3, 9);
  });

  it('ignores a head for rows that are not labelled for it', () => {
    const gold: Example[] = [{ text: 'a', labels: ['up'] }];
    const predicted: Example[] = [{ text: 'a', entities: [span(0, 1, 'x')], labels: ['up'] }];
    const figures = evaluationFigures(gold, predicted);
    expect(figures).toMatchObject({ f1: 1, accuracy: 1 });
    expect(figures.heads).not.toHaveProperty('entities');
  });

  it('judges label sets in multi mode', () => {
    const gold: Example[] = [
      { text: 'a', labels: ['x', 'y'] },
      { text: 'b', labels: [] },
    ];
    const predicted: Example[] = [
      { text: 'a', labels: ['y'] },
      { text: 'b', labels: [] },
    ];
    expect(evaluationFigures(gold, predicted)).toMatchObject({ precision: 1, recall: 0.5, accuracy: 0.5 });
  });

  it('gives zeros, not NaN, if there is nothing to count', () => {
    for (const figures of [
      evaluationFigures([], []),
      evaluationFigures([{ text: 'a', entities: [] }], [{ text: 'a' }]),
    ])
      expect([figures.f1, figures.precision, figures.recall, figures.macroF1]).toEqual([0, 0, 0, 0]);
  });

  it('gives 1 for a perfect prediction, and stays between 0 and 1', () => {
    const label = fc.constantFrom('a', 'b', 'c');
    const row = fc.record({
      text: fc.constant('text'),
      entities: fc.uniqueArray(fc.record({ start: fc.nat(3), end: fc.nat(3), label }), {
        minLength: 1,
        selector: (entity) => JSON.stringify(entity),
      }),
      labels: fc.uniqueArray(label),
    });
    fc.assert(
      fc.property(fc.array(fc.tuple(row, row), { minLength: 1 }), (pairs) => {
        const gold = pairs.map(([first]) => first);
        expect(evaluationFigures(gold, gold)).toMatchObject({
          f1: 1,
          precision: 1,
          recall: 1,
          macroF1: 1,
          accuracy: 1,
        });
        const other = evaluationFigures(
          gold,
          pairs.map(([, second]) => second),
        );
        for (const figure of [other.f1, other.precision, other.recall, other.macroF1, other.accuracy])
          expect(figure >= 0 && figure <= 1).toBe(true);
        expect(other.f1).toBeLessThanOrEqual(Math.max(other.precision, other.recall) + 1e-12);
      }),
    );
  });
});

describe('figures of structures and relations', () => {
  const text = 'tea 3 fig 2';
  const at = (value: string) => ({ start: text.indexOf(value), end: text.indexOf(value) + value.length });
  const record = (values: Readonly<Record<string, string>>) => ({
    name: 'item',
    fields: Object.entries(values).map(([name, value]) => ({ name, isList: false, values: [at(value)] })),
  });
  const judged = (gold: readonly ReturnType<typeof record>[], found: readonly ReturnType<typeof record>[]) =>
    evaluationFigures([{ text, structures: gold }], [{ text, structures: found }]);
  const both = [record({ what: 'tea', count: '3' }), record({ what: 'fig', count: '2' })];

  it('count values in the right record, in any order of the records', () => {
    expect(judged(both, both.toReversed())).toMatchObject({ f1: 1, accuracy: 1, heads: { structures: { f1: 1 } } });
    const mixed = judged(both, [record({ what: 'tea', count: '2' }), record({ what: 'fig', count: '3' })]);
    expect(mixed).toMatchObject({ precision: 0.5, recall: 0.5, accuracy: 0 });
    expect(mixed.perLabel).toMatchObject({ 'item.count': { support: 2 }, 'item.what': { support: 2 } });
  });

  it('count missing and surplus values', () => {
    expect(judged(both, both.slice(1))).toMatchObject({ precision: 1, recall: 0.5 });
    expect(judged(both.slice(1), both)).toMatchObject({ precision: 0.5, recall: 1 });
    expect(judged([], [])).toMatchObject({ accuracy: 1 });
    expect(judged([both[0]!], [both[0]!, both[0]!])).toMatchObject({ precision: 0.5, recall: 1 });
  });

  it('count a relation if its type, both ends and direction are right, once', () => {
    const relation = (name: string, head: string, tail: string) => ({ name, head: at(head), tail: at(tail) });
    const gold = [relation('of', '3', 'tea'), relation('of', '2', 'fig')];
    const found = [relation('of', '3', 'tea'), relation('of', '3', 'tea'), relation('of', 'fig', '2')];
    const figures = evaluationFigures([{ text, relations: gold }], [{ text, relations: found }]);
    expect(figures).toMatchObject({ precision: 0.5, recall: 0.5, heads: { relations: { f1: 0.5 } } });
    expect(figures.perLabel['of']!.support).toBe(2);
  });
});
