import { drain } from '../../steps.js';
import { cutsOf } from './parts.js';
import { severalOf } from './several.js';

const WORDS = { card: 0, pin: 0, weather: 1, rain: 1, music: 2, song: 2 } as const;
/** Sure of the class of the first word that it knows. */
const judge = (text: string): readonly number[] => {
  const known = Object.entries(WORDS).filter(([word]) => text.toLowerCase().includes(word));
  const first = known.toSorted(([a], [b]) => text.toLowerCase().indexOf(a) - text.toLowerCase().indexOf(b))[0];
  return [0, 1, 2].map((label) => (first === undefined ? 1 / 3 : label === first[1] ? 0.98 : 0.01));
};
const several = (text: string) => drain(severalOf(text, 30, judge));

describe('cuts of a text', () => {
  it.each([
    ['My card is lost. Will it rain?', ['My card is lost.', 'Will it rain?']],
    ['my card is lost\nwill it rain', ['my card is lost', 'will it rain']],
    ['my card is lost and will it rain', ['my card is lost', 'and will it rain']],
    ['my card is lost - will it rain', ['my card is lost -', 'will it rain']],
    ['meine Karte ist weg und regnet es morgen', ['meine Karte ist weg', 'und regnet es morgen']],
    ['カードをなくしました。明日は雨ですか。', ['カードをなくしました。', '明日は雨ですか。']],
  ])('are at the bounds of its clauses: %j', (text, parts) => {
    const [{ before, after } = { before: '', after: '' }] = cutsOf(text).atBounds;
    expect([before, after]).toEqual(parts);
  });

  it('are between two words nearest the middle, or two letters where words have no blanks', () => {
    expect(cutsOf('where is my lost card').inMiddle).toEqual({ before: 'where is', after: 'my lost card' });
    expect(cutsOf('カードをなくしました明日は雨ですか').inMiddle).toEqual({
      before: 'カードをなくしま',
      after: 'した明日は雨ですか',
    });
  });

  it('leave no part of a few letters, and are few in a long text', () => {
    expect(cutsOf('Hi, is it 3.5 or 4, no?').atBounds).toEqual([{ before: 'Hi, is it 3.5', after: 'or 4, no?' }]);
    expect(cutsOf('lost card')).toEqual({ atBounds: [], inMiddle: null });
    expect(cutsOf('This is a sentence. '.repeat(10_000)).atBounds.length).toBeLessThan(10);
  });
});

describe('several requests in one text', () => {
  it('are told by parts that would be answered by different classes', () => {
    const two = several('My card is lost. Will it rain in Rome?');
    const one = several('My card is lost. Send me a new pin now');
    const said = several('Will it rain? Please tell me now, ok?');
    expect(two).toBeGreaterThan(0.5);
    expect(Math.max(one, said)).toBeLessThan(-0.5);
  });

  it('are told by the halves where nothing marks the bound, if the text is long enough', () => {
    expect(several('i have lost my card somewhere here will it rain in the town of rome')).toBeGreaterThan(0.5);
    expect(several('my card, rain')).toBeLessThan(0.5);
  });

  it('are not looked for at each bound of a text that cannot reach what is asked', () => {
    let asked = 0;
    const counted = (text: string) => {
      asked += 1;
      return judge(text);
    };
    const text = 'My card is lost. My card is new. My pin is old, and my card is too';
    const limit = 2;
    expect(drain(severalOf(text, 30, counted, limit))).toBeLessThan(limit);
    expect(asked).toBe(2);
    expect(drain(severalOf(text, 30, judge))).toBeLessThan(limit);
  });

  it('are not in a text that cannot be cut', () => {
    expect(several('card')).toBe(-Infinity);
    expect(several('')).toBe(-Infinity);
  });
});
