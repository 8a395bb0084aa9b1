import { guardFigures } from './guard.js';
import { present, SETS } from './sets.js';

const [banking, snips] = ['banking77', 'snips-intents'].map((name) => SETS.find((set) => set.name === name)!) as [
  (typeof SETS)[number],
  (typeof SETS)[number],
];
const isHere = [banking, snips].every(({ files }) => files.every(present));

/** Measured: docs/design/quality.md. */
(isHere ? describe : describe.skip)('the guard of a model trained on public data', () => {
  it.each([
    { name: banking.name, set: banking, other: snips },
    { name: snips.name, set: snips, other: banking },
  ])('keeps texts unlike those learned from being answered: $name', async ({ set, other }) => {
    const { own, domain, language, joined } = await guardFigures('anneal/encoder-base-v1', set, 1_000, other);
    expect(own.answered - own.guarded).toBeLessThan(0.05);
    expect(domain.guarded).toBeLessThan(0.65 * domain.answered);
    expect(language.guarded).toBeLessThan(0.5 * language.answered);
    expect(joined.guarded).toBeLessThan(0.55 * joined.answered);
    expect(joined.guarded).toBeLessThan(0.15);
  });
});
