const SURROGATE = /[\ud800-\udbff]/;

/** Turns UTF-16 offsets of a text into offsets in Unicode code points: one pass in all, then a binary search for each. */
export function codePointOffsets(text: string): (utf16: number) => number {
  const ends = endsOfPairs(text);
  return ends.length === 0
    ? (utf16) => utf16
    : (utf16) => utf16 - countUntil(ends.length, (pair) => ends[pair]! <= utf16);
}

/** Turns offsets of a text in Unicode code points into UTF-16 offsets. */
export function utf16Offsets(text: string): (codePoint: number) => number {
  const ends = endsOfPairs(text);
  // `pair` characters of two units precede the one that ends at ends[pair].
  return ends.length === 0
    ? (codePoint) => codePoint
    : (codePoint) => codePoint + countUntil(ends.length, (pair) => ends[pair]! - (pair + 1) <= codePoint);
}

/** UTF-16 offsets at which surrogate pairs end. */
function endsOfPairs(text: string): readonly number[] {
  const ends: number[] = [];
  if (!SURROGATE.test(text)) return ends;
  for (let at = 0; at < text.length; at += 1) if ((text.codePointAt(at) ?? 0) > 0xffff) ends.push((at += 1) + 1);
  return ends;
}

/** The number of leading indices below `length` for which `holds` is true; it is false for all after them. */
function countUntil(length: number, holds: (index: number) => boolean): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
