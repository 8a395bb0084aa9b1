/** Places in a text by Unicode code points. */
export class CodePoints {
  readonly length: number;
  /** Start of each code point; null if every one is a single code unit. */
  private readonly starts: Uint32Array | null;

  constructor(text: string) {
    // Only surrogate pairs shift code points, and few texts have any.
    if (!/[\ud800-\udbff]/.test(text)) {
      this.starts = null;
      this.length = text.length;
      return;
    }
    const starts = new Uint32Array(text.length + 1);
    let count = 0;
    for (let index = 0; index < text.length; index += (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1)
      starts[count++] = index;
    starts[count] = text.length;
    this.starts = starts;
    this.length = count;
  }

  /** The code point that begins at an index of UTF-16 which lies between characters of the text. */
  readonly ofUtf16 = (index: number): number => this.pointAt(index)!;
  /** The index of UTF-16 of a code point of the text. */
  readonly toUtf16 = (codePoint: number): number => this.utf16Index(codePoint)!;

  /** The place of a code point in UTF-16; null beyond the text. */
  utf16Index(codePoint: number): number | null {
    if (codePoint > this.length) return null;
    return this.starts === null ? codePoint : (this.starts[codePoint] ?? null);
  }

  /** The code point that begins at an index of UTF-16; null inside of one, and beyond the text. */
  pointAt(index: number): number | null {
    if (this.starts === null) return index <= this.length ? index : null;
    let [low, high] = [0, this.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.starts[middle]! < index) low = middle + 1;
      else high = middle;
    }
    return this.starts[low] === index ? low : null;
  }
}
