import { expect, it } from '@jest/globals';
import { overlapsAny } from '#gpu-runner/engines/builtin/entities/index.js';
import { labelsOfKinds, readSentences } from './sentences.js';

it('labelled sentences have entities inside their texts that do not overlap', () => {
  for (const { text, entities = [] } of readSentences()) {
    for (const [at, { start, end }] of entities.entries()) {
      expect(text.slice(start, end).trim()).toHaveLength(end - start);
      expect(overlapsAny(entities[at]!, entities.slice(0, at))).toBe(false);
    }
  }
});

it('each kind has ten sentences and several labels at least', () => {
  const sentences = readSentences();
  const kinds = Map.groupBy(sentences, ({ kind }) => kind);
  const labels = labelsOfKinds(sentences);
  expect(kinds.size).toBe(20);
  for (const [kind, own] of kinds) {
    expect(own.length).toBeGreaterThanOrEqual(10);
    expect(labels.get(kind)!.length).toBeGreaterThanOrEqual(5);
  }
});
