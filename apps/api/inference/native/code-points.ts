const SURROGATE = /[\ud800-\udbff]/;

/**
 * Turns UTF-16 offsets of a text into offsets in Unicode code points. Asking for rising offsets costs one pass in all.
 */
export function codePointOffsets(text: string): (utf16: number) => number {
  if (!SURROGATE.test(text)) return (utf16) => utf16;
  let at = 0;
  let points = 0;
  return (utf16) => {
    if (utf16 < at) at = points = 0;
    while (at < utf16) {
      at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
      points += 1;
    }
    return points;
  };
}
