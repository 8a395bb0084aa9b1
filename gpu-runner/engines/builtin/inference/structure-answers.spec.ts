import { describe, expect, it } from '@jest/globals';
import { drain } from '../../steps.js';
import { MAX_FOUND } from '../head.js';
import { NO_LAYOUT, type StructureHead } from '../structures/index.js';
import { planStructures } from './structure-answers.js';

/** Finds as many values of the list field `word`, each another text. */
const headOf = (count: number): StructureHead => ({
  shapes: [{ name: 'note', fields: [{ name: 'word', isList: true }], layout: NO_LAYOUT }],
  decisionPoint: 0.5,
  byteSize: 0,
  *find() {
    yield;
    const values = Array.from({ length: count }, (_, start) => ({
      structure: 'note',
      field: 'word',
      start,
      hit: { start, end: start + 1, label: 'word', text: `word ${start}`, confidence: 1 },
    }));
    return { values, inputTokens: count, truncated: false };
  },
  *records(_text, values) {
    yield;
    return [values.map(({ field, hit }) => ({ field, hit, choice: null }))];
  },
});
const list = (name: string, more = {}) => ({ name, dtype: 'list' as const, ...more });

describe('answers with structures', () => {
  it('limit the hits of a field that several names request, and report truncation', () => {
    const fields = ['word', 'Word', 'WORD'].map((name) => list(name));
    const queries = ['note', 'Note'].map((name) => ({ name, fields }));
    const hitsIn = (count: number) => {
      const { structures, truncated } = drain(planStructures(queries, headOf(count), 0).answer(''));
      const hits = Object.values(structures)
        .flat()
        .flatMap((instance) => Object.values(instance).flat());
      return { hits: hits.length, truncated };
    };
    expect(hitsIn(10)).toEqual({ hits: 60, truncated: false });
    expect(hitsIn(10_000)).toEqual({ hits: MAX_FOUND, truncated: true });
  });
});
