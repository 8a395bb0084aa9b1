import fc from 'fast-check';
import { tokenize } from '#primitives/text/tokens.js';
import { alignSpans } from './alignment.js';
import { MAX_SEGMENT_LENGTH, segmentTokens } from './segments.js';

const segmentsOf = (...of: Parameters<typeof segmentTokens>) => [...segmentTokens(...of)];
const sentence = (length: number) => `${'word '.repeat(length - 1)}.`;

describe('segments', () => {
  it('are lines without blank ones, with offsets into the whole text', () => {
    const text = 'One two\n\n  three\r\nfour';
    const segments = segmentsOf(text);
    expect(segments.map((tokens) => tokens.map((token) => token.text))).toEqual([['One', 'two'], ['three'], ['four']]);
    expect(segments.flat().every(({ start, end, text: word }) => text.slice(start, end) === word)).toBe(true);
  });

  it('end long lines at the last sentence end within the limit', () => {
    const text = [sentence(120), sentence(120), sentence(120)].join(' ');
    expect(segmentsOf(text).map((tokens) => tokens.length)).toEqual([240, 120]);
  });

  it('end at the limit where no sentence ends, and lose no token', () => {
    const segments = segmentsOf('word '.repeat(1000));
    expect(Math.max(...segments.map((tokens) => tokens.length))).toBe(MAX_SEGMENT_LENGTH);
    expect(segments.flat()).toHaveLength(1000);
  });

  it('keep a span whole that crosses a line break or the limit', () => {
    expect(segmentsOf('New\nYork\nis', [{ start: 0, end: 8 }]).map((tokens) => tokens.length)).toEqual([2, 1]);
    const text = 'word '.repeat(310);
    expect(segmentsOf(text, [{ start: 0, end: text.length - 1 }]).map((tokens) => tokens.length)).toEqual([310]);
  });
});

/** Words, marks, breaks and spaces of many scripts, and letters of two UTF-16 units. */
const PIECES = [
  ...[
    'word',
    'Ünïcode',
    'слово',
    'λέξη',
    'كلمة',
    'מילה',
    'शब्द',
    '東京',
    'ひらがな',
    'ไทย',
    '한국어',
    'ቃል',
    '𝒜𝒷',
    '👩‍🚀',
    '4,711.50',
  ],
  ...['.', '?', '!', '。', '؟', '।', '։', '።', '"', ')', ':', ',', '>', '- ', '1. ', 'Name: '],
  ...[' ', '  ', '\t', '\u00a0', '\n', '\r\n', '\r', '\n\n', '\u2028', '\ud800'],
];

describe('the segments of any text', () => {
  const same = (text: string, stretches: readonly { start: number; end: number }[] = []) => {
    const segments = segmentsOf(text, stretches);
    expect(segments.flat()).toEqual(tokenize(text));
    expect(segments.every((tokens) => tokens.length > 0)).toBe(true);
    return segments;
  };

  it('contain each token once, in order, at its place', () => {
    const text = fc.array(fc.constantFrom(...PIECES), { maxLength: 800 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(text, fc.array(fc.nat(3_000), { maxLength: 6 }), (given, places) => {
        const lengths = same(given).map((tokens) => tokens.length);
        expect(Math.max(0, ...lengths)).toBeLessThanOrEqual(MAX_SEGMENT_LENGTH);
        const [a = 0, b = 0, c = 0, d = 0] = places.map((place) => place % (given.length + 1)).sort((x, y) => x - y);
        same(given, [
          { start: a, end: b },
          { start: c, end: d },
        ]);
      }),
      { numRuns: 300 },
    );
  });

  it('contain each token of two megabytes in every script', () => {
    const text = Array.from(
      { length: 400_000 },
      (_, index) => PIECES[(index * 7919 + (index >> 5)) % PIECES.length],
    ).join(' ');
    expect(Buffer.byteLength(text)).toBeGreaterThan(2_000_000);
    same(text);
  });
});

const SENTENCES: Readonly<Record<string, string>> = {
  English: 'The minister of health met doctors from four towns, and "nobody knew why." ',
  Russian: 'Министр здравоохранения встретился с врачами из четырёх городов. ',
  Arabic: 'هل التقى وزير الصحة بأطباء من أربع مدن في العاصمة؟ ',
  Urdu: 'وزیر صحت نے چار شہروں کے ڈاکٹروں سے ملاقات کی۔ ',
  Hindi: 'स्वास्थ्य मंत्री ने चार शहरों के डॉक्टरों से मुलाकात की। ',
  Armenian: 'Նախարարը հանդիպեց չորս քաղաքների բժիշկներին։ ',
  Amharic: 'የጤና ሚኒስትሩ ከአራት ከተሞች ሐኪሞች ጋር ተገናኙ። ',
  Burmese: 'ဝန်ကြီးသည် မြို့လေးမြို့မှ ဆရာဝန်များနှင့် တွေ့ဆုံခဲ့သည်။ ',
  Chinese: '卫生部长会见了来自四个城市的医生。',
};

describe('a text longer than a segment', () => {
  it.each(Object.entries(SENTENCES))('is cut only between sentences: %s', (_, one) => {
    const segments = segmentsOf(one.repeat(200).trim());
    expect(segments.length).toBeGreaterThan(3);
    const words = tokenize(one).length;
    expect(segments.map(({ length }) => length % words)).toEqual(segments.map(() => 0));
  });

  const sentenceOf = fc
    .array(fc.stringMatching(/^[a-z]{1,12}$/), { minLength: 3, maxLength: 60 })
    .map((words) => `So ${words.join(' ')}.`);
  it('is cut only between sentences if its lines are wrapped', () => {
    fc.assert(
      fc.property(
        fc.array(sentenceOf, { minLength: 2, maxLength: 40 }),
        fc.integer({ min: 74, max: 110 }),
        (sentences, width) => {
          const text = wrapped(sentences.join(' '), width);
          const starts = segmentsOf(text).map((tokens) => tokens[0]!.text);
          expect(starts).toEqual(starts.map(() => 'So'));
        },
      ),
    );
  });
});

/** As mail programs break lines: before the first word that would go beyond the width. */
function wrapped(text: string, width: number, end = '\n'): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1)!;
    if (line !== '' && line.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines.join(end);
}

describe('lines', () => {
  const letter =
    'We will meet the people of the new office in the middle of next week, most likely in New York City or in San Francisco, ' +
    'and we should like to see you there with the whole team of the project. Please tell Maria Rossi by Friday.';
  const linesOf = (text: string) =>
    segmentsOf(text).map((tokens) => text.slice(tokens[0]!.start, tokens.at(-1)!.end).replaceAll(/\s+/g, ' '));

  it.each(['\n', '\r\n', '\r', '  \n '])('that are wrapped are joined: %j', (end) => {
    for (const width of [65, 72, 78, 100]) {
      const found = linesOf(wrapped(letter, width, end));
      expect(found.join(' ')).toBe(letter);
      // A break after a sentence is a break still.
      expect(found.length).toBeLessThanOrEqual(2);
    }
  });

  it.each(['\n\n', ' \r\n\n'])('that are wrapped are joined after %j too', (before) => {
    const text = wrapped(letter, 72);
    expect(linesOf(before + text)).toEqual(linesOf(text));
  });

  it.each<[string, string]>([
    [
      'fields',
      'Name of the person who has made the order: Maria Rossi of Lisbon\nPlace to which the order is to be sent: Lisbon',
    ],
    ['items', `${'- a thing that is long enough to be a wrapped line, or nearly so\n'.repeat(3)}- end`],
    ['numbered items', '1. a thing that is long enough to be a wrapped line, or nearly so it\n2. another'],
    ['quoted lines', `> ${wrapped(letter, 72, '\n> ')}`],
    ['short lines', 'Maria Rossi\nLisbon\nPortugal and all the world'],
    ['rows of a table', `${'Maria Rossi | Lisbon | Portugal | a customer since the year 2019 |\n'.repeat(2)}end`],
    ['sentences', 'This is a sentence that is long enough to be a line of wrapped text.\nThis is another.'],
    ['long lines', `${'word '.repeat(30)}\n${'word '.repeat(30)}`],
    ['paragraphs', 'This is a heading that is long enough to be a line of wrapped text\n\nThis is another'],
    [
      'lines that end early',
      'This line could have had another word\nand another, as this one shows, which is much longer than it is',
    ],
    [
      'indented and end early',
      `${' '.repeat(40)}This line could have had another word\nand another, as this one shows, which is much longer than it is`,
    ],
    ['Chinese lines', `${'卫生部长会见了来自四个城市的医生'.repeat(5)}\n卫生部长会见了来自四个城市的医生`],
  ])('that are %s stay separate', (_, text) => {
    expect(linesOf(text)).toHaveLength(text.split(/\n+/).length);
  });
});

describe('gold spans on tokens', () => {
  const label = 'x';
  const spelled = (text: string, spans: readonly (readonly [number, number])[]) => {
    const aligned = alignSpans(
      text,
      spans.map(([start, end]) => ({ start, end, label })),
    );
    const texts = aligned.segments.flatMap(({ tokens, spans: found }) =>
      found.map(({ first, end }) => text.slice(tokens[first]!.start, tokens[end - 1]!.end)),
    );
    return { ...aligned, texts };
  };

  it('cut the tokens in which they begin or end', () => {
    const { texts, cutTokens } = spelled('a London-based firm', [[2, 8]]);
    expect(texts).toEqual(['London']);
    expect(cutTokens).toBe(1);
  });

  it('keep the longest of overlapping ones and count the others', () => {
    const { texts, flattened } = spelled('University of New York', [
      [14, 22],
      [0, 22],
      [0, 10],
    ]);
    expect(texts).toEqual(['University of New York']);
    expect(flattened).toBe(2);
  });

  it('are trimmed of spaces; empty ones and those outside the text are counted', () => {
    const { texts, empty } = spelled('a  b', [
      [0, 3],
      [1, 3],
      [2, 9],
    ]);
    expect(texts).toEqual(['a']);
    expect(empty).toBe(2);
  });

  it('keep their lines together', () => {
    const { texts, segments } = spelled('in New\nYork now', [[3, 11]]);
    expect(texts).toEqual(['New\nYork']);
    expect(segments).toHaveLength(1);
  });
});
