/** Below this the engine's own search is always fast: characters sought, and their product with the text's length. */
const SHORT = 32;
const SMALL = 1_000_000;

/**
 * Searches one text within another, in time proportional to both. The engine's own search is faster for natural text,
 * but takes the product of the lengths for adversarial input: half a minute for a row of some 100 KB.
 */
export class Search {
  /** The failure table of Knuth, Morris and Pratt. */
  private readonly borders: Int32Array | null;

  constructor(
    private readonly text: string,
    private readonly sought: string,
  ) {
    this.borders = isForEngine(text, sought) ? null : bordersOf(sought);
  }

  /** Index of the first occurrence at or after `start`; -1 if there is none. */
  from(start: number): number {
    const { text, sought } = this;
    if (this.borders === null) return text.indexOf(sought, start);
    let matched = 0;
    for (let at = start; at < text.length; at += 1) {
      const unit = text.charCodeAt(at);
      while (matched > 0 && sought.charCodeAt(matched) !== unit) matched = this.borders[matched - 1]!;
      if (sought.charCodeAt(matched) === unit) matched += 1;
      if (matched === sought.length) return at - matched + 1;
    }
    return -1;
  }
}

/** Whether a text contains another, in linear time. */
export const holds = (text: string, sought: string): boolean =>
  isForEngine(text, sought) ? text.includes(sought) : new Search(text, sought).from(0) >= 0;

const isForEngine = (text: string, sought: string): boolean =>
  sought.length <= SHORT || text.length * sought.length <= SMALL;

function bordersOf(sought: string): Int32Array {
  const borders = new Int32Array(sought.length);
  let matched = 0;
  for (let at = 1; at < sought.length; at += 1) {
    const unit = sought.charCodeAt(at);
    while (matched > 0 && sought.charCodeAt(matched) !== unit) matched = borders[matched - 1]!;
    if (sought.charCodeAt(matched) === unit) matched += 1;
    borders[at] = matched;
  }
  return borders;
}
