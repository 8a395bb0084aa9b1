import { afterAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { drain } from '../../steps.js';
import { UNCHANGED } from '../entities/calibration.js';
import type { EntityHead } from '../entities/index.js';
import { FeatureDictionary } from '../features/dictionary.js';
import { MAX_FOUND } from '../head.js';
import { loadBase } from '../inference/base.js';
import { planRelations } from '../inference/relation-answers.js';
import { writeTinyBase } from '../inference/tiny-base.fixture.js';
import { relationHead } from './head.js';

const directory = mkdtempSync(join(tmpdir(), 'relation-head-'));
writeTinyBase(directory);
afterAll(() => rmSync(directory, { recursive: true, force: true }));
const base = loadBase(directory);

/** Finds a mention in every token; each relation has these log odds in every pair. */
function headOf(relations: number, logOdds: number) {
  let length = 0;
  const run: EntityHead['tagger']['run'] = (tokens) => {
    length = tokens.length;
    return base.tagger.run(tokens);
  };
  const everyToken = () =>
    Array.from({ length }, (_, first) => ({ first, end: first + 1, label: 0, probability: 0.9 }));
  const mentions = {
    tagger: { labels: ['word'], run, decisionPoint: 0.5, relabel: everyToken },
    byteSize: 0,
  } as unknown as EntityHead;
  return relationHead(mentions, {
    relations: Array.from({ length: relations }, (_, index) => ({ name: `r${index}`, types: [['word', 'word']] })),
    dictionary: new FeatureDictionary(new Uint32Array(0), new Uint32Array(0)),
    weights: { full: null, lowRank: null, bias: new Float32Array(relations).fill(logOdds) },
    vectors: null,
    calibration: UNCHANGED,
    decisionPoint: 0.5,
  });
}
const words = (count: number) => 'word '.repeat(count);

describe('relations in a text', () => {
  it('are none below a confidence of .01, whatever the threshold', () => {
    expect(drain(headOf(1, -3).find(words(10), 0)).relations).toHaveLength(90);
    expect(drain(headOf(1, -10).find(words(10), 0)).relations).toEqual([]);
  });

  it('are limited in number, and truncation is reported', () => {
    const found = (count: number) => {
      const { relations, truncated } = drain(headOf(20, 5).find(words(count), 0.5));
      return { count: relations.length, truncated };
    };
    expect(found(10)).toEqual({ count: 90 * 20, truncated: false });
    expect(found(200)).toEqual({ count: MAX_FOUND, truncated: true });
  });

  it('are scored in steps of 5,000 scores and of 25 pairs at most', () => {
    const steps = (relations: number) => [...headOf(relations, -10).find(words(50), 0.5)].length;
    // 1,394 pairs are near enough: 25 or 5 in a step.
    expect(steps(1_000) - steps(1)).toBe(Math.floor(1_394 / 5) - Math.floor(1_394 / 25));
  });

  it('requested under several names share one limit, with a step for each name', () => {
    const head = headOf(1, 5);
    const queries = Array.from({ length: 30 }, (_, index) => ({ name: `r0${' '.repeat(index)}` }));
    const ask = (count: number) => {
      const steps = planRelations(queries, head, 0.5).answer(words(count));
      const { relations, truncated } = drain(steps);
      return { count: Object.values(relations).flat().length, truncated };
    };
    expect(ask(10)).toEqual({ count: 30 * 90, truncated: false });
    expect(ask(60)).toEqual({ count: MAX_FOUND, truncated: true });
    const steps = [...planRelations(queries, head, 0.5).answer(words(10))].length;
    expect(steps - [...head.find(words(10), 0.5)].length).toBe(30);
  });
});
