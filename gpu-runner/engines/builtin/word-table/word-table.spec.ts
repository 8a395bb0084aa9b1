import { describe, expect, it } from '@jest/globals';
import { ArtifactError } from '../../engine.js';
import { tableOf } from './word-table.fixture.js';
import { WordTable } from './word-table.js';

const state = tableOf([
  ['the', 'of', 'money', 'refund'],
  ['delivery', 'parcel', 'arrive'],
]);
const table = WordTable.load('test', state);

describe('a table of word vectors', () => {
  it('gives a text the direction of its words, with length 1', () => {
    expect([...table.textVector(['refund', 'money'])!]).toEqual([1, 0]);
    const both = table.textVector(['refund', 'parcel'])!;
    expect(Math.hypot(...both)).toBeCloseTo(1, 6);
    expect(Math.min(...both)).toBeGreaterThan(0.5);
  });

  it('finds a word by its plain form', () => {
    for (const word of ['parcels', 'deliveries', 'arriving', 'arrived'])
      expect([...table.textVector([word])!]).toEqual([0, 1]);
  });

  it('gives frequent words less weight than rare ones', () => {
    const [frequent, rare] = table.textVector(['the', 'arrive'])!;
    expect(rare).toBeGreaterThan(1.5 * frequent!);
  });

  it('has no vector for a text without known words', () => {
    expect(table.textVector(['zzz', 'constructor', '__proto__', ''])).toBeNull();
    expect(table.textVector([])).toBeNull();
  });

  it.each(Object.keys(state.tensors))('is refused without its %s', (name) => {
    const { [name]: _, ...others } = state.tensors;
    expect(() => WordTable.load('test', { config: {}, tensors: others })).toThrow(ArtifactError);
  });

  it('is refused if its words and vectors differ in number', () => {
    const text = new TextEncoder().encode('one\nword');
    const tensors = { ...state.tensors, text: { shape: [text.length], data: text } };
    expect(() => WordTable.load('test', { config: {}, tensors })).toThrow('The table has 2 words and vectors of 7.');
  });
});
