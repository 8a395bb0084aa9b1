import type { Example } from '#gpu-runner/engines/engine.js';
import { foldsOf } from './cross-validation.js';

const rows = (count: number, labelOf: (at: number) => string): Example[] =>
  Array.from({ length: count }, (_, at) => ({ text: `text ${at}`, labels: [labelOf(at)] }));

describe('foldsOf', () => {
  it('spreads each class over all folds, the same way each time', () => {
    const all = rows(100, (at) => (at % 10 === 0 ? 'rare' : 'common'));
    const folds = foldsOf(all, 5, 3407);
    for (let fold = 0; fold < 5; fold += 1) {
      const own = all.filter((_, row) => folds[row] === fold);
      expect(own).toHaveLength(20);
      expect(own.filter(({ labels }) => labels![0] === 'rare')).toHaveLength(2);
    }
    expect(foldsOf(all, 5, 3407)).toEqual(folds);
    expect(foldsOf(all, 5, 1)).not.toEqual(folds);
  });

  it('keeps rows with one text together, whatever their case and punctuation', () => {
    const all = ['Hello!', 'b', 'hello', 'c', ' HELLO. '].map((text) => ({ text, entities: [] }));
    const folds = foldsOf(all, 3, 1);
    expect(new Set([folds[0], folds[2], folds[4]]).size).toBe(1);
  });
});
