/** The bounds of a JSON text. */
export interface JsonBounds {
  readonly bytes: number;
  /** Texts, numbers, booleans, nulls, lists, objects and their fields, of all levels together. */
  readonly values: number;
  /** Numbers (booleans, nulls) in lists that count as one value together; default 1. */
  readonly numbersPerValue?: 16;
}

/** Read stores accept nesting below 100 (MongoDB), and a document adds some levels. */
const MAX_DEPTH = 64;
/** No field takes more than 1,000 names; the decoders name the field. */
const MAX_KEYS_OF_OBJECT = 2_000;

/** A JSON text is beyond a bound, which the message names without a subject. */
export class JsonBoundsError extends Error {
  override readonly name = 'JsonBoundsError';
}

/** The range of a text without its quotes, in bytes of the body. */
export interface LongText {
  readonly start: number;
  /** The place of the closing quote. */
  readonly end: number;
}

/** Shorter texts are parsed together: 25,000 of them take a few milliseconds. */
const MIN_LONG_TEXT = 256;

/**
 * Counts the values of a JSON text while its chunks arrive, so that nothing beyond the bounds is parsed. The text may
 * be invalid: everything before the first mistake has been counted.
 */
export class JsonShape {
  /** Cost so far, in sixteenths of a value. */
  private spent = VALUE;
  private readonly most: number;
  /** Number of keys of each open object; `LIST` for a list. */
  private readonly open: number[] = [];
  /** Ranges of long texts that are values, not keys. */
  readonly longTexts: LongText[] = [];
  /** Offset of the chunk in the body. */
  private offset = 0;
  private textStart = 0;
  private lastIsLong = false;
  private inString = false;
  /** The last chunk ended in a string, with the backslash of an escape. */
  private inEscape = false;

  /** Cost of an item after a comma, before it is known to be more than a number. */
  private readonly item: number;

  /** @param numbersPerValue how many numbers in lists count as one value */
  constructor(
    private readonly maxValues: number,
    numbersPerValue = 1,
  ) {
    this.most = maxValues * VALUE;
    this.item = VALUE / numbersPerValue;
  }

  /** @throws JsonBoundsError */
  read(bytes: Buffer): void {
    // V8 searches one-byte text faster than it walks bytes, and no byte of a multi-byte character is ASCII.
    const chunk = bytes.toString('latin1');
    const open = this.open;
    for (let at = this.inString ? this.endOfString(chunk, this.inEscape ? 1 : 0) : 0; at < chunk.length; at += 1) {
      const byte = chunk.charCodeAt(at);
      switch (byte) {
        case QUOTE:
          if (open.at(-1) === LIST) this.spend(VALUE - this.item);
          this.textStart = this.offset + at + 1;
          at = this.endOfString(chunk, at + 1) - 1;
          break;
        case OPEN_BRACKET:
        case OPEN_BRACE:
          if (open.push(byte === OPEN_BRACKET ? LIST : 0) > MAX_DEPTH)
            throw new JsonBoundsError(`is nested more than ${MAX_DEPTH} levels deep; make it flatter`);
          this.spend(VALUE);
          break;
        case CLOSE_BRACKET:
        case CLOSE_BRACE:
          open.pop();
          break;
        case COMMA:
          this.spend(this.item);
          break;
        case COLON: {
          if (this.lastIsLong) this.longTexts.pop();
          this.lastIsLong = false;
          this.spend(VALUE - this.item);
          const keys = Math.max(open.pop() ?? 0, 0) + 1;
          open.push(keys);
          if (keys > MAX_KEYS_OF_OBJECT) throw tooMany(`${MAX_KEYS_OF_OBJECT} keys in one object`);
        }
      }
    }
    this.offset += chunk.length;
  }

  private spend(sixteenths: number): void {
    this.spent += sixteenths;
    if (this.spent > this.most) throw tooMany(`${this.maxValues} values`);
  }

  /** The position after the quote that ends a string, or the chunk's end if the string continues in the next. */
  private endOfString(chunk: string, start: number): number {
    for (let quote = chunk.indexOf('"', start); quote !== -1; quote = chunk.indexOf('"', quote + 1))
      if (backslashesBefore(chunk, quote, start) % 2 === 0) {
        this.inString = false;
        const [start, end] = [this.textStart, this.offset + quote];
        this.lastIsLong = end - start >= MIN_LONG_TEXT;
        if (this.lastIsLong) this.longTexts.push({ start, end });
        return quote + 1;
      }
    this.inString = true;
    this.inEscape = backslashesBefore(chunk, chunk.length, start) % 2 === 1;
    return chunk.length;
  }
}

/** A list among the objects that are open. */
const LIST = -1;
/** Cost of a text, a list, an object or a field; a number may cost a fraction of it. */
const VALUE = 16;

function backslashesBefore(chunk: string, end: number, start: number): number {
  let at = end;
  while (at > start && chunk.charCodeAt(at - 1) === BACKSLASH) at -= 1;
  return end - at;
}

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d];

const tooMany = (bound: string): JsonBoundsError =>
  new JsonBoundsError(`holds more than ${bound}; send less in one request`);
