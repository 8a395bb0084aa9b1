import { beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { drain } from '../../../steps.js';
import { loadBase } from '../../inference/index.js';
import { writeTinyBase } from '../../inference/tiny-base.fixture.js';
import { groupEncoder } from '../../text-encoder.fixture.js';
import { ZeroShotEntities } from './zero-shot.js';

const groups = [
  ['protein', 'actin', 'insulin'],
  ['virus', 'norovirus'],
];
const CLAIM_FEATURES = 11;
const MENTION_FEATURES = 52;
/** Of the numbers that the weights below read: how near a label's words are to a stretch, and the score of the best label. */
const [NEARNESS, SCORE, SINGLE_WORD, CONSTANT] = [6, 23, 10, 51];

const weights = (length: number, own: Readonly<Record<number, number>>) =>
  Array.from({ length }, (_, at) => own[at] ?? 0);

describe('entities without training', () => {
  let model: ZeroShotEntities;
  beforeAll(() => {
    const directory = mkdtempSync(join(tmpdir(), 'zero-shot-'));
    writeTinyBase(directory);
    const { tagger } = loadBase(directory);
    rmSync(directory, { recursive: true });
    const labels = ['person', 'city', 'colour', 'song', 'sport', 'money', 'food', 'event'];
    const encoder = groupEncoder(groups);
    const zeros = Array<number>(encoder.sentenceDimensions).fill(0);
    model = new ZeroShotEntities({ ...tagger, labels }, encoder, {
      centres: { stretch: zeros, text: zeros },
      choice: weights(CLAIM_FEATURES, { [NEARNESS]: 1 }),
      mention: weights(MENTION_FEATURES, { [SCORE]: 2, [SINGLE_WORD]: 1, [CONSTANT]: -5 }),
      decisionPoint: 0.5,
    });
  });

  const find = (text: string, threshold = 0.5, taken: { start: number; end: number }[] = []) =>
    drain(model.find(text, ['virus', 'protein'], () => threshold, taken));

  it('are the stretches that mean a label, each with the label that fits', () => {
    const { hits, inputTokens, truncated } = find('with actin\n\nor norovirus');
    expect(hits).toEqual([
      { start: 5, end: 10, label: 'protein', text: 'actin', confidence: expect.any(Number) },
      { start: 15, end: 24, label: 'virus', text: 'norovirus', confidence: expect.any(Number) },
    ]);
    expect([inputTokens, truncated]).toEqual([4, false]);
  });

  it('are at least as sure as asked, and nowhere that is taken', () => {
    expect(find('with actin', 1.1).hits).toEqual([]);
    expect(find('with actin', 0.5, [{ start: 9, end: 12 }]).hits).toEqual([]);
    expect(find('with actin', 0.5, [{ start: 0, end: 4 }]).hits).toHaveLength(1);
  });

  it('do not overlap each other', () => {
    const { hits } = find('with actin insulin norovirus actin', 0);
    for (const [at, hit] of hits.slice(1).entries()) expect(hit.start).toBeGreaterThanOrEqual(hits[at]!.end);
    expect(hits.length).toBeGreaterThan(1);
  });

  it('of a text of no words are none', () => {
    expect(find(' .,; ').hits).toEqual([]);
    expect(find('')).toEqual({ hits: [], inputTokens: 0, truncated: false });
  });
});
