import { describe, expect, it } from '@jest/globals';
import { resolveSettings } from '../../settings.js';
import { crossValidate } from './cross-validation.js';

describe('cross-validation of classes', () => {
  it('is skipped if its scores would not fit in memory', () => {
    const refuse = (): never => {
      throw new Error('it learns');
    };
    const told = { trainingType: 'full', rows: 2000, entityRows: 0, classSizes: [2], multiLabel: false } as const;
    const crossed = (epochs: number) =>
      crossValidate({
        rows: { count: 2000, vector: refuse, labels: refuse },
        examples: 2000,
        terms: 10,
        classes: 1000,
        settings: resolveSettings(told, { epochs }),
        createWeights: refuse,
        createMachine: refuse,
        vectors: null,
        inner: null,
      });
    expect(crossed(11)).toBeNull();
    expect(() => crossed(10)).toThrow('it learns');
  });
});
