import { ArtifactError } from '../../engine.js';
import { drain } from '../../steps.js';
import { groupEncoder } from '../text-encoder.fixture.js';
import type { SentenceEncoder } from '../text-encoder.js';
import { LearnedTexts, learnTexts, type TaskJudge } from './learned-texts.js';

const THINGS = ['parcel', 'card', 'refund', 'invoice', 'password', 'account', 'order', 'payment', 'delivery', 'phone'];
const REQUESTS = [
  (thing: string) => `where is my ${thing} now`,
  (thing: string) => `I still wait for the ${thing}, can you help me`,
  (thing: string) => `please cancel the ${thing} of last week`,
  (thing: string) => `my ${thing} does not work any more`,
  (thing: string) => `how do I change the ${thing} in the app`,
  (thing: string) => `the ${thing} is wrong, what should I do`,
];
const TEXTS = REQUESTS.flatMap((request) => THINGS.map(request));
const ORDINARY = ['flight', 'ticket'].flatMap((thing) => REQUESTS.map((request) => request(thing)));

const encoder = groupEncoder([
  ['parcel', 'delivery'],
  ['payment', 'refund', 'invoice'],
]);
const learned = (by: SentenceEncoder | null = null, texts = TEXTS) =>
  new LearnedTexts(drain(learnTexts(texts, by)), by);
const likenessOf = (texts: LearnedTexts, text: string, truncated = false) => drain(texts.likenessOf(text, truncated));
const unlike = (text: string, by: SentenceEncoder | null = null, truncated = false) =>
  likenessOf(learned(by), text, truncated).unlike;

describe.each([
  ['by their terms', null],
  ['by their terms and an encoder', encoder],
])('learned texts, read %s', (_, by) => {
  it('are like other texts of their kind', () => {
    expect(ORDINARY.map((text) => unlike(text, by))).toEqual(ORDINARY.map(() => null));
  });

  it('are nearest to themselves', () => {
    const { nearness } = likenessOf(learned(by), TEXTS[3]!);
    expect(nearness).toBeGreaterThan(likenessOf(learned(by), ORDINARY[3]!).nearness);
    expect(nearness).toBeLessThanOrEqual(1);
  });

  it.each([
    ['Will it rain in Lisbon on Friday?', 'nearness'],
    ['Wo bleibt denn mein Paket, bitte?', 'nearness'],
    ['где моя посылка, когда она придёт', 'script'],
    ['パスワードを忘れてしまいました', 'script'],
    [TEXTS.join('. '), 'length'],
    ['my', 'length'],
    ['', 'length'],
  ])('are unlike %j by %s', (text, what) => {
    expect(unlike(text, by)).toBe(what);
  });

  it('are unlike a text that the model did not read to its end', () => {
    expect(unlike(ORDINARY[0]!, by, true)).toBe('length');
  });
});

describe('learned texts', () => {
  it('allow letters of the scripts that some of them have', () => {
    const mixed = learned(null, [...TEXTS, 'где моя посылка', 'где мой заказ', 'верните мои деньги']);
    expect(likenessOf(mixed, 'где моя карта').unlike).toBeNull();
  });

  it('count copies once: a text is not like the others because it stands there twice', () => {
    const odd = 'Will it rain in Lisbon on Friday?';
    const copies = [...TEXTS, odd, odd.toUpperCase(), ` ${odd} `];
    expect(drain(learnTexts(copies, null))['vectors']!.shape[0]).toBe(TEXTS.length + 1);
  });

  it.each([[0], [1], [2]])('may be as few as %d', (count) => {
    const few = learned(null, TEXTS.slice(0, count));
    expect(likenessOf(few, TEXTS[0]!).nearness).toBeCloseTo([0, 1, 0.6][count]!, 0);
  });

  it('are refused if they are damaged, or were read by another encoder', () => {
    const { vectors, ...others } = drain(learnTexts(TEXTS, encoder));
    expect(() => new LearnedTexts(others, encoder)).toThrow(ArtifactError);
    expect(
      () => new LearnedTexts({ ...others, vectors: { ...vectors!, shape: [vectors!.data.length, 1] } }, encoder),
    ).toThrow(/vectors is missing/);
    expect(() => new LearnedTexts({ vectors: vectors!, ...others }, null)).toThrow(/were read by groups 2/);
  });
});

describe('several requests', () => {
  /** Sure of one of two classes by which of two words comes first. */
  const judgeBy = (task: string, first: string, second: string): TaskJudge => ({
    task,
    judge: (text) => {
      const [a, b] = [text.indexOf(first), text.indexOf(second)];
      if (a === b) return [0.5, 0.5];
      return b < 0 || (a >= 0 && a < b) ? [0.98, 0.02] : [0.02, 0.98];
    },
  });
  const requests = judgeBy('request', 'where is', 'cancel');
  const TWO = 'where is my parcel now. please cancel the card of last week';
  const unlikeBy = (judges: readonly TaskJudge[], heldOut: readonly string[], text: string) => {
    const tensors = drain(learnTexts([...TEXTS, ...heldOut], null, judges, heldOut));
    return drain(new LearnedTexts(tensors, null).likenessOf(text, false, judges)).unlike;
  };

  it('are told by the classifier of the task that was asked for', () => {
    expect(unlikeBy([requests], TEXTS, TWO)).toBe('several');
    expect(unlikeBy([requests], [], TWO)).toBe('several');
    expect(unlikeBy([], TEXTS, TWO)).toBeNull();
    expect(TEXTS.map((text) => unlikeBy([requests], TEXTS, text))).toEqual(TEXTS.map(() => null));
  });

  it('are not told where ordinary texts look alike', () => {
    const alike = THINGS.map((thing) => `where is my ${thing} now. please cancel the ${thing} of last month`);
    expect(unlikeBy([requests], [...TEXTS, ...alike], TWO)).toBeNull();
  });

  it('are told by no more texts because a model has several tasks', () => {
    const things = judgeBy('thing', 'parcel', 'invoice');
    const odd = 'is the parcel here now? or is it the invoice of last week';
    const heldOut = [...TEXTS, TWO, odd];
    expect([unlikeBy([requests], heldOut, TWO), unlikeBy([things], heldOut, odd)]).toEqual(['several', 'several']);
    expect([TWO, odd].map((text) => unlikeBy([requests, things], heldOut, text))).toContain(null);
  });
});
