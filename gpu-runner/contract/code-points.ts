const SURROGATE = /[\ud800-\udbff]/;

/** Turns UTF-16 offsets of a text into offsets in Unicode code points: one pass in all, then a binary search for each. */
export function codePointOffsets(text: string): (utf16: number) => number {
  if (!SURROGATE.test(text)) return (utf16) => utf16;
  /** Ends of the characters with two units. */
  const pairs: number[] = [];
  for (let at = 0; at < text.length; at += 1) if ((text.codePointAt(at) ?? 0) > 0xffff) pairs.push((at += 1) + 1);
  return (utf16) => {
    let [low, high] = [0, pairs.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (pairs[middle]! <= utf16) low = middle + 1;
      else high = middle;
    }
    return utf16 - low;
  };
}
