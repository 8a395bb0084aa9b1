import { describe, expect, it } from '@jest/globals';
import type { LoadedModel } from '../engine.js';
import { drain } from '../steps.js';
import { createPackModel } from './model.js';
import type { PackEncoder } from './pack-encoder.js';

const encoder = (read: string[] = []) =>
  ({
    firstTokens: (text: string) => {
      read.push(text);
      return [text.length];
    },
    isTooLong: () => false,
    sentence: ([length]: readonly number[]) => Float32Array.of(length!, 1),
  }) as unknown as PackEncoder;

/** Answers each task with its first label. */
const base: LoadedModel = {
  abilities: { entityLabels: null, classLabels: null, multiLabel: false },
  byteSize: 0,
  *infer({ texts, schema }) {
    yield;
    const answers = (schema.classifications ?? []).map(({ task, labels }) => [
      task,
      [{ label: labels[0]!, confidence: 1 }],
    ]);
    const results = texts.map(() => ({
      classifications: Object.fromEntries(answers) as Record<string, { label: string; confidence: number }[]>,
      truncated: false,
    }));
    return { results, warnings: [], inputTokens: texts.map(() => 1) };
  },
  evaluate: () => {
    throw new Error('not evaluated here');
  },
};

describe("a base whose single choices are made by a pack's vectors", () => {
  it('answers tasks that are named like parts of an object', () => {
    const names = ['constructor', 'toString', '__proto__'];
    for (const multiLabel of [true, false]) {
      const classifications = names.map((task) => ({ task, labels: ['a', 'bb'], multiLabel }));
      const single = { task: 'one', labels: ['a'], multiLabel: false };
      const schema = { classifications: [...classifications, single] };
      const request = { texts: ['x'], schema, threshold: 0.5 };
      const { results } = drain(createPackModel(base, encoder()).infer(request));
      expect(Object.entries(results[0]!.classifications!).map(([task, [hit]]) => [task, hit!.label])).toEqual(
        [...names, 'one'].map((task) => [task, 'a']),
      );
    }
  });

  it('reads 256 characters of a label', () => {
    const read: string[] = [];
    const classifications = [{ task: 'one', labels: ['a'.repeat(1_000)], multiLabel: false }];
    drain(createPackModel(base, encoder(read)).infer({ texts: ['x'], schema: { classifications }, threshold: 0.5 }));
    expect(read).toEqual(['a'.repeat(256), 'x']);
  });
});
