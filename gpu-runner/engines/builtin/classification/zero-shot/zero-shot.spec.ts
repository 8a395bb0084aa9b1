import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { conceptWords } from '../../labels/index.js';
import { tableOf } from '../../word-table/word-table.fixture.js';
import { WordTable } from '../../word-table/word-table.js';
import { isTelling, wordsOfLabel } from './label-names.js';
import { stem, zeroShotClassifier } from './zero-shot.js';

const concepts = new Map([
  ['positive', new Set(['good', 'great', 'love'])],
  ['negative', new Set(['bad', 'rude', 'broken'])],
]);
const conceptOf = (label: string) => concepts.get(label) ?? null;
const judge = (text: string, labels: readonly string[], multiLabel = false) => {
  const confidences = zeroShotClassifier(labels, multiLabel, conceptOf, null)(text);
  return Object.fromEntries(labels.map((label, index) => [label, confidences[index]!]));
};
const best = (text: string, labels: readonly string[]) =>
  Object.entries(judge(text, labels)).reduce((a, b) => (b[1] > a[1] ? b : a))[0];

describe('zero-shot classification', () => {
  it('favours a label whose words are in the text, in any form', () => {
    expect(best('I was refunded yesterday', ['refund', 'delivery'])).toBe('refund');
    expect(best('when are the deliveries coming', ['refund', 'late_delivery'])).toBe('late_delivery');
  });

  it('favours a label whose concept is in the text', () => {
    expect(best('a great phone, I love it', ['negative', 'positive'])).toBe('positive');
  });

  it('does not take a negated word for its concept', () => {
    const labels = ['positive', 'negative'];
    expect(best('not very good and rude', labels)).toBe('negative');
    expect(judge("it isn't good", labels, true)['positive']).toBe(0);
  });

  it('weights most the words that distinguish labels', () => {
    expect(best('my card arrived', ['card_lost', 'card_arrived', 'card_stolen'])).toBe('card_arrived');
  });

  it('without evidence gives the likely default at most a tenth', () => {
    expect(judge('zzz', ['refund', 'other'])).toEqual({ refund: 0.05, other: 0.1 });
    expect(judge('zzz', ['refund', 'other'], true)).toEqual({ refund: 0, other: 0 });
  });

  it('without evidence or a default favours no label, whatever their order', () => {
    const labels = ['refund', 'delivery', 'pricing', 'travel'];
    const texts = Array.from({ length: 400 }, (_, number) => `zzz ${number}`);
    const counts = new Map<string, number>();
    for (const text of texts) {
      const label = best(text, labels);
      expect(best(text, labels.toReversed())).toBe(label);
      counts.set(label, (counts.get(label) ?? 0) + 1);
    }
    for (const label of labels) expect(counts.get(label)).toBeGreaterThan(60);
  });

  it('recognises the kind of answer to a question by its question words, in any order of the labels', () => {
    const questions: readonly (readonly [string, string])[] = [
      ['Who painted the ceiling and whose idea was it?', 'human'],
      ['Where is the deepest lake located?', 'location'],
      ['How many legs does a spider have?', 'number'],
      ['When did the bridge open, and how long is it?', 'number'],
      ['What does WHO stand for?', 'abbreviation'],
      ['Why does ice float?', 'description'],
      ['What is the definition of inertia?', 'description'],
      ['What kind of animal is a civet?', 'entity'],
    ];
    const labels = ['abbreviation', 'description', 'entity', 'human', 'location', 'number'];
    for (const order of [labels, labels.toReversed()]) {
      const classify = zeroShotClassifier(order, false, conceptWords, null);
      const right = questions.filter(([text, label]) => {
        const confidences = classify(text);
        return order[confidences.indexOf(Math.max(...confidences))] === label;
      });
      expect(right.length).toBeGreaterThanOrEqual(7);
    }
  });

  it('never exceeds its cap, whatever the text and labels', () => {
    const labels = fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(fc.string(), labels, fc.boolean(), (text, names, multiLabel) => {
        for (const confidence of zeroShotClassifier(names, multiLabel, conceptOf, null)(`${text} ${names.join(' ')}`)) {
          expect(confidence).toBeGreaterThanOrEqual(0);
          expect(confidence).toBeLessThanOrEqual(0.6);
        }
      }),
    );
  });
});

describe('zero-shot classification with a table of words', () => {
  const table = WordTable.load(
    'test',
    tableOf([
      ['refund', 'money'],
      ['delivery', 'parcel'],
      ['other', 'misc'],
      ['music', 'song'],
      ['weather', 'rain'],
      ['politics'],
      ['sports'],
    ]),
  );
  const labels = ['refund', 'delivery', 'other'];
  const confidencesOf = (text: string, multiLabel = false) =>
    Object.fromEntries(
      zeroShotClassifier(
        labels,
        multiLabel,
        conceptOf,
        table,
      )(text)
        .entries()
        .map(([at, value]) => [labels[at]!, value]),
    );

  it('favours a label whose name is near the text in meaning', () => {
    const { refund, delivery } = confidencesOf('where is my parcel');
    expect(delivery).toBeGreaterThan(2 * refund!);
    expect(confidencesOf('send the money')['refund']).toBeGreaterThan(confidencesOf('send the money')['delivery']!);
  });

  it('favours a label whose description is near the text, in words or in meaning', () => {
    const chosen = (text: string, words: WordTable | null) => {
      const codes = ['k1', 'k2', 'k3'];
      const descriptions = new Map([['k2', 'money']]);
      const confidences = zeroShotClassifier(codes, false, conceptOf, words, descriptions)(text);
      return codes[confidences.indexOf(Math.max(...confidences))];
    };
    for (const text of ['no money', 'money for a parcel', 'my money']) expect(chosen(text, null)).toBe('k2');
    expect(chosen('refund it', table)).toBe('k2');
  });

  it("gives more weight to a label's own word than to a similar one", () => {
    const { refund, delivery } = confidencesOf('refund or parcel');
    expect(refund).toBeGreaterThan(delivery!);
  });

  it('prefers the likely default to labels that are far from the text, whatever its name means', () => {
    const { refund, delivery, other } = confidencesOf('rain and song');
    expect(other).toBeGreaterThan(Math.max(refund!, delivery!));
    expect(confidencesOf('something unheard of')['other']).toBe(0.1);
  });

  it.each(['other', 'None of the above', 'out_of_scope', 'Misc.', 'N/A'])(
    'gives "%s" to texts that are near no label, and to no others',
    (none) => {
      const names = ['refund', none, 'delivery'];
      const classify = zeroShotClassifier(names, false, conceptOf, table);
      const chosen = (text: string) => {
        const confidences = classify(text);
        return names[confidences.indexOf(Math.max(...confidences))];
      };
      expect(['money', 'my parcel', 'rain', 'a song', 'the weather'].map(chosen)).toEqual([
        ...['refund', 'delivery', none, none, none],
      ]);
    },
  );

  it('takes no word of the text as evidence for "other"', () => {
    const { delivery, other } = confidencesOf('the other parcel');
    expect(delivery).toBeGreaterThan(other!);
    expect(confidencesOf('the other parcel', true)['other']).toBe(0);
  });

  it('gives "other" to texts that match its description', () => {
    const described = new Map([['other', 'song']]);
    const [song, parcel] = ['song', 'parcel'].map((text) =>
      zeroShotClassifier(['delivery', 'weather', 'other'], false, conceptOf, table, described)(text),
    );
    expect(song!.indexOf(Math.max(...song!))).toBe(2);
    expect(parcel!.indexOf(Math.max(...parcel!))).toBe(0);
  });

  it('favours no label when it knows none of their names', () => {
    const classify = zeroShotClassifier(['xx1', 'xx2'], false, conceptOf, table);
    const firsts = Array.from({ length: 100 }, (_, number) => classify(`parcel ${number}`)).filter(([a, b]) => a! > b!);
    expect(firsts.length).toBeGreaterThan(20);
    expect(firsts.length).toBeLessThan(80);
  });

  it('falls back to the likely default for a text of unknown words', () => {
    expect(confidencesOf('zzz')).toEqual({ refund: 0.1 / 2, delivery: 0.1 / 2, other: 0.1 });
  });

  it('gives no confidence if several labels may apply', () => {
    expect(confidencesOf('my parcel', true)).toEqual({ refund: 0, delivery: 0, other: 0 });
  });
});

describe('label names', () => {
  it.each([
    ['card_arrival', 'card arrival'],
    ['AddToPlaylist', 'Add To Playlist'],
    ['sci/tech', 'sci tech'],
    ['__x__', 'x'],
  ])('%s is read as "%s"', (label, words) => expect(wordsOfLabel(label)).toBe(words));

  it('are meaningful as words, not as numbers or single letters', () => {
    expect(['refund', '3', 'B', 'yes', '42-a'].filter(isTelling)).toEqual(['refund', 'yes']);
  });

  it('lose their endings, but short words stay', () => {
    expect(['cards', 'ordering', 'cancelled', 'is', 'as'].map(stem)).toEqual(['card', 'order', 'cancell', 'is', 'as']);
  });
});
