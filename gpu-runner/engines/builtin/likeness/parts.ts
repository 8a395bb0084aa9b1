/** A text in two parts. */
export interface Cut {
  readonly before: string;
  readonly after: string;
}

export interface Cuts {
  /** Where a sentence, a clause or a line ends. */
  readonly atBounds: readonly Cut[];
  /** Between two words, nearest the middle; null for a text too short to be cut there. */
  readonly inMiddle: Cut | null;
}

/** A shorter part says nothing. UTF-16 units. */
const MIN_PART = 6;
/** Bounds at which a text is cut, those nearest the middle. */
const MAX_BOUNDS = 6;

/** After a stop or comma, at the end of a line, around a dash, before a word for "and", "but", "or" or "also". */
const BOUND = new RegExp(
  [
    String.raw`(?<=[.!?…;:,؟۔،।։။។])\s+`,
    String.raw`(?<=[。！？；：，、])`,
    String.raw`\s*\n\s*`,
    String.raw`\s+[-–—]+\s+`,
    String.raw`\s+(?=(?:and|but|or|also|plus|then|und|aber|oder|auch|et|mais|ou|aussi|y|pero|también|ma|anche|maar|ook|и|но|также)\s)`,
  ].join('|'),
  'giu',
);
const BLANKS = /\s+/gu;
const LETTERS_WITHOUT_BLANKS =
  /(?<=[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}])/gu;

/** Where two requests in one text may be apart. */
export function cutsOf(text: string): Cuts {
  const whole = text.trim();
  const nearest = (pattern: RegExp, count: number): readonly Cut[] => {
    const fromMiddle = (at: number) => Math.abs(at - whole.length / 2);
    return [...new Set(Array.from(whole.matchAll(pattern), ({ index, 0: mark }) => index + mark.length))]
      .toSorted((a, b) => fromMiddle(a) - fromMiddle(b))
      .map((at) => ({ before: whole.slice(0, at).trim(), after: whole.slice(at) }))
      .filter(({ before, after }) => before.length >= MIN_PART && after.length >= MIN_PART)
      .slice(0, count);
  };
  return {
    atBounds: nearest(BOUND, MAX_BOUNDS),
    inMiddle: nearest(BLANKS, 1)[0] ?? nearest(LETTERS_WITHOUT_BLANKS, 1)[0] ?? null,
  };
}
