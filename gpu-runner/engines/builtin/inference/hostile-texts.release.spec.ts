import { afterAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEmbedder } from '../embedder/index.js';
import { alignSpans } from '../text/alignment.js';
import { tokensOf } from '#primitives/text/tokens.js';
import { drain, type Steps } from '../../steps.js';
import { loadBase } from './base.js';
import { planEntities } from './entity-answers.js';
import { repeated, UNITS } from './hostile-units.fixture.js';
import { createModel } from './model.js';
import { writeTinyBase } from './tiny-base.fixture.js';

const directory = mkdtempSync(join(tmpdir(), 'hostile-'));
writeTinyBase(directory);
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const base = loadBase(directory);
const model = createModel(base, {}, 0);
const embedder = createEmbedder(8_192);
const schema = {
  entities: ['person', 'city', 'town'].map((name) => ({ name })),
  classifications: [{ task: 'mood', labels: ['positive', 'negative', 'refund'], multiLabel: false }],
};
/** Steps in which a text is read: by the model, and by the embedder. */
const stepsFor = (text: string): number =>
  stepsOf(model.infer({ texts: [text], schema, threshold: 0.5 })) + stepsOf(embedder.embed([text], 256));

function stepsOf(work: Steps<unknown>): number {
  let steps = 1;
  while (!work.next().done) steps += 1;
  return steps;
}

describe('a text crafted to be slow', () => {
  it.each(Object.entries(UNITS))('takes steps in proportion to its length: %s', (_, unit) => {
    const [small, large] = [1_000, 10_000].map((length) => stepsFor(repeated(unit, length)));
    expect(large).toBeLessThanOrEqual(10 * small!);
  });

  it.each(['a', '1.', '\u0301', '각', 'e\u0301'])('of 8 million characters in one word is read whole: %j', (unit) => {
    const text = repeated(unit, 8_000_000);
    let at = 0;
    for (const { start, end } of tokensOf(text)) {
      if (start !== at) throw new Error(`a gap at ${at}`);
      at = end;
    }
    expect(at).toBe(text.length);
  });

  it('normalises runs of combining marks as short as real scripts have', () => {
    const texts = ['e\u0301', 'a\u0316\u0301', `o${'\u0316\u0301'.repeat(15)}`];
    for (const text of texts) {
      const vectors = [text, text.normalize('NFC')].map((each) => [...drain(embedder.embed([each], 8)).vectors]);
      expect(vectors[0]).toEqual(vectors[1]);
    }
  });
});

describe('a request crafted to be slow', () => {
  it('reads a text once for a thousand labels that mean the same', () => {
    let runs = 0;
    const run: typeof base.tagger.run = (tokens) => {
      runs += 1;
      return base.tagger.run(tokens);
    };
    const counted = { ...base, tagger: { ...base.tagger, run } };
    const queries = Array.from({ length: 500 }, (_, index) => ({ name: `city${' '.repeat(index)}` }));
    const plan = planEntities(queries, { entities: null, base: counted }, { threshold: 0.5, flat: true });
    const { entities } = drain(plan.answer('Anna lives in Paris now'));
    expect(runs).toBe(1);
    expect(Object.values(entities).map((hits) => hits.map(({ text }) => text).join())).toEqual(
      queries.map(() => 'Paris'),
    );
  });
});

describe('a row crafted to be slow', () => {
  it('with as many entities as lines keeps each entity on its line', () => {
    const entities = 40_000;
    const spans = Array.from({ length: entities }, (_, at) => ({ start: 3 * at, end: 3 * at + 2, label: 'x' }));
    const { flattened, empty, segments } = alignSpans('ab\n'.repeat(entities), spans);
    expect([flattened, empty, segments.length]).toEqual([0, 0, entities]);
    expect(segments.filter(({ spans: [span] }) => span?.first !== 0 || span.end !== 1)).toEqual([]);
  });
});
