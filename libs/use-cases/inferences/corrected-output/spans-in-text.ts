import { shown, type Path, type Reader } from '#primitives/reader.js';

/** Limit on characters read to find spans: a long text with many of them would block other requests. */
const MAX_SEARCHED = 24_000_000;
const SURROGATE = /[\ud800-\udbff]/;

/** Finds the spans of a corrected output in the call's texts. A text of null is unknown, and refuses nothing. */
export class SpansInText {
  private searched = 0;
  /** The last text that turned out to have one UTF-16 unit a code point. */
  private plain: string | null = null;

  constructor(private readonly reader: Reader) {}

  /** Refuses a text that does not occur in the call's. */
  occurs(found: string, text: string | null, path: Path): void {
    if (found === '') return this.reader.refuse(path, 'must be a part of the call’s text, not empty', 'out_of_range');
    if (text === null || !this.maySearch(text, path)) return;
    if (!text.includes(found))
      this.reader.refuse(path, `${shown(found)} does not occur in the call’s text`, 'not_allowed');
  }

  /** Refuses a text that is not at this place, in code points. */
  standsAt(found: string, start: number, end: number, text: string | null, path: Path): void {
    if (text === null) return;
    const at = this.indexIn(text, start, path);
    if (at === null) return;
    const isThere = start >= 0 && end - start === [...found].length && text.startsWith(found, at);
    if (isThere) return;
    const message = `${shown(found)} does not stand from ${start} to ${end} of the call’s text, in code points`;
    this.reader.refuse([...path, 'start'], message, 'not_allowed');
  }

  /** UTF-16 index of a code point; null when the text may not be scanned. */
  private indexIn(text: string, points: number, path: Path): number | null {
    if (this.plain === text) return points;
    if (!this.maySearch(text, path)) return null;
    if (!SURROGATE.test(text)) {
      this.plain = text;
      return points;
    }
    let at = 0;
    for (let point = 0; point < points && at < text.length; point += 1)
      at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
    return at;
  }

  private maySearch({ length }: string, path: Path): boolean {
    this.searched += length;
    if (this.searched <= MAX_SEARCHED) return true;
    this.reader.refuse(
      path,
      'is one of too many entities for so long a text; send the start and end of each',
      'out_of_range',
    );
    return false;
  }
}
