import { describe, expect, it } from '@jest/globals';
import { ArtifactError, type Example, type InferHead, type RowSource } from '../../engine.js';
import { drain } from '../../steps.js';
import type { HeadState } from '../head.js';
import { groupEncoder } from '../text-encoder.fixture.js';
import type { TextEncoder } from '../text-encoder.js';
import { KeptRows, keepRows, MAX_KEPT_ROWS, MAX_ROW_BYTES } from './kept-rows.js';
import { exportHead } from './head.js';
import { buildVocabulary } from './terms/vocabulary.js';

const rows: Example[] = [
  { text: 'my parcel is late', labels: ['delivery'] },
  { text: 'where is the parcel', labels: ['delivery'] },
  { text: 'give me my money', labels: ['refund'] },
  { text: 'where is the parcel', labels: ['delivery'] },
  { text: 'not a word in common', entities: [] },
  { text: 'money back please', labels: ['refund'] },
];
const placesOf = (examples: readonly Example[]): RowSource[] =>
  examples.map((_, row) => ({ dataset: row % 2, row, start: 100 * row, bytes: 90 }));
const classifier = (texts: readonly string[]): HeadState =>
  exportHead({
    ...{ labels: ['delivery', 'refund'], multiLabel: false, temperature: 1, decisionPoint: 0.5 },
    vocabulary: buildVocabulary(texts, { minimumTexts: 1, maximumTerms: 10_000 }),
    weights: { full: null, lowRank: null, bias: new Float32Array(2) },
    vectors: null,
    innerVectors: null,
  });
const state = classifier(rows.map(({ text }) => text));
const both = new Set([0, 1]);
const CLASSES = ['classifications'] as const;
const keep = (encoder: TextEncoder | null = null, examples = rows, places = placesOf(examples)) =>
  drain(keepRows(examples, places, state, encoder));
const kept = (encoder: TextEncoder | null = null) => new KeptRows(keep(encoder), state, encoder);

describe('kept training rows', () => {
  it('are found by the words that they share with a text, nearest first', () => {
    const found = kept().nearest('where is my parcel', 3, both, CLASSES);
    expect(found.map(({ row }) => row)).toEqual([1, 0, 2]);
    const similarities = found.map(({ similarity }) => similarity);
    expect(similarities).toEqual(similarities.toSorted((a, b) => b - a));
    expect(found[0]).toEqual({ dataset: 1, row: 1, start: 100, bytes: 90, similarity: expect.any(Number) });
  });

  it('are found by meaning if the base has an encoder', () => {
    const encoder = groupEncoder([
      ['parcel', 'packet', 'box'],
      ['money', 'cash'],
    ]);
    expect(kept(encoder).nearest('cash', 1, both, CLASSES)[0]!.row).toBe(5);
    expect(
      kept()
        .nearest('cash', 1, both, CLASSES)
        .map(({ similarity }) => similarity < 0.3),
    ).not.toContain(false);
  });

  it('are found by the words that they share if they were kept without the encoder of the base', () => {
    const encoder = groupEncoder([['parcel', 'packet']]);
    const rowsByTerms = new KeptRows(keep(), state, encoder);
    expect(rowsByTerms.nearest('where is my parcel', 3, both, CLASSES)).toEqual(
      kept().nearest('where is my parcel', 3, both, CLASSES),
    );
  });

  it.each([
    ['terms', null],
    ['vectors', groupEncoder([['parcel'], ['money']])],
  ])('have similarity 1 with their own text, by %s', (_, encoder) => {
    const [first] = kept(encoder).nearest('money back please', 1, both, CLASSES);
    expect(first!.row).toBe(5);
    expect(first!.similarity).toBeGreaterThan(0.99);
    expect(first!.similarity).toBeLessThanOrEqual(1);
  });

  it('are each kept once, and named only for the heads that they are labelled for', () => {
    const found = kept().nearest('where is the parcel not a word in common money', 10, both, CLASSES);
    expect(found.map(({ row }) => row).toSorted()).toEqual([0, 1, 2, 5]);
    const rowsFor = (heads: readonly InferHead[]) =>
      kept()
        .nearest('not a word', 3, both, heads)
        .map(({ row }) => row);
    expect([rowsFor(['entities']), rowsFor(['relations']), rowsFor(['relations', 'entities'])]).toEqual([[4], [], [4]]);
    expect([kept().has(['entities']), kept().has(['structures', 'relations'])]).toEqual([true, false]);
  });

  it('are compared by their own terms if the model has no classifier, and refused with terms of another version', () => {
    const places = placesOf(rows);
    const tensors = drain(keepRows(rows, places, null, null));
    const found = new KeptRows(tensors, state, null).nearest('where is my parcel', 3, both, CLASSES);
    expect(found.map(({ row }) => row)).toEqual([1, 0, 2]);
    const other = { ...tensors, terms_version: { shape: [1], data: Uint32Array.of(99) } };
    expect(() => new KeptRows(other, state, null)).toThrow(ArtifactError);
    expect(() => new KeptRows(keep(), null, null)).toThrow(ArtifactError);
  });

  it('are found only in the datasets that may be named', () => {
    expect(
      kept()
        .nearest('where is my parcel', 3, new Set([0]), CLASSES)
        .map(({ row }) => row),
    ).toEqual([0, 2]);
    expect(kept().nearest('where is my parcel', 3, new Set(), CLASSES)).toEqual([]);
  });

  it('include none for a text that shares nothing with them', () => {
    expect(kept().nearest('xyzzy', 3, both, CLASSES)).toEqual([]);
    expect(kept().nearest('', 3, both, CLASSES)).toEqual([]);
  });

  it('are limited in number and in size', () => {
    const many: Example[] = Array.from({ length: 3 * MAX_KEPT_ROWS }, (_, row) => ({
      text: `row ${row}`,
      labels: ['a'],
    }));
    const { row } = keep(null, many);
    expect(row!.data).toHaveLength(MAX_KEPT_ROWS);
    expect([Number(row!.data[0]), Number(row!.data.at(-1))]).toEqual([0, 3 * MAX_KEPT_ROWS - 3]);
    const places = placesOf(rows).map((place) => ({ ...place, bytes: place.row === 0 ? MAX_ROW_BYTES + 1 : 90 }));
    expect([...keep(null, rows, places)['row']!.data].map(Number)).toEqual([1, 2, 4, 5]);
  });

  it('are refused if their numbers are inconsistent', () => {
    const { scales: _scales, ...others } = keep();
    const cut = { ...keep(), start: { shape: [1], data: new Float64Array(1) } };
    for (const tensors of [others, cut, { ...cut, ends: { shape: [1], data: Uint32Array.of(7) } }])
      expect(() => new KeptRows(tensors, state, null)).toThrow(ArtifactError);
  });
});
