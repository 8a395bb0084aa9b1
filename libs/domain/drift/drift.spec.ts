import {
  againstTraining,
  againstWeek,
  bandOf,
  counted,
  labelKey,
  LENGTH_BOUNDS,
  MAX_SAMPLE,
  MIN_COMPARED,
  mondayOf,
  NO_COUNTS,
  NO_LABEL,
  NO_WORDS,
  OTHER_LABELS,
  psi,
  ReferenceTally,
  sampled,
  TrainingBaseline,
  DriftVocabulary,
  weekOf,
  weeksBefore,
  type DriftWeek,
} from './index.js';

describe('the population stability index', () => {
  it.each([
    // Half a count is added to each bin: shares 0.5 and 0.5 against 0.25 and 0.75, which is 0.25 ln 2 + 0.25 ln 1.5.
    ['of shares that are halved', [99.5, 99.5], [49.5, 149.5], 0.274653],
    ['of the same shares', [10, 30, 60], [10, 30, 60], 0],
    // Shares 0.9, 0.1 and 0.1, 0.9: 0.8 ln 9 twice.
    ['of shares that change places', [89.5, 9.5], [9.5, 89.5], 3.51556],
    // Shares 99.5 / 100 and 0.5 / 100 against 49.5 / 100 and 50.5 / 100.
    ['of a bin that was empty', [99, 0], [49, 50], 2.656653],
    ['of bins of which one is empty in both', [99.5, 0, 99.5], [49.5, 0, 149.5], 0.274653],
  ])('%s is as calculated by hand', (_, baseline, counts, expected) => {
    expect(psi(baseline, counts)).toBeCloseTo(expected, 5);
    expect(psi(counts, baseline)).toBeCloseTo(expected, 5);
  });

  it('is stable below 0.1, major from 0.25, and moderate between', () => {
    expect([0, 0.0999, 0.1, 0.2499, 0.25, 9].map(bandOf)).toEqual([
      ...['stable', 'stable', 'moderate', 'moderate', 'major', 'major'],
    ]);
  });
});

describe('weeks', () => {
  // The examples of ISO 8601 and of its article in Wikipedia.
  it.each([
    ['2005-01-01T00:00:00.000Z', '2004-W53', '2004-12-27'],
    ['2005-01-02T23:59:59.999Z', '2004-W53', '2004-12-27'],
    ['2005-12-31T12:00:00.000Z', '2005-W52', '2005-12-26'],
    ['2007-01-01T00:00:00.000Z', '2007-W01', '2007-01-01'],
    ['2008-12-29T00:00:00.000Z', '2009-W01', '2008-12-29'],
    ['2010-01-03T00:00:00.000Z', '2009-W53', '2009-12-28'],
  ])('%s is in %s, which starts on %s', (at, week, monday) => {
    expect(weekOf(at)).toBe(week);
    expect(mondayOf(week)).toBe(monday);
  });

  it('are counted back across years', () => {
    expect(weeksBefore('2010-W01', 1)).toBe('2009-W53');
    expect(weeksBefore('2010-W02', 54)).toBe('2009-W01');
  });
});

describe('counts of texts', () => {
  it('count each label of a text once, texts without one, and lengths in bins', () => {
    const texts = [
      { length: 15, labels: ['city', 'city', 'person'] },
      { length: 16, labels: [] },
      { length: 1e6, labels: null },
    ];
    expect(counted(NO_COUNTS, texts)).toEqual({
      texts: 3,
      labels: { [labelKey('city')]: 1, [labelKey('person')]: 1, [NO_LABEL]: 1 },
      lengths: [1, 1, ...LENGTH_BOUNDS.slice(2).map(() => 0), 1],
    });
  });

  it('are limited: labels beyond two hundred are counted together', () => {
    const labels = Array.from({ length: 300 }, (_, number) => `label ${number}`);
    const counts = counted(counted(NO_COUNTS, [{ length: 1, labels }]), [{ length: 1, labels }]);
    expect(Object.keys(counts.labels)).toHaveLength(201);
    expect(counts.labels[OTHER_LABELS]).toBe(200);
  });

  it('keep a limited sample of the words, in which every part of the texts is represented', () => {
    const texts = Array.from({ length: 10_000 }, (_, number) => (number < 5_000 ? 'early' : 'late'));
    const { seen, buckets } = sampled(NO_WORDS, texts);
    const [early] = sampled(NO_WORDS, ['EARLY']).buckets;
    expect([seen, buckets.length]).toEqual([10_000, MAX_SAMPLE]);
    const share = buckets.filter((bucket) => bucket === early).length / MAX_SAMPLE;
    expect(Math.abs(share - 0.5)).toBeLessThan(0.05);
  });

  it('treat all numbers as one word', () => {
    const { buckets } = sampled(NO_WORDS, ['order 4471', 'Order 90210']);
    expect(buckets.slice(0, 2)).toEqual(buckets.slice(2));
  });
});

describe('a training reference', () => {
  const referenceOf = (rows: readonly (readonly [string, readonly string[]])[]) => {
    const tally = new ReferenceTally();
    for (const [text, labels] of rows) tally.add(text, labels);
    return tally.reference();
  };
  const bucketsOf = (text: string) => sampled(NO_WORDS, [text]).buckets;

  it('contains the words of its rows, and the share that only one row has', () => {
    const reference = referenceOf([
      ['fly to Oslo', ['city']],
      ['fly fly to Rome', ['city']],
    ]);
    expect(reference.words).toEqual({ count: 7, inOneRow: 2 });
    expect(reference.labels).toEqual(['city']);
    const vocabulary = new DriftVocabulary(reference);
    expect(vocabulary.unseenShare(bucketsOf('FLY to oslo'))).toBe(0);
    expect(vocabulary.unseenShare(bucketsOf('drive to Lyon tomorrow'))).toBeCloseTo(0.75, 4);
  });

  it('corrects for unseen words that share a bucket with seen ones', () => {
    const words = (count: number, prefix: string) =>
      Array.from(
        { length: count },
        (_, number) => `${prefix}${String.fromCharCode(97 + (number % 26))}${letters(number)}`,
      );
    const vocabulary = new DriftVocabulary(referenceOf(words(60_000, 'k').map((word) => [word, []])));
    const half = [...words(2_000, 'k'), ...words(2_000, 'u')].flatMap(bucketsOf);
    const share = vocabulary.unseenShare(half);
    expect(Math.abs(share - 0.5)).toBeLessThan(0.03);
  });

  const letters = (number: number): string =>
    [...String(number)].map((digit) => String.fromCharCode(97 + Number(digit))).join('');
});

describe('a week', () => {
  const rows = (count: number, text: string, labels: readonly string[]) =>
    Array.from({ length: count }, () => ({ text, labels }));
  const week = (
    texts: ReturnType<typeof rows>,
    confidence: readonly number[] = [0, 0, 0, 0, 0, 0, 0, 0, 0, texts.length],
  ) =>
    ({
      ...{ week: '2030-W01', calls: texts.length, confidence },
      counts: counted(
        NO_COUNTS,
        texts.map(({ text, labels }) => ({ length: text.length, labels })),
      ),
      words: sampled(
        NO_WORDS,
        texts.map(({ text }) => text),
      ),
    }) satisfies DriftWeek;
  const training = (texts: ReturnType<typeof rows>) => {
    const tally = new ReferenceTally();
    for (const { text, labels } of texts) tally.add(text, labels);
    return new TrainingBaseline(tally.reference());
  };
  const usual = [...rows(150, 'fly to Oslo', ['city']), ...rows(150, 'book a seat', ['seat'])];
  const other = rows(300, 'wer hat heute den Schlüssel für das Lager eingesteckt', ['seat', 'key']);

  it('is stable if it resembles the training data, and otherwise shifted in each measure', () => {
    const learned = training(usual);
    const same = againstTraining(week(usual), learned);
    expect(same).toEqual({ labels: 0, confidence: null, length: 0, unseen_words: 0 });
    const shifted = againstTraining(week(other), learned);
    for (const measure of ['labels', 'length', 'unseen_words'] as const) expect(shifted[measure]).toBeGreaterThan(0.25);
  });

  it('is compared with the previous one, including confidence', () => {
    const learned = training(usual);
    const low = [0, 0, 0, 0, 0, 300, 0, 0, 0, 0];
    expect(againstWeek(week(usual), week(usual), learned)).toEqual({
      labels: 0,
      confidence: 0,
      length: 0,
      unseen_words: 0,
    });
    const shifted = againstWeek(week(other, low), week(usual), learned);
    for (const index of Object.values(shifted)) expect(index).toBeGreaterThan(0.25);
    expect(againstWeek(week(other, low), week(usual), null).unseen_words).toBeNull();
  });

  it('is not compared with too few texts on either side', () => {
    const nothing = { labels: null, confidence: null, length: null, unseen_words: null };
    const few = rows(MIN_COMPARED - 1, 'a b c d', ['city']);
    const enough = rows(MIN_COMPARED, 'a b c d', ['city']);
    expect(againstTraining(week(few), training(enough))).toEqual(nothing);
    expect(againstTraining(week(enough), training(few))).toEqual(nothing);
    expect(againstWeek(week(enough), week(few), training(enough))).toEqual(nothing);
    expect(againstTraining(week(enough), training(enough))).toEqual({
      ...nothing,
      labels: 0,
      length: 0,
      unseen_words: 0,
    });
  });
});
