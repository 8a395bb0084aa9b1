import {
  digitsIn,
  hexInto,
  MAX_EARLIER,
  MAX_SHORT_ID,
  SHAPE_AT,
  SHAPE_BYTES,
  TAG,
  TIME_LENGTH,
  timeIn,
  UUID_LENGTH,
  uuidInto,
} from './values.js';

/** Room for a value that is no text. */
const ROOM = 24;
const MAX_HEX = 256;
const MIN_HEX = 32;
const MIN_BASE64 = 16;

/** Writes the values of one thing after another. */
export class Output {
  private buffer = Buffer.allocUnsafe(4_096);
  private length = 0;
  /** Uuids and times of it so far. */
  private earlier: string[] = [];
  /** At least as many characters as the values have as JSON. */
  characters = 0;

  begin(): void {
    this.length = 0;
    this.earlier = [];
    this.characters = 0;
  }

  /** What was written since `begin`, until the next. */
  get written(): Buffer {
    return this.buffer.subarray(0, this.length);
  }

  /** Writes the id of its shape in its place, which is left out before it is known. */
  shape(id: number): void {
    this.reserve(ROOM);
    this.buffer.writeUIntLE(id, SHAPE_AT, SHAPE_BYTES);
    this.length = Math.max(this.length, SHAPE_AT + SHAPE_BYTES);
  }

  byte(value: number): void {
    this.reserve(1);
    this.buffer[this.length++] = value;
  }

  number(value: number): void {
    this.characters += 25;
    this.reserve(ROOM);
    if (Number.isSafeInteger(value)) {
      this.byte(value < 0 ? TAG.negative : TAG.integer);
      this.whole(Math.abs(value));
      return;
    }
    this.byte(TAG.double);
    this.length = this.buffer.writeDoubleLE(value, this.length);
  }

  known(id: number, text: string): void {
    this.characters += 6 * text.length;
    this.reserve(ROOM);
    if (id < MAX_SHORT_ID) {
      this.byte(TAG.shortKnown | (id >> 8));
      this.byte(id & 0xff);
      return;
    }
    this.byte(TAG.known);
    this.whole(id);
  }

  /** @returns whether it may be worth a place among the known texts: ids of one thing are in it several times, and count once */
  text(text: string): boolean {
    const { length } = text;
    this.reserve(ROOM + MAX_HEX);
    this.characters += length + 3;
    if (length === UUID_LENGTH || length === TIME_LENGTH) {
      const at = this.earlier.indexOf(text);
      if (at >= 0) {
        this.byte(TAG.earlier + at);
        return false;
      }
    }
    if (length === UUID_LENGTH && uuidInto(this.buffer, this.length + 1, text)) {
      this.remembered(text, TAG.uuid, 16);
      return true;
    }
    if (length > UUID_LENGTH && uuidInto(this.buffer, this.length + 1, text)) {
      this.byte(TAG.uuidFirst);
      this.length += 16;
      this.uncoded(text.slice(UUID_LENGTH));
      return true;
    }
    const time = timeIn(text);
    if (time !== null) {
      this.buffer.writeUIntLE(time, this.length + 1, 6);
      this.remembered(text, TAG.time, 6);
      return false;
    }
    const whole = digitsIn(text);
    if (whole !== null) {
      const isPadded = length > 1 && text.startsWith('0');
      this.byte(isPadded ? TAG.padded : TAG.digits);
      if (isPadded) this.whole(length);
      this.whole(whole);
      return false;
    }
    // A length below 128 is one byte.
    if (length >= MIN_HEX && length < MAX_HEX && hexInto(this.buffer, this.length + 2, text)) {
      this.byte(TAG.hex);
      this.byte(length / 2);
      this.length += length / 2;
      return true;
    }
    if (length >= MIN_BASE64 && length % 4 === 0 && this.base64(text)) return false;
    this.byte(TAG.text);
    this.uncoded(text);
    return true;
  }

  /** Any value, as JSON. */
  json(json: string): void {
    this.characters += 6 * json.length;
    this.reserve(ROOM);
    this.byte(TAG.json);
    this.bytes(json, 'utf8', Buffer.byteLength(json));
  }

  /** A value of some bytes, which are written already; later ones may refer to it. */
  private remembered(text: string, tag: number, bytes: number): void {
    this.byte(tag);
    this.length += bytes;
    if (this.earlier.length < MAX_EARLIER) this.earlier.push(text);
  }

  /** @returns false, with nothing written, for a text that decoding and encoding again does not give back */
  private base64(text: string): boolean {
    const start = this.length;
    const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
    const count = (text.length / 4) * 3 - padding;
    this.byte(TAG.base64);
    this.bytes(text, 'base64', count);
    if (this.buffer.toString('base64', this.length - count, this.length) === text) return true;
    this.length = start;
    return false;
  }

  private uncoded(text: string): void {
    this.characters += 5 * text.length;
    this.bytes(text, 'utf8', Buffer.byteLength(text));
  }

  private bytes(text: string, encoding: BufferEncoding, count: number): void {
    this.whole(count);
    this.reserve(count);
    this.buffer.write(text, this.length, count, encoding);
    this.length += count;
  }

  private whole(value: number): void {
    let left = value;
    for (; left >= 0x80; left = Math.floor(left / 0x80)) this.buffer[this.length++] = (left % 0x80) | 0x80;
    this.buffer[this.length++] = left;
  }

  private reserve(bytes: number): void {
    if (this.length + bytes <= this.buffer.length) return;
    const larger = Buffer.allocUnsafe(2 * (this.buffer.length + bytes));
    this.buffer.copy(larger, 0, 0, this.length);
    this.buffer = larger;
  }
}
