import { UnreadableFileError } from '../limits.js';

/** Bytes that Windows-1252 does not define. */
const UNDEFINED = new Set([0x81, 0x8d, 0x8f, 0x90, 0x9d]);
/** Letters of Windows-1252 below 0xC0. */
const LOW_LETTERS = new Set([0x83, 0x8a, 0x8c, 0x8e, 0x9a, 0x9c, 0x9e, 0x9f, 0xaa, 0xb5, 0xba]);
/** Marks that also occur inside words: quotes, dashes, the soft hyphen and the middle dot. */
const MARKS = new Set([0x91, 0x92, 0x93, 0x94, 0x96, 0x97, 0x85, 0xa0, 0xad, 0xb4, 0xb7]);
/** Letters that are rare in Windows-1252, and frequent at their places in other encodings: of Turkish, Czech, Polish and Hungarian. */
const RARE = new Set([0x8a, 0x8e, 0x9a, 0x9e, 0xd0, 0xdd, 0xde, 0xf0, 0xfd, 0xfe]);
/** Maximum share of unlikely bytes among those that are not ASCII. */
const MAX_UNLIKELY = 0.1;

/**
 * Decodes text in Windows-1252, which includes Latin-1 and is the usual encoding of tables that are not UTF-8. Every
 * byte sequence is valid in it, so text is refused if it is unlikely in a language of Western Europe.
 */
export class WesternText {
  private readonly decoder = new TextDecoder('windows-1252');
  private high = 0;
  private unlikely = 0;

  /** @throws UnreadableFileError for a byte that is no character */
  decode(bytes: Uint8Array): Buffer {
    for (const [at, byte] of bytes.entries()) {
      if (byte < 0x80) continue;
      if (UNDEFINED.has(byte)) throw unlikely();
      this.high += 1;
      if (isUnlikely(byte, bytes[at - 1] ?? 0x20, bytes[at + 1] ?? 0x20)) this.unlikely += 1;
    }
    return Buffer.from(this.decoder.decode(bytes, { stream: true }));
  }

  /** @throws UnreadableFileError when the text so far is unlikely */
  check(): void {
    if (this.unlikely > MAX_UNLIKELY * this.high) throw unlikely();
  }
}

function isUnlikely(byte: number, before: number, next: number): boolean {
  if (RARE.has(byte)) return true;
  // A sequence of UTF-8, or letters in a row, as in encodings of other scripts.
  if (byte >= 0xc2 && next >= 0x80 && next < 0xc0 && !MARKS.has(next)) return true;
  if (isLetter(byte)) return before >= 0x80 && isLetter(before);
  return !MARKS.has(byte) && isWord(before) && isWord(next);
}

const isLetter = (byte: number): boolean =>
  byte < 0x80 ? isWord(byte) : LOW_LETTERS.has(byte) || (byte >= 0xc0 && byte !== 0xd7 && byte !== 0xf7);

const isWord = (byte: number): boolean =>
  byte < 0x80 ? (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a : isLetter(byte);

const unlikely = (): UnreadableFileError =>
  new UnreadableFileError(
    'the file is not UTF-8, and no text of Western Europe in Windows-1252 either; save it as UTF-8',
  );
